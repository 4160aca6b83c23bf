package main

import (
	"context"
	"testing"
	"time"

	"mews/worker/sandbox/escape"
)

// TestAnAttemptThatCouldNotBeMadeIsNoneThatWasStopped: such an attempt says nothing about the
// walls.
func TestAnAttemptThatCouldNotBeMadeIsNoneThatWasStopped(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	// a program of Go's takes longer to begin
	late, over := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer over()
	for name, ctx := range map[string]context.Context{"ended": ended, "late": late} {
		if f := tryRow(ctx, "F1", escape.Victims{}); f.Outcome != escape.Untried || f.Detail == "" {
			t.Errorf("%s: %+v", name, f)
		}
	}
}
