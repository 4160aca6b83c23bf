package sqlite_test

import (
	"fmt"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/sqlite"
)

// reviewRequest returns a request to review alice's pull request. The review is due five minutes
// after at.
func reviewRequest(asked string, at time.Time) supervisor.Review {
	r := supervisor.Review{
		User:      "alice",
		Repo:      "acme/widget",
		Number:    7,
		Requester: asked,
		Text:      asked,
		WantedAt:  at,
		Due:       at.Add(5 * time.Minute),
	}
	if asked != "" {
		r.Due = at
	}
	return r
}

// queueDueReview queues the due review with a head.
func (s *story) queueDueReview(at time.Time, head string) (r supervisor.Review) {
	s.Helper()
	due, err := s.db.Reviews().ListDue(s.Context(), at)
	s.must(err)
	if len(due) != 1 {
		s.Fatalf("%d reviews are due at %v", len(due), at)
	}
	r, err = s.db.Reviews().SetHead(s.Context(), due[0], head, false)
	s.must(err)
	return r
}

func (s *story) begin(r supervisor.Review) supervisor.Turn {
	s.Helper()
	in, err := s.db.Reviews().
		EnqueueReview(s.Context(), r,
			supervisor.Inbound{Source: "github/acme/widget", Key: fmt.Sprint("review/7/", r.Head, r.Round),
				Kind: supervisor.KindReview, Text: "x", Destination: supervisor.Conversation{User: "alice", Channel: supervisor.ChannelTelegram, Chat: "1"},
				Conversation: supervisor.Conversation{
					User:    "alice",
					Channel: supervisor.ChannelGitHub,
					Chat:    "acme/widget",
					Thread:  "7",
				}})
	s.must(err)
	turn, _, err := s.db.Turns().Start(s.Context(), in.ID, nil)
	s.must(err)
	return turn
}

func TestReview_SeveralPushes_ReviewsLastHead(t *testing.T) {
	s := newStory(t)
	reviews := s.db.Reviews()
	none := func(what string, at time.Time) {
		t.Helper()
		due, err := reviews.ListDue(t.Context(), at)
		s.must(err)
		if len(due) > 0 {
			t.Fatalf("%s, and due is %+v", what, due)
		}
	}
	minute := func(n int) time.Time { return noon.Add(time.Duration(n) * time.Minute) }
	s.must(reviews.RequestReview(t.Context(), reviewRequest("", noon)))
	s.must(reviews.RequestReview(t.Context(), reviewRequest("", minute(3))))
	s.must(reviews.RequestReview(t.Context(), reviewRequest("", minute(1)))) // an old request that is delivered late
	none("the last push was two minutes ago", minute(5))
	next, _, err := reviews.NextDue(t.Context())
	s.must(err)
	s.same("next", next, minute(8))
	r := s.queueDueReview(minute(8), "aaaa")
	s.same("head", r.Head, "aaaa")
	turn := s.begin(r)
	none("it is at work", minute(9))

	// A push during a review is reviewed afterwards.
	s.must(reviews.RequestReview(t.Context(), reviewRequest("", minute(10))))
	none("another is at work", minute(20))
	found, ok, err := reviews.FindByTurn(t.Context(), turn, "acme/widget", 7)
	s.must(err)
	s.same("there is one", ok, true)
	found.State, found.Turn, found.Change, found.Result, found.Posted = supervisor.ReviewRunning, turn.ID, "blob", `{"x":1}`, `{"review":5}`
	s.must(reviews.Update(t.Context(), found))
	found.State, found.Buttons = supervisor.ReviewDone, [][]supervisor.Button{{{Text: "Post", Press: "review/post/1"}}}
	s.must(reviews.Update(t.Context(), found))
	again, _, err := reviews.FindByTurn(t.Context(), turn, "acme/widget", 7)
	s.must(err)
	s.same("of its turn", again, found)
	d, err := s.db.Turns().
		Finish(t.Context(), sqlite.TurnEnding{Turn: turn.ID, Why: protocol.TurnEndDone,
			State: supervisor.InboundAnswered, Text: "card"})
	s.must(err)
	s.same("the card's buttons", d.Buttons, found.Buttons)
	found.State = supervisor.ReviewRunning
	s.checkRefused(reviews.Update(t.Context(), found), supervisor.CodeInvalid, "is done in round 1 and cannot become running")

	// The same head is reviewed a second time only if somebody asks.
	same := s.queueDueReview(minute(20), "aaaa")
	s.same("done it stays", same.State, supervisor.ReviewDone)
	none("it was looked at", minute(99))
	for _, at := range []int{9, 10} { // pushes of these times came late, were repeated, or came within the same second
		s.must(reviews.RequestReview(t.Context(), reviewRequest("", minute(at))))
		s.same("done it stays", s.queueDueReview(minute(20), "aaaa").State, supervisor.ReviewDone)
	}
	for range 2 { // the second round is a repeat after a crash
		s.must(reviews.RequestReview(t.Context(), reviewRequest("bob", minute(30))))
	}
	// a push does not delay bob's request
	s.must(reviews.RequestReview(t.Context(), reviewRequest("", minute(31))))
	same = s.queueDueReview(minute(30), "aaaa")
	s.same("asked by", same.Requester, "bob")
	s.same("state", same.State, supervisor.ReviewDelayed)
	s.same("round", same.Round, 2)
	s.same("what stands on GitHub is known", same.Posted, `{"review":5}`)
	s.same("what was read is not", same.Change, "")
	s.same("the result of the first round stays", same.Result, `{"x":1}`)
	found.State = supervisor.ReviewDone
	s.checkRefused(reviews.Update(t.Context(), found), supervisor.CodeInvalid, "in round 2")
	s.must(reviews.RequestReview(t.Context(), reviewRequest("bob", minute(30)))) // the same request a second time
	s.begin(same)
	list, err := reviews.ListOfPullRequest(t.Context(), "alice", "acme/widget", 7)
	s.must(err)
	s.same("heads", len(list), 1)
}

func TestRemoveMute_ListedMute_IsGone(t *testing.T) {
	s := newStory(t)
	reviews := s.db.Reviews()
	for _, want := range []bool{true, false} {
		added, err := reviews.AddMute(t.Context(), supervisor.ReviewMute{User: "alice", Repo: "acme/widget",
			Kind: supervisor.MuteKindPullRequest, Subject: "7", By: "bob"})
		s.must(err)
		s.same("added", added, want)
	}
	_, err := reviews.AddMute(t.Context(), supervisor.ReviewMute{User: "alice", Repo: "acme/other",
		Kind: supervisor.MuteKindFinding, Subject: "f"})
	s.must(err)
	of, err := reviews.ListMutes(t.Context(), "alice", "acme/widget")
	s.must(err)
	all, err := reviews.ListMutes(t.Context(), "alice", "")
	s.must(err)
	s.same("of one, and of all", []int{len(of), len(all)}, []int{1, 2})
	for user, want := range map[string]bool{"bob": false, "alice": true} {
		there, err := reviews.RemoveMute(t.Context(), user, of[0].ID)
		s.must(err)
		s.same(user, there, want)
	}
	if of, err = reviews.ListMutes(t.Context(), "alice", "acme/widget"); len(of) > 0 || err != nil {
		t.Errorf("left: %+v, %v", of, err)
	}
}

// A removed mute comes back only by a request from after the removal.
func TestRemovedMute_OlderRequest_StaysRemoved(t *testing.T) {
	s := newStory(t)
	reviews := s.db.Reviews()
	m := supervisor.ReviewMute{User: "alice", Repo: "acme/widget", Kind: supervisor.MuteKindFinding, Subject: "f",
		By: "bob", At: s.now.Add(-time.Hour)}
	add := func(what string, m supervisor.ReviewMute, want bool) {
		t.Helper()
		added, err := reviews.AddMute(t.Context(), m)
		s.must(err)
		list, err := reviews.ListMutes(t.Context(), "alice", "acme/widget")
		s.must(err)
		s.same(what, []any{added, len(list) == 1}, []any{want, want})
	}
	remove := func() {
		t.Helper()
		list, err := reviews.ListMutes(t.Context(), "alice", "")
		s.must(err)
		for _, want := range []bool{true, false} {
			gone, err := reviews.RemoveMute(t.Context(), "alice", list[0].ID)
			s.must(err)
			s.same("removed", gone, want)
		}
	}
	add("first", m, true)
	remove()
	add("the same", m, false)
	m.By = "carol"
	add("an older one of somebody else", m, false)
	s.now = s.now.Add(time.Minute)
	m.At = s.now
	add("a new one", m, true)
	remove()
	s.now, m.At = s.now.Add(time.Second), time.Time{}
	add("now", m, true)
}

// Findings are stored together with the progress of a review, or not at all. If the same head is
// requested again, the findings stay.
func TestReviewFindings_RequestedAgain_StayStored(t *testing.T) {
	s := newStory(t)
	reviews := s.db.Reviews()
	s.must(reviews.RequestReview(t.Context(), reviewRequest("", noon)))
	r := s.queueDueReview(noon.Add(time.Hour), "aaaa")
	turn := s.begin(r)
	r, _, err := reviews.FindByTurn(t.Context(), turn, "acme/widget", 7)
	s.must(err)
	r.State, r.Turn, r.Result = supervisor.ReviewRunning, turn.ID, `{"x":1}`
	first := supervisor.PullRequestFinding{Fingerprint: "f", State: supervisor.FindingOpen, Found: "aaaa", Seen: "aaaa",
		Turn: turn.ID, Finding: `{}`}
	other := first
	other.Fingerprint, other.Posted = "g", true
	s.must(reviews.UpdateWithFindings(t.Context(), r, []supervisor.PullRequestFinding{first, other}))
	listed := func(what string, want ...supervisor.PullRequestFinding) {
		t.Helper()
		list, err := reviews.ListFindings(t.Context(), "alice", "acme/widget", 7)
		s.must(err)
		s.same(what, list, want)
	}
	listed("after the first head", first, other)
	first.State, first.Fixed, first.Posted, other.Posted = supervisor.FindingFixed, "bbbb", true, false
	wrong := r
	wrong.Round = 9
	s.checkRefused(reviews.UpdateWithFindings(t.Context(), wrong, []supervisor.PullRequestFinding{first, other}),
		supervisor.CodeInvalid, "in round 1")
	s.must(reviews.UpdateWithFindings(t.Context(), r, []supervisor.PullRequestFinding{first, other}))
	other.Posted = true // a finding that was posted on GitHub stays posted
	listed("after the second head", first, other)
	r.State = supervisor.ReviewDone
	s.must(reviews.Update(t.Context(), r))
	s.must(reviews.RequestReview(t.Context(), reviewRequest("bob", noon.Add(2*time.Hour))))
	s.queueDueReview(noon.Add(2*time.Hour), "aaaa")
	listed("after a second request", first, other)
	models, err := reviews.ModelsOfTurn(t.Context(), turn.ID)
	s.must(err)
	s.same("models", len(models), 0)
}
