package sqlite_test

import (
	"testing"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/sqlite"
)

// askedText returns the text of the first message that a turn must answer.
func askedText(s *story, turn supervisor.Turn) string {
	s.Helper()
	id, err := s.db.Turns().FindFirstMessage(s.Context(), turn.ID)
	s.must(err)
	for _, m := range s.transcript(s.home) {
		if m.ID == id {
			return m.Text()
		}
	}
	return ""
}

// runStoppedTurn runs a turn and stops it.
func runStoppedTurn(s *story, text string) {
	s.Helper()
	_, err := s.db.Turns().Finish(s.Context(), sqlite.TurnEnding{Turn: s.startTurn(text).ID,
		Why:   protocol.TurnEndStopped,
		State: supervisor.InboundAnswered, Text: "Stopped."})
	s.must(err)
}

func TestFirstUnanswered_StoppedTurns_AreIncluded(t *testing.T) {
	for name, c := range map[string]struct {
		before func(*story)
		want   string
	}{
		"nothing":          {func(*story) {}, "now"},
		"an answered turn": {func(s *story) { s.finish(s.startTurn("one"), "ok") }, "now"},
		"a stopped turn":   {func(s *story) { runStoppedTurn(s, "one") }, "one"},
		"answered and two stopped turns": {func(s *story) {
			s.finish(s.startTurn("zero"), "ok")
			runStoppedTurn(s, "one")
			runStoppedTurn(s, "two")
		}, "one"},
		"stopped and answered turn": {func(s *story) { runStoppedTurn(s, "one"); s.finish(s.startTurn("two"), "ok") }, "now"},
		"turn ended by /stop":       {func(s *story) { runStoppedTurn(s, "one"); s.put(s.home, supervisor.KindCommand, "/stop") }, "now"},
		"stopped turn and /new":     {func(s *story) { runStoppedTurn(s, "one"); s.put(s.home, supervisor.KindCommand, "/new") }, "now"},
		"stopped turn and /status":  {func(s *story) { runStoppedTurn(s, "one"); s.put(s.home, supervisor.KindCommand, "/status") }, "one"},
		"/stop between two turns": {func(s *story) {
			runStoppedTurn(s, "one")
			s.put(s.home, supervisor.KindCommand, "/stop")
			runStoppedTurn(s, "two")
		}, "two"},
	} {
		s := newStory(t)
		c.before(s)
		turn := s.startTurn("now")
		other, _, err := s.db.Turns().Start(t.Context(), s.put(s.chat("alice", "5"), supervisor.KindText, "elsewhere").ID, nil)
		s.must(err)
		s.same("behind "+name, askedText(s, turn), c.want)
		if id, err := s.db.Turns().FindFirstMessage(t.Context(), other.ID); err != nil || id == 0 {
			t.Errorf("elsewhere it is message %d, %v", id, err)
		}
	}
}

// The window leaves out a turn that a model refused, with the turns that were stopped for the same
// message. Earlier and later messages stay.
func TestModelWindow_RefusedTurn_IsOmitted(t *testing.T) {
	s := newStory(t)
	s.finish(s.startTurn("zero"), "ok")
	runStoppedTurn(s, "how do I poison")
	turn := s.startTurn("my neighbour")
	first := s.transcript(s.home)
	_, err := s.db.Turns().Finish(t.Context(), sqlite.TurnEnding{Turn: turn.ID, Why: protocol.TurnEndRefused,
		State: supervisor.InboundAnswered, Text: "Declined."})
	s.must(err)
	s.startTurn("hello")
	var left []string
	for _, m := range s.transcript(s.home) {
		left = append(left, m.Text())
	}
	s.same("window", left, []string{"zero", "hello"})
	newer, _, err := s.db.Transcript().ListSince(t.Context(), s.home.ID, first[0].ID)
	s.must(err)
	s.same("newer than the first", len(newer), 1)
}
