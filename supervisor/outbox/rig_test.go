package outbox_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/outbox"
	"mews/supervisor/reply"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

const (
	limit  = 100                             // maximum length of a message of the fake channel
	room   = limit - outbox.RepeatMarkLength // the usable length of a part
	source = "far/1"
	alice  = "42"   // alice's private chat
	club   = "-100" // the number of a group chat
)

// rig is an outbox on a real database with a fake channel. Its methods end the test on any error.
type rig struct {
	testing.TB
	db      *sqlite.DB
	channel *fakeChannel
	feeds   reply.Feeds
	mu      sync.Mutex // guards the fields below
	box     *outbox.Outbox
	keys    int
}

// inBubble runs a story in a synctest bubble, in which time passes as fast as possible.
func inBubble(t *testing.T, story func(h *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { story(newRig(t, t.TempDir())) })
}

func newRig(t testing.TB, dir string) *rig {
	t.Helper()
	h := &rig{TB: t, db: sqlitetest.OpenPath(t, filepath.Join(dir, "mews.db"), sqlite.Options{}), channel: newFakeChannel()}
	h.feeds.Changed = func(id int64) {
		h.mu.Lock()
		box := h.box
		h.mu.Unlock()
		if box != nil {
			box.NotifyChange(id)
		}
	}
	return h
}

// render returns words unchanged, and cuts full messages. A word that begins with * is bold.
func render(text string, _ bool) []supervisor.RichText {
	var list []supervisor.RichText
	for text != "" {
		n := min(len(text), room)
		part := supervisor.RichText{Text: text[:n]}
		if text[0] == '*' {
			part.Entities = []supervisor.RichTextEntity{{Type: supervisor.EntityBold, Length: n}}
		}
		list, text = append(list, part), text[n:]
	}
	return list
}

func halve(t supervisor.RichText) []supervisor.RichText {
	n := len(t.Text) / 2
	if n == 0 {
		return []supervisor.RichText{t}
	}
	return []supervisor.RichText{{Text: t.Text[:n]}, {Text: t.Text[n:]}}
}

func yes(supervisor.Conversation) bool { return true }

func (h *rig) options(l *process) outbox.Options {
	d := killableStore{h.db, l}
	return outbox.Options{Name: supervisor.ChannelTelegram, Source: source, Channel: h.channel, Deliveries: d, Posts: d,
		Conversations: d, Freezes: d, Replies: &h.feeds, Render: render, Halve: halve, Limit: limit, Now: time.Now,
		Grows: yes, Serves: yes, Alarm: func(string) {}, Recovered: func(string) {}}
}

// live starts an outbox as one process, which ends at the latest with the test.
func (h *rig) live(with ...func(*outbox.Options)) (end func()) {
	h.Helper()
	return h.liveAs(&process{}, with...)
}

func (h *rig) liveAs(l *process, with ...func(*outbox.Options)) (end func()) {
	h.Helper()
	o := h.options(l)
	for _, w := range with {
		w(&o)
	}
	box := outbox.New(o)
	h.mu.Lock()
	h.box = box
	h.mu.Unlock()
	ctx, cancel := context.WithCancel(context.Background())
	ran := make(chan error, 1)
	go func() { ran <- box.Run(ctx) }()
	end = sync.OnceFunc(func() {
		cancel()
		if err := <-ran; err != nil && !l.ended() {
			h.Error(err)
		}
	})
	h.Cleanup(end)
	return end
}

func final(o *outbox.Options) { o.Grows = func(supervisor.Conversation) bool { return false } }

// pass lets d pass and waits until all due work is done.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func must[T any](h *rig, v T, err error) T {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
	return v
}

func (h *rig) same(what string, got, want any) {
	h.Helper()
	if d := cmp.Diff(want, got); d != "" {
		h.Errorf("%s: (-want +got)\n%s", what, d)
	}
}

func (h *rig) conversation(user, chat string) supervisor.Conversation {
	h.Helper()
	c, err := h.db.Conversations().FindOrCreate(h.Context(), user, supervisor.ChannelTelegram, chat, "")
	return must(h, c, err)
}

// notice puts a notice into the store and tells the outbox.
func (h *rig) notice(c supervisor.Conversation, text string) supervisor.Delivery {
	h.Helper()
	d, err := h.db.Outbox().PutTextNotice(h.Context(), c.ID, text)
	must(h, d, err)
	h.feeds.NotifyDelivery(c.ID)
	return d
}

// turn is a turn that has just begun, with its reply.
type turn struct {
	h *rig
	supervisor.Turn
	*reply.Stream
	said string
}

func (h *rig) begin(c supervisor.Conversation) *turn {
	h.Helper()
	h.keys++
	key := fmt.Sprint("key-", h.keys)
	return h.beginWith(supervisor.Inbound{Conversation: c, Source: source, Key: key,
		Message: "in-" + key, Kind: supervisor.KindText, Text: "hello"})
}

func (h *rig) beginWith(in supervisor.Inbound) *turn {
	h.Helper()
	in, _, err := h.db.Inbox().StoreInbound(h.Context(), in)
	must(h, in, err)
	t, _, err := h.db.Turns().Start(h.Context(), in.ID, nil)
	must(h, t, err)
	return &turn{h: h, Turn: t, Stream: h.feeds.OpenStream(t, "")}
}

func (t *turn) say(text string) {
	t.said += text
	t.AppendText(text)
}

// finish ends a turn with the text said so far.
func (t *turn) finish() supervisor.Delivery { return t.finishWith(t.said) }

func (t *turn) finishWith(text string) supervisor.Delivery {
	t.h.Helper()
	d, err := t.h.db.Turns().Finish(t.h.Context(), sqlite.TurnEnding{Turn: t.ID, Why: protocol.TurnEndDone,
		State: supervisor.InboundAnswered, Text: text})
	must(t.h, d, err)
	t.Close()
	return d
}

// lost lists the deliveries that may not have arrived.
func (h *rig) lost() string {
	h.Helper()
	list, err := h.db.Outbox().ListUndelivered(h.Context())
	must(h, list, err)
	var b strings.Builder
	for _, u := range list {
		fmt.Fprintf(&b, "%s %d: %s\n", u.Outcome, u.Count, u.Why)
	}
	return b.String()
}

func (h *rig) waiting(chat string) int {
	h.Helper()
	list, err := h.db.Outbox().ListPendingInChat(h.Context(), supervisor.ChannelTelegram, chat, 100)
	return len(must(h, list, err))
}

func words(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "w%03d ", i)
	}
	return b.String()[:n]
}
