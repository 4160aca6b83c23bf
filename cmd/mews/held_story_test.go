package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mews/supervisor/model/modeltest"
	"mews/supervisor/telegram/telegramtest"
)

// turnOff has nobody be asked for a code from the next reload or start on.
func turnOff(l *lodge) {
	l.t.Helper()
	raw, err := os.ReadFile(l.config)
	if err != nil {
		l.t.Fatal(err)
	}
	l.write("mews.yaml", strings.Replace(string(raw), "totp: required", "totp: 'off'", 1))
}

// TestWhatIsHeldIsAnsweredWhenCodesAreTurnedOff: bob was told that it is kept and answered, and no code comes by which it would
// be, whether codes are turned off by a reload or while no service runs.
func TestWhatIsHeldIsAnsweredWhenCodesAreTurnedOff(t *testing.T) {
	for name, restart := range map[string]bool{"by a reload": false, "while nobody runs": true} {
		t.Run(name, func(t *testing.T) {
			l := consent{newLodge(t, modeltest.Echo, "", "bob, totp: required")}
			l.bin = ownPrograms(t, plainPrograms(t))
			l.enrol("bob")
			l.start()
			l.asks("bob", "the important one", locked)
			l.say("bob", "/status")
			l.until(patience, "both to be held", func() bool { return l.count("SELECT count(*) FROM inbox WHERE held = 1") == 2 })
			turnOff(l.lodge)
			if restart {
				l.die()
				l.start()
			} else if out, err := exec.CommandContext(t.Context(), filepath.Join(l.bin, "mews"), "reload", "--config", l.config).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			l.settle()
			if n := l.count("SELECT count(*) FROM inbox WHERE held = 1"); n != 0 || !slices.Contains(l.told("bob"), "echo: the important one") {
				t.Errorf("%d are held, and bob was told %q", n, l.told("bob"))
			}
			if n := l.count("SELECT count(*) FROM inbox WHERE kind = 'command' AND state IN ('answered', 'done')"); n != 1 {
				t.Errorf("%d commands were answered", n)
			}
			l.stop()
		})
	}
}

// TestAGroupMovesWhileNobodyRuns: what was said in it last is answered in the new one.
func TestAGroupMovesWhileNobodyRuns(t *testing.T) {
	l := consent{newLodge(t, modeltest.Echo, "", "alice, role: admin, totp: 'off'", "bob, totp: 'off'")}
	l.bin = ownPrograms(t, plainPrograms(t))
	l.start()
	l.bot.Say(theFlat, l.who("alice"), "/allow")
	l.inFlat("")
	l.settle()
	l.die()
	l.bot.Say(theFlat, l.who("bob"), "@mews_bot the question")
	big := telegramtest.Chat{ID: -1005001, Type: "supergroup", Title: theFlat.Title}
	l.bot.Migrate(theFlat.ID, big.ID)
	l.start()
	l.bot.Await(t, "the question to be answered", func() bool {
		return slices.ContainsFunc(l.bot.Sent(big.ID), func(m telegramtest.Message) bool { return strings.HasPrefix(m.Text, "echo: ") })
	})
	l.settle()
	l.stop()
}
