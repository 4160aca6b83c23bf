package main

import (
	"context"
	"testing"
	"time"

	"mews/worker/sandbox/escape"
)

// TestTryWalls_ProbeCannotRun_IsUntried: an attempt that could not be made does not prove that a
// wall works.
func TestTryWalls_ProbeCannotRun_IsUntried(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	// this time is too short even for the start of a Go program
	late, over := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer over()
	for name, ctx := range map[string]context.Context{"ended": ended, "late": late} {
		probe, _ := escape.FindProbe("F1")
		f := new(wallTester).tryRow(ctx, probe, escape.Victims{})
		if f.Outcome != escape.OutcomeUntried || f.Detail == "" {
			t.Errorf("%s: %+v", name, f)
		}
	}
}
