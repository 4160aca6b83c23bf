package review

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mews/supervisor"
	"mews/supervisor/github/api"
	"mews/supervisor/github/diff"
)

// labelNoReview is a label that prevents reviews. A label that an admin has muted prevents them,
// too.
const labelNoReview = "no-review"

// unfinishedTitle matches the titles of pull requests that are not ready for a review.
var unfinishedTitle = regexp.MustCompile(`(?i)^\s*(\[(wip|draft|do not merge)\]|\((wip|draft)\)|` +
	`(wip|draft)\s*:|(wip|draft)\s+[-–—]\s|wip(\s|$)|🚧)`)

// mayWrite are GitHub's permissions that allow writes to a repository.
var mayWrite = []string{"admin", "maintain", "write"}

// leftAlone returns the reason why a head is not reviewed; "" means that it is reviewed. Some
// reasons do not count if somebody requested the review.
func (r *Reviews) leftAlone(ctx context.Context, w supervisor.Review, pull api.PullRequest) (string, error) {
	may, err := r.mayAsk(ctx, w)
	switch {
	case err != nil:
		return "", err
	case pull.State != "open":
		return textClosed, nil
	case !may:
		return textMayNot, nil
	case w.Requester != "":
		return "", nil
	case pull.Draft:
		return textDraft, nil
	case pull.Bot:
		return textBot, nil
	case unfinishedTitle.MatchString(pull.Title):
		return textUnfinished, nil
	}
	mutes, err := r.o.Store.ListMutes(ctx, w.User, w.Repo)
	if err != nil {
		return "", err
	}
	mutes = append(mutes, supervisor.ReviewMute{Kind: supervisor.MuteKindLabel, Subject: labelNoReview})
	for _, m := range mutes {
		switch {
		case m.Kind == supervisor.MuteKindPullRequest && m.Subject == strconv.Itoa(w.Number):
			return textStopped, nil
		case m.Kind == supervisor.MuteKindLabel && slices.ContainsFunc(pull.Labels,
			func(l string) bool { return strings.EqualFold(l, m.Subject) }):
			return textLabelled, nil
		}
	}
	return r.nothingNew(ctx, w)
}

// mayAsk reports whether the requester of a review may request it. A requester on GitHub needs
// write permission. An automatic review has no requester and is always allowed.
func (r *Reviews) mayAsk(ctx context.Context, w supervisor.Review) (bool, error) {
	if w.Requester == "" || strings.HasPrefix(w.Requester, byCommand) {
		return true, nil
	}
	may, err := r.o.API.Permission(ctx, w.Repo, w.Requester)
	return slices.Contains(mayWrite, may), err
}

// nothingNew returns the reason why a pull request needs no further review; "" means that it needs
// one. The reasons: its user has denied reviews, it has had the maximum of reviews, or the whole
// head was reviewed before. A rebase, or a merge from the base, alone does not make a head new.
func (r *Reviews) nothingNew(ctx context.Context, w supervisor.Review) (string, error) {
	earlier, err := r.o.Store.ListOfPullRequest(ctx, w.User, w.Repo, w.Number)
	if err != nil {
		return "", err
	}
	if isDenied(earlier) {
		return textDenied, nil
	}
	heads := 0
	for _, e := range earlier {
		if e.ID != w.ID && readHead(e) != "" {
			heads++
		}
	}
	if seen := seenIn(earlier); readHead(w) != w.Head {
		switch {
		case heads >= r.o.Heads:
			return textHeads, nil
		case len(seen) == 0:
			return "", nil
		}
		page, err := r.o.API.ChangedFiles(ctx, w.Repo, w.Number)
		if err != nil {
			return "", err
		}
		files, _ := filesOf(page.Items)
		if page.More || len(diff.UnseenChanges(files, seen)) > 0 {
			return "", nil
		}
	}
	records, err := r.records(ctx, w)
	if repo, _ := r.o.Repo(w.Repo); err != nil || repo.Post != supervisor.PostOnlyCard && len(unposted(records)) > 0 {
		return "", err // open findings were not posted, for example because the pull request was closed at that time
	}
	return textNothingNew, nil
}

// isOutdated reports whether the review of a head must be checked again, although nobody has
// requested it: the pull request had another head since, or the result was not posted.
func (r *Reviews) isOutdated(ctx context.Context, w supervisor.Review, head string) (bool, error) {
	list, err := r.o.Store.ListOfPullRequest(ctx, w.User, w.Repo, w.Number)
	later := false
	for _, e := range slices.Backward(list) {
		if e.Head == head {
			return later || resultOf(e).Unposted != "", err
		}
		later = later || e.Head != ""
	}
	return false, err
}

// seenIn returns the fingerprints of the hunks that reviews of a pull request have read. The
// findings of these reviews are stored, even if a review failed later.
func seenIn(reviews []supervisor.Review) map[string]bool {
	seen := map[string]bool{}
	for _, e := range reviews {
		for _, print := range resultOf(e).Hunks {
			seen[print] = true
		}
	}
	return seen
}
