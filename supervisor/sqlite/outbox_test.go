package sqlite_test

import (
	"testing"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/sqlite"
)

func TestInbound_AnswerDelivered_IsDone(t *testing.T) {
	s := newStory(t)
	out := s.db.Outbox()
	first := s.finish(s.startTurn("one"), "1")
	second := s.finish(s.startTurn("two"), "2")
	pending, err := out.ListPending(t.Context(), s.home.ID, 0, 10)
	s.must(err)
	s.same("pending", pending, []supervisor.Delivery{first, second})
	s.same("the sender's own names", []string{pending[0].Key, pending[1].Key}, []string{"key-1", "key-2"})
	pending, err = out.ListPending(t.Context(), s.home.ID, first.ID, 10)
	s.must(err)
	s.same("pending after the first", pending, []supervisor.Delivery{second})

	for range 2 { // in the second round the call changes nothing
		s.must(out.MarkDelivered(t.Context(), first.ID))
		s.same("state", s.state(first.Inbound), "done")
		s.same("the other's state", s.state(second.Inbound), "answered")
	}
	pending, err = out.ListPending(t.Context(), s.home.ID, 0, 10)
	s.must(err)
	s.same("pending", pending, []supervisor.Delivery{second})
	s.checkRefused(out.MarkDelivered(t.Context(), 999), supervisor.CodeNotFound, "no delivery 999")
}

func TestParkedInbound_AnswerDelivered_StaysParked(t *testing.T) {
	s := newStory(t)
	turn := s.startTurn("poison")
	d, err := s.db.Turns().Finish(t.Context(), sqlite.TurnEnding{Turn: turn.ID, Why: protocol.TurnEndError,
		State: supervisor.InboundParked, Text: "It ended your assistant three times."})
	s.must(err)
	s.must(s.db.Outbox().MarkDelivered(t.Context(), d.ID))
	s.same("state", s.state(turn.Inbound), "parked")
	_, ok, err := s.db.Inbox().NextInbound(t.Context(), s.home.ID)
	if ok || err != nil {
		t.Errorf("it is next again: %v, %v", ok, err)
	}
}

func TestAnswerCommand_SameCommandTwice_Fails(t *testing.T) {
	s := newStory(t)
	in := s.put(s.home, supervisor.KindCommand, "/status")
	d, err := s.db.Outbox().AnswerCommand(t.Context(), in.ID, supervisor.Delivery{Text: "All is well."})
	s.must(err)
	s.same("delivery", d, supervisor.Delivery{ID: d.ID, Conversation: s.home, Inbound: in.ID, Key: in.Key,
		Kind: supervisor.DeliveryCommand, Text: "All is well.", CreatedAt: noon})
	_, err = s.db.Outbox().AnswerCommand(t.Context(), in.ID, supervisor.Delivery{Text: "All is well, again."})
	s.checkRefused(err, supervisor.CodeInvalid, "is answered and cannot become answered")
	s.must(s.db.Outbox().MarkDelivered(t.Context(), d.ID))
	s.same("state", s.state(in.ID), "done")

	text := s.text("hello")
	_, err = s.db.Outbox().AnswerCommand(t.Context(), text.ID, supervisor.Delivery{Text: "hi"})
	s.checkRefused(err, supervisor.CodeInvalid, "not a command or a press")
	_, err = s.db.Outbox().AnswerCommand(t.Context(), 999, supervisor.Delivery{Text: "hi"})
	s.checkRefused(err, supervisor.CodeNotFound, "no inbound 999")
}

func TestListDeliveries_AfterID_ListsNewer(t *testing.T) {
	s := newStory(t)
	out := s.db.Outbox()
	bob := s.conversation("bob")
	newest, err := out.NewestID(t.Context(), s.home.ID)
	s.must(err)
	s.same("newest of none", newest, int64(0))
	var all []supervisor.Delivery
	for _, text := range []string{"a", "b", "c", "d"} {
		d, err := out.PutTextNotice(t.Context(), s.home.ID, text)
		s.must(err)
		_, err = out.PutTextNotice(t.Context(), bob.ID, "for bob")
		s.must(err)
		all = append(all, d)
	}
	s.same("a notice", all[0], supervisor.Delivery{ID: all[0].ID, Conversation: s.home, Kind: supervisor.DeliveryNotice,
		Text: "a", CreatedAt: noon})
	s.must(out.MarkDelivered(t.Context(), all[1].ID))

	list := func(after int64, limit int) []supervisor.Delivery {
		got, err := out.List(t.Context(), s.home.ID, after, limit)
		s.must(err)
		return got
	}
	s.same("from the start", list(0, 100), all)
	s.same("the first two", list(0, 2), all[:2])
	s.same("after the second", list(all[1].ID, 100), all[2:])
	s.same("after the last", list(all[3].ID, 100), []supervisor.Delivery(nil))
	newest, err = out.NewestID(t.Context(), s.home.ID)
	s.must(err)
	s.same("newest", newest, all[3].ID)
	_, err = out.PutTextNotice(t.Context(), 999, "to nobody")
	s.checkRefused(err, supervisor.CodeNotFound, "no conversation 999")
}
