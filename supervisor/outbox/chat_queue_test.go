package outbox

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/reply"
)

// TestFreeze_WallClockSet_KeepsItsLength runs outside a synctest bubble, because times in a bubble
// have no monotonic reading. It does not wait.
func TestFreeze_WallClockSet_KeepsItsLength(t *testing.T) {
	g := newGate(supervisor.ChannelTelegram, SendRates{}, time.Now)
	g.restoreFreezes(map[string]time.Time{"1": time.Now().Round(0).Add(time.Hour)})
	g.recordFlood("2", false, time.Hour)
	g.recordFlood("3", true, time.Hour)
	for chat, until := range g.currentFreezes() {
		if !strings.Contains(until.String(), " m=") {
			t.Errorf("the freeze of chat %q ends when the wall clock says so: %v", chat, until)
		}
	}
	if n := len(g.currentFreezes()); n != 4 {
		t.Errorf("%d freezes", n)
	}
}

// failingConversations is a store whose conversations can't be read.
type failingConversations struct{ Conversations }

var errLost = errors.New("the disk is gone")

func (failingConversations) FindConversation(context.Context, int64) (supervisor.Conversation, bool, error) {
	return supervisor.Conversation{}, false, errLost
}

// TestQueueWake_StoreFails_IsRepeated covers a store that fails while a chat may have a new name.
// The store then can't say which conversations the chat still has.
func TestQueueWake_StoreFails_IsRepeated(t *testing.T) {
	for name, moved := range map[string]bool{"then": false, "and the chat moves again": true} {
		t.Run(name, func(t *testing.T) {
			o := New(Options{Conversations: failingConversations{}, Replies: &reply.Feeds{}, Now: time.Now})
			o.wake("-100", 5)
			l := o.queues["-100"]
			l.movePending, l.replies[4] = true, &growingReply{set: &postSet{}}
			if moved {
				l.Conversations = movingConversations{o}
			}
			if err := l.readWoken(t.Context()); !errors.Is(err, errLost) {
				t.Fatal(err)
			}
			woken, _ := o.takeWoken(l)
			if _, ok := woken[5]; ok == moved {
				t.Errorf("woken for %v", woken)
			}
		})
	}
}

// movingConversations is a store that fails while a chat is renamed again. The queue must then look
// its conversations up again.
type movingConversations struct{ o *Outbox }

func (m movingConversations) FindConversation(context.Context, int64) (supervisor.Conversation, bool, error) {
	m.o.NotifyChatMove("-100", "-200")
	return supervisor.Conversation{}, false, errLost
}

func (movingConversations) RenameChat(context.Context, supervisor.Channel, string, string) (int, error) {
	return 0, nil
}
