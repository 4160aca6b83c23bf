package review

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/github/api"
	"mews/supervisor/github/finding"
	"mews/supervisor/problem"
)

// keepUnposted notes in made why GitHub did not take a result, so that the card shows the whole
// result. ok is false if err is not an answer of GitHub.
func (r *Reviews) keepUnposted(ctx context.Context, w supervisor.Review, made *result, err error) (ok bool) {
	refused := new(api.Error)
	if ctx.Err() != nil || !errors.As(err, &refused) {
		return false
	}
	r.o.Log.Error("post a review", "review", w.PullRequestName(), "error", err)
	made.Unposted = problem.UserText(err)
	return true
}

// postAgain posts a result that could not be posted before, without calling a model. It leaves out
// findings that were posted, muted, fixed or refuted since then.
func (r *Reviews) postAgain(ctx context.Context, w supervisor.Review, _ string) (string, error) {
	made := resultOf(w)
	repo, served := r.o.Repo(w.Repo)
	switch {
	case !served:
		return "", supervisor.Errorf(supervisor.CodeNotFound, textNoReview)
	case made.Unposted == "":
		return textPostedBefore, nil
	}
	records, err := r.records(ctx, w)
	if err != nil {
		return "", err
	}
	open := unposted(records)
	settled := func(f finding.Finding) bool {
		return !slices.ContainsFunc(open, func(o finding.Finding) bool { return o.Fingerprint == f.Fingerprint })
	}
	for _, list := range []*[]finding.Finding{&made.Inline, &made.Summary, &made.Suggestions} {
		*list = slices.DeleteFunc(*list, settled)
	}
	// the configuration wants only cards now, but the user has asked for this post
	if repo.Post == supervisor.PostOnlyCard {
		repo.Post = supervisor.PostAsReview
	}
	made.Unposted = ""
	if err := r.post(ctx, &w, repo, &made); err != nil {
		if r.keepUnposted(ctx, w, &made, err) {
			return "", supervisor.Errorf(supervisor.ErrorCodeOf(err), textStillUnposted, w.PullRequestName(),
				made.Unposted)
		}
		return "", err
	}
	w.Result = encoded(made)
	return fmt.Sprintf(textPosted, w.PullRequestName()), r.o.Store.Update(ctx, w)
}

// postHandler returns a handler for presses that post findings. For a pull request only one such
// handler runs at a time, so a second tap sees the findings as posted. Findings are posted only
// from the card of the newest reviewed head, because a summary has the findings of one head.
func postHandler(do pressHandler) pressHandler {
	return func(r *Reviews, ctx context.Context, w supervisor.Review, rest string) (string, error) {
		slot, err := r.postSlots.Acquire(ctx, w.PullRequestName())
		if err != nil {
			return "", err
		}
		defer slot.Release()
		w, there, err := r.o.Store.Find(ctx, w.ID) // an earlier tap may have posted
		if err != nil {
			return "", err
		}
		if !there || w.IsActive() || w.State == supervisor.ReviewDelayed || readHead(w) == "" {
			return "", supervisor.Errorf(supervisor.CodeNotFound, textNoReview)
		}
		newer, found, err := r.newerReview(ctx, w)
		switch {
		case err != nil:
			return "", err
		case !found:
			return do(r, ctx, w, rest)
		}
		repo, _ := r.o.Repo(w.Repo)
		if newer.State == supervisor.ReviewDone && resultOf(newer).Unposted == "" &&
			repo.Post != supervisor.PostOnlyCard {
			return fmt.Sprintf(textPostedNewer, w.PullRequestName()), nil
		}
		return fmt.Sprintf(textReadNewer, w.PullRequestName(), finding.ShortSHA(newer.Head)), nil
	}
}

// newerReview returns the last review that has read a newer head of the same pull request. That
// review has the findings of all earlier reviews.
func (r *Reviews) newerReview(ctx context.Context, w supervisor.Review) (newer supervisor.Review, found bool,
	err error) {
	list, err := r.o.Store.ListOfPullRequest(ctx, w.User, w.Repo, w.Number)
	for _, e := range list[slices.IndexFunc(list, func(e supervisor.Review) bool { return e.ID == w.ID })+1:] {
		if e.State == supervisor.ReviewDone || e.IsActive() && resultOf(e).isCurrent(e) {
			newer, found = e, true
		}
	}
	return newer, found, err
}

// fullFindings returns all findings with their details, for the card of a review that was not
// posted.
func fullFindings(made result) (lines []string) {
	for i, f := range made.All() {
		lines = append(lines, "", findingText(i+1, f, protocol.MaxFindingTextBytes))
		if f.Replaces {
			lines = append(lines, "```\n"+strings.TrimSuffix(f.Replacement, "\n")+"\n```")
		}
	}
	return lines
}

// findingText explains a finding: how and when the code fails. The explanation is cut if it is
// longer than most, in bytes.
func findingText(number int, f finding.Finding, most int) string {
	return fmt.Sprintf("%d. **%s, %s** %s\n%s\n\n%s", number, f.Severity, f.Category, finding.FormatPosition(f),
		finding.HarmlessMarkdown(f.Title, maxShort), finding.HarmlessMarkdown(f.Detail, most))
}
