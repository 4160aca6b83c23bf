package review

import (
	"context"
	"fmt"
	"slices"

	"mews/supervisor"
	"mews/supervisor/github/api"
	"mews/supervisor/github/finding"
)

// summaryOf returns the summary after a review. If the repository posts only picked findings, the
// summary has only the picked findings.
func (r *Reviews) summaryOf(ctx context.Context, w supervisor.Review, made result, mark string) (s finding.Summary,
	err error) {
	records, err := r.records(ctx, w)
	if err != nil {
		return s, err
	}
	if made.Unposted == "" {
		markPosted(records, made.CheckedFindings)
	} else {
		mark = noteMark(w.Head) // with the head's own mark, the summary would be taken for the missing review
	}
	if repo, _ := r.o.Repo(w.Repo); repo.Post == supervisor.PostOnlyCard {
		records = slices.DeleteFunc(records, func(f finding.Record) bool { return !f.Posted })
	}
	return finding.Summary{Head: w.Head, Mark: mark, Name: r.o.Name(), Records: records, Read: w.Head,
		Coverage: made.Coverage,
		Left:     made.Left, Unposted: made.Unposted != ""}, nil
}

// updateSummary replaces the text of a pull request's summary. GitHub sends no mail about it.
func (r *Reviews) updateSummary(ctx context.Context, w supervisor.Review, made result, summary int64,
	mark string) error {
	s, err := r.summaryOf(ctx, w, made, mark)
	if err != nil {
		return err
	}
	return r.replaceSummary(ctx, w, summary, s)
}

func (r *Reviews) replaceSummary(ctx context.Context, w supervisor.Review, summary int64, s finding.Summary) error {
	err := r.o.API.UpdateReview(ctx, w.Repo, w.Number, summary, s.Body())
	if api.ErrorClassOf(err) == api.NotFound { // somebody has deleted the review on GitHub
		r.o.Log.Warn("the summary is gone", "review", w.PullRequestName(), "error", err)
		return nil
	}
	return err
}

// postedRows returns the rows of a pull request's findings, with the findings of made marked as
// posted.
func (r *Reviews) postedRows(ctx context.Context, w supervisor.Review,
	made finding.CheckedFindings) ([]supervisor.PullRequestFinding, error) {
	records, err := r.records(ctx, w)
	markPosted(records, made)
	return rowsOf(records), err
}

// keepInSummary stores that the findings of a review are in the summary.
func (r *Reviews) keepInSummary(ctx context.Context, w *supervisor.Review, made finding.CheckedFindings) error {
	rows, err := r.postedRows(ctx, *w, made)
	if err != nil {
		return err
	}
	return r.o.Store.UpdateWithFindings(ctx, *w, rows)
}

// postCheck posts a summary as the check run of a head. The check run succeeds if all was read and
// nothing found; otherwise it is neutral.
func (r *Reviews) postCheck(ctx context.Context, w *supervisor.Review, s finding.Summary) error {
	n := api.CheckRunParams{Name: r.o.Name(), Head: w.Head, External: fmt.Sprintf("review/%d", w.Number),
		Title: s.Title(), Summary: s.Body(),
		Passed: !s.IsNeeded()}
	p := postedOf(*w)
	if p.Begun != "" && p.Check == 0 {
		page, err := r.o.API.CheckRuns(ctx, w.Repo, w.Head, "")
		if err != nil {
			return err
		}
		for _, c := range page.Items {
			if c.Name == n.Name && c.External == n.External {
				p.Check = c.ID
			}
		}
	}
	if p.Check != 0 {
		return r.o.API.UpdateCheckRun(ctx, w.Repo, p.Check, n)
	}
	w.Posted = encoded(posted{Begun: w.Head})
	if err := r.o.Store.Update(ctx, *w); err != nil {
		return err
	}
	c, err := r.o.API.CreateCheckRun(ctx, w.Repo, n)
	if err != nil {
		return err
	}
	w.Posted = encoded(posted{Check: c.ID})
	return r.o.Store.Update(ctx, *w)
}
