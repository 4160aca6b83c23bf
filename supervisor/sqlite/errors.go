package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/ncruces/go-sqlite3"

	"mews/supervisor"
)

// errClosed is what writes get that come after the end of Run.
var errClosed = errors.New("the database is closed")

// errRolledBack is what the writes of a group get when SQLite has given up the transaction that they share.
var errRolledBack = errors.New("the transaction was rolled back")

// failures are the errors of SQLite and of the disk that somebody can do something about. The first that fits counts.
var failures = []struct {
	is      []error
	message string
}{
	{[]error{sqlite3.FULL, syscall.ENOSPC, syscall.EDQUOT},
		"The disk that holds Mews's database is full, so this could not be kept. Free some space on it and try again."},
	{[]error{sqlite3.CORRUPT, sqlite3.NOTADB},
		"Mews's database is damaged. Stop Mews, keep a copy of the database's folder, and restore the last backup."},
	{[]error{sqlite3.BUSY, sqlite3.LOCKED},
		"Mews's database is locked by another program. Close what has it open and try again."},
	{[]error{sqlite3.READONLY, sqlite3.PERM, sqlite3.CANTOPEN, fs.ErrPermission},
		"Mews's database could not be opened for writing. Check that its folder belongs to the account that Mews " +
			"runs as and is not mounted read-only."},
	{[]error{sqlite3.IOERR},
		"The disk that holds Mews's database could not be read or written. Check that disk, then try again."},
}

// wrap says what was attempted when err came, and what a person is told of it. It is nil for nil.
func wrap(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), explain(err))
}

// explain gives err the words for a person, if it is a failure that a person can do something about.
func explain(err error) error {
	var known *supervisor.Error
	if errors.As(err, &known) {
		return err
	}
	for _, f := range failures {
		for _, is := range f.is {
			if errors.Is(err, is) {
				return &supervisor.Error{Code: supervisor.CodeUnavailable, Message: f.message, Err: err}
			}
		}
	}
	return err
}

// invalid is the error for a request that the state of things does not allow. Nothing was changed.
func invalid(format string, args ...any) error {
	return &supervisor.Error{Code: supervisor.CodeInvalid, Message: fmt.Sprintf(format, args...)}
}

// notFound is the error for a request about something that is not there.
func notFound(format string, args ...any) error {
	return &supervisor.Error{Code: supervisor.CodeNotFound, Message: fmt.Sprintf(format, args...)}
}

// joinErrors is err, with second added where there is one.
func joinErrors(err, second error) error {
	if second == nil {
		return err
	}
	return errors.Join(err, second)
}

// contextError is why ctx has ended, nil while it has not.
func contextError(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return context.Cause(ctx)
}
