package sqlite_test

import (
	"fmt"
	"strings"
	"testing"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/sqlite"
)

// putTexts stores texts of alice as one batch, each written as [followup:][album/]words.
func (s *story) putTexts(texts ...string) (kept []supervisor.Inbound) {
	s.Helper()
	var items []supervisor.BatchItem
	for _, text := range texts {
		s.keys++
		in := supervisor.Inbound{Conversation: s.home, Key: fmt.Sprint("key-", s.keys), Kind: supervisor.KindText}
		words, followup := strings.CutPrefix(text, "followup:")
		if followup {
			in.Priority = supervisor.PriorityFollowup
		}
		item := supervisor.BatchItem{Inbound: in}
		if album, rest, ok := strings.Cut(words, "/"); ok {
			item.Inbound.Group, words = album, rest
			item.Attachments = []supervisor.Attachment{{File: "f", Kind: protocol.AttachmentPhoto}}
		}
		item.Inbound.Text = words
		items = append(items, item)
	}
	receipt, err := s.db.Inbox().StoreBatch(s.Context(), supervisor.InboundBatch{Source: "terminal", Items: items})
	s.must(err)
	return receipt.Stored
}

// listQueue lists the waiting texts, with a + for each file. It adds the state and the priority of
// a text if they are unusual.
func (s *story) listQueue() (list []string) {
	s.Helper()
	q, err := s.db.Inbox().ReadQueue(s.Context(), s.home.ID)
	s.must(err)
	for _, w := range q.Waiting {
		line := w.Inbound.Text + strings.Repeat("+", len(w.Files))
		if w.Inbound.State != supervisor.InboundNew {
			line += " " + string(w.Inbound.State)
		}
		if w.Inbound.Priority != 0 {
			line += fmt.Sprint(" ", w.Inbound.Priority)
		}
		list = append(list, line)
	}
	return list
}

func (s *story) advance(id int64) supervisor.Inbound {
	s.Helper()
	in, ok, err := s.db.Inbox().MoveTextToFront(s.Context(), "alice", id)
	s.must(err)
	s.same("hers", ok, true)
	return in
}

func (s *story) dropText(id int64) supervisor.Inbound {
	s.Helper()
	in, ok, err := s.db.Inbox().DropText(s.Context(), "alice", id)
	s.must(err)
	s.same("hers", ok, true)
	return in
}

func TestQueue_Priorities_OrderTexts(t *testing.T) {
	s := newStory(t)
	turn := s.startTurn("what runs")
	kept := s.putTexts("followup:later", "a", "b", "album/", "album/of trees")
	s.same("queue", s.listQueue(), []string{"a", "b", "of trees++ arriving", "later -1"})
	q, err := s.db.Inbox().ReadQueue(t.Context(), s.home.ID)
	s.must(err)
	s.same("what runs", q.Running.Text, "what runs")
	s.same("since", q.Since.UTC(), noon)

	s.same("an album, by its second part", s.advance(kept[4].ID).Priority, supervisor.PriorityNow)
	s.same("a follow-up", s.advance(kept[0].ID).Priority, supervisor.PriorityNow)
	s.advance(kept[0].ID)
	s.same("queue", s.listQueue(), []string{"later 1", "of trees++ arriving 1", "a", "b"})
	s.same("another part", s.putTexts("album/")[0].Priority, supervisor.PriorityNow)
	s.same("dropped", s.dropText(kept[3].ID).State, supervisor.InboundDropped)
	s.same("dropped again", s.dropText(kept[3].ID).State, supervisor.InboundDropped)
	s.same("now", s.advance(kept[3].ID).State, supervisor.InboundDropped)
	s.same("the album", []string{s.state(kept[3].ID), s.state(kept[4].ID)}, []string{"dropped", "dropped"})

	taken, err := s.db.Turns().AddWaitingTexts(t.Context(), turn.ID, 1000, supervisor.PriorityNow)
	s.must(err)
	s.same("taken of what is wanted next", taken, 1)
	s.same("state", s.state(kept[0].ID), "running")
	s.same("dropped while it runs", s.dropText(kept[0].ID).State, supervisor.InboundRunning)
	s.finish(turn, "So.")
	s.same("once it is answered", s.advance(kept[0].ID).State, supervisor.InboundAnswered)
}

func TestAlbum_FollowUpCaption_AppliesToAll(t *testing.T) {
	for _, texts := range [][]string{{"followup:x/these", "x/", "x/"}, {"x/", "followup:x/these", "x/"}, {"x/", "x/", "followup:x/these"}} {
		s := newStory(t)
		s.putTexts(append([]string{"a"}, texts...)...)
		s.same(fmt.Sprint(texts), s.listQueue(), []string{"a", "these+++ arriving -1"})
	}
}

func TestTakeTexts_FollowUp_StaysInQueue(t *testing.T) {
	s := newStory(t)
	turn := s.startTurn("what runs")
	s.putTexts("followup:later", "sooner", "followup:last")
	s.same("taken", s.take(turn), 1)
	s.same("queue", s.listQueue(), []string{"later -1", "last -1"})
	supersedes, err := s.db.Inbox().ShouldRestartTurn(t.Context(), s.home.ID)
	s.must(err)
	s.same("a follow-up stops what runs", supersedes, false)
	s.text("and now?")
	supersedes, err = s.db.Inbox().ShouldRestartTurn(t.Context(), s.home.ID)
	s.must(err)
	s.same("a text does", supersedes, true)
}

// An arriving inbound does not delay a text that was moved to the front. An arriving follow-up
// delays no text.
func TestArrivingInbound_LowPriority_DelaysNoText(t *testing.T) {
	s := newStory(t)
	s.putTexts("followup:album/", "a", "other/", "b")
	for _, want := range []string{"a", "b"} {
		next, _, err := s.db.Inbox().NextInbound(t.Context(), s.home.ID)
		s.must(err)
		s.same("next", next.Text, want)
		turn, _, err := s.db.Turns().Start(t.Context(), next.ID, nil)
		s.must(err)
		s.finish(turn, "So.")
		kept, err := s.db.Inbox().ReadQueue(t.Context(), s.home.ID)
		s.must(err)
		for _, w := range kept.Waiting {
			if w.Inbound.Text == "b" {
				s.advance(w.Inbound.ID)
			}
		}
	}
}

// The preceding text is the text of the running turn, even if a waiting text was sent earlier.
func TestPrecedingText_RunningText_IsReturned(t *testing.T) {
	s := newStory(t)
	kept := s.putTexts("followup:later", "first", "second")
	s.advance(kept[2].ID)
	next, _, err := s.db.Inbox().NextInbound(t.Context(), s.home.ID)
	s.must(err)
	s.same("next", next.Text, "second")
	stop := s.put(s.home, supervisor.KindCommand, "/stop")
	ahead, err := s.db.Inbox().PrecedingText(t.Context(), stop.ID)
	s.must(err)
	s.same("before it runs", ahead, sqlite.PrecedingText{Inbound: kept[2].ID, Waiting: 3})
	_, _, err = s.db.Turns().Start(t.Context(), kept[2].ID, nil)
	s.must(err)
	ahead, err = s.db.Inbox().PrecedingText(t.Context(), stop.ID)
	s.must(err)
	s.same("while it runs", ahead, sqlite.PrecedingText{Inbound: kept[2].ID, Waiting: 3})
}

func TestMoveTextToFront_ForeignText_StaysSame(t *testing.T) {
	s := newStory(t)
	in := s.putTexts("mine")[0]
	for name, do := range map[string]func() (supervisor.Inbound, bool, error){
		"drop": func() (supervisor.Inbound, bool, error) { return s.db.Inbox().DropText(t.Context(), "bob", in.ID) },
		"now": func() (supervisor.Inbound, bool, error) {
			return s.db.Inbox().MoveTextToFront(t.Context(), "bob", in.ID)
		},
		"none": func() (supervisor.Inbound, bool, error) { return s.db.Inbox().DropText(t.Context(), "alice", 99) },
		"a /x": func() (supervisor.Inbound, bool, error) {
			return s.db.Inbox().DropText(t.Context(), "alice", s.put(s.home, "command", "/x").ID)
		},
	} {
		_, ok, err := do()
		s.must(err)
		s.same(name, ok, false)
	}
	s.same("queue", s.listQueue(), []string{"mine"})
}
