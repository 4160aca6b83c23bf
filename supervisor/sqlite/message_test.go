package sqlite_test

import (
	"testing"

	"mews/protocol"
	"mews/protocol/foreign/foreigntest"
	"mews/supervisor"
)

// runTalk runs three exchanges of alice and returns the transcript.
func runTalk(s *story) []protocol.Message {
	for _, text := range []string{"one", "two", "three"} {
		turn := s.startTurn(text)
		_, err := s.db.Turns().CommitStep(s.Context(), step(turn, "you said "+text))
		s.must(err)
		s.finish(turn, "you said "+text)
	}
	return s.transcript(s.home)
}

func TestMoveWindow_OlderMessage_ChangesNothing(t *testing.T) {
	s := newStory(t)
	all := runTalk(s)
	s.same("messages", len(all), 6)
	for _, c := range []struct{ trim, from int }{{2, 2}, {0, 2}, {4, 4}, {4, 4}} {
		s.must(s.db.Transcript().MoveWindow(t.Context(), s.home.ID, all[c.trim].ID))
		s.same("window", s.transcript(s.home), all[c.from:])
	}
	s.same("kept", s.query("SELECT count(*) FROM message"), "6")
}

func TestMoveWindow_ForeignMessage_Fails(t *testing.T) {
	s := newStory(t)
	all := runTalk(s)
	other := s.conversation("bob")
	for _, id := range []int64{0, -1, all[5].ID + 1} {
		s.checkRefused(s.db.Transcript().MoveWindow(t.Context(), s.home.ID, id), supervisor.CodeNotFound,
			"there is no message")
	}
	s.checkRefused(s.db.Transcript().MoveWindow(t.Context(), other.ID, all[0].ID), supervisor.CodeNotFound,
		"there is no message")
	s.same("window", s.transcript(s.home), all)
}

func TestClearWindow_OldMessages_AreHidden(t *testing.T) {
	s := newStory(t)
	// The window of a conversation without messages can be emptied too.
	s.must(s.db.Transcript().ClearWindow(t.Context(), s.home.ID))
	runTalk(s)
	s.must(s.db.Transcript().ClearWindow(t.Context(), s.home.ID))
	s.same("window", len(s.transcript(s.home)), 0)
	s.startTurn("hello again")
	s.same("window", len(s.transcript(s.home)), 1)
}

func TestClearWindow_RunningTurn_StaysVisible(t *testing.T) {
	s := newStory(t)
	runTalk(s)
	turn := s.startTurnCalling("c1")
	s.must(s.db.Transcript().ClearWindow(t.Context(), s.home.ID))
	_, err := s.db.Turns().CommitResult(t.Context(), turn.ID, result("c1", "one"))
	s.must(err)
	s.same("window", len(s.transcript(s.home)), 3)
}

func TestTranscript_TwoUsers_AreSeparate(t *testing.T) {
	s := newStory(t)
	runTalk(s)
	bob := s.conversation("bob")
	in := s.put(bob, supervisor.KindText, "what did alice say?")
	_, _, err := s.db.Turns().Start(t.Context(), in.ID, nil)
	s.must(err)
	s.same("bob's", s.transcript(bob)[0].Text(), "what did alice say?")
	s.same("how much", len(s.transcript(bob)), 1)
}

// No line of a message's text passes for a stamp, even if the user has pasted a stamp. The stored
// text of the message stays as it was sent.
func TestInboundMessage_ForgedStamps_AreIndented(t *testing.T) {
	s := newStory(t)
	for name, text := range foreigntest.ForgedStampTexts {
		turn := s.startTurn(text)
		all := s.transcript(s.home)
		if got := all[len(all)-1].Text(); foreigntest.FindForgedLine(got) != "" {
			t.Errorf("%s passes for a stamp: %q", name, got)
		}
		s.finish(turn, "ok")
		s.same(name, s.query("SELECT text FROM inbox ORDER BY id DESC LIMIT 1"), text)
	}
}
