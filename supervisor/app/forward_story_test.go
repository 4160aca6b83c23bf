package app_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mews/supervisor/app/apptest"
)

// Texts beyond the message rate wait on disk. Texts beyond the queue's limit are refused, and each
// gets a reply.
func TestMessageFlood_FillsQueueUpToLimit(t *testing.T) {
	l := newGatedService(t, sendFileModel, "", "alice, role: admin")
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
	var refused []int64
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "two texts to be refused", func() bool {
		refused = nil
		for _, m := range l.bot.BotMessages(l.telegramUser("alice").ID) {
			if strings.HasPrefix(m.Text, "This message was not taken") {
				refused = append(refused, m.ReplyTo)
			}
		}
		return len(refused) == 2
	})
	if n := l.QueryCount("SELECT count(*) FROM inbox WHERE text = 'hello'"); n != 201 {
		t.Errorf("%d texts are kept", n)
	}
	if !slices.Equal(refused, sent[201:]) {
		t.Errorf("what was refused is %d, the replies are to %d", sent[201:], refused)
	}
}
