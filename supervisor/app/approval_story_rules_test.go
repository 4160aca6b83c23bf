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

// changeConfig replaces old by new in the configuration and reloads it.
func (l approvalService) changeConfig(old, new string) {
	l.T.Helper()
	b, err := os.ReadFile(l.Config)
	if err != nil || !strings.Contains(string(b), old) {
		l.T.Fatalf("there is no %q in %s (%v)", old, b, err)
	}
	l.write("mews.yaml", strings.Replace(string(b), old, new, 1))
	out, err := exec.CommandContext(l.T.Context(), filepath.Join(l.Bin, "mews"), "reload", "--config",
		l.Config).CombinedOutput()
	if err != nil {
		l.T.Fatalf("reload: %s%v", out, err)
	}
}

// Two users are asked for approval. One then stops being an admin, and the other's effect becomes
// denied. If they say yes after that, nothing happens.
func TestApproval_RulesTightened_DeniesEffect(t *testing.T) {
	t.Parallel()
	l := approvalService{newGatedService(t, sendFileModel, "", "alice, role: admin, totp: off, approvals: {invite: ask}",
		"bob, role: admin, totp: off, approvals: {send_file: ask}")}
	l.Bin = apptest.LinkProgramsInTestFolder(t, apptest.BuildPrograms(t))
	l.Start()
	l.sayAndAwait("alice", "/invite carol", "Invite carol?")
	l.writeHomeFile("a.txt", "hello\n")
	l.requestFile("a.txt")
	l.changeConfig("name: alice, role: admin", "name: alice, role: user")
	l.pressLabel("alice", "Once")
	l.changeConfig("approvals: {send_file: ask}", "approvals: {send_file: deny}")
	l.pressLabel("bob", "Once")
	l.awaitDone()
	l.bot.WaitUntil(t, "alice to be refused", func() bool {
		return slices.Contains(l.told("alice"),
			"Only an admin may use /invite.")
	})
	l.checkAnswer("The rules here do not let bob do this (send_file).")
	l.checkArrived()
	if n := l.QueryCount("SELECT (SELECT count(*) FROM person) + (SELECT count(*) FROM invite)"); n != 0 {
		t.Errorf("%d rows of carol are kept", n)
	}
	l.Stop()
}

// If nothing needs a code, a code is neither stored nor read by a model. It can't be used again.
// Six digits that are not a code are an ordinary message.
func TestLoginCode_NotNeeded_IsNotStored(t *testing.T) {
	t.Parallel()
	l := approvalService{newGatedService(t, modeltest.EchoScript, "", "bob, totp: required")}
	l.enrol("bob")
	l.open()
	l.sayAndAwait("bob", l.code("bob", 0), unlocked)
	l.move(time.Minute)
	code, wrong := l.code("bob", 0), l.wrongCode("bob")
	typed := l.sayAndAwait("bob", code, "I am not waiting for a code here. Your code did nothing, and is used up.")
	l.awaitDeleted("bob", typed)
	l.sayAndAwait("bob", wrong, "echo: "+wrong)
	l.sayAndAwait("bob", "/lock", "This chat is locked.")
	l.sayAndAwait("bob", code, usedCode)
	l.move(30 * time.Second)
	l.sayAndAwait("bob", l.code("bob", 0), unlocked)
	l.checkNowhere(code)
	if heard := l.askedTexts(); !slices.Equal(heard, []string{wrong}) {
		t.Errorf("the model heard %q", heard)
	}
	l.checkAudit(map[string]int{"code.unasked": 1, "login": 2})
}
