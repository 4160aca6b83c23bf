package sqlite

import (
	"errors"
	"fmt"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
	"mews/supervisor/problem"
)

// problems are what a person is told of the engine's.
var problems = map[engine.Problem]problem.Kind{
	engine.ProblemFull:       problem.DiskFull,
	engine.ProblemDamaged:    problem.DatabaseDamaged,
	engine.ProblemLocked:     problem.DatabaseLocked,
	engine.ProblemUnwritable: problem.DatabaseUnwritable,
	engine.ProblemDisk:       problem.DiskFailed,
	engine.ProblemNetwork:    problem.NetworkDisk,
	engine.ProblemOldSQLite:  problem.OldSQLite,
	engine.ProblemNewer:      problem.NewerDatabase,
	engine.ProblemForeign:    problem.ForeignDatabase,
}

// wrap says what was attempted when err came, and what a person is told of it. It is nil for nil.
func wrap(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), explain(err))
}

// explain gives err the words for a person, if it is a failure that a person can do something
// about.
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

// invalid is the error for a request that the state of things does not allow. Nothing was changed.
func invalid(format string, args ...any) error {
	return &supervisor.Error{Code: supervisor.CodeInvalid, Err: fmt.Errorf(format, args...)}
}

// notFound is the error for a request about something that is not there.
func notFound(format string, args ...any) error {
	return &supervisor.Error{Code: supervisor.CodeNotFound, Err: fmt.Errorf(format, args...)}
}
