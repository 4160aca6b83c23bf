// Package undo is the feature that takes back what was changed in people's files, or shows it. What
// is touched is decided from the ledger's rows alone; the person's worker does it.
package undo

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/spool"
)

// Store keeps the changes.
type Store interface {
	User(ctx context.Context, turn int64) (string, error)
	Last(ctx context.Context, in supervisor.Conversation, since time.Time, skip int) (turn int64, ok bool, err error)
	List(ctx context.Context, user string, turn, operation int64) ([]supervisor.FileChange, error)
	Done(ctx context.Context, u supervisor.UndoneFiles) error
}

// Operations has people's workers do it.
type Operations interface {
	Start(ctx context.Context, op supervisor.Operation) (supervisor.Operation, error)
	Wait(ctx context.Context, id int64) (supervisor.Operation, error)
}

// Options are what Undos works on.
type Options struct {
	Store      Store
	Operations Operations
	Spool      *spool.Spool // has the differences that workers make
	Now        func() time.Time
}

// Undos takes changes back. Its methods may be called from any goroutine.
type Undos struct{ Options }

// New makes Undos.
func New(o Options) *Undos { return &Undos{o} }

// Feature is what it adds to the service.
func (u *Undos) Feature() feature.Feature {
	return feature.Feature{Name: "undo", Commands: u.commands()}
}

// Report is what has become of changes.
type Report struct {
	Operation int64                // that took them back; 0: none did
	Paths     map[Outcome][]string // each once
	programs  []string
}

// Outcome is what has become of a file's changes.
type Outcome string

const (
	Back    Outcome = "back"    // it is as it was before
	Changed Outcome = "changed" // it was left alone, for it has changed since
	Expired Outcome = "expired" // what was in it is not kept any more
	Never   Outcome = "never"   // with why: what was in it was not kept, or it could not be written
	Program Outcome = "program" // a program has changed it
)

var outcomes = map[protocol.UndoOutcome]Outcome{
	protocol.UndoDone: Back, protocol.UndoAlready: Back, protocol.UndoChanged: Changed, protocol.UndoExpired: Expired, protocol.UndoFailed: Never,
}

// Last finds the turn whose changes would be taken back: the newest in a conversation that has any,
// or the one before it and so on.
func (u *Undos) Last(ctx context.Context, in supervisor.Conversation, n int) (turn int64, ok bool, err error) {
	return u.Store.Last(ctx, in, u.since(), n-1)
}

func (u *Undos) since() time.Time { return u.Now().Add(-spool.Retention) }

// Back takes back what a turn has changed, or what an undo of it has: of is that operation, 0 for
// the turn's own changes. With force it takes back also what has changed since.
func (u *Undos) Back(ctx context.Context, user string, turn, of int64, force bool) (report Report, err error) {
	report.Paths = map[Outcome][]string{}
	defer func() {
		for _, path := range report.programs { // what is said of a tool's change of it goes first
			report.add(Program, path, "")
		}
	}()
	list, err := u.list(ctx, user, turn, of, &report)
	if err != nil || len(list) == 0 {
		return report, err
	}
	p := protocol.UndoParameters{Action: protocol.UndoBack, Changes: undos(list)}
	if force {
		p.Action = protocol.UndoForce
	}
	op, result, err := u.operate(ctx, user, p)
	if err != nil {
		return report, err
	}
	report.Operation = op
	done := supervisor.UndoneFiles{User: user, Turn: turn, Of: of, Operation: op}
	for i, c := range result.Changes {
		outcome, why := outcomes[c.Outcome], ""
		if outcome == Never {
			why = c.Why
		}
		report.add(outcome, list[i].Path, why)
		if outcome == Back {
			done.Effects = append(done.Effects, list[i].Effect)
			done.Changes = append(done.Changes, inverse(list[i].Undo, c, force))
		}
	}
	if len(done.Effects) == 0 {
		return report, nil
	}
	return report, u.Store.Done(ctx, done)
}

// inverse is what takes a change back that was taken back.
func inverse(change protocol.Undo, c protocol.UndoneChange, force bool) protocol.Undo {
	back := change.Inverse()
	if force && change.To == "" && c.Outcome == protocol.UndoDone {
		back.Before, back.Size, back.Mode = c.Found, c.Size, c.Mode
	}
	return back
}

// list is what of a turn's changes can be taken back, newest first. What can't be is reported, with
// what is about the same files.
func (u *Undos) list(ctx context.Context, user string, turn, of int64, report *Report) (list []supervisor.FileChange, err error) {
	if owner, err := u.Store.User(ctx, turn); err != nil || owner != user {
		return nil, cmp.Or(err, supervisor.Errorf(supervisor.CodeForbidden, textForeign))
	}
	all, err := u.Store.List(ctx, user, turn, of)
	if err != nil {
		return nil, err
	}
	var never []supervisor.FileChange
	for _, c := range all {
		switch {
		case c.Not == protocol.ByProgram:
			report.programs = append(report.programs, c.Path)
		case c.Not != "":
			never = append(never, c)
			report.add(Never, c.Path, c.Not)
		}
	}
	for _, c := range slices.Backward(all) {
		switch {
		case c.Not != "":
		case c.CreatedAt.Before(u.since()):
			report.add(Expired, c.Path, "")
		case slices.ContainsFunc(never, func(n supervisor.FileChange) bool { return related(c.Undo, n.Path) }):
			report.add(Never, c.Path, textPartNever)
		default:
			list = append(list, c)
		}
	}
	if len(list) > protocol.MaxUndone {
		return nil, supervisor.Errorf(supervisor.CodeInvalid, textTooMany, len(list), protocol.MaxUndone)
	}
	return list, nil
}

// related says whether a change is about a path, or about what it is in or what is in it.
func related(u protocol.Undo, path string) bool {
	in := func(a, b string) bool { return a == b || strings.HasPrefix(a, b+"/") }
	return in(u.Path, path) || in(path, u.Path) || u.To != "" && (in(u.To, path) || in(path, u.To))
}

// add reports a path once.
func (r *Report) add(outcome Outcome, path, why string) {
	for _, listed := range r.Paths {
		if slices.ContainsFunc(listed, func(l string) bool { return l == path || strings.HasPrefix(l, path+whyMark) }) {
			return
		}
	}
	if why != "" {
		path += whyMark + why
	}
	r.Paths[outcome] = append(r.Paths[outcome], path)
}

// whyMark parts a path and why it is where it is; no path has it that a worker may name.
const whyMark = "\x00"

// Why parts what is listed under Never.
func Why(listed string) (path, why string) {
	path, why, _ = strings.Cut(listed, whyMark)
	return path, why
}

// Diff has the difference between what was before a turn's changes and what is now be a blob of the
// person's; nil where there is none.
func (u *Undos) Diff(ctx context.Context, user string, turn, of int64) (*protocol.BlobRef, error) {
	list, err := u.list(ctx, user, turn, of, &Report{Paths: map[Outcome][]string{}})
	if err != nil || len(list) == 0 {
		return nil, err
	}
	_, result, err := u.operate(ctx, user, protocol.UndoParameters{Action: protocol.UndoDiff, Changes: undos(list)})
	return result.Diff, err
}

func undos(list []supervisor.FileChange) (undos []protocol.Undo) {
	for _, c := range list {
		undos = append(undos, c.Undo)
	}
	return undos
}

// operate has a person's worker do it.
func (u *Undos) operate(ctx context.Context, user string, p protocol.UndoParameters) (id int64, result protocol.UndoResult, err error) {
	parameters, _ := json.Marshal(p) // which always can be
	op, err := u.Operations.Start(ctx, supervisor.Operation{User: user, Kind: protocol.OperationUndo, Parameters: string(parameters)})
	if err == nil {
		op, err = u.Operations.Wait(ctx, op.ID)
	}
	if err != nil {
		return 0, result, fmt.Errorf("%s changes of %s: %w", p.Action, user, err)
	}
	if op.State != supervisor.OperationDone {
		return 0, result, supervisor.Errorf(supervisor.CodeUnavailable, textFailed, op.Result)
	}
	return op.ID, result, json.Unmarshal([]byte(op.Result), &result)
}
