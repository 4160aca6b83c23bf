package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/ncruces/go-sqlite3"
)

// ErrClosed is the error of writes after the end of Run, and of reads after Close.
var ErrClosed = errors.New("the database is closed")

// errRolledBack is the error of all writes in a transaction that SQLite has rolled back.
var errRolledBack = errors.New("the transaction was rolled back")

// Errors of violated constraints, for errors.Is.
const (
	ErrUnique          = sqlite3.CONSTRAINT_UNIQUE
	ErrPrimaryKey      = sqlite3.CONSTRAINT_PRIMARYKEY
	ErrForeignKey      = sqlite3.CONSTRAINT_FOREIGNKEY
	ErrCheckConstraint = sqlite3.CONSTRAINT_CHECK
)

// Problem is the kind of a failure that a person can fix.
type Problem string

const (
	ProblemNone           Problem = ""           // no known problem
	ProblemDiskFull       Problem = "full"       // the disk is full
	ProblemFileDamaged    Problem = "damaged"    // the file is damaged
	ProblemFileLocked     Problem = "locked"     // another program has the file open
	ProblemFileUnwritable Problem = "unwritable" // the file can't be opened at all, or can't be opened for writing
	ProblemDiskFault      Problem = "disk"       // the disk can't be read or written
	// the file's folder is on a network file system; facts: the folder, the file system's name
	ProblemNetworkDisk Problem = "network"
	// this program has an SQLite with known defects; facts: SQLite's version, the oldest good
	// version
	ProblemOldSQLite Problem = "old_sqlite"
	// a newer program has used the database; facts: the schema's version, the newest known version
	ProblemNewerSchema Problem = "newer"
	// the database needs migrations, which Options.RefuseOlder forbids; facts: the schema's
	// version, the needed version
	ProblemOlderSchema Problem = "older"
	// there is no room for the copy before a migration; facts: the needed and the free MiB, the
	// folder
	ProblemNoRoomForCopy   Problem = "no_room"
	ProblemDatabaseMissing Problem = "missing" // the database must exist, but is missing or empty; facts: the path
	// the file was removed while it was open, and was written again; facts: the file's path
	ProblemFileRemoved Problem = "removed"
	// the file was removed while it was open, and could not be written again; facts: the file's
	// path, the reason
	ProblemFileLost Problem = "lost"
	// another file has replaced the open file at its path; facts: the path, the path of a copy of
	// the open file
	ProblemFileReplaced Problem = "replaced"
	// another file has replaced the open file, which could not be copied; facts: the path, the
	// reason
	ProblemReplacedFileLost Problem = "replaced_lost"
	// other migrations or a person changed the database's schema; facts: the schema's version, the
	// first difference, the schema's digest, or "" if the schema was not compared
	ProblemOtherMigrations Problem = "differs"
	ProblemForeignDatabase Problem = "foreign" // the file is the database of another program
)

// Error is a failure with a Problem and its facts, such as a folder's name.
type Error struct {
	Problem Problem
	Facts   []any // facts for the user's text; each Problem lists its own
}

func (e *Error) Error() string { return fmt.Sprintf("%s %v", e.Problem, e.Facts) }

// problems maps errors of SQLite and of the disk to Problems. The first match counts.
var problems = []struct {
	is      []error
	problem Problem
}{
	{[]error{sqlite3.FULL, syscall.ENOSPC, syscall.EDQUOT}, ProblemDiskFull},
	{[]error{sqlite3.CORRUPT, sqlite3.NOTADB}, ProblemFileDamaged},
	{[]error{sqlite3.BUSY, sqlite3.LOCKED}, ProblemFileLocked},
	{[]error{sqlite3.READONLY, sqlite3.PERM, sqlite3.CANTOPEN, fs.ErrPermission, syscall.EROFS}, ProblemFileUnwritable},
	{[]error{sqlite3.IOERR}, ProblemDiskFault},
}

// ProblemOf returns err's problem and its facts.
func ProblemOf(err error) (p Problem, facts []any) {
	var e *Error
	if errors.As(err, &e) {
		return e.Problem, e.Facts
	}
	for _, p := range problems {
		for _, is := range p.is {
			if errors.Is(err, is) {
				return p.problem, nil
			}
		}
	}
	return ProblemNone, nil
}

// IsUnwritable reports whether err means that the database can't be written now. Perhaps it can be
// read.
func IsUnwritable(err error) bool {
	problem, _ := ProblemOf(err)
	return problem == ProblemDiskFull || problem == ProblemFileUnwritable
}

// contextError returns the cause of ctx's end, or nil before the end.
func contextError(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return context.Cause(ctx)
}
