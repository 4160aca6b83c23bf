package review

import (
	"context"

	"mews/supervisor"
)

// maxMoves is the maximum number of pushes during one review for which it reads the new head, too.
const maxMoves = 3

// checkAndPost reads the state of a pull request once more, and then posts a review. It posts
// nothing if the pull request was closed meanwhile. errMoved means that there is a new head, which
// must be read first.
func (r *Reviews) checkAndPost(ctx context.Context, w *supervisor.Review, repo supervisor.GitHubRepo,
	made *result) error {
	if repo.Post == supervisor.PostOnlyCard {
		return nil
	}
	p := postedOf(*w)
	if p.Begun != "" || p.isOfRound(*w) { // a part of the review is on GitHub already
		return r.post(ctx, w, repo, made)
	}
	pull, err := r.o.API.PullRequest(ctx, w.Repo, w.Number)
	switch {
	case err != nil:
		return err
	case pull.Merged:
		made.Unposted = textMergedMeanwhile
		return nil
	case pull.State != "open":
		made.Unposted = textClosedMeanwhile
		return nil
	case pull.Head.SHA != w.Head && made.Moves < maxMoves:
		return errMoved
	}
	return r.post(ctx, w, repo, made)
}

// move prepares a review to read a new head, after a push during the review. The next reading
// covers only the changes that no reading has covered yet.
func (r *Reviews) move(ctx context.Context, w *supervisor.Review, made result) error {
	p := postedOf(*w)
	p.Begun = "" // GitHub has no review of the old head to search for
	w.Posted, w.Change = encoded(p), ""
	made.Moved, made.Moves = true, made.Moves+1
	w.Result = encoded(made)
	return r.o.Store.Update(ctx, *w)
}
