package sqlite

import (
	"context"
	"errors"
	"os"

	"mews/supervisor/internal/engine"
	"mews/supervisor/internal/idle"
)

// maxBackupJournal is the most bytes that may be written during a backup of the database. At its
// end they move into the file while all reads and writes wait, about one second for this many.
var maxBackupJournal int64 = 64 << 20

// BackUp copies the database, as it is at one moment, to a new file at path. It has a low priority,
// and writes go on meanwhile. If too much is written, it tries once more with the usual priority,
// and then gives up. It returns the version of the schema and the value of Changes. progress gets
// the copied and the whole number of bytes. After an error the caller removes the file.
func (db *DB) BackUp(ctx context.Context, path string, progress func(done, all int64)) (schema int64,
	changes uint64, err error) {
	copyBy := func(run func(func() error) error) (engine.BackupResult, error) {
		return db.engine.BackUp(ctx, path, engine.BackupOptions{MaxJournal: maxBackupJournal, Run: run,
			Progress: progress})
	}
	r, err := copyBy(idle.Run)
	if errors.Is(err, engine.ErrJournalTooLong) {
		if err = os.Remove(path); err == nil {
			r, err = copyBy(func(fn func() error) error { return fn() })
		}
	}
	return r.Schema, r.Changes, wrap(err, "back up the database to %s", path)
}

// Changes returns the number of commits of this process.
func (db *DB) Changes() uint64 { return db.engine.Changes() }
