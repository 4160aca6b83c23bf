package sqlite

import (
	"context"

	"mews/supervisor/internal/engine"
	"mews/supervisor/internal/idle"
)

// maxBackupJournal is the most bytes that may be written during a backup of the database. Then the
// backup is given up.
const maxBackupJournal = 256 << 20

// BackUp copies the database, as it is at one moment, to a new file at path. It has a low priority,
// and writes go on meanwhile. It returns the version of the schema and the value of Changes.
// progress gets the copied and the whole number of bytes. After an error the caller removes the
// file.
func (db *DB) BackUp(ctx context.Context, path string, progress func(done, all int64)) (schema int64,
	changes uint64, err error) {
	r, err := db.engine.BackUp(ctx, path, engine.BackupOptions{MaxJournal: maxBackupJournal, Run: idle.Run,
		Progress: progress})
	return r.Schema, r.Changes, wrap(err, "back up the database to %s", path)
}

// Changes returns the number of commits of this process.
func (db *DB) Changes() uint64 { return db.engine.Changes() }
