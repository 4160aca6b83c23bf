package sqlite_test

import (
	"slices"
	"testing"
	"time"

	"mews/supervisor"
)

// The history has the time at which a message was received, even if its turn began later.
func TestListHistory_LateTurn_HasTimeOfReceipt(t *testing.T) {
	s := newStory(t)
	first := s.startTurn("first")
	s.now = noon.Add(time.Minute)
	waits := s.text("second")
	s.now = noon.Add(10 * time.Minute)
	s.finishStep(first, "answer to first")
	turn, _, err := s.db.Turns().Start(t.Context(), waits.ID, nil)
	s.must(err)
	s.now = noon.Add(11 * time.Minute)
	s.finishStep(turn, "answer to second")

	list := func(newest bool, from, to time.Duration) (said []string) {
		found, err := s.db.Transcript().ListHistory(t.Context(), supervisor.HistoryQuery{User: "alice", Limit: 10,
			Newest: newest, Span: supervisor.TimeSpan{From: noon.Add(from), To: noon.Add(to)}})
		s.must(err)
		for _, m := range found {
			said = append(said, m.At.Sub(noon).String()+" "+m.Parts[0].Text)
		}
		return said
	}
	all := []string{"0s first", "1m0s second", "10m0s answer to first", "11m0s answer to second"}
	s.same("all", list(false, 0, time.Hour), all)
	slices.Reverse(all)
	s.same("newest", list(true, 0, time.Hour), all)
	s.same("span", list(false, time.Minute, 2*time.Minute), []string{"1m0s second"})
}

// finishStep ends a turn with an answer of the model.
func (s *story) finishStep(turn supervisor.Turn, text string) {
	s.Helper()
	_, err := s.db.Turns().CommitStep(s.Context(), step(turn, text))
	s.must(err)
	s.finish(turn, text)
}
