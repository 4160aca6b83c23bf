package sqlite

import (
	"context"

	"mews/supervisor/internal/engine"
)

// Settings stores the values that users chose with /settings, by name. The user "" is the service
// itself.
type Settings struct{ db *DB }

const (
	findSetting  = `SELECT value FROM setting WHERE user = ? AND name = ?`
	listSettings = `SELECT name, value FROM setting WHERE user = ?`
	putSetting   = `INSERT INTO setting (user, name, value) VALUES (?, ?, ?)
		ON CONFLICT (user, name) DO UPDATE SET value = excluded.value`
	deleteSetting = `DELETE FROM setting WHERE user = ? AND name = ?`
)

// Find returns a user's setting; ok is false if there is none.
func (s Settings) Find(ctx context.Context, user, name string) (value string, ok bool, err error) {
	return engine.FirstRow(s.db.reader(ctx, "find the setting %s of %q", name, user), engine.ScanString, findSetting,
		user, name)
}

// List returns all settings of a user, by name.
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

// Put stores a user's setting and replaces an earlier value.
func (s Settings) Put(ctx context.Context, user, name, value string) error {
	return s.db.write(ctx, func(t *tx) {
		t.Exec(putSetting, user, name, value)
		t.recheckHeld(user, name)
	}, "store the setting %s of %q", name, user)
}

// Delete removes a user's setting. A missing setting is no error.
func (s Settings) Delete(ctx context.Context, user, name string) error {
	return s.db.write(ctx, func(t *tx) {
		t.Exec(deleteSetting, user, name)
		t.recheckHeld(user, name)
	}, "delete the setting %s of %q", name, user)
}
