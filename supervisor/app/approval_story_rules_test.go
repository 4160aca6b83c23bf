package app_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mews/supervisor/app/apptest"
	"mews/supervisor/model/modeltest"
)

// changes writes the configuration otherwise and has it reloaded.
func (l approvalService) changes(old, new string) {
	l.T.Helper()
	b, err := os.ReadFile(l.Config)
	if err != nil || !strings.Contains(string(b), old) {
		l.T.Fatalf("there is no %q in %s (%v)", old, b, err)
	}
	l.write("mews.yaml", strings.Replace(string(b), old, new, 1))
	out, err := exec.CommandContext(l.T.Context(), filepath.Join(l.Bin, "mews"), "reload", "--config", l.Config).CombinedOutput()
	if err != nil {
		l.T.Fatalf("reload: %s%v", out, err)
	}
}

// TestAYesIsForTheRulesAsTheyAre: while people are asked, one is no admin any more, and what the
// other is asked about is denied.
func TestAYesIsForTheRulesAsTheyAre(t *testing.T) {
	t.Parallel()
	l := approvalService{newGatedService(t, fileSender, "", "alice, role: admin, totp: off, approvals: {invite: ask}",
		"bob, role: admin, totp: off, approvals: {send_file: ask}")}
	l.Bin = apptest.OwnPrograms(t, apptest.PlainPrograms(t))
	l.Start()
	l.asks("alice", "/invite carol", "Invite carol?")
	l.lay("a.txt", "hello\n")
	l.wants("a.txt")
	l.changes("name: alice, role: admin", "name: alice, role: user")
	l.chooses("alice", "Once")
	l.changes("approvals: {send_file: ask}", "approvals: {send_file: deny}")
	l.chooses("bob", "Once")
	l.settle()
	l.bot.Await(t, "alice to be refused", func() bool { return slices.Contains(l.told("alice"), "Only an admin may use /invite.") })
	l.ends("The rules of this Mews do not let bob do this (send_file).")
	l.arrived()
	if n := l.Count("SELECT (SELECT count(*) FROM person) + (SELECT count(*) FROM invite)"); n != 0 {
		t.Errorf("%d rows of carol are kept", n)
	}
	l.Stop()
}

// TestACodeThatNothingWaitsForGoesNowhere: no word of it is kept, no model reads it, and it is good
// for nothing afterwards. Six digits that are no code are words.
func TestACodeThatNothingWaitsForGoesNowhere(t *testing.T) {
	t.Parallel()
	l := approvalService{newGatedService(t, modeltest.Echo, "", "bob, totp: required")}
	l.enrol("bob")
	l.open()
	l.asks("bob", l.code("bob", 0), unlocked)
	l.move(time.Minute)
	code, wrong := l.code("bob", 0), l.wrong("bob")
	typed := l.asks("bob", code, "I am not waiting for a code here, so it did nothing, and it is used up.")
	l.gone("bob", typed)
	l.asks("bob", wrong, "echo: "+wrong)
	l.asks("bob", "/lock", "Locked here.")
	l.asks("bob", code, usedCode)
	l.move(30 * time.Second)
	l.asks("bob", l.code("bob", 0), unlocked)
	l.nowhere(code)
	if heard := l.heard(); !slices.Equal(heard, []string{wrong}) {
		t.Errorf("the model heard %q", heard)
	}
	l.audits(map[string]int{"code.unasked": 1, "login": 2})
}
