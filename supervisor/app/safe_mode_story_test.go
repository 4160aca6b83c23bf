package app_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mews/supervisor/app/apptest"
	"mews/supervisor/model/modeltest"
)

// TestSafeMode_Message_IsKeptUntilFullStart: in safe mode an admin learns why, and whoever writes is
// told that the message waits. No worker and no model runs. The next full start answers it.
func TestSafeMode_Message_IsKeptUntilFullStart(t *testing.T) {
	t.Parallel()
	model := func(modeltest.Request) modeltest.Answer { return modeltest.Answer{Text: "the answer"} }
	l := newGatedService(t, model, "", "ann, role: admin", "dan")
	l.Command = func() *exec.Cmd {
		return exec.Command(filepath.Join(l.Bin, "mews"), "run", "--config", l.Config, "--safe-mode")
	}
	l.say("ann", "hello") // a bot can't write first
	l.say("dan", "hello")
	l.Start()
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "ann to learn why", func() bool {
		said := strings.Join(l.told("ann"), " ")
		return strings.Contains(said, "Mews started in safe mode") && strings.Contains(said, "I can only keep")
	})
	l.awaitTold("dan", 0, "I can only keep your messages now")
	if n := len(l.ProcessIDs("mews-worker")); n > 0 {
		t.Errorf("%d workers run in safe mode", n)
	}
	if n := len(l.model.Requests()); n > 0 {
		t.Errorf("%d requests to the model in safe mode", n)
	}
	if said := runVerb(l, "status", "--check"); !strings.Contains(said, "safe mode, because it was started with") {
		t.Errorf("the check of the status says %q", said)
	}
	l.Stop()
	before := len(l.told("dan"))
	l.Command = nil
	l.Start()
	l.awaitTold("dan", before, "the answer")
	l.Stop()
}
