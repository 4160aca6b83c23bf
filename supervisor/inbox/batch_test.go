package inbox_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "mews/internal/fixedseed"
	"mews/supervisor"
	"mews/supervisor/inbox"
	"mews/supervisor/problem"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

const source = "telegram/https://api.telegram.org/7"

// heard records an inbox's callbacks.
type heard struct {
	accepted []string // texts of the accepted inbounds
	answered []int64  // conversations that Queued was called with
	unkept   []string // conversations and texts of the inbounds that could not be stored
}

// openBox returns an inbox for batches on a real database.
func openBox(t *testing.T) (*inbox.Inbox, *sqlite.DB, *heard) {
	t.Helper()
	db, h := sqlitetest.Open(t), &heard{}
	return h.inbox(db.Inbox(), openGate{}), db, h
}

func (h *heard) inbox(store inbox.Store, gate inbox.Gate) *inbox.Inbox {
	return inbox.New(inbox.Options{
		Store: store, Gate: gate, Conversations: annConversations{},
		Accepted: func(in supervisor.Inbound) { h.accepted = append(h.accepted, in.Text) },
		Queued:   func(conversation int64) { h.answered = append(h.answered, conversation) },
		NotStored: func(in supervisor.Inbound, err error) error {
			h.unkept = append(h.unkept, fmt.Sprint(in.Conversation.ID, " ", in.Text))
			return err
		},
	})
}

// put stores a batch of the source.
func put(t testing.TB, box *inbox.Inbox, next int64, items ...supervisor.BatchItem) error {
	t.Helper()
	return box.StoreBatch(t.Context(), supervisor.InboundBatch{Source: source, Next: next, Items: items})
}

// annConversations finds a conversation of ann, and of nobody else.
type annConversations struct{}

func (annConversations) FindOrCreate(_ context.Context, user string, channel supervisor.Channel, chat,
	thread string) (supervisor.Conversation, error) {
	if user != "ann" || channel != supervisor.ChannelTelegram || chat != "42" || thread != "" {
		return supervisor.Conversation{}, errors.New("the disk is full")
	}
	return supervisor.Conversation{ID: 7, User: user, Channel: channel, Chat: chat}, nil
}

func item(update int64, user, text string) supervisor.BatchItem {
	return supervisor.BatchItem{Update: update, Raw: fmt.Sprintf(`{"update_id":%d}`, update),
		Inbound: supervisor.Inbound{
			Conversation: supervisor.Conversation{User: user, Channel: supervisor.ChannelTelegram, Chat: "42"},
			Key:          fmt.Sprint(update, ".1789000000"), Message: "m1", Text: text}}
}

func TestStoreBatch_StoresThenAcceptsInOrder(t *testing.T) {
	box, db, h := openBox(t)
	batch := []supervisor.BatchItem{item(5, "ann", "hello"), item(6, "bob", "/stop"), item(7, "ann", "and then")}
	for range 2 { // the second time is a repeat, as after a crash of the source
		if err := put(t, box, 8, batch...); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"hello", "/stop", "and then", "hello", "/stop", "and then"}, h.accepted); diff != "" {
		t.Error(diff)
	}
	if next, err := db.Inbox().NextUpdateNumber(t.Context(), source); err != nil || next != 8 {
		t.Errorf("the next batch begins at %d, %v", next, err)
	}
	c, err := db.Conversations().FindOrCreate(t.Context(), "ann", supervisor.ChannelTelegram, "42", "")
	if err != nil {
		t.Fatal(err)
	}
	in, ok, err := db.Inbox().NextInbound(t.Context(), c.ID)
	if err != nil || !ok || in.Text != "hello" || in.Kind != supervisor.KindText || in.Source != source || in.Message != "m1" {
		t.Errorf("first is %+v, %v, %v", in, ok, err)
	}
	if commands, err := db.Inbox().ListCommands(t.Context()); err != nil || len(commands) != 1 || commands[0].Text != "/stop" {
		t.Errorf("commands are %+v, %v", commands, err)
	}
}

func TestStoreBatch_Empty_OnlyMovesOffset(t *testing.T) {
	box, db, h := openBox(t)
	for _, c := range []struct{ next, want int64 }{{9, 9}, {0, 9}, {3, 3}} {
		if err := put(t, box, c.next); err != nil {
			t.Fatal(err)
		}
		if next, err := db.Inbox().NextUpdateNumber(t.Context(), source); err != nil || next != c.want {
			t.Errorf("after %d the next batch begins at %d, %v; want %d", c.next, next, err, c.want)
		}
	}
	if len(h.accepted)+len(h.answered) != 0 {
		t.Errorf("handed on was %+v", h)
	}
}

func TestStoreBatch_InvalidItem_DelaysNoOtherItem(t *testing.T) {
	photo := item(1, "ann", "(a photo)")
	photo.Answer = "I cannot look at photos yet."
	silent := item(2, "ann", "")
	silent.Answer = "I cannot listen yet."
	const instead, tooLong = "(a message that could not be taken)", "at most 256 KiB"
	for name, c := range map[string]struct {
		item         supervisor.BatchItem
		text, answer string
	}{
		"what its channel answers": {photo, "(a photo)", "I cannot look at photos yet."},
		"that, without a text":     {silent, instead, "I cannot listen yet."},
		"nothing":                  {item(3, "ann", " \n"), instead, "The message is empty."},
		"nothing but a zero":       {item(4, "ann", "\x00"), instead, "The message is empty."},
		"a long text": {item(5, "ann", strings.Repeat("x", supervisor.MaxInboundText+1)), instead,
			tooLong},
		"a long command": {item(6, "ann", "/stop "+strings.Repeat("x", supervisor.MaxInboundText)), instead,
			tooLong},
		"one that is long if whole": {item(7, "ann", strings.Repeat("a\xff", supervisor.MaxInboundText/2)), instead,
			tooLong},
	} {
		t.Run(name, func(t *testing.T) {
			box, db, h := openBox(t)
			batch := []supervisor.BatchItem{item(10, "ann", "before"), c.item, item(11, "ann", "after")}
			if err := put(t, box, 9, batch...); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{"before", "after"}, h.accepted); diff != "" {
				t.Error(diff)
			}
			if len(h.answered) != 1 {
				t.Fatalf("announced were %v", h.answered)
			}
			answers, err := db.Outbox().ListPending(t.Context(), h.answered[0], 0, 10)
			if err != nil || len(answers) != 1 || !strings.Contains(answers[0].Text, c.answer) || answers[0].Inbound == 0 {
				t.Errorf("told is %+v, %v", answers, err)
			}
			same := c.item.Inbound
			same.Source, same.Kind, same.Text = source, supervisor.KindText, "another"
			again, _, err := db.Inbox().StoreInbound(t.Context(), same)
			if err != nil || again.Text != c.text || again.State != supervisor.InboundAnswered {
				t.Errorf("kept is %+v, %v", again, err)
			}
		})
	}
}

func TestStoreBatch_BrokenTextOrKey_IsRepaired(t *testing.T) {
	box, db, h := openBox(t)
	broken := item(1, "ann", "a\xff\x00b")
	broken.Raw, broken.Inbound.Key = "{\xff}", "two\nlines"
	other := item(2, "ann", "c")
	other.Inbound.Key = ""
	for range 2 {
		if err := put(t, box, 9, broken, other); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"a\uFFFDb", "c", "a\uFFFDb", "c"}, h.accepted); diff != "" {
		t.Error(diff)
	}
	if list, err := db.Inbox().ListUnfinishedConversations(t.Context()); err != nil || len(list) != 1 {
		t.Errorf("waiting are %+v, %v", list, err)
	}
}

// fullBatchStore is a store on a full disk.
type fullBatchStore struct{ fullStore }

func (fullBatchStore) StoreBatch(ctx context.Context, _ supervisor.InboundBatch) (r supervisor.BatchReceipt,
	err error) {
	if ctx.Err() != nil {
		return r, context.Cause(ctx)
	}
	return r, &supervisor.Error{Code: supervisor.CodeUnavailable, Message: "The disk is full."}
}

func TestStoreBatch_FullDisk_StillStopsTurns(t *testing.T) {
	h := &heard{}
	unreadable := item(3, "ann", "/photo")
	unreadable.Answer = "I cannot look at photos yet."
	known := item(5, "cat", "/new")
	known.Inbound.Conversation.ID = 9
	batch := []supervisor.BatchItem{
		item(1, "ann", "hello"), item(2, "ann", "/stop"), unreadable, item(4, "bob", "/stop@mews_bot now"), known,
	}
	err := put(t, h.inbox(fullBatchStore{}, openGate{}), 5, batch...)
	if problem.UserText(err) != "The disk is full." {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff(heard{unkept: []string{"7 /stop", "0 /stop@mews_bot now", "9 /new"}}, *h, cmp.AllowUnexported(heard{})); diff != "" {
		t.Error(diff)
	}
	if err := put(t, inbox.New(inbox.Options{Store: fullBatchStore{}, Gate: openGate{}}), 5, batch...); err == nil {
		t.Error("it was kept")
	}
	ended, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("the service ends")
	cancel(cause)
	h = &heard{}
	if err := h.inbox(fullBatchStore{}, openGate{}).StoreBatch(ended, supervisor.InboundBatch{Source: source,
		Items: batch}); !errors.Is(err, cause) || len(h.unkept) != 0 {
		t.Errorf("at the service's end: %v, unkept %v", err, h.unkept)
	}
}

func TestStoreBatch_DoneItem_IsNotAcceptedAgain(t *testing.T) {
	h := &heard{}
	states := []supervisor.InboundState{supervisor.InboundDone, supervisor.InboundNew, supervisor.InboundAnswered,
		supervisor.InboundParked, supervisor.InboundRunning}
	if err := put(t, h.inbox(duplicateStore{states: states}, openGate{}), 1, make([]supervisor.BatchItem,
		len(states))...); err != nil {
		t.Fatal(err)
	}
	want := heard{accepted: []string{"new", "running"}, answered: []int64{2}}
	if diff := cmp.Diff(want, *h, cmp.AllowUnexported(heard{})); diff != "" {
		t.Error(diff)
	}
}

// duplicateStore is a store that already has every inbound, in these states.
type duplicateStore struct {
	fullStore
	states []supervisor.InboundState
}

func (k duplicateStore) StoreBatch(context.Context, supervisor.InboundBatch) (r supervisor.BatchReceipt, err error) {
	for i, state := range k.states {
		c := supervisor.Conversation{ID: int64(i)}
		r.Stored = append(r.Stored, supervisor.Inbound{State: state, Text: string(state), Conversation: c})
	}
	return r, nil
}

// checkingStore is a store that checks the items to store.
type checkingStore struct {
	fullStore
	look func([]supervisor.BatchItem)
}

func (l checkingStore) StoreBatch(_ context.Context, b supervisor.InboundBatch) (r supervisor.BatchReceipt, err error) {
	l.look(b.Items)
	return r, nil
}

// TestStoreBatch_AnyInput_IsStorable checks that the store gets only valid items, whatever a source
// sends: an invalid message must not delay later messages.
func TestStoreBatch_AnyInput_IsStorable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		any := rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })
		one := rapid.Custom(func(t *rapid.T) supervisor.BatchItem {
			return supervisor.BatchItem{Raw: any.Draw(t, "raw"), Answer: any.Draw(t, "answer"),
				Inbound: supervisor.Inbound{Key: any.Draw(t, "key"), Text: any.Draw(t, "text")}}
		})
		items := rapid.SliceOf(one).Draw(t, "items")
		box := inbox.New(inbox.Options{Gate: openGate{}, Store: checkingStore{look: func(got []supervisor.BatchItem) {
			if len(got) != len(items) {
				t.Fatalf("%d items became %d", len(items), len(got))
			}
			for _, g := range got {
				in := g.Inbound
				if in.Source != source || in.Key == "" || len(in.Key) > 128 || strings.TrimSpace(in.Text) == "" || in.Kind == "" {
					t.Fatalf("got %+v", g)
				}
				for _, text := range []string{in.Key, in.Text, g.Raw, g.Answer} {
					if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
						t.Fatalf("got %q", text)
					}
				}
			}
		}}})
		if err := box.StoreBatch(context.Background(), supervisor.InboundBatch{Source: source, Next: 1,
			Items: items}); err != nil {
			t.Fatal(err)
		}
	})
}
