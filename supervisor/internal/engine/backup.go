package engine

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"
)

// backupPages is the number of pages that a backup copies at once.
const backupPages = 256

// checkPause is the time between two looks whether a check has ended.
const checkPause = 100 * time.Millisecond

// Errors of BackUp.
var (
	// ErrFileBusy means that the file is being checked or backed up already.
	ErrFileBusy = errors.New("the database is being checked or backed up")
	// ErrJournalTooLong means that so much was written during a backup that the backup was given
	// up.
	ErrJournalTooLong = errors.New("too much was written to the database meanwhile")
	// ErrFileChanged means that the file changed during a backup, because its connection was lost.
	ErrFileChanged = errors.New("the database's connection was lost meanwhile")
)

// BackupOptions configures BackUp.
type BackupOptions struct {
	MaxJournal int64 // the largest journal in bytes before the backup is given up
	// runs the copying, for example with a low priority; it must call its argument once
	Run func(func() error) error
	// called after each part with the copied and the whole number of bytes; nil means no call
	Progress func(done, all int64)
}

// BackupResult describes a copy of a database.
type BackupResult struct {
	Schema  int64  // version of the schema
	Changes uint64 // the value of Changes at the moment of the copy
}

// BackUp copies the database, as it is at one moment, to a new file at path. Reads and writes go on
// meanwhile: the writes stay in the journal until the copy is done. BackUp does not sync the copy.
// After an error the caller removes the file.
func (db *DB) BackUp(ctx context.Context, path string, o BackupOptions) (r BackupResult, err error) {
	if db.unwritable != nil {
		return r, db.unwritable
	}
	opened, err := db.freeze(ctx, &r)
	if err != nil {
		return r, err
	}
	defer func() {
		unfrozen := db.unfreeze(func(*connection) error {
			if err == nil && db.connections != opened {
				err = ErrFileChanged
			}
			return nil
		})
		if err == nil {
			err = unfrozen
		}
	}()
	err = o.Run(func() (err error) {
		r.Schema, err = db.copyPages(ctx, path, o)
		return err
	})
	return r, err
}

// freeze keeps the file unchanged for a backup. It waits for the end of a check, but not of another
// backup. It returns the number of connections.
func (db *DB) freeze(ctx context.Context, r *BackupResult) (opened uint64, err error) {
	for {
		err = db.with(func(c *connection) error {
			if !db.frozen.CompareAndSwap(false, true) {
				return ErrFileBusy
			}
			opened, r.Changes = db.connections, db.changes.Load()
			err := c.freezeFile()
			if err != nil {
				db.frozen.Store(false)
			}
			return err
		})
		if !errors.Is(err, ErrFileBusy) || !db.late.Load() {
			return opened, err
		}
		select {
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		case <-db.stopped:
			return 0, ErrClosed
		case <-time.After(checkPause):
		}
	}
}

// copyPages copies the frozen file to path, and returns the version of its schema.
func (db *DB) copyPages(ctx context.Context, path string, o BackupOptions) (schema int64, err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return 0, err
	}
	if err := file.Close(); err != nil {
		return 0, err
	}
	c, err := openReader(ctx, db.path, db.o, url.Values{"mode": {"ro"}, "immutable": {"1"}})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	if schema, err = c.pragma("user_version"); err != nil {
		return 0, err
	}
	size, err := c.pragma("page_size")
	if err != nil {
		return 0, err
	}
	b, err := c.raw.BackupInit("main", fileURI(path, url.Values{"mode": {"rw"}, "modeof": {db.path}}))
	if err != nil {
		return 0, fmt.Errorf("open %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	for done := false; !done; {
		if done, err = b.Step(backupPages); err != nil {
			return 0, err
		}
		if o.Progress != nil {
			all := int64(b.PageCount())
			o.Progress((all-int64(b.Remaining()))*size, all*size)
		}
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		if info, err := os.Stat(db.path + "-wal"); err == nil && info.Size() > o.MaxJournal {
			return 0, fmt.Errorf("%w: %d MiB", ErrJournalTooLong, info.Size()>>20)
		}
	}
	return schema, nil
}

// Changes returns the number of commits of this process. If it is the same as before, the data is
// the same as before.
func (db *DB) Changes() uint64 { return db.changes.Load() }
