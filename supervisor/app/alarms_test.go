package app

import (
	"testing"
	"time"

	"mews/supervisor/model"
	"mews/supervisor/pool"
)

// TestFault_ForTheURL_NamesNobody: the readers of the URL learn of no person, and get no text of a
// provider.
func TestFault_ForTheURL_NamesNobody(t *testing.T) {
	workers := []pool.WorkerStatus{{Key: "ann", Refused: "her home is gone"}, {Key: "bob"}}
	if got := refusedWorkers(workers); got != "1 assistant" {
		t.Errorf("workers: %q", got)
	}
	now := time.Now()
	refusals := []model.Refusal{{Model: "a/x", Message: "ann's account", At: now.Add(-time.Hour)},
		{Model: "a/y", At: now.Add(-refusalAge)}, {Model: "b/z", Message: "key sk-1", At: now}}
	if got := refusingModels(refusals, now); got != "a/x, b/z" {
		t.Errorf("models: %q", got)
	}
	if got := refusedWorkers(workers[1:]) + refusingModels(nil, now); got != "" {
		t.Errorf("without a fault: %q", got)
	}
}
