package triage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/problem"
)

// MaterialReader gives material to a worker and returns the worker's report.
type MaterialReader func(ctx context.Context, material protocol.ReviewMaterial) (protocol.ReviewReport, error)

// result is the checked result for an issue. It is stored in the issue's row as JSON.
type result struct {
	Title  string          `json:"title"` // title of the issue
	URL    string          `json:"url"`
	Triage protocol.Triage `json:"triage"`
	Notes  []string        `json:"notes,omitempty"` // steps that were skipped, with the reasons
	// Security means that the issue reports a security hole. The triage then writes nothing on
	// GitHub.
	Security bool     `json:"security,omitempty"`
	Labels   []string `json:"labels,omitempty"` // labels of earlier triages on the issue
	// users who were told of a security report, besides the repository's user
	Told []string `json:"told,omitempty"`
}

// RunTurn runs or continues a triage in its turn, and returns the card for its user. It is called
// again after a crash. Errors come from ctx, the store or the worker, and do not end the triage.
func (t *Triages) RunTurn(ctx context.Context, turn supervisor.Turn, read MaterialReader) (card string, err error) {
	c := turn.Conversation
	number, _ := strconv.Atoi(c.Thread)
	w, there, err := t.o.Store.Find(ctx, c.User, c.Chat, number)
	if err != nil {
		return "", err
	}
	repo, served := t.o.Repo(w.Repo)
	switch {
	case !there || !served:
		return textNotServed, nil
	case w.State == supervisor.TriageDelayed || w.State == supervisor.TriageQueued:
		return t.work(ctx, w, repo, read)
	}
	var r result // the process was killed after the end of the triage, but before the end of its turn
	err = r.decode(w.Report)
	return cardOf(w, r, repo), err
}

// work continues a triage from its state to its end.
func (t *Triages) work(ctx context.Context, w supervisor.IssueTriage, repo supervisor.GitHubRepo,
	read MaterialReader) (card string, err error) {
	w.State = supervisor.TriageDone
	var r result
	if w.Report != "" {
		err = r.decode(w.Report)
	} else {
		r, err = t.read(ctx, &w, repo, read)
	}
	done := err == nil && w.State == supervisor.TriageDone
	if done && r.Security {
		if err = t.tellPrivately(ctx, w, repo, &r); err == nil {
			return cardOf(w, r, repo), nil
		}
	} else if done && repo.Post != supervisor.PostOnlyCard {
		err = t.apply(ctx, &w, repo, &r)
	}
	refused := new(supervisor.Error)
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case errors.As(err, &refused):
		t.o.Log.Error("triage an issue", "repo", w.Repo, "number", w.Number, "error", err)
		w.State, w.Why = supervisor.TriageFailed, problem.UserText(err)
	case err != nil:
		return "", err
	}
	w.Report = r.encode()
	return cardOf(w, r, repo), t.o.Store.Update(ctx, w)
}

// read lets a worker read an issue, and stores the checked result.
func (t *Triages) read(ctx context.Context, w *supervisor.IssueTriage, repo supervisor.GitHubRepo,
	read MaterialReader) (r result, err error) {
	issue, m, err := t.gather(ctx, *w, repo)
	if err != nil {
		return r, err
	}
	r.Title, r.URL = m.Title, issue.URL
	r.Labels = slices.DeleteFunc(slices.Clone(w.Labels), func(l string) bool { return !contains(issue.Labels, l) })
	if w.Why = leftAlone(*w, issue); w.Why != "" { // the issue has changed since its triage was queued
		w.State = supervisor.TriageSkipped
		return r, nil
	}
	report, err := read(ctx, m)
	if err == nil && report.Triage == nil {
		err = supervisor.Errorf(supervisor.CodeModelFailed, textNothingRead, unread(report))
	}
	if err != nil {
		return r, err
	}
	r.Triage = check(*report.Triage, m)
	if r.Security, err = t.o.IsPrivate(ctx, w.Repo, w.Number); err != nil {
		return r, err
	}
	if r.Security = r.Security || report.Triage.Security || IsSecurityReport(issue.Title, issue.Body); r.Security {
		r.Triage.Labels, r.Triage.Related, r.Triage.Duplicate = nil, nil, 0
		if err := t.o.MarkPrivate(ctx, w.Repo, w.Number); err != nil {
			return r, err
		}
	}
	if labelled(*w, issue) && !r.Security {
		r.Triage.Labels, r.Notes = nil, append(r.Notes, textLabelled)
	}
	kept := *w
	kept.State, kept.Report, kept.Labels = supervisor.TriageQueued, r.encode(), union(w.Labels, r.Triage.Labels)
	w.Labels = kept.Labels
	return r, t.o.Store.Update(ctx, kept)
}

// unread returns the reason why a worker's report has no result.
func unread(r protocol.ReviewReport) string {
	if len(r.Unread) == 0 {
		return textNoReason
	}
	return oneLine(r.Unread[0].Text, maxSummary)
}

// encode returns a result as JSON for its row; decode reads it.
func (r result) encode() string {
	text, _ := json.Marshal(r) // strings and numbers can always be encoded
	return string(text)
}

func (r *result) decode(report string) error {
	if report == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(report), r); err != nil {
		return fmt.Errorf("read what came of a triage: %w", err)
	}
	return nil
}
