package github

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"mews/supervisor"
	"mews/supervisor/github/finding"
	"mews/supervisor/github/patch"
)

// ReviewProgress is the progress of a review.
type ReviewProgress struct {
	Windows int64               `json:"windows,omitempty"` // number of model calls so far
	Done    bool                `json:"done,omitempty"`
	Result  *patch.ReviewResult `json:"result,omitempty"` // result of the review; set only if Done is true
}

// progress returns the progress of a review.
func (s patches) progress(ctx context.Context, u supervisor.User, q StartedReview) (l ReviewProgress, err error) {
	if q.Repo != "" {
		return s.pullProgress(ctx, u, q)
	}
	all, err := s.o.Outbox.List(ctx, q.Conversation, 0, 1_000)
	for _, d := range all {
		if d.Inbound != q.Inbound || d.Conversation.User != u.Name || !d.Kind.IsAnswer() {
			continue
		}
		l = ReviewProgress{Done: true, Result: new(patch.ReviewResult)}
		if json.NewDecoder(strings.NewReader(d.Text)).Decode(l.Result) != nil {
			l.Result.Failed = d.Text // the turn ended without a result, so its text is the reason
		}
		return l, s.o.Outbox.MarkDelivered(ctx, d.ID)
	}
	if err == nil {
		l.Windows, err = s.o.Turns.CountChildTurns(ctx, u.Name, q.Inbound)
	}
	return l, err
}

// pullProgress returns the progress of a pull request's review that will be posted. Its result has
// all open findings of the pull request, because a critical finding of an earlier head still
// counts.
func (s patches) pullProgress(ctx context.Context, u supervisor.User, q StartedReview) (l ReviewProgress, err error) {
	repo, _ := s.FindRepo(q.Repo)
	all, err := s.o.Reviews.ListOfPullRequest(ctx, repo.User, q.Repo, q.Number)
	if repo.User != u.Name && u.Role != supervisor.RoleAdmin {
		return l, supervisor.Errorf(supervisor.CodeNotFound, textNoPull, q.Repo)
	}
	for _, w := range all {
		ended := w.State == supervisor.ReviewDone || w.State == supervisor.ReviewSkipped ||
			w.State == supervisor.ReviewFailed
		if !ended || w.WantedAt.Before(q.At.Truncate(time.Millisecond)) {
			continue
		}
		var made struct {
			finding.CheckedFindings
			Title, URL, Verdict string
			Unposted            string
			Skipped, Unread     []string
			Cost                *int64
		}
		_ = json.Unmarshal([]byte(w.Result), &made) // Result is "" or JSON that Mews wrote
		open, err := s.reviews.OpenFindings(ctx, w)
		if err != nil {
			return l, err
		}
		open.Left = made.Left
		r := patch.NewReviewResult(open)
		r.Title, r.URL, r.Verdict, r.Cost, r.Failed = made.Title, made.URL, made.Verdict, made.Cost, w.Why
		r.Skipped, r.Unread, r.Unposted = made.Skipped, made.Unread, made.Unposted
		return ReviewProgress{Done: true, Result: &r}, nil
	}
	return l, err
}
