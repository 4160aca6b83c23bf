package main

import (
	"context"
	"testing"

	"mews/worker/sandbox/escape"
)

// TestAnAttemptThatCouldNotBeMadeIsNoneThatWasStopped: it says nothing of any wall.
func TestAnAttemptThatCouldNotBeMadeIsNoneThatWasStopped(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	if f := tryRow(ended, "F1", escape.Victims{}); f.Outcome != escape.Untried || f.Detail == "" {
		t.Errorf("%+v", f)
	}
}
