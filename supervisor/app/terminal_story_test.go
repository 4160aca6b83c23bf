package app_test

import (
	"strings"
	"testing"

	"mews/supervisor/app/apptest"
	"mews/supervisor/model/modeltest"
)

// /status shows terminals of ended turns while their programs run.
func TestStatusCommand_ShowsRunningTerminals(t *testing.T) {
	t.Parallel()
	l := newGatedService(t, func(r modeltest.Request) modeltest.Answer {
		if done := r.AnsweredCalls(); len(done) > 0 {
			return modeltest.Answer{Text: "it runs"}
		}
		action := `{"action":"open","command":"` + r.NewestUserMessage() + `","wait":0.01}`
		if r.NewestUserMessage() == "close" {
			action = `{"action":"close"}`
		}
		return modeltest.Answer{Calls: []modeltest.Call{{Name: "terminal", Args: action}}}
	}, "", "alice, role: admin", "bob")
	l.open()
	l.sayAndAwait("bob", "/status", "• mews: ")
	if told := lastOf(l.told("bob")); strings.Contains(told, "terminal") {
		t.Errorf("without a worker is told %q", told)
	}
	l.sayAndAwait("bob", "sleep 1000", "it runs")
	l.sayAndAwait("bob", "/status", "• mews: ")
	if told := lastOf(l.told("bob")); !strings.Contains(told, "\n• terminal: 1 (sleep 1000) runs for ") {
		t.Errorf("while it runs is told %q", told)
	}
	l.sayAndAwait("alice", "/status", "• mews: ")
	if told := lastOf(l.told("alice")); strings.Contains(told, "sleep") {
		t.Errorf("another is told %q", told)
	}
	l.sayAndAwait("bob", "close", "it runs")
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "the terminal to be gone", func() bool {
		l.sayAndAwait("bob", "/status", "• mews: ")
		return !strings.Contains(lastOf(l.told("bob")), "terminal")
	})
}
