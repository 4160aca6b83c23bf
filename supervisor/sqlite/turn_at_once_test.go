package sqlite_test

import (
	"testing"

	"mews/protocol"
	"mews/supervisor"
)

// A reserved conversation's turn starts in the transaction that stores its message, unless
// something else is unfinished there. Otherwise the message waits as usual.
func TestStoreBatch_ReservedTurn_StartsIfAlone(t *testing.T) {
	command := textItem("alice", 2, "/new")
	command.Inbound.Kind, command.Inbound.Command = supervisor.KindCommand, "new"
	file := textItem("alice", 2, "see this")
	file.Attachments = []supervisor.Attachment{{Kind: protocol.AttachmentDocument, File: "f1", Name: "a.txt"}}
	later := textItem("alice", 1, "later")
	later.Inbound.Priority = supervisor.PriorityFollowup
	answered := textItem("alice", 1, "too long")
	answered.Answer = "That is too long."
	for _, c := range []struct {
		name   string
		before func(batchStory)
		items  []supervisor.BatchItem
		starts bool
	}{
		{"alone", nil, []supervisor.BatchItem{textItem("alice", 1, "hi")}, true},
		{"another user's beside it", nil, []supervisor.BatchItem{textItem("bob", 2, "hello"), textItem("alice", 1,
			"hi")}, true},
		{"after an ended turn", func(s batchStory) {
			s.finish(s.startTelegramTurn("42"), "two")
		}, []supervisor.BatchItem{textItem("alice", 1, "hi")}, true},
		{"a running turn", func(s batchStory) { s.startTelegramTurn("42") },
			[]supervisor.BatchItem{textItem("alice", 1, "hi")}, false},
		{"a waiting text", func(s batchStory) { s.put(s.chat("alice", "42"), supervisor.KindText, "one") },
			[]supervisor.BatchItem{textItem("alice", 1, "hi")}, false},
		{"a waiting command", func(s batchStory) { s.put(s.chat("alice", "42"), supervisor.KindCommand, "/new") },
			[]supervisor.BatchItem{textItem("alice", 1, "hi")}, false},
		{"two texts", nil, []supervisor.BatchItem{textItem("alice", 1, "hi"), textItem("alice", 2, "there")}, false},
		{"a command in the batch", nil, []supervisor.BatchItem{textItem("alice", 1, "hi"), command}, false},
		{"an arriving file", nil, []supervisor.BatchItem{file, textItem("alice", 1, "hi")}, false},
		{"another conversation", nil, []supervisor.BatchItem{textItem("bob", 1, "hi")}, false},
		{"a follow-up", nil, []supervisor.BatchItem{later}, false},
		{"an answered item", nil, []supervisor.BatchItem{answered}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := batchStory{newStory(t)}
			home := s.chat("alice", "42")
			if c.before != nil {
				c.before(s)
			}
			lease := &supervisor.LeaseRequest{User: "alice", Conversation: home.ID, Spec: "a/b", Amount: 100}
			receipt, err := s.db.Inbox().StoreBatch(t.Context(), supervisor.InboundBatch{Source: bot, Next: 9,
				Items:    c.items,
				Reserved: []supervisor.TurnReservation{{Conversation: home.ID, Lease: lease}}})
			s.must(err)
			s.same("stored", len(receipt.Stored), len(c.items))
			if !c.starts {
				s.same("started", receipt.Started, []supervisor.StartedTurn(nil))
				return
			}
			open, running, err := s.db.Turns().FindRunning(t.Context(), home.ID)
			s.must(err)
			s.same("running", running, true)
			started := receipt.Started[0]
			s.same("turn", started.Turn, open.Turn)
			s.same("messages", started.Messages, open.Messages)
			s.same("lease", started.Lease.Amount, int64(100))
			s.same("state", receipt.Stored[len(c.items)-1].State, supervisor.InboundRunning)
			again, err := s.db.Inbox().StoreBatch(t.Context(), supervisor.InboundBatch{Source: bot, Next: 9,
				Items:    c.items,
				Reserved: []supervisor.TurnReservation{{Conversation: home.ID}}})
			s.must(err)
			s.same("started by the repeated batch", again.Started, []supervisor.StartedTurn(nil))
		})
	}
}
