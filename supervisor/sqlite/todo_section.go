package sqlite

import (
	"context"

	"mews/supervisor/internal/engine"
)

// TodoSections stores which sections and boxes of users' files were searched for to-dos. They are
// known by digests.
type TodoSections struct{ db *DB }

// TodoSections returns the store of searched sections.
func (db *DB) TodoSections() TodoSections { return TodoSections{db} }

// maxTodoSections is how many digests of a user are stored. The oldest are deleted; their sections
// count as new again.
const maxTodoSections = 50_000

const (
	listTodoSections = `SELECT digest FROM todo_section WHERE user = ?`
	putTodoSections  = `INSERT INTO todo_section (user, digest, seen_at)
		SELECT ?1, d.value, ?2 FROM json_each(?3) d WHERE true ON CONFLICT (user, digest) DO UPDATE SET seen_at = ?2`
	dropTodoSections = `DELETE FROM todo_section WHERE user = ?1 AND seen_at < (SELECT seen_at FROM todo_section
		WHERE user = ?1 ORDER BY seen_at DESC LIMIT 1 OFFSET ?2)`
)

// List returns the digests of a user's searched sections.
func (s TodoSections) List(ctx context.Context, user string) (digests map[string]bool, err error) {
	digests = map[string]bool{}
	err = s.db.reader(ctx, "list the searched sections of %s", user).Query(func(row *engine.Row) bool {
		digests[engine.ScanString(row)] = true
		return true
	}, listTodoSections, user)
	return digests, err
}

// Put stores that sections of a user were searched.
func (s TodoSections) Put(ctx context.Context, user string, digests []string) error {
	return s.db.write(ctx, func(t *tx) {
		t.Exec(putTodoSections, user, t.Now, encodedList(digests))
		t.Exec(dropTodoSections, user, maxTodoSections-1)
	}, "store the searched sections of %s", user)
}
