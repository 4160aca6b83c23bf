package sqlite

import (
	"errors"
	"fmt"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
	"mews/supervisor/problem"
)

// problems maps a problem of the database engine to the problem that the user reads.
var problems = map[engine.Problem]problem.Kind{
	engine.ProblemDiskFull:         problem.DiskFull,
	engine.ProblemFileDamaged:      problem.DatabaseDamaged,
	engine.ProblemFileLocked:       problem.DatabaseLocked,
	engine.ProblemFileUnwritable:   problem.DatabaseUnwritable,
	engine.ProblemDiskFault:        problem.DiskFailed,
	engine.ProblemNetworkDisk:      problem.NetworkDisk,
	engine.ProblemOldSQLite:        problem.OldSQLite,
	engine.ProblemNewerSchema:      problem.NewerDatabase,
	engine.ProblemOlderSchema:      problem.OlderDatabase,
	engine.ProblemNoRoomForCopy:    problem.NoRoomForDatabaseCopy,
	engine.ProblemDatabaseMissing:  problem.DatabaseMissing,
	engine.ProblemFileRemoved:      problem.DatabaseRemoved,
	engine.ProblemFileLost:         problem.DatabaseRemovedAndLost,
	engine.ProblemFileReplaced:     problem.DatabaseReplaced,
	engine.ProblemReplacedFileLost: problem.DatabaseReplacedAndLost,
	engine.ProblemOtherMigrations:  problem.DatabaseSchemaDiffers,
	engine.ProblemForeignDatabase:  problem.ForeignDatabase,
}

// wrap adds the attempted action to err. If users can fix the problem, wrap also adds a text for
// users. For a nil err it returns nil.
func wrap(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), explain(err))
}

// explain adds a text for users to err if users can fix the problem.
func explain(err error) error {
	if err == nil {
		return nil
	}
	var known *supervisor.Error
	if errors.As(err, &known) {
		return err
	}
	found, facts := engine.ProblemOf(err)
	if found == engine.ProblemNone {
		return err
	}
	return problem.New(problems[found], err, facts...)
}

// IsUnwritable reports whether err means that the database can't be written now. Its disk may be
// full.
func IsUnwritable(err error) bool { return engine.IsUnwritable(err) }

// IsOlder reports whether err means that the database needs migrations.
func IsOlder(err error) bool {
	found, _ := engine.ProblemOf(err)
	return found == engine.ProblemOlderSchema
}

// invalid returns the error for a request that the current state does not allow.
func invalid(format string, args ...any) error {
	return &supervisor.Error{Code: supervisor.CodeInvalid, Err: fmt.Errorf(format, args...)}
}

// notFound returns the error for a request about a row that does not exist.
func notFound(format string, args ...any) error {
	return &supervisor.Error{Code: supervisor.CodeNotFound, Err: fmt.Errorf(format, args...)}
}
