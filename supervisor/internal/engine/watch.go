package engine

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"
)

// watchInterval is the time between two looks at the file's path.
const watchInterval = time.Minute

// watchFile compares the file at the path with the open one each minute, and checks it each week,
// until ctx ends or something is wrong.
func (db *DB) watchFile(ctx context.Context) error {
	tick := time.NewTicker(watchInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			err := db.compareFile()
			if err == nil {
				err = db.checkWeekly(ctx)
			}
			if err != nil {
				return err
			}
		}
	}
}

// compareFile returns an error if the path does not lead to the open file any more. It tolerates
// a path that can't be looked at.
func (db *DB) compareFile() error {
	switch info, err := os.Stat(db.path); {
	case errors.Is(err, fs.ErrNotExist):
		return &Error{ProblemRemoved, []any{db.path}}
	case err != nil:
		db.o.Log.Warn("the database's file could not be looked at", "error", err)
	case !os.SameFile(info, db.file):
		return &Error{ProblemReplaced, []any{db.path}}
	}
	return nil
}

// leaveFile empties the journal after watchFile has returned gone. SQLite does not delete a journal
// whose file is gone, and such a journal damages the next file. Then it writes a removed file again, from what is
// open. Nothing may be written any more. It returns gone, or why it failed.
func (db *DB) leaveFile(gone *Error) error {
	err := db.with(func(c *connection) error {
		err := c.exec(truncateJournal)
		if err == nil && gone.Problem == ProblemRemoved {
			err = c.copyTo(db.path, db.o)
		}
		return err
	})
	switch {
	case err == nil:
		return gone
	case gone.Problem == ProblemRemoved:
		return &Error{ProblemLost, []any{db.path, err}}
	}
	return errors.Join(gone, err)
}
