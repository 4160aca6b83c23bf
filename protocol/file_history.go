package protocol

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"time"
)

// HistorySpan is the time between two points of a home's file history. Later points have greater
// numbers; the first is 1.
type HistorySpan struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
	// Shared means that another program ran during the span, so that each change may be of either
	// program.
	Shared bool `json:"shared,omitempty"`
	// Nonce is the nonce of the point To. An undo fails unless the history has that point.
	Nonce PointNonce `json:"nonce,omitempty"`
}

func (s HistorySpan) isValid() bool { return s.From > 0 && s.To > s.From && s.Nonce.IsValid() }

// PointNonce is the random number of a point, in hex. In another history, such as one that replaced
// a lost one, the point with the same number has another nonce. "" means unknown.
type PointNonce string

// IsValid reports whether the nonce is unknown, or a number in hex.
func (n PointNonce) IsValid() bool {
	_, err := strconv.ParseUint(string(n), 16, 64)
	return n == "" || err == nil && len(n) <= 16
}

// versionDigits is how many digits of a nonce the name of a version has.
const versionDigits = 4

// Name names a version for people and models, such as 12-ab3f. The name has its point, and the
// beginning of the point's nonce.
func (v FileVersion) Name() string {
	if v.Nonce == "" {
		return strconv.FormatInt(v.Point, 10)
	}
	return fmt.Sprintf("%d-%s", v.Point, v.Nonce[:min(len(v.Nonce), versionDigits)])
}

// ParseVersion reads the name of a version, with or without the beginning of the nonce.
func ParseVersion(name string) (point int64, nonce PointNonce, err error) {
	number, rest, _ := strings.Cut(strings.TrimSpace(name), "-")
	point, err = strconv.ParseInt(number, 10, 64)
	if nonce = PointNonce(strings.ToLower(rest)); err != nil || point < 1 || !nonce.IsValid() {
		return 0, "", fmt.Errorf("%.40q is no version; versions look like 12-ab3f", name)
	}
	return point, nonce, nil
}

// HistoryAuthor tells who made a point of the file history.
type HistoryAuthor struct {
	Kind HistoryAuthorKind `json:"kind"`
	// id of the turn; 0 means that no turn made the changes
	Turn int64 `json:"turn,omitempty"`
	// first words of a command, the name of a tool or task, or words that only one undo or restore
	// has; at most MaxHistoryWords bytes
	Words string `json:"words,omitempty"`
}

// HistoryAuthorKind is the kind of an author of changes.
type HistoryAuthorKind string

const (
	HistoryAuthorTool    HistoryAuthorKind = "tool"    // a tool of the assistant
	HistoryAuthorProgram HistoryAuthorKind = "program" // a program of the assistant
	HistoryAuthorUndo    HistoryAuthorKind = "undo"    // an undo
	HistoryAuthorRestore HistoryAuthorKind = "restore" // a restore of an earlier version
	HistoryAuthorUser    HistoryAuthorKind = "user"    // the user, by a command, a button or a sent file
	HistoryAuthorOther   HistoryAuthorKind = "other"   // a change from outside Mews, such as by the user
)

var historyAuthorKinds = map[HistoryAuthorKind]bool{HistoryAuthorTool: true, HistoryAuthorProgram: true,
	HistoryAuthorUndo: true, HistoryAuthorRestore: true, HistoryAuthorUser: true, HistoryAuthorOther: true}

// Bounds of file history operations.
const (
	MaxHistoryWords   = 80      // bytes of HistoryAuthor.Words
	MaxFileVersions   = 50      // versions in one result
	MaxForgottenPaths = 1000    // paths in one request to forget
	MaxForgottenSpans = 1000    // spans in one request to forget
	MaxComparedBytes  = 1 << 20 // bytes of a version that is compared as text
)

// OperationKindFileHistory lists, shows, restores or forgets earlier versions of files. It takes
// FileHistoryParameters and returns FileHistoryResult. A repeated operation continues after a
// crash.
const OperationKindFileHistory OperationKind = "file_history"

// FileHistoryAction is the task of a file history operation.
type FileHistoryAction string

const (
	// list the versions of the file or folder Path, newest first; of the home, its last changes
	FileHistoryVersions FileHistoryAction = "versions"
	// commit a blob with the bytes of Path at a point
	FileHistoryShow FileHistoryAction = "show"
	// commit a blob with the difference between Path at a point and now, in the form of diff -u
	FileHistoryDiff FileHistoryAction = "diff"
	// count what FileHistoryRestore would change
	FileHistoryPreview FileHistoryAction = "preview"
	// make Path as it was at a point: a file, or a folder with everything in it. With Copy, restore
	// to that new path instead.
	FileHistoryRestore FileHistoryAction = "restore"
	// report the size and age of the history
	FileHistorySpace FileHistoryAction = "space"
	// delete all earlier versions of Paths, also of files in folders among them, and of the files
	// that Spans changed; the present versions stay kept
	FileHistoryForget FileHistoryAction = "forget"
	// count the earlier versions that FileHistoryForget would delete
	FileHistoryCount FileHistoryAction = "count"
)

var fileHistoryActions = map[FileHistoryAction]bool{FileHistoryVersions: true, FileHistoryShow: true,
	FileHistoryDiff:    true,
	FileHistoryPreview: true, FileHistoryRestore: true, FileHistorySpace: true, FileHistoryForget: true,
	FileHistoryCount: true}

// FileHistoryParameters are the parameters of a file history operation.
type FileHistoryParameters struct {
	Action FileHistoryAction `json:"action"`
	// clean path in the home; "." means the home. Missing for the actions about Paths, and for
	// FileHistorySpace.
	Path string `json:"path,omitempty"`
	// Point chooses the moment; 0 means the last point until At, or if At is zero, the newest point
	Point int64     `json:"point,omitempty"`
	At    time.Time `json:"at,omitzero"`
	// Nonce is the beginning of the nonce of Point; "" means that any history's point will do
	Nonce PointNonce `json:"nonce,omitempty"`
	// Before bounds a list: only versions of points with lower numbers; 0 means all
	Before int64    `json:"before,omitempty"`
	Copy   string   `json:"copy,omitempty"` // new path for a restore or its preview; "" means in place
	Paths  []string `json:"paths,omitempty"`
	// Workspaces are the user's folders outside of the home, by the paths that the worker sees.
	// Only FileHistorySpace uses them.
	Workspaces []string `json:"workspaces,omitempty"`
	// Spans stand for the files that they changed, without the memory. Spans that are not kept any
	// longer stand for none.
	Spans []HistorySpan `json:"spans,omitempty"`
}

// Validate returns an error for parameters that no honest side gives.
func (p FileHistoryParameters) Validate() error {
	if !fileHistoryActions[p.Action] || p.Point < 0 || p.Before < 0 || len(p.Paths) > MaxForgottenPaths ||
		len(p.Spans) > MaxForgottenSpans || !p.Nonce.IsValid() {
		return fmt.Errorf("action %.20q with point %d and %d paths", p.Action, p.Point, len(p.Paths))
	}
	for _, span := range p.Spans {
		if !span.isValid() {
			return fmt.Errorf("points %d to %d", span.From, span.To)
		}
	}
	for _, name := range append([]string{p.Path, p.Copy}, p.Paths...) {
		if name != "" && !fs.ValidPath(name) || len(name) > MaxReceivedPathBytes {
			return fmt.Errorf("path %.80q", name)
		}
	}
	for _, folder := range p.Workspaces {
		if !path.IsAbs(folder) || len(folder) > MaxReceivedPathBytes || p.Action != FileHistorySpace {
			return fmt.Errorf("workspace %.80q for %s", folder, p.Action)
		}
	}
	needsPath := p.Action != FileHistorySpace && p.Action != FileHistoryForget && p.Action != FileHistoryCount
	if needsPath != (p.Path != "") || p.Copy == "." || p.Copy != "" && p.Action != FileHistoryRestore &&
		p.Action != FileHistoryPreview {
		return fmt.Errorf("path %.80q for %s", p.Path, p.Action)
	}
	return nil
}

// FileVersion is a path as it was at one point.
type FileVersion struct {
	Point int64      `json:"point"`
	Nonce PointNonce `json:"nonce,omitempty"` // of Point
	At    time.Time  `json:"at"`
	// state of the path; FileStateAbsent means that it was deleted
	State FileState     `json:"state,omitempty"`
	Size  int64         `json:"size,omitempty"`
	Mode  int           `json:"mode,omitempty"`
	By    HistoryAuthor `json:"by"`
	// Shared means that another program ran meanwhile, and may have made the change
	Shared bool `json:"shared,omitempty"`
	// NotKept tells why the bytes are not kept, in the form of PlainReason; "" means that they are
	NotKept string `json:"not_kept,omitempty"`
	// Path is a changed file, in a list of the home's last changes; "" in other lists
	Path string `json:"path,omitempty"`
}

// FileHistoryResult is the result of a file history operation. Only the fields of its action are
// set.
type FileHistoryResult struct {
	Versions []FileVersion `json:"versions,omitempty"` // at most MaxFileVersions
	More     bool          `json:"more,omitempty"`     // there are older versions
	Version  *FileVersion  `json:"version,omitempty"`  // the version that was shown, compared or restored
	Blob     *BlobRef      `json:"blob,omitempty"`     // nil means no difference

	// counts of FileHistoryPreview and FileHistoryRestore
	Restored PathCount `json:"restored,omitzero"` // paths that get an earlier state
	Deleted  PathCount `json:"deleted,omitzero"`  // paths that were not there at the point
	NotKept  PathCount `json:"not_kept,omitzero"` // paths that stay as they are, because their bytes are not kept
	Failed   PathCount `json:"failed,omitzero"`   // paths that could not be changed
	Why      string    `json:"why,omitempty"`     // why a restore ended early; "" means that it did not
	// the changes that the restore made, so that they can be undone; nil means none
	Span *HistorySpan `json:"span,omitempty"`

	Space *HistorySpace `json:"space,omitempty"`
	// versions that FileHistoryForget deleted or FileHistoryCount counted
	VersionCount int64 `json:"gone,omitempty"`
	// counts of FileHistoryCount by file
	Earlier EarlierVersions `json:"earlier,omitzero"`
}

// EarlierVersions counts the earlier versions of some files.
type EarlierVersions struct {
	Files []PathVersions `json:"files,omitempty"` // files with versions, at most MaxNamedPaths
	More  int64          `json:"more,omitempty"`  // further files with versions
}

// PathVersions is the number of earlier versions of a path.
type PathVersions struct {
	Path     string `json:"path"`
	Versions int64  `json:"versions"`
}

func (e EarlierVersions) check() error {
	if len(e.Files) > MaxNamedPaths || e.More < 0 || e.More > maxCounted {
		return fmt.Errorf("versions of %d files and %d more", len(e.Files), e.More)
	}
	for _, f := range e.Files {
		if !fs.ValidPath(f.Path) || len(f.Path) > MaxReceivedPathBytes || f.Versions < 1 || f.Versions > maxCounted {
			return fmt.Errorf("%d versions of %.80q", f.Versions, f.Path)
		}
	}
	return nil
}

// Validate returns an error for a result that no honest worker gives.
func (r FileHistoryResult) Validate(p FileHistoryParameters) error {
	if len(r.Versions) > MaxFileVersions || r.Span != nil && !r.Span.isValid() ||
		r.VersionCount < 0 || r.VersionCount > maxCounted || len(r.Why) > MaxUndoReasonBytes {
		return fmt.Errorf("%d versions", len(r.Versions))
	}
	if err := r.checkFields(p); err != nil {
		return err
	}
	versions := r.Versions
	if r.Version != nil {
		versions = append(versions, *r.Version)
	}
	for _, v := range versions {
		if err := v.check(); err != nil {
			return err
		}
	}
	return errors.Join(r.Restored.check(), r.Deleted.check(), r.NotKept.check(), r.Failed.check(), r.Earlier.check(),
		r.Space.check())
}

func (v FileVersion) check() error {
	if v.Point < 1 || !v.Nonce.IsValid() || v.Size < 0 || v.Mode < 0 || v.Mode > 0o777 ||
		!historyAuthorKinds[v.By.Kind] || len(v.By.Words) > MaxHistoryWords || !isPlainReason(v.NotKept) ||
		v.Path != "" && !fs.ValidPath(v.Path) || len(v.Path) > MaxReceivedPathBytes {
		return fmt.Errorf("version %d of %.20q", v.Point, v.By.Kind)
	}
	return v.State.check()
}

// HistorySpace is the size and age of a home's file history.
type HistorySpace struct {
	Bytes int64     `json:"bytes"`         // bytes on the disk
	Room  int64     `json:"room"`          // bytes that it may have
	Files int64     `json:"files"`         // files of the home whose present bytes are kept
	Left  PathCount `json:"left,omitzero"` // files of the home whose present bytes are not kept
	// Waiting is the number of files of Left that will be kept soon.
	Waiting int64     `json:"waiting,omitempty"`
	Why     []NotKept `json:"why,omitempty"`   // why the files of Left are not kept, by reason
	Oldest  time.Time `json:"oldest,omitzero"` // time of the oldest version
	// why no history is kept, in the form of PlainReason; "" means that it is
	Off string `json:"off,omitempty"`
	// NoRepository lists the workspaces that are no git repository. Nothing keeps earlier versions
	// of their files.
	NoRepository []string `json:"no_repository,omitempty"`
}

// NotKept counts the files that are not kept for one reason.
type NotKept struct {
	Reason string `json:"reason"` // in the form of PlainReason
	Count  int64  `json:"count"`
}
