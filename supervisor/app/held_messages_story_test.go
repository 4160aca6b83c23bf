package app_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mews/supervisor/app/apptest"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/telegram/telegramtest"
)

// turnOffCodes changes the configuration so that no user needs a code after the next reload or
// start.
func turnOffCodes(l *gatedService) {
	l.T.Helper()
	raw, err := os.ReadFile(l.Config)
	if err != nil {
		l.T.Fatal(err)
	}
	l.write("mews.yaml", strings.Replace(string(raw), "totp: required", "totp: 'off'", 1))
}

// Bob's message waits for a code. Then codes are turned off, by a reload or while the service is
// down. The message is now answered without a code.
func TestCodesTurnedOff_AnswersHeldMessages(t *testing.T) {
	t.Parallel()
	for name, restart := range map[string]bool{"by a reload": false, "while the service is down": true} {
		t.Run(name, func(t *testing.T) {
			l := approvalService{newGatedService(t, modeltest.EchoScript, "", "bob, totp: required")}
			l.Bin = apptest.LinkProgramsInTestFolder(t, apptest.BuildPrograms(t))
			l.enrol("bob")
			l.Start()
			l.sayAndAwait("bob", "the important one", locked)
			l.say("bob", "/status")
			l.WaitUntilTrue(apptest.DefaultTestTimeout, "both to be held",
				func() bool { return l.QueryCount("SELECT count(*) FROM inbox WHERE held = 1") == 2 })
			turnOffCodes(l.gatedService)
			if restart {
				l.kill()
				l.Start()
			} else if out, err := exec.CommandContext(t.Context(), filepath.Join(l.Bin, "mews"), "reload", "--config", l.Config).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			l.awaitDone()
			if n := l.QueryCount("SELECT count(*) FROM inbox WHERE held = 1"); n != 0 || !slices.Contains(l.told("bob"),
				"echo: the important one") {
				t.Errorf("%d are held, and bob was told %q", n, l.told("bob"))
			}
			if n := l.QueryCount("SELECT count(*) FROM inbox WHERE kind = 'command' AND state IN ('answered', 'done')"); n != 1 {
				t.Errorf("%d commands were answered", n)
			}
			l.Stop()
		})
	}
}

// A group gets a new id while the service is down. Its last message under the old id is answered in
// the new group.
func TestGroupMove_ServiceDown_AnswersInNewChat(t *testing.T) {
	t.Parallel()
	l := approvalService{newGatedService(t, modeltest.EchoScript, "", "alice, role: admin, totp: 'off'",
		"bob, totp: 'off'")}
	l.Bin = apptest.LinkProgramsInTestFolder(t, apptest.BuildPrograms(t))
	l.Start()
	l.bot.Say(flatChat, l.telegramUser("alice"), "/allow")
	l.awaitInFlat("")
	l.awaitDone()
	l.kill()
	l.bot.Say(flatChat, l.telegramUser("bob"), "@mews_bot the question")
	big := telegramtest.Chat{ID: -1005001, Type: "supergroup", Title: flatChat.Title}
	l.bot.MigrateToSupergroup(flatChat.ID, big.ID)
	l.Start()
	l.bot.WaitUntil(t, "the question to be answered", func() bool {
		return slices.ContainsFunc(l.bot.BotMessages(big.ID), func(m telegramtest.Message) bool { return strings.HasPrefix(m.Text, "echo: ") })
	})
	l.awaitDone()
	l.Stop()
}
