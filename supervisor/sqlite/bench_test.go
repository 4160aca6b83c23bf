package sqlite_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/app/policies"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// BenchmarkFsync measures one small durable append of the disk: no commit can be faster.
func BenchmarkFsync(b *testing.B) {
	f, err := os.Create(filepath.Join(b.TempDir(), "raw"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	page := make([]byte, 4096)
	for b.Loop() {
		if _, err := f.Write(page); err != nil {
			b.Fatal(err)
		}
		if err := f.Sync(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkStoreInbound stores one inbound. Several writers share commits.
func BenchmarkStoreInbound(b *testing.B) {
	for _, writers := range []int{1, 8} {
		b.Run(fmt.Sprint("writers=", writers), func(b *testing.B) {
			db := sqlitetest.Open(b)
			var group sync.WaitGroup
			b.ResetTimer()
			for w := range writers {
				group.Go(func() {
					in := supervisor.Inbound{Source: "terminal", Kind: supervisor.KindText,
						Text:         "what is on my list for today?",
						Conversation: supervisor.Conversation{User: fmt.Sprint("u", w), Channel: "terminal"}}
					for n := w; n < b.N; n += writers {
						in.Key = strconv.Itoa(n)
						if _, _, err := db.Inbox().StoreInbound(b.Context(), in); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			group.Wait()
		})
	}
}

// BenchmarkTurn runs all database work of a turn with one step, from the inbound to the delivery.
func BenchmarkTurn(b *testing.B) {
	o, counts := sqlite.OptionsWithIOCounts()
	db := sqlitetest.OpenPath(b, filepath.Join(b.TempDir(), "mews.db"), o)
	c := supervisor.Conversation{User: "alice", Channel: "terminal"}
	n := 0
	counts.Reset()
	for b.Loop() {
		n++
		if err := oneTurn(b, db, c, strconv.Itoa(n)); err != nil {
			b.Fatal(err)
		}
	}
	counts.ReportCounts(b, n)
}

func oneTurn(b *testing.B, db *sqlite.DB, c supervisor.Conversation, key string) error {
	in, _, err := db.Inbox().StoreInbound(b.Context(), supervisor.Inbound{Conversation: c, Source: "terminal", Key: key,
		Kind: supervisor.KindText, Text: "hello"})
	if err != nil {
		return err
	}
	in, _, err = db.Inbox().NextInbound(b.Context(), in.Conversation.ID)
	if err != nil {
		return err
	}
	turn, _, err := db.Turns().Start(b.Context(), in.ID, nil)
	if err != nil {
		return err
	}
	messages, err := db.Transcript().ListMessages(b.Context(), in.Conversation.ID)
	if err != nil {
		return err
	}
	if err := db.Transcript().MoveWindow(b.Context(), in.Conversation.ID, messages[max(0,
		len(messages)-20)].ID); err != nil {
		return err
	}
	if _, err := db.Turns().CommitStep(b.Context(), step(turn, "hello yourself")); err != nil {
		return err
	}
	d, err := db.Turns().Finish(b.Context(), sqlite.TurnEnding{Turn: turn.ID, Why: protocol.TurnEndDone,
		State: supervisor.InboundAnswered, Text: "hello yourself"})
	if err != nil {
		return err
	}
	return db.Outbox().MarkDelivered(b.Context(), d.ID)
}

// BenchmarkListMessages reads a transcript of forty messages of about 500 bytes each.
func BenchmarkListMessages(b *testing.B) {
	db := sqlitetest.Open(b)
	c := supervisor.Conversation{User: "alice", Channel: "terminal"}
	for n := range 20 {
		in, _, err := db.Inbox().StoreInbound(b.Context(), supervisor.Inbound{Conversation: c, Source: "terminal",
			Key: strconv.Itoa(n), Kind: supervisor.KindText, Text: strings.Repeat("a word ", 70)})
		if err != nil {
			b.Fatal(err)
		}
		c = in.Conversation
		turn, _, err := db.Turns().Start(b.Context(), in.ID, nil)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := db.Turns().Finish(b.Context(), sqlite.TurnEnding{Turn: turn.ID, Why: protocol.TurnEndDone,
			State: supervisor.InboundAnswered, Partial: strings.Repeat("an answer ", 50)}); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if list, err := db.Transcript().ListMessages(b.Context(), c.ID); err != nil || len(list) != 40 {
			b.Fatal(len(list), err)
		}
	}
}

// BenchmarkListPendingInChat lists the waiting deliveries to a chat that has none. This query runs
// after every message to a chat.
func BenchmarkListPendingInChat(b *testing.B) {
	db := sqlitetest.Open(b)
	for b.Loop() {
		if list, err := db.Outbox().ListPendingInChat(b.Context(), supervisor.ChannelTelegram, "42", 1); err != nil ||
			len(list) > 0 {
			b.Fatal(list, err)
		}
	}
}

// BenchmarkOpen opens an existing database, with all checks, and closes it.
func BenchmarkOpen(b *testing.B) {
	path := filepath.Join(b.TempDir(), "mews.db")
	for b.Loop() {
		db, err := sqlite.Open(b.Context(), path, sqlite.Options{Policies: policies.All()})
		if err != nil {
			b.Fatal(err)
		}
		if err := db.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkStoreBatch stores a hundred updates of four users with their raw JSON in one
// transaction. The updates come without a gate, at an open gate, or at a closed gate. The closed
// gate holds more and more inbounds, since nobody sends a code.
func BenchmarkStoreBatch(b *testing.B) {
	open := &supervisor.GateCheck{IdleTimeout: 1e18, Lifetime: 1e18, Challenge: locked}
	for name, guard := range map[string]*supervisor.GateCheck{"free": nil, "open": open, "held": {Challenge: locked}} {
		b.Run(name, func(b *testing.B) { putBatches(b, guard) })
	}
}

func putBatches(b *testing.B, guard *supervisor.GateCheck) {
	db := sqlitetest.Open(b)
	// The codes open the gates. For held updates, the gates close again at once.
	for i := range int64(4) {
		item := codeItem(fmt.Sprint("u", i), i+1, 1)
		if _, err := db.Inbox().StoreBatch(b.Context(), supervisor.InboundBatch{Source: "codes",
			Items: []supervisor.BatchItem{item}}); err != nil {
			b.Fatal(err)
		}
	}
	raw := `{"update_id":1,"message":{"text":"` + strings.Repeat("a word ", 100) + `"}}`
	next := int64(1)
	for b.Loop() {
		batch := supervisor.InboundBatch{Source: "telegram", Next: next + 100}
		for i := range int64(100) {
			batch.Items = append(batch.Items, supervisor.BatchItem{Update: next + i, Raw: raw,
				Decision: supervisor.GateDecision{Check: guard}, Inbound: supervisor.Inbound{
					Key: strconv.FormatInt(next+i, 10), Kind: supervisor.KindText, Text: "what is on my list for today?",
					Conversation: supervisor.Conversation{User: fmt.Sprint("u", i%4), Channel: "telegram", Chat: "42"}}})
		}
		next += 100
		if _, err := db.Inbox().StoreBatch(b.Context(), batch); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSendNotice runs the database work of one message to a remote channel, from the notice to
// its outcome.
func BenchmarkSendNotice(b *testing.B) {
	db := sqlitetest.Open(b)
	c, err := db.Conversations().FindOrCreate(b.Context(), "alice", "telegram", "42", "")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := oneSend(b, db, c); err != nil {
			b.Fatal(err)
		}
	}
}

func oneSend(b *testing.B, db *sqlite.DB, c supervisor.Conversation) error {
	d, err := db.Outbox().PutTextNotice(b.Context(), c.ID, "hello")
	if err != nil {
		return err
	}
	posts, err := db.Posts().CreatePosts(b.Context(), d.ID, []supervisor.RichText{{Text: "hello"}})
	if err != nil {
		return err
	}
	p, err := db.Posts().MarkSending(b.Context(), c.ID, posts[0])
	if err != nil {
		return err
	}
	p.State, p.Message = supervisor.PostSent, "7"
	if err := db.Posts().StorePostResult(b.Context(), p); err != nil {
		return err
	}
	return db.Outbox().StoreOutcome(b.Context(), supervisor.DeliveryOutcome{Delivery: d.ID,
		Outcome: supervisor.OutcomeSent})
}
