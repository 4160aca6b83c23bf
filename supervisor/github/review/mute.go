package review

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"mews/supervisor"
	"mews/supervisor/github/api"
	"mews/supervisor/github/finding"
)

// MutePull ends the automatic reviews of a pull request. The user login must be its author, or have
// write permission in the repository.
func (r *Reviews) MutePull(ctx context.Context, repo string, number int, login string) error {
	served, ok := r.o.Repo(repo)
	if !ok {
		return nil
	}
	may, err := r.maySilence(ctx, served.Name, number, login)
	if err != nil || !may {
		return err
	}
	return r.o.Store.AddMute(ctx, supervisor.ReviewMute{User: served.User, Repo: served.Name, Kind: supervisor.MutePull,
		Subject: strconv.Itoa(number), By: login,
		Why: textByComment})
}

// maySilence reports whether a user may mute a pull request. Its author may, and users with write
// permission.
func (r *Reviews) maySilence(ctx context.Context, repo string, number int, login string) (bool, error) {
	pull, err := r.o.API.PullRequest(ctx, repo, number)
	if err != nil || strings.EqualFold(pull.Author, login) {
		return err == nil, ignoreRefusal(err)
	}
	may, err := r.o.API.Permission(ctx, repo, login)
	return slices.Contains(mayWrite, may), ignoreRefusal(err)
}

// ignoreRefusal returns err if another try may succeed. It returns nil if GitHub refused.
func ignoreRefusal(err error) error {
	if _, passes := isTemporary(err); err == nil || !passes && api.ErrorClassOf(err) != "" {
		return nil
	}
	return err
}

// recent is how long after its post a comment is polled for reactions.
const recent = 14 * 24 * time.Hour

// pollReactions reads the reactions to Mews's comments on open pull requests. GitHub sends no
// webhook for reactions.
func (r *Reviews) pollReactions(ctx context.Context) {
	list, err := r.o.Store.ListPosted(ctx, r.o.Now().Add(-recent))
	if err != nil {
		r.o.Log.Error("list the reviews that stand on GitHub", "error", err)
	}
	open := map[string][]int{}
	looked := map[string]bool{}
	for _, w := range list {
		if open[w.Repo] == nil {
			page, err := r.o.API.PullRequests(ctx, w.Repo, "open", 100, "")
			if err != nil && ctx.Err() == nil {
				r.o.Log.Warn("list open pull requests", "repo", w.Repo, "error", err)
			}
			open[w.Repo] = []int{0}
			for _, p := range page.Items {
				open[w.Repo] = append(open[w.Repo], p.Number)
			}
		}
		if looked[w.PullRequestName()] || !slices.Contains(open[w.Repo], w.Number) {
			continue
		}
		looked[w.PullRequestName()] = true
		if err := r.muteRejected(ctx, w); err != nil && ctx.Err() == nil {
			r.o.Log.Warn("look at what people say of a review", "review", w.PullRequestName(), "error", err)
		}
	}
}

// muteRejected mutes findings that got a thumbs-down, or whose thread was resolved without a
// change. A mute holds for the whole repository, so the user needs write permission. Otherwise an
// author could hide the same fault in the next pull request. Only comments of Mews's own review
// count, because anybody can write the hidden mark.
func (r *Reviews) muteRejected(ctx context.Context, w supervisor.Review) error {
	list, err := r.o.Store.ListOfPullRequest(ctx, w.User, w.Repo, w.Number)
	if err != nil {
		return err
	}
	ours := map[int64]bool{}
	for _, e := range list {
		if p := postedOf(e); p.Review != 0 {
			ours[p.Review] = true
		}
	}
	if len(ours) == 0 {
		return nil
	}
	threads, _, err := r.o.API.ReviewThreads(ctx, w.Repo, w.Number)
	if err != nil {
		return err
	}
	rights := map[string]bool{}
	for _, t := range threads {
		if len(t.Comments) == 0 || !ours[t.Comments[0].Review] {
			continue
		}
		print, marked := finding.ParseFindingMark(t.Comments[0].Body)
		by, why := "", ""
		for i, login := range append([]string{t.ResolvedBy}, t.Comments[0].ThumbDown...) {
			if login == "" || i == 0 && (!t.Resolved || t.Outdated) {
				continue
			}
			if err := r.readRight(ctx, w.Repo, login, rights); err != nil {
				return err
			}
			if rights[login] {
				by, why = login, []string{textByResolving, textByThumb}[min(i, 1)]
			}
		}
		if !marked || why == "" {
			continue
		}
		err := r.o.Store.AddMute(ctx, supervisor.ReviewMute{User: w.User, Repo: w.Repo, Kind: supervisor.MuteFinding,
			Subject: print, By: by, Why: why})
		if err != nil {
			return err
		}
	}
	return nil
}

// readRight asks GitHub whether a user may write to a repository, unless rights has the answer.
func (r *Reviews) readRight(ctx context.Context, repo, login string, rights map[string]bool) error {
	if _, known := rights[login]; known {
		return nil
	}
	may, err := r.o.API.Permission(ctx, repo, login)
	rights[login] = slices.Contains(mayWrite, may)
	return ignoreRefusal(err)
}
