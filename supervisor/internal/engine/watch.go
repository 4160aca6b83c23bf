package engine

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"
)

// watchInterval is the time between two checks of the file's path.
const watchInterval = time.Minute

// watchFile compares the file at the path with the open file each minute. It checks the database
// each week. It ends with ctx, or with the first error.
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

// compareFile returns an *Error if the path does not lead to the open file any more. An unreadable
// path is only logged.
func (db *DB) compareFile() error {
	switch info, err := os.Stat(db.path); {
	case errors.Is(err, fs.ErrNotExist):
		return &Error{ProblemFileRemoved, []any{db.path}}
	case err != nil:
		db.o.Log.Warn("the database's file could not be looked at", "error", err)
	case !os.SameFile(info, db.file):
		return &Error{ProblemFileReplaced, []any{db.path}}
	}
	return nil
}

// leaveFile empties the journal after compareFile has returned gone. SQLite does not delete a
// journal whose file is gone, and such a journal damages the next file. Then leaveFile writes the
// data to the place of a removed file, or beside the file that has replaced it. No other write may
// follow. It returns gone, with the path of the new file, or the reason why it failed. The data of
// a replaced rebuildable database is dropped.
func (db *DB) leaveFile(gone *Error) error {
	to, lost := db.path, ProblemFileLost
	if gone.Problem == ProblemFileReplaced {
		to, lost = db.path+savedInfix+db.o.Now().UTC().Format("20060102-150405"), ProblemReplacedFileLost
		if db.o.Rebuildable {
			to = ""
		}
	}
	err := db.with(func(c *connection) error {
		db.connections++
		err := c.exec(truncateJournal)
		if err == nil && to != "" {
			err = c.copyTo(to, db.o)
		}
		return err
	})
	switch {
	case err != nil:
		return &Error{lost, []any{db.path, err}}
	case gone.Problem == ProblemFileReplaced:
		return &Error{gone.Problem, []any{db.path, to}}
	}
	return gone
}
