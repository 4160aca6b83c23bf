package sqlite

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

const (
	putMute = `INSERT INTO review_mute (user, repo, kind, subject, why, by, created_at, number, path, title, code)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`
	deleteMute = `DELETE FROM review_mute WHERE user = ? AND id = ?`
	listMutes  = `SELECT id, user, repo, kind, subject, why, by, created_at, number, path, title, code FROM review_mute
		WHERE user = ? AND (repo = ?2 OR ?2 = '') ORDER BY id`
)

// AddMute adds a mute to a repository's reviews. A second call changes nothing.
func (s Reviews) AddMute(ctx context.Context, m supervisor.ReviewMute) error {
	return s.db.write(ctx, func(t *tx) {
		t.Exec(putMute, m.User, m.Repo, m.Kind, m.Subject, m.Why, m.By, t.Now, m.Number, m.Path, m.Title, m.Code)
	}, "mute the %s %s in %s", m.Kind, m.Subject, m.Repo)
}

// RemoveMute removes a mute of a user. It reports whether the mute existed.
func (s Reviews) RemoveMute(ctx context.Context, user string, id int64) (bool, error) {
	return inTransaction(
		ctx,
		s.db,
		func(t *tx) bool { return t.ExecCount(deleteMute, user, id) > 0 },
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
