package sqlite

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

const (
	putPullFinding = `INSERT INTO review_finding
			(user, repo, number, fingerprint, state, found, seen, fixed, posted, turn, finding, updated_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (user, repo, number, fingerprint) DO UPDATE SET state = excluded.state, seen = excluded.seen,
			fixed = excluded.fixed, posted = max(posted, excluded.posted), finding = excluded.finding,
			updated_at = excluded.updated_at`
	listPullFindings = `SELECT fingerprint, state, found, seen, fixed, posted, coalesce(turn, 0), finding
		FROM review_finding WHERE user = ? AND repo = ? AND number = ? ORDER BY id`
)

// UpdateWithFindings does what Update does, and stores findings of the pull request. A finding that
// was posted stays posted.
func (s Reviews) UpdateWithFindings(ctx context.Context, r supervisor.Review,
	list []supervisor.PullRequestFinding) error {
	return s.db.write(ctx, func(t *tx) {
		t.keepReview(r)
		for _, f := range list {
			t.Exec(putPullFinding, r.User, r.Repo, r.Number, f.Fingerprint, f.State, f.Found, f.Seen, f.Fixed,
				f.Posted, orNull(f.Turn), f.Finding, t.Now)
		}
	}, "store %d findings of %s", len(list), r.PullRequestName())
}

// ListFindings lists the findings of a pull request's reviews, oldest first.
func (s Reviews) ListFindings(ctx context.Context, user, repo string, number int) ([]supervisor.PullRequestFinding,
	error) {
	return engine.AllRows(s.db.reader(ctx, "list the findings of %s#%d", repo, number),
		func(row *engine.Row) (f supervisor.PullRequestFinding) {
			row.Scan(&f.Fingerprint, &f.State, &f.Found, &f.Seen, &f.Fixed, &f.Posted, &f.Turn, &f.Finding)
			return f
		}, listPullFindings, user, repo, number)
}

const listModels = `SELECT DISTINCT spec FROM usage WHERE spec <> ''
	AND (turn = ?1 OR turn IN (SELECT id FROM turn WHERE parent = ?1)) ORDER BY spec`

// ModelsOfTurn returns the names of the models that a turn and its child turns have used.
func (s Reviews) ModelsOfTurn(ctx context.Context, turn int64) ([]string, error) {
	return engine.AllRows(s.db.reader(ctx, "list the models of turn %d", turn), engine.ScanString, listModels, turn)
}
