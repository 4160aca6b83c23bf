package review

import (
	"context"
	"slices"
	"strconv"
	"time"

	"mews/supervisor"
	"mews/supervisor/github/api"
	"mews/supervisor/github/finding"
)

// MutePullRequest ends the automatic reviews of a pull request, as a comment orders. The sender
// must have write permission in the repository. Otherwise the author of a change could prevent its
// review. A reaction to the comment says that the order was carried out.
func (r *Reviews) MutePullRequest(ctx context.Context, repo string, of supervisor.GitHubEvent) error {
	served, ok := r.o.Repo(repo)
	if !ok {
		return nil
	}
	rights := map[string]bool{}
	if err := r.readRight(ctx, served.Name, of.Sender, rights); err != nil || !rights[of.Sender] {
		return err
	}
	_, err := r.o.Store.AddMute(ctx, supervisor.ReviewMute{User: served.User, Repo: served.Name,
		Kind:    supervisor.MuteKindPullRequest,
		Subject: strconv.Itoa(of.Number), By: of.Sender,
		Why: textByComment})
	onDiff := of.Event == "pull_request_review_comment"
	if err != nil || of.Comment == 0 || of.Event != "issue_comment" && !onDiff {
		return err // GitHub's REST API has no reactions to reviews
	}
	return ignoreRefusal(r.o.API.AddReaction(ctx, served.Name, of.Comment, onDiff, "+1"))
}

// ignoreRefusal returns err if another try may succeed, and nil if GitHub has refused.
func ignoreRefusal(err error) error {
	if _, passes := isTemporary(err); err == nil || !passes && api.ErrorClassOf(err) != "" {
		return nil
	}
	return err
}

// recent is how long Mews polls a comment for reactions after the comment was posted.
const recent = 14 * 24 * time.Hour

// pollReactions reads the reactions to Mews's comments on open pull requests. GitHub sends no
// webhook for reactions.
func (r *Reviews) pollReactions(ctx context.Context) {
	list, err := r.o.Store.ListPosted(ctx, r.o.Now().Add(-recent))
	if err != nil {
		r.o.Log.Error("list the reviews that stand on GitHub", "error", err)
	}
	open := map[string][]int{}
	checked := map[string]bool{}
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
		if checked[w.PullRequestName()] || !slices.Contains(open[w.Repo], w.Number) {
			continue
		}
		checked[w.PullRequestName()] = true
		muted, err := r.muteRejected(ctx, w)
		if err == nil && muted {
			err = r.showMutes(ctx, w)
		}
		if err != nil && ctx.Err() == nil {
			r.o.Log.Warn("look at what people say of a review", "review", w.PullRequestName(), "error", err)
		}
	}
}

// muteRejected mutes findings that got a thumbs-down. A mute holds for the whole repository, so the
// user needs write permission. Otherwise an author could hide the same fault in the next pull
// request. A resolved thread mutes nothing. Only comments of Mews's own reviews count, because
// anybody can write the hidden mark. muted reports whether this call has muted a finding.
func (r *Reviews) muteRejected(ctx context.Context, w supervisor.Review) (muted bool, err error) {
	ours, err := r.ownReviews(ctx, w)
	if err != nil || len(ours) == 0 {
		return false, err
	}
	threads, _, err := r.o.API.ReviewThreads(ctx, w.Repo, w.Number)
	if err != nil {
		return false, err
	}
	rights := map[string]bool{}
	for _, t := range threads {
		if len(t.Comments) == 0 || !ours[t.Comments[0].Review] {
			continue
		}
		print, marked := finding.ParseFindingMark(t.Comments[0].Body)
		for _, thumb := range t.Comments[0].ThumbsDown {
			if err := r.readRight(ctx, w.Repo, thumb.Login, rights); err != nil {
				return muted, err
			}
			if !marked || !rights[thumb.Login] {
				continue
			}
			fresh, err := r.muteFinding(ctx, w, print, t.Path, thumb)
			if muted = muted || fresh; err != nil {
				return muted, err
			}
		}
	}
	return muted, nil
}

// ownReviews returns GitHub's ids of Mews's own reviews of a pull request.
func (r *Reviews) ownReviews(ctx context.Context, w supervisor.Review) (map[int64]bool, error) {
	list, err := r.o.Store.ListOfPullRequest(ctx, w.User, w.Repo, w.Number)
	ours := map[int64]bool{}
	for _, e := range list {
		p := postedOf(e)
		for _, id := range append(p.More, p.Review) {
			if id != 0 {
				ours[id] = true
			}
		}
	}
	return ours, err
}

// muteFinding mutes a finding of a pull request for the whole repository. It changes nothing if an
// admin has removed the mute since the thumbs-down. fresh reports whether the finding is newly
// muted.
func (r *Reviews) muteFinding(ctx context.Context, w supervisor.Review, print, path string,
	thumb api.Reaction) (fresh bool, err error) {
	m := supervisor.ReviewMute{User: w.User, Repo: w.Repo, Kind: supervisor.MuteKindFinding, Subject: print,
		By: thumb.Login, At: thumb.At, Why: textByThumb, Number: w.Number, Path: path}
	records, err := r.records(ctx, w)
	if err != nil {
		return false, err
	}
	for _, f := range records {
		if f.Fingerprint == print {
			m.Path, m.Title, m.Code, fresh = f.Path, f.Title, f.Window, f.MutedBy == ""
		}
	}
	added, err := r.o.Store.AddMute(ctx, m)
	return fresh && added, err
}

// showMutes updates the summary of a pull request after findings were muted. If the newest head has
// no review yet, its review will update the summary.
func (r *Reviews) showMutes(ctx context.Context, w supervisor.Review) error {
	list, err := r.o.Store.ListOfPullRequest(ctx, w.User, w.Repo, w.Number)
	if err != nil {
		return err
	}
	last := list[len(list)-1]
	repo, served := r.o.Repo(w.Repo)
	summary, there, err := r.summary(ctx, w)
	if err != nil || !there || !served || repo.Post != supervisor.PostAsReview || last.State != supervisor.ReviewDone {
		return err
	}
	return r.updateSummary(ctx, last, resultOf(last), summary, last.Head)
}

// readRight stores in rights whether a user may write to a repository. It asks GitHub if rights has
// no answer yet.
func (r *Reviews) readRight(ctx context.Context, repo, login string, rights map[string]bool) error {
	if _, known := rights[login]; known {
		return nil
	}
	may, err := r.o.API.Permission(ctx, repo, login)
	rights[login] = slices.Contains(mayWrite, may)
	return ignoreRefusal(err)
}
