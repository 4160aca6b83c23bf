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

// Bounds of the earlier bytes of files that are kept for an undo.
const (
	MaxUndoFile         = 16 << 20 // bytes of one file
	MaxUndoFilesPerTurn = 64 << 20 // bytes of one turn's files
)

// FileState is the state of a path. It is FileAbsent, FileFolder, FileLink, or the hex SHA-256 of a
// regular file's bytes. For a file over MaxUndoFile bytes, or one that a program has left, it is
// FileLarge with size and time.
type FileState string

const (
	FileAbsent FileState = ""
	FileFolder FileState = "folder"
	FileLink   FileState = "link"
	FileLarge  FileState = "large " // prefix of the state of a large file
)

// IsHash reports whether the state is that of a regular file whose bytes can be kept.
func (s FileState) IsHash() bool {
	_, err := hex.DecodeString(string(s))
	return err == nil && len(s) == 64
}

func (s FileState) check() error {
	known := s == FileAbsent || s == FileFolder || s == FileLink || s.IsHash() || strings.HasPrefix(string(s), string(FileLarge))
	if !known || len(s) > 64 {
		return fmt.Errorf("state %.80q", s)
	}
	return nil
}

// Undo describes how to undo a change of a file: by the earlier state of Path, or by its path since
// a move.
type Undo struct {
	// path relative to the home, without links; "." only with Obstacle
	Path string `json:"path"`
	To   string `json:"to,omitempty"` // new path after a move
	// state of Path before; if it is a hash and To is empty, the bytes are kept as a blob
	Before FileState `json:"before,omitempty"`
	After  FileState `json:"after,omitempty"` // state of Path after the change; "" for a move
	Size   int64     `json:"size,omitempty"`  // Size and Mode describe a regular file
	Mode   int       `json:"mode,omitempty"`  // permissions of the file
	// Obstacle tells why the change cannot be undone; "" if it can. With one, only Path matters,
	// and with ByProgram also After.
	Obstacle string `json:"not,omitempty"`
}

// Check returns an error for an undo that no honest side names.
func (u Undo) Check() error {
	for _, path := range []string{u.Path, u.To} {
		if path != "" && !fs.ValidPath(path) || len(path) > MaxReceivedPath {
			return fmt.Errorf("path %.80q", path)
		}
	}
	if u.Path == "" || u.Path == "." && u.Obstacle == "" || u.To == "." || u.Size < 0 || u.Mode < 0 || u.Mode > 0o777 || len(u.Obstacle) > MaxUndoText || u.To != "" && (u.Before == FileAbsent || u.After != FileAbsent) {
		return errors.New("a path, a size, a mode or a reason that can't be")
	}
	return errors.Join(u.Before.check(), u.After.check())
}

// LargeFileState returns the state of a file whose bytes Mews has not read.
func LargeFileState(size int64, modified time.Time) FileState {
	return FileState(fmt.Sprint(FileLarge, size, " ", modified.UnixNano()))
}

// ByProgram is the Obstacle of a program's change.
const ByProgram = "a program has changed it"

// Inverse returns the undo of an undo.
func (u Undo) Inverse() Undo {
	inverse := Undo{Path: u.Path, Before: u.After, After: u.Before, Mode: u.Mode}
	if u.To != "" {
		inverse.Path, inverse.To, inverse.Before, inverse.After = u.To, u.Path, u.Before, FileAbsent
	}
	return inverse
}

// OperationUndo undoes changes of files, or shows them as a diff: UndoParameters to UndoResult.
// Repeated after a crash it continues.
const OperationUndo OperationKind = "undo"

// Bounds of an undo.
const (
	MaxUndoChanges = 500 // changes that are undone together
	MaxUndoText    = 200 // bytes of a reason
	MaxDiff        = 4 << 20
)

// UndoAction is the task of an undo operation.
type UndoAction string

const (
	UndoUnchanged UndoAction = "back"  // undo only changes of files that are unchanged since the turn
	UndoForce     UndoAction = "force" // undo all changes, even of files that have changed since the turn
	// commit a blob with the difference between the earlier and the present files, in the form of
	// diff -u
	UndoDiff UndoAction = "diff"
)

// UndoParameters list the changes to undo, the newest first.
type UndoParameters struct {
	Action  UndoAction `json:"action"`
	Changes []Undo     `json:"changes"`
}

// Check returns an error for parameters that no honest side gives.
func (p UndoParameters) Check() error {
	if len(p.Changes) > MaxUndoChanges {
		return fmt.Errorf("%d changes, at most %d", len(p.Changes), MaxUndoChanges)
	}
	for i, u := range p.Changes {
		if err := u.Check(); err != nil || u.Obstacle != "" {
			return fmt.Errorf("change %d: %w", i, cmp.Or(err, errors.New("nothing takes it back")))
		}
	}
	return nil
}

// UndoOutcome is the outcome of one change's undo.
type UndoOutcome string

const (
	UndoDone    UndoOutcome = "done"
	UndoAlready UndoOutcome = "already" // the file already is as before the change
	UndoChanged UndoOutcome = "changed" // the file has changed since the turn, and was left as it is
	UndoExpired UndoOutcome = "expired" // the earlier bytes are not kept any longer
	UndoFailed  UndoOutcome = "failed"  // the undo failed; Why gives the reason
)

var undoOutcomes = map[UndoOutcome]bool{UndoDone: true, UndoAlready: true, UndoChanged: true, UndoExpired: true, UndoFailed: true}

// UndoneChange is the outcome for the change at the same index in the parameters.
type UndoneChange struct {
	Outcome UndoOutcome `json:"outcome"`
	Why     string      `json:"why,omitempty"`
	// Found is the state that a forced undo replaced, with its Size and Mode. If it is a hash, its
	// bytes are kept as a blob.
	Found FileState `json:"found,omitempty"`
	Size  int64     `json:"size,omitempty"`
	Mode  int       `json:"mode,omitempty"`
}

// UndoResult holds the outcome of each change. After UndoDiff it has only Diff; nil means no
// difference.
type UndoResult struct {
	Changes []UndoneChange `json:"changes,omitempty"`
	Diff    *BlobRef       `json:"diff,omitempty"`
}

// Check returns an error for a result that no honest worker gives.
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
