package app_test

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mews/supervisor/app/apptest"
)

// streamQuestion is the beginning of the question about a setting.
const streamQuestion = "Change your setting stream from "

// The service is killed or stopped while a command asks its user. The user is asked once, and a
// press works even if the service was down.
func TestCommandQuestion_ServiceDies_AsksOnce(t *testing.T) {
	t.Parallel()
	l := approvalService{newGatedService(t, sendFileModel, "", "alice, role: admin, approvals: {settings: ask}")}
	l.Bin = apptest.LinkProgramsInTestFolder(t, apptest.BuildPrograms(t))
	l.Start()
	for i, c := range []struct {
		says, button, answer string
		away                 bool // whether the press comes while the service is down
		end                  func()
	}{
		{"/settings stream off", "Once", "From now on stream is off", false, l.kill},
		{"/settings stream on", "Once", "From now on stream is on", true, l.kill},
		{"/settings stream off", "Deny", "alice was asked and said no.", true, l.kill},
		{"/settings stream off", "Once", "From now on stream is off", true, l.Stop},
	} {
		l.sayAndAwait("alice", c.says, streamQuestion)
		l.WaitUntilTrue(apptest.DefaultTestTimeout, "the question to be delivered", l.allDelivered)
		c.end()
		if c.away {
			l.pressLabel("alice", c.button)
		}
		l.Start()
		if !c.away {
			l.pressLabel("alice", c.button)
		}
		l.awaitDone()
		if told := lastOf(l.told("alice")); !slices.ContainsFunc(l.told("alice"), func(text string) bool { return strings.HasPrefix(text, c.answer) }) {
			t.Errorf("%s, %s: alice was told %q in the end", c.says, c.button, told)
		}
		if n := l.questionCount(); n != i+1 {
			t.Errorf("%s, %s: alice was asked %d times, want %d", c.says, c.button, n, i+1)
		}
	}
	if n := l.QueryCount("SELECT count(*) FROM setting WHERE name = 'stream' AND value = 'off'"); n != 1 {
		t.Errorf("%d settings are kept", n)
	}
	l.Stop()
}

// Deleting a user ends a command that waits for the user's answer. The service does not try to
// answer that command.
func TestUserDelete_EndsWaitingCommand(t *testing.T) {
	t.Parallel()
	l := approvalService{newGatedService(t, sendFileModel, "approvals: {admin: {settings: ask}, user: {settings: ask}}\n", "alice, role: admin")}
	l.Bin = apptest.LinkProgramsInTestFolder(t, apptest.BuildPrograms(t))
	l.Start()
	verb := func(args ...string) *exec.Cmd {
		return exec.CommandContext(t.Context(), filepath.Join(l.Bin, "mews"), append(args, "--config", l.Config)...)
	}
	if out, err := verb("user", "add", "dan").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	talk, heard := verb("chat", "--user", "dan"), new(bytes.Buffer)
	talk.Stdin, talk.Stdout, talk.Stderr = strings.NewReader("/settings stream off\n"), heard, heard
	if err := talk.Start(); err != nil {
		t.Fatal(err)
	}
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "dan to be asked", func() bool { return l.questionCount() == 1 })
	if out, err := verb("user", "remove", "dan").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if out, err := verb("user", "delete", "dan", "--yes").CombinedOutput(); err != nil || !strings.Contains(string(out), "dan is deleted.") {
		t.Fatalf("%v: %s\n%s", err, out, l.LogTail())
	}
	_ = talk.Process.Kill() // the client may still wait for an answer
	_ = talk.Wait()
	l.sayAndAwait("alice", "/settings stream off", streamQuestion) // a command of alice's wakes all waiting questions
	l.pressLabel("alice", "Once")
	l.awaitDone()
	if log := l.LogTail(); strings.Contains(log, "answer a command") {
		t.Errorf("something tries to answer dan: %s", log)
	}
	for _, table := range []string{"inbox", "outbox", "conversation", "question", "setting"} {
		if n := l.QueryCount("SELECT count(*) FROM " + table + " WHERE user = 'dan'"); n != 0 {
			t.Errorf("%d rows of theirs are left in %s", n, table)
		}
	}
	l.Stop()
}
