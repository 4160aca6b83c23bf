package sqlite

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

const (
	putMute = `INSERT INTO review_mute (user, repo, kind, subject, why, by, created_at, number, path, title, code)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (user, repo, kind, subject) DO UPDATE SET why = excluded.why, by = excluded.by,
			created_at = excluded.created_at, number = excluded.number, path = excluded.path, title = excluded.title,
			code = excluded.code, removed_at = NULL
		WHERE removed_at < excluded.created_at`
	removeMute = `UPDATE review_mute SET removed_at = ? WHERE user = ? AND id = ? AND removed_at IS NULL`
	listMutes  = `SELECT id, user, repo, kind, subject, why, by, created_at, number, path, title, code FROM review_mute
		WHERE user = ? AND (repo = ?2 OR ?2 = '') AND removed_at IS NULL ORDER BY id`
)

// AddMute adds a mute to a repository's reviews. It reports whether that has changed anything: a
// mute that exists stays as it is. m.At is the time at which somebody asked for the mute; zero
// means now. A mute that was removed after m.At is not added again.
func (s Reviews) AddMute(ctx context.Context, m supervisor.ReviewMute) (added bool, err error) {
	return inTransaction(ctx, s.db, func(t *tx) bool {
		at := t.Now
		if !m.At.IsZero() {
			at = m.At.UnixMilli()
		}
		return t.ExecCount(putMute, m.User, m.Repo, m.Kind, m.Subject, m.Why, m.By, at, m.Number, m.Path, m.Title,
			m.Code) > 0
	}, "mute the %s %s in %s", m.Kind, m.Subject, m.Repo)
}

// RemoveMute removes a mute of a user. It reports whether the mute existed.
func (s Reviews) RemoveMute(ctx context.Context, user string, id int64) (bool, error) {
	return inTransaction(
		ctx,
		s.db,
		func(t *tx) bool { return t.ExecCount(removeMute, t.Now, user, id) > 0 },
		"take mute %d back",
		id,
	)
}

// ListMutes lists a user's mutes of a repository. The repository "" means all.
func (s Reviews) ListMutes(ctx context.Context, user, repo string) ([]supervisor.ReviewMute, error) {
	return engine.AllRows(
		s.db.reader(ctx, "list mutes of %s", user),
		func(r *engine.Row) (m supervisor.ReviewMute) {
			r.Scan(&m.ID, &m.User, &m.Repo, &m.Kind, &m.Subject, &m.Why, &m.By, &m.At, &m.Number, &m.Path, &m.Title,
				&m.Code)
			return m
		},
		listMutes,
		user,
		repo,
	)
}
