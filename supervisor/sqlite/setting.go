package sqlite

import (
	"context"
	"maps"
	"sync"

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
	deleteSetting    = `DELETE FROM setting WHERE user = ? AND name = ?`
	listSettingUsers = `SELECT user FROM setting WHERE name = ? ORDER BY user`
)

// SettingHomeCreated is set once a user has a home in the state folder. It is no choice of the
// user. Users.Remove deletes it.
const SettingHomeCreated = "home made"

// ListUsers lists the users with a setting.
func (s Settings) ListUsers(ctx context.Context, name string) ([]string, error) {
	return engine.AllRows(s.db.reader(ctx, "list the users with the setting %s", name), engine.ScanString,
		listSettingUsers, name)
}

// Find returns a user's setting; ok is false if there is none.
func (s Settings) Find(ctx context.Context, user, name string) (value string, ok bool, err error) {
	chosen, err := s.read(ctx, user)
	value, ok = chosen[name]
	return value, ok, err
}

// List returns all settings of a user, by name.
func (s Settings) List(ctx context.Context, user string) (map[string]string, error) {
	chosen, err := s.read(ctx, user)
	return maps.Clone(chosen), err
}

// read returns all settings of a user, by name. The caller must not change the map.
func (s Settings) read(ctx context.Context, user string) (map[string]string, error) {
	chosen, writes := s.db.settings.find(user)
	if chosen != nil {
		return chosen, nil
	}
	chosen = map[string]string{}
	err := s.db.reader(ctx, "list the settings of %q", user).Query(func(r *engine.Row) bool {
		var name, value string
		r.Scan(&name, &value)
		chosen[name] = value
		return true
	}, listSettings, user)
	if err != nil {
		return nil, err
	}
	s.db.settings.put(user, chosen, writes)
	return chosen, nil
}

// setting returns a user's setting; "" means that there is none.
func (t *tx) setting(user, name string) string {
	if chosen, _ := t.known.find(user); chosen != nil && !t.settings {
		return chosen[name]
	}
	chosen, _ := one(t, engine.ScanString, findSetting, user, name)
	return chosen
}

// settingsCache holds users' settings until the next write of settings. A turn reads the settings
// ten times.
type settingsCache struct {
	mu     sync.Mutex // guards the fields below
	byUser map[string]map[string]string
	writes int // number of writes of settings
}

// find returns the settings of a user, or nil. The caller passes the number writes on to put.
func (c *settingsCache) find(user string) (chosen map[string]string, writes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.byUser[user], c.writes
}

// put adds the settings of a user, unless settings were written since find returned writes.
func (c *settingsCache) put(user string, chosen map[string]string, writes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if writes != c.writes {
		return
	}
	if c.byUser == nil {
		c.byUser = map[string]map[string]string{}
	}
	c.byUser[user] = chosen
}

// clear empties the cache after settings were written. Until the writer returns, readers may see
// the earlier settings.
func (c *settingsCache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.byUser, c.writes = nil, c.writes+1
}

// setSetting stores a user's setting and replaces an earlier value.
func (t *tx) setSetting(user, name, value string) {
	t.settings = true
	t.Exec(putSetting, user, name, value)
}

// Put stores a user's setting and replaces an earlier value.
func (s Settings) Put(ctx context.Context, user, name, value string) error {
	return s.db.write(ctx, func(t *tx) {
		t.setSetting(user, name, value)
		t.recheckHeld(user, name)
	}, "store the setting %s of %q", name, user)
}

// Delete removes a user's setting. A missing setting is no error.
func (s Settings) Delete(ctx context.Context, user, name string) error {
	return s.db.write(ctx, func(t *tx) {
		t.settings = true
		t.Exec(deleteSetting, user, name)
		t.recheckHeld(user, name)
	}, "delete the setting %s of %q", name, user)
}
