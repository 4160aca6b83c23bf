package app_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"mews/supervisor/app/apptest"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/telegram/telegramtest"
)

// answerCost is the token usage of a short answer.
var answerCost = &modeltest.AnswerUsage{Prompt: 100, Completion: 10}

// Bob's worker dies in his first turn, which then gets the next worker alone. His second turn, in
// the terminal, waits for the worker. Meanwhile it returns its lease, because the first turn needs
// that money.
func TestTurnWaitingForWorker_HoldsNoMoney(t *testing.T) {
	t.Parallel()
	l := newGatedService(t, func(r modeltest.Request) modeltest.Answer {
		switch {
		case !strings.Contains(r.NewestUserMessage(), "long"):
			return modeltest.Answer{Text: "That was short.", Usage: answerCost}
		case len(r.AnsweredCalls()) < 2: // the worker dies in the first turn
			return modeltest.Answer{Calls: []modeltest.Call{{Name: "run_command",
				Args: `{"command": "echo run >> runs; until [ -e enough ]; do sleep 0.05; done"}`}}, Usage: answerCost}
		}
		return modeltest.Answer{Text: "That was long.", Usage: answerCost}
	}, dearConfig+"budget: {users: {day: 0.0285}}\n", "bob, totp: off")
	l.Start()
	writes := func(text string) (end func()) {
		talk, heard := exec.CommandContext(t.Context(), filepath.Join(l.Bin, "mews"), "chat", "--config", l.Config, "--user", "bob"), new(bytes.Buffer)
		talk.Stdin, talk.Stdout, talk.Stderr = strings.NewReader(text+"\n"), heard, heard
		if err := talk.Start(); err != nil {
			t.Fatal(err)
		}
		return func() {
			if err := talk.Wait(); err != nil || !strings.Contains(heard.String(), "That was short.") {
				t.Errorf("%v: the terminal reads %q", err, heard)
			}
		}
	}
	runs := func(n int) {
		l.WaitUntilTrue(apptest.DefaultTestTimeout, "the command to run", func() bool {
			text, _ := os.ReadFile(filepath.Join(l.UserHome("bob"), "runs"))
			return strings.Count(string(text), "run") == n
		})
	}
	writes("hi")()
	l.say("bob", "a long one")
	runs(1)
	if err := syscall.Kill(l.WorkerPIDs()["bob"], syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	runs(2)
	end := writes("hi again")
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "the other turn to start",
		func() bool { return l.QueryCount("SELECT count(*) FROM lease") == 1 })
	if err := os.WriteFile(filepath.Join(l.UserHome("bob"), "enough"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	l.awaitNewest("bob", "That was long.")
	end()
	l.Stop()
}

// Bob is asked for more money in two chats, and says yes in one. If that yes is enough for both
// turns, both continue.
func TestBudgetRaise_Approved_ResumesAllTurns(t *testing.T) {
	t.Parallel()
	l := newGatedService(t, func(r modeltest.Request) modeltest.Answer {
		return modeltest.Answer{Text: "Here I am.", Usage: answerCost}
	},
		dearConfig+"budget: {users: {day: 0.001, extend: 0.15}}\n", "ann, role: admin, totp: off", "bob, totp: off")
	l.open()
	inFlat := func(words string, buttons int) {
		t.Helper()
		l.bot.WaitUntil(t, "the flat to read "+words, func() bool {
			return slices.ContainsFunc(l.bot.BotMessages(flatChat.ID), func(m telegramtest.Message) bool {
				return strings.Contains(m.Text, words) && len(m.Keyboard) == buttons
			})
		})
	}
	l.bot.Say(flatChat, l.telegramUser("ann"), "/allow")
	inFlat("", 0)
	l.bot.Say(flatChat, l.telegramUser("bob"), "@mews_bot hello")
	inFlat("May I go on", 3)
	l.say("bob", "hello")
	card := l.awaitCard("bob", "May I go on")
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "both questions to be delivered", l.allDelivered)
	l.pressRow("bob", card, 0)
	l.awaitNewest("bob", "Here I am.")
	inFlat("Here I am.", 0)
	inFlat("May I go on", 0)
	if n := l.QueryCount("SELECT count(*) FROM extension"); n != 1 {
		t.Errorf("bob has lengthened the limit %d times", n)
	}
}
