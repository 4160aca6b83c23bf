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
	case !served || w.State != supervisor.ReviewDone:
		return "", supervisor.Errorf(supervisor.CodeNotFound, textNoReview)
	case made.Unposted == "":
		return textPostedBefore, nil
	}
	if newer, err := r.isPostedByNewer(ctx, w); err != nil || newer {
		return fmt.Sprintf(textPostedNewer, w.PullRequestName()), err
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
	if err := r.post(ctx, &w, repo, &made); err != nil {
		if r.keepUnposted(ctx, w, &made, err) {
			return "", supervisor.Errorf(supervisor.ErrorCodeOf(err), textStillUnposted, w.PullRequestName(),
				made.Unposted)
		}
		return "", err
	}
	made.Unposted = ""
	w.Result = encoded(made)
	return fmt.Sprintf(textPosted, w.PullRequestName()), r.o.Store.Update(ctx, w)
}

// isPostedByNewer reports whether a review of a later head was posted, or had nothing to post. That
// review has the findings of all earlier ones.
func (r *Reviews) isPostedByNewer(ctx context.Context, w supervisor.Review) (bool, error) {
	list, err := r.o.Store.ListOfPullRequest(ctx, w.User, w.Repo, w.Number)
	repo, _ := r.o.Repo(w.Repo)
	return slices.ContainsFunc(list, func(e supervisor.Review) bool {
		return e.ID > w.ID && e.State == supervisor.ReviewDone && resultOf(e).Unposted == "" &&
			repo.Post != supervisor.PostOnlyCard
	}), err
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

// findingText explains a finding: how and when the code fails. The explanation is cut to most
// bytes.
func findingText(number int, f finding.Finding, most int) string {
	return fmt.Sprintf("%d. **%s, %s** %s\n%s\n\n%s", number, f.Severity, f.Category, finding.FormatPosition(f),
		finding.HarmlessMarkdown(f.Title, maxShort), finding.HarmlessMarkdown(f.Detail, most))
}
