package triage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"mews/supervisor"
	"mews/supervisor/github/api"
	"mews/supervisor/internal/retry"
	"mews/supervisor/problem"
)

// mark begins each of Mews's comments. Anybody can write the mark, so the comment's author is
// checked too.
const mark = "<!-- mews:triage -->"

// Retries after GitHub's failures, until the triage fails.
const (
	tries       = 4
	firstWait   = 2 * time.Second // wait before the first retry; the wait doubles for each further retry
	longestWait = 2 * time.Minute // longest wait until GitHub resets a rate limit
)

// apply makes the changes on GitHub that a result asks for. It skips finished steps. It reads the
// issue's current state: a closed issue is left alone, and labels that users gave are never
// changed.
func (t *Triages) apply(ctx context.Context, w *supervisor.IssueTriage, repo supervisor.GitHubRepo, r *result) error {
	issue, err := persistent(ctx, t, func() (api.Issue, error) { return t.o.Issues.Issue(ctx, w.Repo, w.Number) })
	if err != nil {
		return err
	}
	if why := leftAlone(*w, issue); why != "" {
		w.State, w.Why = supervisor.TriageSkipped, why
		return nil
	}
	if err := t.label(ctx, *w, repo, issue, r); err != nil {
		return err
	}
	if err := t.plan(ctx, *w, repo, issue); err != nil {
		if ctx.Err() != nil {
			return err
		}
		// without a place in the project, the triage's other steps are still useful
		note := fmt.Sprintf(textNotPlanned, repo.Project, problem.UserText(err))
		if !slices.Contains(r.Notes, note) {
			r.Notes = append(r.Notes, note)
		}
	}
	if isEmpty(issue) && w.Comment == 0 {
		if !slices.Contains(r.Notes, textNoComment) {
			r.Notes = append(r.Notes, textNoComment)
		}
		return nil
	}
	return t.comment(ctx, w, commentOf(*r))
}

// label adds the labels of a result to an issue. It creates missing labels if the repository allows
// that.
func (t *Triages) label(ctx context.Context, w supervisor.IssueTriage, repo supervisor.GitHubRepo, issue api.Issue, r *result) error {
	if labelled(w, issue) {
		r.Triage.Labels = nil
	}
	wanted := slices.DeleteFunc(slices.Clone(r.Triage.Labels), func(name string) bool { return contains(issue.Labels, name) })
	if len(wanted) == 0 {
		return nil
	}
	there, err := persistent(ctx, t, func() ([]api.Label, error) { return t.o.Issues.Labels(ctx, w.Repo) })
	if err != nil {
		return err
	}
	for _, name := range wanted {
		if contains(choices(there, false), name) {
			continue
		}
		if _, known := usualLabels[name]; !repo.CreateLabels || !known { // the label was deleted after the triage
			return supervisor.Errorf(supervisor.CodeNotFound, textLabelGone, name)
		}
		if err := t.write(ctx, func() error {
			return t.o.Writer.CreateLabel(ctx, w.Repo, api.Label{Name: name, Color: usualLabels[name]})
		}); err != nil {
			return err
		}
	}
	return t.write(ctx, func() error { return t.o.Writer.AddLabels(ctx, w.Repo, w.Number, wanted) })
}

// plan adds an issue to the repository's project.
func (t *Triages) plan(ctx context.Context, w supervisor.IssueTriage, repo supervisor.GitHubRepo, issue api.Issue) error {
	if repo.Project == "" {
		return nil
	}
	project, err := persistent(ctx, t, func() (string, error) {
		return t.o.Issues.FindProject(ctx, w.Repo,
			repo.Project)
	})
	if err == nil && project == "" {
		err = supervisor.Errorf(supervisor.CodeNotFound, textNoProject)
	}
	if err != nil {
		return err
	}
	return t.write(ctx, func() error { return t.o.Writer.AddToProject(ctx, w.Repo, project, issue.NodeID) })
}

// comment creates or updates Mews's one comment on an issue. Before each try it searches for the
// comment, because GitHub's answer may have been lost.
func (t *Triages) comment(ctx context.Context, w *supervisor.IssueTriage, body string) error {
	return t.write(ctx, func() error {
		ours, err := t.ours(ctx, *w)
		switch {
		case err != nil || ours.Body == body:
		case ours.ID != 0:
			err = t.o.Writer.EditComment(ctx, w.Repo, ours.ID, body)
		default:
			ours, err = t.o.Writer.CreateComment(ctx, w.Repo, w.Number, body)
		}
		w.Comment = max(w.Comment, ours.ID)
		return err
	})
}

// ours returns Mews's comment on an issue, by its id. Without an id, it searches by author and
// mark. If there is no comment, the result has no ID.
func (t *Triages) ours(ctx context.Context, w supervisor.IssueTriage) (api.Comment, error) {
	login, err := t.o.Issues.OwnLogin(ctx)
	if err != nil {
		return api.Comment{}, err
	}
	page, err := t.o.Issues.IssueComments(ctx, w.Repo, w.Number)
	for _, c := range page.Items {
		if c.ID == w.Comment || strings.EqualFold(c.Author, login) && strings.HasPrefix(c.Body, mark) {
			return c, err
		}
	}
	return api.Comment{}, err
}

// write repeats an action on GitHub during temporary failures.
func (t *Triages) write(ctx context.Context, do func() error) error {
	_, err := persistent(ctx, t, func() (struct{}, error) { return struct{}{}, do() })
	return err
}

// persistent repeats an action on GitHub as write does, and returns the action's result.
func persistent[T any](ctx context.Context, t *Triages, do func() (T, error)) (v T, err error) {
	for try := range tries {
		if v, err = do(); err == nil {
			return v, nil
		}
		until, passes := isTemporary(err)
		wait := max(until.Sub(t.o.Now()), 0) + (1<<try)*t.firstWait
		if !passes || try == tries-1 || wait > longestWait {
			return v, err
		}
		t.o.Log.Warn("triage an issue", "error", err, "again_in", wait)
		if !retry.Sleep(ctx, wait) {
			return v, errors.Join(context.Cause(ctx), err)
		}
	}
	return v, err
}
