package review

import (
	"context"
	"slices"
	"strings"

	"mews/supervisor"
	"mews/supervisor/github/api"
	"mews/supervisor/github/finding"
	"mews/supervisor/problem"
)

// noteReasons maps the reason for users why a head is not reviewed to the reason for GitHub. ""
// means that earlier reviews have read the whole head.
var noteReasons = map[string]string{textDraft: noteDraft, textUnfinished: noteUnfinished, textHeads: noteHeads,
	textNothingNew: "", textStopped: noteMuted, textLabelled: noteLabelled,
	textDenied: noteDenied}

// standingReasons are reasons that somebody has chosen for the pull request. Mews adds them to an
// existing summary, but creates no summary for them.
var standingReasons = []string{textStopped, textLabelled, textDenied}

// noteMark is the hidden mark of a review that only says that a head was not read.
func noteMark(head string) string { return head + "/unread" }

// noteUnread writes on the pull request that a head was not read, and why. The summary keeps all
// findings. The first note creates the summary; later notes replace it and cause no mail. If why is
// "", earlier reviews have read the whole head, and only an existing summary is replaced.
func (r *Reviews) noteUnread(ctx context.Context, w *supervisor.Review, repo supervisor.GitHubRepo, why string) error {
	if repo.Post == supervisor.PostOnlyCard && why != "" {
		return nil
	}
	s, records, err := r.unreadSummary(ctx, *w, why)
	if err != nil {
		return err
	}
	switch repo.Post {
	case supervisor.PostAsCheckRun:
		err = r.postCheck(ctx, w, s)
	case supervisor.PostAsReview:
		err = r.postNote(ctx, w, s)
	}
	if err != nil {
		return err
	}
	return r.o.Store.UpdateWithFindings(ctx, *w, rowsOf(records))
}

// noteReason writes on GitHub why a head is not reviewed, if the author can't see the reason
// otherwise. If GitHub refuses the note, only the log says so.
func (r *Reviews) noteReason(ctx context.Context, w *supervisor.Review, repo supervisor.GitHubRepo, why string) error {
	public, told := noteReasons[why]
	if !told {
		return nil
	}
	public = strings.ReplaceAll(public, "%s", r.o.Name())
	if readHead(*w) == w.Head {
		public = "" // earlier reviews have read the whole head
	}
	needed, err := true, error(nil)
	if slices.Contains(standingReasons, why) {
		_, needed, err = r.summary(ctx, *w)
	}
	if err == nil && needed {
		err = r.noteUnread(ctx, w, repo, public)
	}
	if err == nil {
		return nil
	}
	if _, passes := isTemporary(err); passes || api.ErrorClassOf(err) == "" {
		return err
	}
	r.o.Log.Warn("say that a head was not reviewed", "review", w.PullRequestName(), "error", err)
	return nil
}

// endLost ends a review whose turn was stopped or parked.
func (r *Reviews) endLost(ctx context.Context, w supervisor.Review) {
	repo, served := r.o.Repo(w.Repo)
	if _, there, err := r.summary(ctx, w); served && there && err == nil {
		if err := r.noteUnread(ctx, &w, repo, noteStopped); err != nil {
			r.o.Log.Warn("say that a review was stopped", "review", w.PullRequestName(), "error", err)
		}
	}
	r.end(ctx, w, supervisor.ReviewFailed, textTurnEnded)
}

// noteUnposted writes in the summary that a result could not be posted, because an old summary
// would look like approval. Without a summary, only the card says so.
func (r *Reviews) noteUnposted(ctx context.Context, w *supervisor.Review, repo supervisor.GitHubRepo) {
	_, there, err := r.summary(ctx, *w)
	if err == nil && there {
		err = r.noteUnread(ctx, w, repo, noteUnposted)
	}
	if err != nil {
		r.o.Log.Warn("say that a result was not posted", "review", w.PullRequestName(), "error", err)
	}
}

// postNote creates or replaces the summary.
func (r *Reviews) postNote(ctx context.Context, w *supervisor.Review, s finding.Summary) error {
	summary, there, err := r.summary(ctx, *w)
	switch {
	case err != nil:
		return err
	case there:
		return r.replaceSummary(ctx, *w, summary, s)
	case s.Unread == "" && !s.Unposted:
		return nil
	}
	p := postedOf(*w)
	p.Summary = true
	return r.create(ctx, w, &p, &result{}, api.ReviewParams{Head: w.Head, Body: s.Body()}, noteMark(w.Head))
}

// unreadSummary returns the summary for a head without its own review, and the findings in that
// summary.
func (r *Reviews) unreadSummary(ctx context.Context, w supervisor.Review, why string) (s finding.Summary,
	records []finding.Record, err error) {
	s = finding.Summary{Head: w.Head, Mark: noteMark(w.Head), Name: r.o.Name(), Unread: why}
	if s.Records, err = r.records(ctx, w); err != nil {
		return s, nil, err
	}
	earlier, err := r.o.Store.ListOfPullRequest(ctx, w.User, w.Repo, w.Number)
	for _, e := range earlier {
		if read := resultOf(e); read.Coverage.Files > 0 {
			s.Read, s.Coverage, s.Left = readHead(e), read.Coverage, read.Left
		}
	}
	switch {
	case why == "":
		s.Read = w.Head
	case resultOf(w).isCurrent(w): // the head was read, and only the result is missing on GitHub
		s.Unread, s.Unposted = "", true
	}
	if err != nil || len(s.Records) == 0 {
		return s, s.Records, err
	}
	page, err := r.o.API.ChangedFiles(ctx, w.Repo, w.Number)
	if err != nil {
		return s, nil, err
	}
	files, _ := filesOf(page.Items)
	h := finding.Head{SHA: w.Head, Files: files, Coverage: s.Coverage, Unread: s.Unread != ""}
	if err := r.readTexts(ctx, w, &h, s.Records); err != nil {
		return s, nil, err
	}
	s.Records = finding.MergeFindings(s.Records, finding.CheckedFindings{}, h)
	return s, s.Records, r.markMuted(ctx, w, s.Records)
}

// fail ends a failed review, and writes that on the pull request, because an old summary would look
// like approval. The reason on GitHub names no model, price or setting; the card has the full
// reason.
func (r *Reviews) fail(ctx context.Context, w *supervisor.Review, repo supervisor.GitHubRepo, failure error) error {
	if err := r.noteUnread(ctx, w, repo, publicReason(failure)); err != nil {
		r.o.Log.Warn("say that a review has failed", "review", w.PullRequestName(), "error", err)
	}
	w.State, w.Why = supervisor.ReviewFailed, problem.UserText(failure)
	if hasEarlierResult(*w) {
		w.State = supervisor.ReviewDone
	}
	return r.o.Store.Update(ctx, *w)
}

// publicReason returns the reason for a failure that everybody may read.
func publicReason(failure error) string {
	if api.ErrorClassOf(failure) != "" {
		return noteGitHub
	}
	switch supervisor.ErrorCodeOf(failure) {
	case supervisor.CodeBudgetExceeded:
		return noteLimit
	case supervisor.CodeModelFailed, supervisor.CodeUnavailable:
		return noteNoAnswer
	}
	return noteFailed
}
