// Package undo is the feature that takes back changes to users' files, or shows them. The rows of
// the ledger alone decide which files are changed. The user's worker changes them.
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
	"mews/supervisor/markdown"
	"mews/supervisor/spool"
)

// Store lists the changes of turns.
type Store interface {
	FindTurnUser(ctx context.Context, turn int64) (string, error)
	FindLastTurn(ctx context.Context, in supervisor.Conversation, since time.Time, skip int, kept bool) (turn int64,
		ok bool, err error)
	FindLastUndo(ctx context.Context, in supervisor.Conversation, since time.Time) (turn, operation int64, err error)
	ListChanges(ctx context.Context, user string, turn, operation int64) ([]supervisor.FileChange, error)
	ListPrograms(ctx context.Context, user string, turn int64, kept bool) ([]supervisor.Effect, error)
	RecordUndo(ctx context.Context, u supervisor.UndoneChanges) error
}

// Operations runs operations in users' workers.
type Operations interface {
	Start(ctx context.Context, op supervisor.Operation) (supervisor.Operation, error)
	Wait(ctx context.Context, id int64) (supervisor.Operation, error)
}

// Options are the dependencies of the feature.
type Options struct {
	Store      Store
	Operations Operations
	Spool      *spool.Spool // the spool with the diffs from workers
	// HasHistory reports whether the user's home has a file history now. nil means that no home has
	// one.
	HasHistory func(user string) bool
	// OutsideHome lists the folders outside of the home that the user's programs may change. nil
	// means none.
	OutsideHome func(user string) []string
	Now         func() time.Time
}

// Undoer takes changes back. Its methods may be called from any goroutine.
type Undoer struct{ Options }

// New returns the feature of undo.
func New(o Options) *Undoer { return &Undoer{o} }

// Feature returns the command and the buttons of undo.
func (u *Undoer) Feature() feature.Feature {
	return feature.Feature{Name: "undo", Commands: u.commands()}
}

// Report has the files of an undo by their outcomes.
type Report struct {
	Operation int64                // the operation that took changes back; 0 means none
	Paths     map[Outcome][]string // the files' paths by outcome, each path once
	Spans     []SpanReport         // outcomes of the spans that programs, undos and restores changed
	// effects of programs whose changes are not kept and that name no file; none if an undo is
	// undone
	Programs []supervisor.Effect
	// folders outside of the home where a program of the turn may have changed files
	outside []string
	// hint means that the answer may point to /history files, because the home has a file history
	hint bool
	// forced means that the undo has also changed what it leaves alone at first
	forced bool
	// redoable means that the undo can be undone
	redoable bool
	// changes by programs; a file that a tool changed too is listed with that change
	byPrograms []supervisor.FileChange
}

// Outcome is the result of an undo for one file.
type Outcome string

const (
	OutcomeRestored     Outcome = "back"    // file as before the turn; the reason says if it was deleted or restored
	OutcomeChangedSince Outcome = "changed" // the file is left alone, because it has changed since
	OutcomeExpired      Outcome = "expired" // the old content is not kept any longer
	OutcomeImpossible   Outcome = "never"   // the old content was not stored, or writing failed; there is a reason
	// a program changed the file; there is a reason if the program deleted the file
	OutcomeChangedByProgram Outcome = "program"
)

var outcomes = map[protocol.UndoOutcome]Outcome{
	protocol.UndoOutcomeDone: OutcomeRestored, protocol.UndoOutcomeAlreadyUndone: OutcomeRestored,
	protocol.UndoOutcomeChangedSince: OutcomeChangedSince, protocol.UndoOutcomeExpired: OutcomeExpired,
	protocol.UndoOutcomeFailed: OutcomeImpossible,
}

// FindLastTurn finds the nth newest turn that changed files or ran a program. n is 1 for the
// newest.
func (u *Undoer) FindLastTurn(ctx context.Context, in supervisor.Conversation, n int) (turn int64, ok bool, err error) {
	return u.Store.FindLastTurn(ctx, in, u.since(), n-1, u.keepsAll(in.User))
}

// keepsAll reports whether all changes of a user's programs are kept.
func (u *Undoer) keepsAll(user string) bool {
	return u.hasHistory(user) && len(u.outsideHome(user)) == 0
}

func (u *Undoer) hasHistory(user string) bool { return u.HasHistory != nil && u.HasHistory(user) }

func (u *Undoer) outsideHome(user string) []string {
	if u.OutsideHome == nil {
		return nil
	}
	return u.OutsideHome(user)
}

func (u *Undoer) since() time.Time { return u.Now().Add(-spool.Retention) }

// UndoTurn takes back the changes of a turn, or of an earlier undo of the turn. The parameter of is
// the operation of that earlier undo; 0 means the turn's own changes. If force is true, UndoTurn
// also overwrites files that have changed since. inbound is the asking inbound; 0 means none. A
// repeated call for the same inbound undoes nothing else.
func (u *Undoer) UndoTurn(ctx context.Context, user string, inbound, turn, of int64, force bool) (report Report,
	err error) {
	report.Paths, report.forced = map[Outcome][]string{}, force
	defer func() { report.addPrograms() }()
	list, err := u.list(ctx, user, turn, of, &report)
	if err != nil || len(list) == 0 {
		return report, err
	}
	p := protocol.UndoParameters{Action: protocol.UndoActionUnchangedFiles, Changes: undos(list)}
	if force {
		p.Action = protocol.UndoActionForce
	}
	op, result, err := u.operate(ctx, user, inbound, p)
	if err != nil {
		return report, err
	}
	report.Operation = op
	done := supervisor.UndoneChanges{User: user, Turn: turn, UndoOf: of, Operation: op}
	differences := differencesOf(list)
	for i, c := range result.Changes {
		if list[i].Span != nil {
			report.addSpan(list[i], c, &done)
			continue
		}
		outcome, why := outcomes[c.Outcome], ""
		switch outcome {
		case OutcomeImpossible:
			why = markdown.EscapeSentence(c.Why)
		case OutcomeRestored:
			why = differences[list[i].Path]
		}
		report.add(outcome, list[i].Path, why)
		if outcome == OutcomeRestored {
			done.Effects = append(done.Effects, list[i].Effect)
			done.Changes = append(done.Changes, inverse(list[i].Undo, c, force))
		}
	}
	if len(done.Effects)+len(done.Spans) == 0 {
		return report, nil
	}
	report.redoable = len(done.Changes) > 0 ||
		slices.ContainsFunc(done.Spans, func(s supervisor.UndoneSpan) bool { return s.Inverse != nil })
	return report, u.Store.RecordUndo(ctx, done)
}

// differencesOf returns how each file differs after its changes, newest first, were taken back. ""
// means that only the file's content may differ.
func differencesOf(list []supervisor.FileChange) map[string]string {
	differs, wasThere := map[string]string{}, map[string]bool{}
	for _, c := range list {
		if c.Span != nil {
			continue
		}
		if _, known := wasThere[c.Path]; !known {
			wasThere[c.Path] = c.After != protocol.FileStateAbsent
		}
		isThere := c.Before != protocol.FileStateAbsent
		switch {
		case c.To != "":
			differs[c.Path] = fmt.Sprintf(textMovedBack, markdown.EscapeName(c.To))
		case wasThere[c.Path] && !isThere:
			differs[c.Path] = textDeleted
		case !wasThere[c.Path] && isThere:
			differs[c.Path] = textRestored
		default:
			differs[c.Path] = ""
		}
	}
	return differs
}

// inverse returns the change that reverts an undo.
func inverse(change protocol.Undo, c protocol.UndoneChange, force bool) protocol.Undo {
	back := change.Inverse()
	if force && change.To == "" && c.Outcome == protocol.UndoOutcomeDone {
		back.Before, back.Size, back.Mode = c.Found, c.Size, c.Mode
	}
	return back
}

// list returns the changes of a turn that can be taken back, newest first. Into the report it puts
// the changes that can't be taken back, and all changes of the same files.
func (u *Undoer) list(ctx context.Context, user string, turn, of int64, report *Report) (list []supervisor.FileChange,
	err error) {
	if owner, err := u.Store.FindTurnUser(ctx, turn); err != nil || owner != user {
		return nil, cmp.Or(err, supervisor.Errorf(supervisor.CodeForbidden, textForeign))
	}
	all, err := u.Store.ListChanges(ctx, user, turn, of)
	if err == nil && of == 0 {
		report.Programs, err = u.Store.ListPrograms(ctx, user, turn, u.keepsAll(user))
		report.hint = u.hasHistory(user)
	}
	if err != nil {
		return nil, err
	}
	ran := len(report.Programs) > 0
	var never []supervisor.FileChange
	for _, c := range all {
		ran = ran || c.Span != nil && c.Kind == kindRun
		switch {
		case c.Obstacle == protocol.ObstacleProgramChange:
			report.byPrograms = append(report.byPrograms, c)
		case c.Obstacle != "":
			never = append(never, c)
			report.add(OutcomeImpossible, c.Path, markdown.EscapeSentence(c.Obstacle))
		}
	}
	for _, c := range slices.Backward(all) {
		switch {
		case c.Obstacle != "":
		case c.CreatedAt.Before(u.since()) && c.Span != nil:
			report.Spans = append(report.Spans, SpanReport{Name: c.Target,
				Restore: supervisor.IsRestoreKind(c.Kind), Outcome: OutcomeExpired})
		case c.CreatedAt.Before(u.since()):
			report.add(OutcomeExpired, c.Path, "")
		case slices.ContainsFunc(never, func(n supervisor.FileChange) bool { return related(c.Undo, n.Path) }):
			report.add(OutcomeImpossible, c.Path, textPartNever)
		default:
			list = append(list, c)
		}
	}
	if ran {
		report.outside = u.outsideHome(user)
	}
	if len(list) > protocol.MaxUndoChanges {
		return nil, supervisor.Errorf(supervisor.CodeInvalid, textTooMany, len(list), protocol.MaxUndoChanges)
	}
	return list, nil
}

// related reports whether a change concerns a path, a folder above it or a file below it.
func related(u protocol.Undo, path string) bool {
	in := func(a, b string) bool { return a == b || strings.HasPrefix(a, b+"/") }
	return in(u.Path, path) || in(path, u.Path) || u.To != "" && (in(u.To, path) || in(path, u.To))
}

// addPrograms adds the files that programs changed.
func (r *Report) addPrograms() {
	for _, c := range r.byPrograms {
		why := ""
		if c.After == protocol.FileStateAbsent && c.Path != "." {
			why = textDeleted
		}
		r.add(OutcomeChangedByProgram, c.Path, why)
	}
}

// add adds a path to the report, unless the report has it already.
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

// whyMark separates a path from its reason; no path of a worker contains it.
const whyMark = "\x00"

// SplitPathAndReason splits an entry of Report.Paths into the path and the reason.
func SplitPathAndReason(listed string) (path, why string) {
	path, why, _ = strings.Cut(listed, whyMark)
	return path, why
}

// StoreDiff stores the difference between the files before a turn and now. It returns a blob of the
// user; nil means no difference. The report has only the effects of programs, which no difference
// shows.
func (u *Undoer) StoreDiff(ctx context.Context, user string, turn, of int64) (diff *protocol.BlobRef, report Report,
	err error) {
	found := Report{Paths: map[Outcome][]string{}}
	list, err := u.list(ctx, user, turn, of, &found)
	report = Report{Paths: map[Outcome][]string{}, Programs: found.Programs, byPrograms: found.byPrograms,
		outside: found.outside, hint: found.hint}
	report.addPrograms()
	if err != nil || len(list) == 0 {
		return nil, report, err
	}
	_, result, err := u.operate(ctx, user, 0, protocol.UndoParameters{Action: protocol.UndoActionDiff,
		Changes: undos(list)})
	return result.Diff, report, err
}

func undos(list []supervisor.FileChange) (undos []protocol.Undo) {
	for _, c := range list {
		undos = append(undos, c.Undo)
	}
	return undos
}

// operate runs an undo operation in the user's worker.
func (u *Undoer) operate(ctx context.Context, user string, inbound int64, p protocol.UndoParameters) (id int64,
	result protocol.UndoResult, err error) {
	parameters, _ := json.Marshal(p) // Marshal never fails for UndoParameters
	op, err := u.Operations.Start(ctx, supervisor.Operation{User: user, Kind: protocol.OperationKindUndo,
		Parameters: string(parameters), Inbound: inbound})
	if err == nil && inbound != 0 && op.Parameters != string(parameters) {
		return 0, result, supervisor.Errorf(supervisor.CodeInvalid, textUndoneBefore)
	}
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
