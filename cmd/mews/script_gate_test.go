package main_test

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pquerna/otp/totp"
	"github.com/rogpeppe/go-internal/testscript"

	"mews/supervisor/telegram/telegramtest"
)

// checkSilent fails if the bot has sent or edited a message in a chat.
func checkSilent(b *scriptBot, ts *testscript.TestScript, args []string) {
	id := chatOf(ts, args[0]).ID
	for _, c := range b.server.Calls() {
		if c.ChatID == id {
			ts.Fatalf("the bot has called %s for %s's chat\n%s", c.Method, args[0], b.transcript(id))
		}
	}
}

// pressButton presses the newest button with a label in the user's chat.
func pressButton(b *scriptBot, ts *testscript.TestScript, args []string) {
	b.press(ts, true, args)
}

// pressForeign presses a button of another user. The press must not be stored, and the user must be
// shown a text.
func pressForeign(b *scriptBot, ts *testscript.TestScript, args []string) {
	query := b.press(ts, false, args)
	shown := func() int {
		return slices.IndexFunc(b.server.PressAcks(), func(a telegramtest.PressAck) bool { return a.Query == query })
	}
	b.await(ts, func() bool { return shown() >= 0 }, func() string { return "the press is not acknowledged" })
	if text := b.server.PressAcks()[shown()].Text; !strings.Contains(text, args[2]) {
		ts.Fatalf("%s is shown %q", args[0], text)
	}
}

// press presses a button, and returns the id of the callback query.
func (b *scriptBot) press(ts *testscript.TestScript, meant bool, args []string) (query string) {
	p := speakerOf(ts, args[0])
	var at telegramtest.Message
	data := ""
	b.await(ts, func() bool {
		for _, m := range slices.Backward(b.server.BotMessages(p.chat.ID)) {
			for _, row := range m.Keyboard {
				for _, button := range row {
					if button.Text == args[1] {
						at, data = m, button.Data
						return true
					}
				}
			}
		}
		return false
	}, func() string { return "there is no button " + args[1] + "\n" + b.transcript(p.chat.ID) })
	b.mu.Lock()
	defer b.mu.Unlock() // holds the mutex until forBot has the update; the server may ask about the update earlier
	update, query, err := b.server.PressButton(p.chat, p.who, at.ID, data)
	ts.Check(err)
	b.forBot[update] = meant
	return query
}

// takeShown waits until a chat matches a pattern, and puts the newest match of the pattern's group
// into a variable.
func takeShown(b *scriptBot, ts *testscript.TestScript, args []string) {
	id, pattern := chatOf(ts, args[1]).ID, groupOf(ts, args[2])
	b.await(ts, func() bool { return pattern.MatchString(b.transcript(id)) }, func() string {
		return args[1] + "'s chat does not show " + args[2] + "\n" + b.transcript(id)
	})
	all := pattern.FindAllStringSubmatch(b.transcript(id), -1)
	ts.Setenv(args[0], all[len(all)-1][1])
}

func groupOf(ts *testscript.TestScript, text string) *regexp.Regexp {
	pattern, err := regexp.Compile(`(?m)` + text)
	ts.Check(err)
	if pattern.NumSubexp() != 1 {
		ts.Fatalf("%q has %d groups, want 1", text, pattern.NumSubexp())
	}
	return pattern
}

// takePrinted puts a group of a pattern in the last output into a variable.
func takePrinted(_ *scriptEnv, ts *testscript.TestScript, args []string) {
	m := groupOf(ts, args[1]).FindStringSubmatch(ts.ReadFile("stdout"))
	if m == nil {
		ts.Fatalf("there is no %q in what was printed", args[1])
	}
	ts.Setenv(args[0], m[1])
}

// takeCode puts the current code of a secret into the variable CODE.
func takeCode(_ *scriptEnv, ts *testscript.TestScript, args []string) {
	code, err := totp.GenerateCode(args[0], time.Now())
	ts.Check(err)
	ts.Setenv("CODE", code)
}
