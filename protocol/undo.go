package protocol

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"
)

// Bounds of the bytes from before that are kept, so that changes of files can be undone.
const (
	MaxBefore     = 16 << 20 // of one file
	MaxBeforeTurn = 64 << 20 // of one turn
)

// FileState says what is at a path. It is FileAbsent, FileFolder, FileLink, the hex SHA-256 of a
// regular file's bytes, or, of one with more than MaxBefore bytes or that a program has left,
// FileLarge and its size and time.
type FileState string

const (
	FileAbsent FileState = ""
	FileFolder FileState = "folder"
	FileLink   FileState = "link"
	FileLarge  FileState = "large " // begins such a state
)

// Hashed says whether a state is of a regular file whose bytes can be kept.
func (s FileState) Hashed() bool {
	_, err := hex.DecodeString(string(s))
	return err == nil && len(s) == 64
}

func (s FileState) check() error {
	known := s == FileAbsent || s == FileFolder || s == FileLink || s.Hashed() || strings.HasPrefix(string(s), string(FileLarge))
	if !known || len(s) > 64 {
		return fmt.Errorf("state %.80q", s)
	}
	return nil
}

// Undo says what takes a change of a file back: either what was at Path before, or where it is
// since it was moved.
type Undo struct {
	// relative to the home, without links; "." with Not alone
	Path string `json:"path"`
	To   string `json:"to,omitempty"` // of a move: where it is since
	// what was at Path; with a hash and no To its bytes are kept as a blob
	Before FileState `json:"before,omitempty"`
	After  FileState `json:"after,omitempty"` // what was at Path then; of a move, nothing
	Size   int64     `json:"size,omitempty"`  // of a regular file, in bytes, as is Mode
	Mode   int       `json:"mode,omitempty"`  // its permissions
	// Not is why the change can't be taken back; "" where it can. With it, only Path says
	// something, and with ByProgram After.
	Not string `json:"not,omitempty"`
}

// Check refuses what no honest side names.
func (u Undo) Check() error {
	for _, path := range []string{u.Path, u.To} {
		if path != "" && !fs.ValidPath(path) || len(path) > MaxReceivedPath {
			return fmt.Errorf("path %.80q", path)
		}
	}
	if u.Path == "" || u.Path == "." && u.Not == "" || u.To == "." || u.Size < 0 || u.Mode < 0 || u.Mode > 0o777 || len(u.Not) > MaxUndoText || u.To != "" && (u.Before == FileAbsent || u.After != FileAbsent) {
		return errors.New("a path, a size, a mode or a reason that can't be")
	}
	return errors.Join(u.Before.check(), u.After.check())
}

// SizedState is what is at a path where there is a file whose bytes nobody has read.
func SizedState(size int64, modified time.Time) FileState {
	return FileState(fmt.Sprint(FileLarge, size, " ", modified.UnixNano()))
}

// ByProgram is the Not of a change that a program has made.
const ByProgram = "a program has changed it"

// Inverse is what takes the taking back of a change back.
func (u Undo) Inverse() Undo {
	inverse := Undo{Path: u.Path, Before: u.After, After: u.Before, Mode: u.Mode}
	if u.To != "" {
		inverse.Path, inverse.To, inverse.Before, inverse.After = u.To, u.Path, u.Before, FileAbsent
	}
	return inverse
}

// OperationUndo takes changes of files back, or shows what they were: UndoParameters to UndoResult.
// Done again after a crash it goes on where it was.
const OperationUndo OperationKind = "undo"

// Bounds of an undo.
const (
	MaxUndone   = 500 // changes that are taken back together
	MaxUndoText = 200 // bytes of a reason
	MaxDiff     = 4 << 20
)

// UndoAction is what is to be done.
type UndoAction string

const (
	UndoBack  UndoAction = "back"  // take back what is as the turn has left it
	UndoForce UndoAction = "force" // take back the rest too
	// commit a blob that has the difference between before and now, as diff -u has it
	UndoDiff UndoAction = "diff"
)

// UndoParameters say what is to be taken back, the newest change first.
type UndoParameters struct {
	Action  UndoAction `json:"action"`
	Changes []Undo     `json:"changes"`
}

// Check refuses parameters that no honest side gives.
func (p UndoParameters) Check() error {
	if len(p.Changes) > MaxUndone {
		return fmt.Errorf("%d changes, at most %d", len(p.Changes), MaxUndone)
	}
	for i, u := range p.Changes {
		if err := u.Check(); err != nil || u.Not != "" {
			return fmt.Errorf("change %d: %w", i, cmp.Or(err, errors.New("nothing takes it back")))
		}
	}
	return nil
}

// UndoOutcome is what has become of a change.
type UndoOutcome string

const (
	UndoDone    UndoOutcome = "done"
	UndoAlready UndoOutcome = "already" // it is as it was before
	UndoChanged UndoOutcome = "changed" // it has changed since, and was left alone
	UndoExpired UndoOutcome = "expired" // the bytes are not kept any more
	UndoFailed  UndoOutcome = "failed"  // Why says how
)

var undoOutcomes = map[UndoOutcome]bool{UndoDone: true, UndoAlready: true, UndoChanged: true, UndoExpired: true, UndoFailed: true}

// UndoneChange is what has become of the change of the same place in the parameters.
type UndoneChange struct {
	Outcome UndoOutcome `json:"outcome"`
	Why     string      `json:"why,omitempty"`
	// Found is what was there before it was taken back by force, with its Size and Mode; where it
	// is a hash, its bytes are kept as a blob.
	Found FileState `json:"found,omitempty"`
	Size  int64     `json:"size,omitempty"`
	Mode  int       `json:"mode,omitempty"`
}

// UndoResult says what has become of each change; of UndoDiff it has the Diff alone, nil where
// there is no difference.
type UndoResult struct {
	Changes []UndoneChange `json:"changes,omitempty"`
	Diff    *BlobRef       `json:"diff,omitempty"`
}

// Check refuses a result that no honest worker gives.
func (r UndoResult) Check(p UndoParameters) error {
	if p.Action == UndoDiff && len(r.Changes) > 0 || p.Action != UndoDiff && len(r.Changes) != len(p.Changes) {
		return fmt.Errorf("%d changes of %d", len(r.Changes), len(p.Changes))
	}
	for _, c := range r.Changes {
		if !undoOutcomes[c.Outcome] || len(c.Why) > MaxUndoText || c.Size < 0 || c.Mode < 0 || c.Mode > 0o777 {
			return fmt.Errorf("outcome %.20q", c.Outcome)
		}
		if err := c.Found.check(); err != nil {
			return err
		}
	}
	return nil
}
