package telegramtest_test

import (
	"fmt"
	"sync"
	"testing"

	"mews/supervisor/telegram/telegramtest"
)

// TestBot_AnswersTenThousandMessages runs a whole bot, which polls and answers each message in its
// chat. No message may be lost.
func TestBot_AnswersTenThousandMessages(t *testing.T) {
	const chats, each = 20, 500
	answered := map[int64]bool{}
	s, c := startServer(t, telegramtest.Options{Strict: true, BeforeConfirm: func(ids []int64) {
		for _, id := range ids {
			if !answered[id] {
				t.Errorf("update %d is confirmed and not answered", id)
			}
		}
	}})
	var people sync.WaitGroup
	for i := range int64(chats) {
		people.Go(func() {
			u := telegramtest.User{ID: 3000 + i}
			for n := range each {
				s.Say(telegramtest.PrivateChat(u), u, fmt.Sprint("message ", n))
			}
		})
	}
	var offset int64
	for done := 0; done < chats*each; {
		for _, u := range c.poll(m{"offset": offset, "timeout": 50}) {
			c.send(u.Message.Chat.ID, u.Message.Text)
			answered[u.ID] = true
			offset, done = u.ID+1, done+1
		}
	}
	people.Wait()
	c.poll(m{"offset": offset})
	s.WaitUntil(t, "all to be confirmed", func() bool { return s.CountPendingUpdates() == 0 })
	for i := range int64(chats) {
		for n, msg := range s.BotMessages(3000 + i) {
			if msg.Text != fmt.Sprint("message ", n) {
				t.Fatalf("chat %d: answer %d is %q", 3000+i, n, msg.Text)
			}
		}
	}
}

func BenchmarkSendMessage(b *testing.B) {
	s, c := startServer(b, telegramtest.Options{})
	s.AddChat(home)
	b.ReportAllocs()
	for b.Loop() {
		c.send(home.ID, "hello")
	}
}

func BenchmarkPeopleSay(b *testing.B) {
	s, _ := startServer(b, telegramtest.Options{})
	b.ReportAllocs()
	for b.Loop() {
		s.Say(home, alice, "/hello everybody")
	}
}
