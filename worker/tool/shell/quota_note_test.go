package shell

import (
	"context"
	"strings"
	"testing"
)

// TestRun_FullFolder_NotesTheQuota: the program still runs, and the second line of the result is
// about the folder.
func TestRun_FullFolder_NotesTheQuota(t *testing.T) {
	note, asked := "no room: full", 0
	b := newFixture(t, func(o *Options) {
		o.QuotaNote = func(context.Context) string { asked++; return note }
	})
	b.write("big", "x")
	for _, use := range [][]any{
		{"run_command", "command", "rm big; echo gone"},
		{"run_python", "code", "print('gone')"},
		{"terminal", "action", "open", "command", "echo gone; sleep 1000", "wait_for", "gone"},
		{"terminal", "action", "read"},
	} {
		r := b.mustRun(use[0].(string), use[1:]...)
		if lines := strings.Split(r.Text, "\n"); lines[1] != note || !strings.Contains(r.Text, "\ngone") {
			t.Errorf("%v: got %q", use, r.Text)
		}
	}
	b.mustRun("terminal", "action", "close")
	if asked != 5 {
		t.Errorf("asked %d times, want 5", asked)
	}
	b.mustFail("run_command", "the command is empty", "command", " ")
	note = ""
	if r := b.mustRun("run_command", "command", "echo on"); strings.Contains(r.Text, "room") || output(r) != "on\n" {
		t.Errorf("got %q", r.Text)
	}
}
