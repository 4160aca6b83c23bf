package app_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mews/supervisor/app/apptest"
	"mews/supervisor/telegram/telegramtest"
)

// TestManyTextsAtOnceAreKept: what is beyond the rate waits on disk, and the first beyond what may wait is refused in a reply to it.
func TestManyTextsAtOnceAreKept(t *testing.T) {
	l := newGatedService(t, fileSender, "", "alice, role: admin")
	text, err := os.ReadFile(filepath.Join(l.Dir, "mews.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	l.write("mews.yaml", strings.Replace(string(text), "burst: 1000", "burst: 1, second: 0.01", 1))
	var sent []int64
	for range 203 {
		sent = append(sent, l.say("alice", "hello"))
	}
	l.open()
	var refusal telegramtest.Message
	l.WaitFor(apptest.Patience, "a text to be refused", func() bool {
		told := l.bot.Sent(l.who("alice").ID)
		i := slices.IndexFunc(told, func(m telegramtest.Message) bool { return strings.HasPrefix(m.Text, "This message was not taken") })
		if i >= 0 {
			refusal = told[i]
		}
		return i >= 0
	})
	if n := l.Count("SELECT count(*) FROM inbox WHERE text = 'hello'"); n != 201 {
		t.Errorf("%d texts are kept", n)
	}
	if refusal.ReplyTo != sent[201] {
		t.Errorf("what was refused is %d, the reply is to %d", sent[201], refusal.ReplyTo)
	}
}
