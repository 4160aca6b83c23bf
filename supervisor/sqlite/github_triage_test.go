package sqlite_test

import (
	"testing"
	"time"

	"mews/supervisor"
)

// triageRequest returns a request to triage an issue of alice.
func triageRequest(number int, asked string, at time.Time) supervisor.IssueTriage {
	return supervisor.IssueTriage{
		User:      "alice",
		Repo:      "acme/widget",
		Number:    number,
		Requester: asked,
		WantedAt:  at,
		Due:       at.Add(time.Minute),
	}
}

func TestRequestTriage_DoneTriage_RunsAgain(t *testing.T) {
	s := newStory(t)
	triages := s.db.Triages()
	find := func() supervisor.IssueTriage {
		t.Helper()
		w, _, err := triages.Find(t.Context(), "alice", "acme/widget", 5)
		s.must(err)
		return w
	}
	due := func(at time.Time) (numbers []int) {
		t.Helper()
		list, err := triages.ListDue(t.Context(), at)
		s.must(err)
		for _, w := range list {
			numbers = append(numbers, w.Number)
		}
		return numbers
	}
	opened := triageRequest(5, "", noon)
	s.must(triages.RequestTriage(t.Context(), opened))
	// A second automatic request, as for a reopened issue.
	s.must(triages.RequestTriage(t.Context(), triageRequest(5, "", noon.Add(time.Hour))))
	w := opened
	w.ID, w.State, w.Round, w.Labels = find().ID, supervisor.TriageDelayed, 1, []string{}
	s.same("wanted", find(), w)
	s.same("due before it has settled", due(noon), []int(nil))
	next, ok, err := triages.NextDue(t.Context())
	s.must(err)
	s.same("next", next, noon.Add(time.Minute))
	s.same("there is one", ok, true)
	s.same("due", due(next), []int{5})

	w.State, w.Report, w.Labels, w.Comment = supervisor.TriageQueued, `{"summary":"x"}`, []string{"bug"}, 71
	s.must(triages.Update(t.Context(), w))
	s.same("kept", find(), w)
	s.same("queued, and gone on with at any time", due(noon), []int{5})
	_, ok, err = triages.NextDue(t.Context())
	s.must(err)
	s.same("nothing settles", ok, false)
	w.State = supervisor.TriageDone
	s.must(triages.Update(t.Context(), w))
	s.same("done", due(noon.Add(time.Hour)), []int(nil))
	w.State = supervisor.TriageFailed
	s.checkRefused(triages.Update(t.Context(), w), supervisor.CodeInvalid, "round 1 of triage 1 is over")

	// An automatic request after the triage changes nothing.
	s.must(triages.RequestTriage(t.Context(), triageRequest(5, "", noon.Add(2*time.Hour))))
	s.same("as it was", find().State, supervisor.TriageDone)
	asked := triageRequest(5, "bob", noon.Add(3*time.Hour))
	for range 2 { // the second round is a repeat after a crash
		s.must(triages.RequestTriage(t.Context(), asked))
	}
	s.same(
		"once more",
		find(),
		supervisor.IssueTriage{ID: w.ID, User: "alice", Repo: "acme/widget", Number: 5, Round: 2, Requester: "bob",
			State: supervisor.TriageDelayed, WantedAt: asked.WantedAt, Due: asked.Due, Labels: []string{"bug"},
			Comment: 71},
	)
	s.checkRefused(triages.Update(t.Context(), w), supervisor.CodeInvalid, "round 1 of triage 1 is over")
}

// A request while the triage runs does not start another one.
func TestRequestTriage_WhileRunning_IsIgnored(t *testing.T) {
	s := newStory(t)
	triages := s.db.Triages()
	s.must(triages.RequestTriage(t.Context(), triageRequest(5, "", noon)))
	in, _, err := s.db.Inbox().
		StoreInbound(t.Context(), supervisor.Inbound{Source: "github/acme/widget", Key: "triage/5/1",
			Kind: supervisor.KindTriage,
			Text: "x", Conversation: supervisor.Conversation{User: "alice", Channel: supervisor.ChannelGitHub, Chat: "acme/widget", Thread: "5"}})
	s.must(err)
	turn, _, err := s.db.Turns().Start(t.Context(), in.ID, nil)
	s.must(err)
	s.same("kind", turn.Kind, supervisor.TurnTriage)
	s.must(triages.RequestTriage(t.Context(), triageRequest(5, "bob", noon.Add(time.Hour))))
	w, _, err := triages.Find(t.Context(), "alice", "acme/widget", 5)
	s.must(err)
	s.same("round", w.Round, 1)
}
