package sqlite_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/sqlite"
)

// bot is the source of the updates in these tests.
const bot = "telegram/https://api.telegram.org/7"

// textItem returns an update that brings a user's text to the bot.
func textItem(user string, update int64, text string) supervisor.BatchItem {
	return supervisor.BatchItem{Update: update, Raw: fmt.Sprintf(`{"update_id":%d,"text":%q}`, update, text),
		Inbound: supervisor.Inbound{Key: fmt.Sprintf("%d.1763640000", update), Message: fmt.Sprint("m", update),
			Kind: supervisor.KindText, Text: text,
			Conversation: supervisor.Conversation{User: user, Channel: supervisor.ChannelTelegram, Chat: "42"}}}
}

// batchStory is a story (a test database) with methods for batches.
type batchStory struct{ *story }

func (s batchStory) putBatch(next int64, items ...supervisor.BatchItem) []supervisor.Inbound {
	s.Helper()
	receipt, err := s.db.Inbox().StoreBatch(s.Context(), supervisor.InboundBatch{Source: bot, Next: next, Items: items})
	s.must(err)
	return receipt.Stored
}

func (s batchStory) nextUpdate() int64 {
	s.Helper()
	next, err := s.db.Inbox().NextUpdateNumber(s.Context(), bot)
	s.must(err)
	return next
}

func TestStoreBatch_SeveralItems_KeepsOrder(t *testing.T) {
	s := batchStory{newStory(t)}
	s.same("before the first", s.nextUpdate(), int64(0))
	kept := s.putBatch(13, textItem("alice", 10, "one"), textItem("bob", 11, "two"), textItem("alice", 12, "three"))
	alice, bob := s.chat("alice", "42"), s.chat("bob", "42")
	for i, want := range []struct {
		c    supervisor.Conversation
		text string
	}{{alice, "one"}, {bob, "two"}, {alice, "three"}} {
		n := 10 + i
		s.same("kept", kept[i], supervisor.Inbound{ID: kept[i].ID, Conversation: want.c, Source: bot,
			Key: fmt.Sprintf("%d.1763640000", n), Message: fmt.Sprint("m", n), Kind: supervisor.KindText, Text: want.text, Origin: supervisor.OriginOwn,
			State: supervisor.InboundNew, ReceivedAt: noon})
	}
	s.same("their order", kept[0].ID < kept[1].ID && kept[1].ID < kept[2].ID, true)
	next, _, err := s.db.Inbox().NextInbound(t.Context(), alice.ID)
	s.must(err)
	s.same("next", next, kept[0])
	s.same("next update", s.nextUpdate(), int64(13))
	s.same("raw", s.query("SELECT user || raw FROM received WHERE source = ? AND id = 11", bot),
		`bob{"update_id":11,"text":"two"}`)

	s.putBatch(0, textItem("alice", 20, "by webhook"))
	s.putBatch(0)
	s.same("next update", s.nextUpdate(), int64(13))
}

func TestStoreBatch_SentTwice_IsStoredOnce(t *testing.T) {
	s := batchStory{newStory(t)}
	batch := []supervisor.BatchItem{textItem("alice", 1, "one"), textItem("alice", 2, "two")}
	first := s.putBatch(3, batch...)
	turn, _, err := s.db.Turns().Start(t.Context(), first[0].ID, nil)
	s.must(err)
	first[0].State = supervisor.InboundRunning

	again := s.putBatch(4, append(batch, textItem("alice", 3, "three"))...)
	s.same("kept", again[:2], first)
	s.same("the third", again[2].Text, "three")
	s.same("inbounds", s.query("SELECT count(*) FROM inbox"), "3")
	twice := s.putBatch(6, textItem("alice", 5, "five"), textItem("alice", 5, "five"))
	s.same("twice in a batch", twice[1], twice[0])
	s.same("next update", s.nextUpdate(), int64(6))
	s.same("the turn answers to", turn.Message, "m1")
	s.same("the answer answers to", s.finish(turn, "1").Message, "m1")
}

func TestStoreBatch_InvalidItem_StoresNothing(t *testing.T) {
	s := batchStory{newStory(t)}
	s.putBatch(1)
	forged := textItem("mallory", 3, "forged")
	forged.Inbound.Conversation.ID = s.home.ID
	nobody := textItem("", 3, "of nobody")
	keyless := textItem("alice", 3, "without a key")
	keyless.Inbound.Key = ""
	for name, c := range map[string]struct {
		item  supervisor.BatchItem
		words string
	}{
		"another user's conversation": {forged, "item 2: store the update that mallory sent as 3.1763640000: "},
		"nobody's":                    {nobody, "item 2: store the update that  sent as 3.1763640000: "},
		"missing key":                 {keyless, "item 2: store the update that alice sent as : "},
	} {
		t.Run(name, func(t *testing.T) {
			answered := textItem("alice", 2, "a picture")
			answered.Answer = "I can't look at it."
			_, err := s.db.Inbox().StoreBatch(t.Context(), supervisor.InboundBatch{Source: bot, Next: 9,
				Items: []supervisor.BatchItem{
					textItem("alice", 1, "one"), answered, c.item, textItem("alice", 4, "four")}})
			s.checkRefused(err, supervisor.CodeInternal, c.words)
			s.same("inbounds", s.query("SELECT count(*) FROM inbox"), "0")
			s.same("raw", s.query("SELECT count(*) FROM received"), "0")
			s.same("answers", s.query("SELECT count(*) FROM outbox"), "0")
			s.same("next update", s.nextUpdate(), int64(1))
		})
	}
}

func TestStoreBatch_ItemWithAnswer_StartsNoTurn(t *testing.T) {
	s := batchStory{newStory(t)}
	picture := textItem("alice", 1, "(a photo)")
	picture.Answer = "I can't look at photos."
	kept := s.putBatch(3, picture, textItem("alice", 2, "and now?"))
	c := kept[0].Conversation
	s.same("states", []supervisor.InboundState{kept[0].State, kept[1].State},
		[]supervisor.InboundState{supervisor.InboundAnswered, supervisor.InboundNew})
	s.same("as kept", s.state(kept[0].ID), "answered")
	next, _, err := s.db.Inbox().NextInbound(t.Context(), c.ID)
	s.must(err)
	s.same("next", next.ID, kept[1].ID)

	pending, err := s.db.Outbox().ListPending(t.Context(), c.ID, 0, 9)
	s.must(err)
	s.same("pending", pending, []supervisor.Delivery{{ID: pending[0].ID, Conversation: c, Inbound: kept[0].ID,
		Key: kept[0].Key, Message: "m1", Kind: supervisor.DeliveryNotice, Text: "I can't look at photos.", CreatedAt: noon}})

	again := s.putBatch(3, picture)
	s.same("again", again[0], kept[0])
	late := textItem("alice", 2, "and now?")
	late.Answer = "Too late: it is in the queue."
	s.same("one that waits", s.putBatch(3, late)[0], kept[1])
	s.same("answers", s.pendingTexts(c), []string{"I can't look at photos."})
	s.close(pending[0], supervisor.OutcomeSent, "")
	s.same("state", s.state(kept[0].ID), "done")
}

func TestStoreBatch_ReusedUpdateNumber_IsStored(t *testing.T) {
	s := batchStory{newStory(t)}
	s.putBatch(901, textItem("alice", 900, "last week"))
	anew := textItem("alice", 900, "this week")
	anew.Inbound.Key = "900.1764240000"
	kept := s.putBatch(501, textItem("alice", 500, "first of the new"), anew)
	s.same("next update", s.nextUpdate(), int64(501))
	s.same("texts", s.query("SELECT text FROM inbox ORDER BY id"), "last week first of the new this week")
	s.same("the later one", kept[1].Text, "this week")
	s.same("raw", s.query("SELECT raw FROM received WHERE id = 900"), anew.Raw)
	other, err := s.db.Inbox().NextUpdateNumber(t.Context(), "telegram/http://127.0.0.1:8081/7")
	s.must(err)
	s.same("of another source", other, int64(0))
}

func TestDeleteRawUpdates_OldUpdates_AreDeleted(t *testing.T) {
	s := batchStory{newStory(t)}
	const many = 450 // more rows than two transactions delete
	var items []supervisor.BatchItem
	for i := range int64(many) {
		items = append(items, textItem("alice", i+1, strings.Repeat("word ", 20)))
	}
	s.putBatch(many+1, items...)
	s.now = noon.Add(time.Hour)
	last := textItem("alice", many+1, "later")
	quiet := textItem("alice", many+2, "nothing raw")
	quiet.Raw = ""
	s.putBatch(many+3, last, quiet)

	n, err := s.db.Inbox().DeleteRawUpdates(t.Context(), noon)
	s.must(err)
	s.same("received at that moment", n, int64(0))
	n, err = s.db.Inbox().DeleteRawUpdates(t.Context(), noon.Add(time.Minute))
	s.must(err)
	s.same("forgotten", n, int64(many))
	s.same("left", s.query("SELECT raw FROM received"), last.Raw)
	s.same("inbounds", s.query("SELECT count(*) FROM inbox"), fmt.Sprint(many+2))
	s.same("sent again", len(s.putBatch(0, items[0])), 1)
	s.same("inbounds", s.query("SELECT count(*) FROM inbox"), fmt.Sprint(many+2))
}

func TestAnswer_NamesMessageItAnswers(t *testing.T) {
	s := batchStory{newStory(t)}
	in, _, err := s.db.Inbox().StoreInbound(t.Context(), supervisor.Inbound{Conversation: s.home, Source: "terminal",
		Key:     "k",
		Message: "m7", Kind: supervisor.KindCommand, Text: "/status"})
	s.must(err)
	d, err := s.db.Outbox().AnswerCommand(t.Context(), in.ID, supervisor.Delivery{Text: "All is well."})
	s.must(err)
	s.same("names", []string{in.Message, d.Message}, []string{"m7", "m7"})
	list, err := s.db.Outbox().List(t.Context(), s.home.ID, 0, 9)
	s.must(err)
	s.same("as kept", list, []supervisor.Delivery{d})
	turn := s.startTurn("by hand")
	_, err = s.db.Turns().Finish(t.Context(), sqlite.TurnEnding{Turn: turn.ID, Why: protocol.TurnEndDone,
		State: supervisor.InboundAnswered})
	s.must(err)
	s.same("without a name", turn.Message, "")
}
