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
	MaxUndoFileBytes    = 16 << 20 // bytes of one file's earlier state
	MaxUndoBytesPerTurn = 64 << 20 // bytes of the earlier states of all files in one turn
)

// FileState is the state of a path. It is FileStateAbsent, FileStateFolder, FileStateLink, or the
// hex SHA-256 of a regular file's bytes. For a file over MaxUndoFileBytes bytes, or a file that a
// program has written, it is FileStateLargePrefix with size and time.
type FileState string

const (
	FileStateAbsent      FileState = ""
	FileStateFolder      FileState = "folder"
	FileStateLink        FileState = "link"
	FileStateLargePrefix FileState = "large " // prefix of the state of a large file
)

// IsHash reports whether the state is that of a regular file whose bytes can be kept.
func (s FileState) IsHash() bool {
	_, err := hex.DecodeString(string(s))
	return err == nil && len(s) == 64
}

func (s FileState) check() error {
	known := s == FileStateAbsent || s == FileStateFolder || s == FileStateLink || s.IsHash() ||
		strings.HasPrefix(string(s), string(FileStateLargePrefix))
	if !known || len(s) > 64 {
		return fmt.Errorf("state %.80q", s)
	}
	return nil
}

// Undo describes how to undo a change of a file. It has the earlier state of Path, or the new path
// after a move.
type Undo struct {
	// path relative to the home, without links; "." only with Obstacle
	Path string `json:"path"`
	To   string `json:"to,omitempty"` // new path of a moved file
	// state of Path before; if it is a hash and To is empty, the bytes are kept as a blob
	Before FileState `json:"before,omitempty"`
	After  FileState `json:"after,omitempty"` // state of Path after the change; "" for a move
	Size   int64     `json:"size,omitempty"`  // bytes of a regular file
	Mode   int       `json:"mode,omitempty"`  // permissions of a regular file
	// Obstacle tells why the change cannot be undone; "" if it can. If it is set, only Path
	// matters. With ObstacleProgramChange, After matters too.
	Obstacle string `json:"not,omitempty"`
	// Kept means that the bytes from before are in the home's file history, and not in a blob.
	Kept bool `json:"kept,omitempty"`
	// Span stands for all changes of the home between two points of its file history. Then Path is
	// ".", and the other fields are zero.
	Span *HistorySpan `json:"span,omitempty"`
}

// Validate returns an error for an undo that no honest side names.
func (u Undo) Validate() error {
	for _, path := range []string{u.Path, u.To} {
		if path != "" && !fs.ValidPath(path) || len(path) > MaxReceivedPathBytes {
			return fmt.Errorf("path %.80q", path)
		}
	}
	if u.Span != nil {
		return u.checkSpan()
	}
	if u.Path == "" || u.Path == "." && u.Obstacle == "" || u.To == "." || u.Size < 0 || u.Mode < 0 || u.Mode > 0o777 ||
		len(u.Obstacle) > MaxUndoReasonBytes || u.To != "" && (u.Before == FileStateAbsent ||
		u.After != FileStateAbsent) {
		return errors.New("a path, a size, a mode or a reason that can't be")
	}
	return errors.Join(u.Before.check(), u.After.check())
}

// checkSpan returns an error for a span that no honest side names.
func (u Undo) checkSpan() error {
	rest := u
	rest.Path, rest.Span = "", nil
	if u.Path != "." || rest != (Undo{}) || !u.Span.isValid() {
		return errors.New("a span of the file history that can't be")
	}
	return nil
}

// LargeFileState returns the state of a file whose bytes Mews has not read.
func LargeFileState(size int64, modified time.Time) FileState {
	return FileState(fmt.Sprint(FileStateLargePrefix, size, " ", modified.UnixNano()))
}

// ObstacleProgramChange is the Obstacle of a program's change.
const ObstacleProgramChange = "a program has changed it"

// Inverse returns the Undo that reverses u after u was carried out.
func (u Undo) Inverse() Undo {
	inverse := Undo{Path: u.Path, Before: u.After, After: u.Before, Mode: u.Mode, Kept: u.Kept}
	if u.To != "" {
		inverse.Path, inverse.To, inverse.Before, inverse.After = u.To, u.Path, u.Before, FileStateAbsent
	}
	return inverse
}

// OperationKindUndo undoes changes of files, or shows them as a diff. It takes UndoParameters and
// returns UndoResult. Repeated after a crash it continues.
const OperationKindUndo OperationKind = "undo"

// Bounds of an undo.
const (
	MaxUndoChanges     = 500 // changes that are undone together
	MaxUndoReasonBytes = 200 // bytes of the reason in Undo.Obstacle
	MaxDiffBytes       = 4 << 20
)

// UndoAction is the task of an undo operation.
type UndoAction string

const (
	UndoActionUnchangedFiles UndoAction = "back" // undo only changes of files that are unchanged since the turn
	// undo also changes of files that have changed since the turn, unless two programs ran
	// meanwhile, and delete new files whose bytes are not kept
	UndoActionForce UndoAction = "force"
	// commit a blob with the difference between the earlier and the present files, in the form of
	// diff -u
	UndoActionDiff UndoAction = "diff"
)

// UndoParameters list the changes to undo, the newest first.
type UndoParameters struct {
	Action  UndoAction `json:"action"`
	Changes []Undo     `json:"changes"`
}

// Validate returns an error for parameters that no honest side gives.
func (p UndoParameters) Validate() error {
	if len(p.Changes) > MaxUndoChanges {
		return fmt.Errorf("%d changes, at most %d", len(p.Changes), MaxUndoChanges)
	}
	for i, u := range p.Changes {
		if err := u.Validate(); err != nil || u.Obstacle != "" {
			return fmt.Errorf("change %d: %w", i, cmp.Or(err, errors.New("nothing takes it back")))
		}
	}
	return nil
}

// UndoOutcome is the outcome of one change's undo.
type UndoOutcome string

const (
	UndoOutcomeDone          UndoOutcome = "done"
	UndoOutcomeAlreadyUndone UndoOutcome = "already" // the file already has the state from before the change
	UndoOutcomeChangedSince  UndoOutcome = "changed" // the file has changed since the turn, and was left as it is
	UndoOutcomeExpired       UndoOutcome = "expired" // the earlier bytes are not kept any longer
	UndoOutcomeFailed        UndoOutcome = "failed"  // the undo failed; Why gives the reason
)

var undoOutcomes = map[UndoOutcome]bool{UndoOutcomeDone: true, UndoOutcomeAlreadyUndone: true,
	UndoOutcomeChangedSince: true, UndoOutcomeExpired: true, UndoOutcomeFailed: true}

// UndoneChange is the outcome for the change at the same index in the parameters.
type UndoneChange struct {
	Outcome UndoOutcome `json:"outcome"`
	Why     string      `json:"why,omitempty"`
	// Found is the state that a forced undo replaced, with its Size and Mode. If it is a hash, its
	// bytes are kept as a blob.
	Found FileState   `json:"found,omitempty"`
	Size  int64       `json:"size,omitempty"`
	Mode  int         `json:"mode,omitempty"`
	Span  *UndoneSpan `json:"span,omitempty"` // the outcome for a change with a Span
}

// UndoneSpan is the outcome of the undo of a span.
type UndoneSpan struct {
	Restored PathCount `json:"restored"` // paths that are as they were before the span
	Changed  PathCount `json:"changed"`  // paths that were left alone, because they have changed since
	Shared   PathCount `json:"shared"`   // paths that were left alone, because another program ran too
	NotKept  PathCount `json:"not_kept"` // paths that stay, because their earlier or present bytes are not kept
	// Unkept counts paths with bytes of the span itself that are not kept, and cannot be had back.
	// Without force they were left alone. With force they are among Restored.
	Unkept PathCount `json:"unkept,omitzero"`
	// Failed counts paths that could not be changed
	Failed PathCount `json:"failed,omitzero"`
	// Span has the changes that the undo itself made; nil means none.
	Span *HistorySpan `json:"span,omitempty"`
}

// PathCount is a number of paths, with the names of some of them.
type PathCount struct {
	Count int64    `json:"count,omitempty"`
	Named []string `json:"named,omitempty"` // at most MaxNamedPaths
}

// MaxNamedPaths bounds PathCount.Named.
const MaxNamedPaths = 20

func (c PathCount) check() error {
	if len(c.Named) > MaxNamedPaths || c.Count < int64(len(c.Named)) || c.Count > maxCounted {
		return fmt.Errorf("%d paths, %d named", c.Count, len(c.Named))
	}
	for _, path := range c.Named {
		if !fs.ValidPath(path) || len(path) > MaxReceivedPathBytes {
			return fmt.Errorf("path %.80q", path)
		}
	}
	return nil
}

func (s *UndoneSpan) check() error {
	if s == nil {
		return nil
	}
	if s.Span != nil && !s.Span.isValid() {
		return errors.New("a span of the file history that can't be")
	}
	return errors.Join(s.Restored.check(), s.Changed.check(), s.Shared.check(), s.NotKept.check(),
		s.Unkept.check(), s.Failed.check())
}

// UndoResult holds the outcome of each change. After UndoActionDiff it has only Diff; nil means no
// difference.
type UndoResult struct {
	Changes []UndoneChange `json:"changes,omitempty"`
	Diff    *BlobRef       `json:"diff,omitempty"`
}

// Validate returns an error for a result that no honest worker gives.
func (r UndoResult) Validate(p UndoParameters) error {
	if p.Action == UndoActionDiff && len(r.Changes) > 0 || p.Action != UndoActionDiff &&
		len(r.Changes) != len(p.Changes) {
		return fmt.Errorf("%d changes of %d", len(r.Changes), len(p.Changes))
	}
	for i, c := range r.Changes {
		if (c.Span != nil) != (p.Changes[i].Span != nil) {
			return fmt.Errorf("change %d: an outcome of another kind", i)
		}
		if !undoOutcomes[c.Outcome] || len(c.Why) > MaxUndoReasonBytes || c.Size < 0 || c.Mode < 0 || c.Mode > 0o777 {
			return fmt.Errorf("outcome %.20q", c.Outcome)
		}
		if err := errors.Join(c.Found.check(), c.Span.check()); err != nil {
			return err
		}
	}
	return nil
}
