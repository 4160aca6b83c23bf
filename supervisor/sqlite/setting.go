package sqlite

import (
	"context"

	"mews/supervisor/internal/engine"
)

// Settings are what people have chosen while the service runs, by name. User "" is the service
// itself.
type Settings struct{ db *DB }

const (
	findSetting  = `SELECT value FROM setting WHERE user = ? AND name = ?`
	listSettings = `SELECT name, value FROM setting WHERE user = ?`
	putSetting   = `INSERT INTO setting (user, name, value) VALUES (?, ?, ?)
		ON CONFLICT (user, name) DO UPDATE SET value = excluded.value`
	deleteSetting = `DELETE FROM setting WHERE user = ? AND name = ?`
)

// Find is what a user has chosen; ok is false where that is nothing.
func (s Settings) Find(ctx context.Context, user, name string) (value string, ok bool, err error) {
	return engine.One(s.db.reader(ctx, "find the setting %s of %q", name, user), engine.String, findSetting, user, name)
}

// List is all that a user has chosen, by name.
func (s Settings) List(ctx context.Context, user string) (map[string]string, error) {
	chosen := map[string]string{}
	err := s.db.reader(ctx, "list the settings of %q", user).Query(func(r *engine.Row) bool {
		var name, value string
		r.Scan(&name, &value)
		chosen[name] = value
		return true
	}, listSettings, user)
	return chosen, err
}

// Put keeps what a user has chosen, in place of what that was before.
func (s Settings) Put(ctx context.Context, user, name, value string) error {
	return s.db.write(ctx, func(t *tx) {
		t.Exec(putSetting, user, name, value)
		t.settingChanged(user, name)
	}, "keep the setting %s of %q", name, user)
}

// Delete takes back what a user has chosen. It is no error that that was nothing.
func (s Settings) Delete(ctx context.Context, user, name string) error {
	return s.db.write(ctx, func(t *tx) {
		t.Exec(deleteSetting, user, name)
		t.settingChanged(user, name)
	}, "delete the setting %s of %q", name, user)
}
