package filehistory

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"mews/protocol"
	"mews/worker/filehistory"
	"mews/worker/textdiff"
	"mews/worker/workspace"
)

// Blobs stores a version, or a difference, for the supervisor.
type Blobs interface {
	StoreBlob(ctx context.Context, r io.Reader, most int64) (protocol.BlobRef, error)
}

// Operation is a file history operation in a home.
type Operation struct {
	ID      int64
	Files   *workspace.Workspace
	History *filehistory.History // nil means that the action has none to use
	Off     string               // why no history is kept
	Blobs   Blobs
}

// Run runs an operation of the kind protocol.OperationKindFileHistory.
func (o Operation) Run(ctx context.Context, p protocol.FileHistoryParameters) (r protocol.FileHistoryResult,
	err error) {
	run, known := actions[p.Action]
	switch {
	case !known:
		return r, fmt.Errorf("there is no action %.20q", p.Action)
	case o.History == nil && p.Action == protocol.FileHistorySpace:
		return protocol.FileHistoryResult{Space: &protocol.HistorySpace{Off: protocol.PlainReason(o.Off)}}, nil
	case o.History == nil:
		return r, errors.New(o.Off)
	}
	if p.Path != "" {
		if p.Action != protocol.FileHistoryRestore { // it looks itself, because an earlier try may have changed files
			if err := o.History.Scan(ctx); err != nil { // so that the newest version is the present file
				return r, err
			}
		}
		if p.Point, err = o.point(p); err != nil {
			return r, err
		}
	}
	return run(o, ctx, p)
}

// point returns the point of a request's moment; 0 means the newest.
func (o Operation) point(p protocol.FileHistoryParameters) (int64, error) {
	if p.Point > 0 && p.Nonce != "" {
		if err := o.History.CheckPoint(p.Point, p.Nonce); err != nil {
			return 0, explain("find version "+fmt.Sprint(p.Point), err)
		}
	}
	if p.Point > 0 || p.At.IsZero() {
		return p.Point, nil
	}
	point, err := o.History.FindPoint(p.At)
	if errors.Is(err, fs.ErrNotExist) {
		err = errors.New("nothing that old is kept")
	}
	return point, err
}

// actions holds the function that runs each action.
var actions = map[protocol.FileHistoryAction]func(Operation, context.Context,
	protocol.FileHistoryParameters) (protocol.FileHistoryResult, error){
	protocol.FileHistoryVersions: Operation.versions,
	protocol.FileHistoryShow:     Operation.show,
	protocol.FileHistoryDiff:     Operation.diff,
	protocol.FileHistoryPreview:  Operation.restore,
	protocol.FileHistoryRestore:  Operation.restore,
	protocol.FileHistorySpace:    Operation.space,
	protocol.FileHistoryForget:   Operation.forget,
	protocol.FileHistoryCount:    Operation.count,
}

func (o Operation) versions(_ context.Context, p protocol.FileHistoryParameters) (r protocol.FileHistoryResult,
	err error) {
	before := p.Before
	if p.Point > 0 && (before == 0 || p.Point < before) {
		before = p.Point + 1 // the list includes the moment's own version
	}
	if p.Path == "." {
		r.Versions, r.More, err = o.History.LastChanges(before)
	} else {
		r.Versions, r.More, err = o.History.Versions(p.Path, before)
	}
	return r, err
}

// open opens a version whose bytes are kept. The caller closes the reader.
func (o Operation) open(p protocol.FileHistoryParameters) (protocol.FileVersion, io.ReadCloser, error) {
	attempt := "open an earlier version of " + workspace.QuotePath(p.Path)
	v, file, err := o.History.OpenVersion(p.Path, p.Point)
	switch {
	case err != nil:
		return v, nil, explain(attempt, err)
	case v.State == protocol.FileStateAbsent:
		return v, nil, fmt.Errorf("%s: it did not exist then", attempt)
	case file == nil:
		return v, nil, fmt.Errorf("%s: it was %s", attempt, describeState(v))
	}
	return v, file, nil
}

func (o Operation) show(ctx context.Context, p protocol.FileHistoryParameters) (r protocol.FileHistoryResult,
	err error) {
	v, file, err := o.open(p)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if v.Size > protocol.MaxSentFileBytes {
		return r, fmt.Errorf("show %s: the version is too large to be sent; restore it instead",
			workspace.QuotePath(p.Path))
	}
	ref, err := o.Blobs.StoreBlob(ctx, file, protocol.MaxSentFileBytes)
	r.Version, r.Blob = &v, &ref
	return r, err
}

// diff commits the difference between a version and the present file. A folder has no diff;
// FileHistoryPreview counts its changes.
func (o Operation) diff(ctx context.Context, p protocol.FileHistoryParameters) (r protocol.FileHistoryResult,
	err error) {
	v, file, err := o.History.OpenVersion(p.Path, p.Point)
	if err != nil {
		return r, explain("compare "+workspace.QuotePath(p.Path), err)
	}
	if v.State == protocol.FileStateFolder {
		return r, fmt.Errorf("compare %s: it was a folder; preview its restore instead", workspace.QuotePath(p.Path))
	}
	r.Version = &v
	before := textdiff.Nothing
	if file != nil {
		before, err = textdiff.Read(file, v.Size)
		err = errors.Join(err, file.Close())
	} else if v.State != protocol.FileStateAbsent {
		before = textdiff.Describe(describeState(v))
	}
	if err != nil {
		return r, err
	}
	if now, _, err := o.Files.PathState(p.Path); err == nil && now == v.State {
		return r, nil
	}
	after, err := textdiff.ReadPresent(o.Files, p.Path)
	if err != nil {
		return r, err
	}
	var b bytes.Buffer
	textdiff.Write(&b, workspace.QuotePath(p.Path), before, after)
	if b.Len() == 0 {
		return r, nil
	}
	ref, err := o.Blobs.StoreBlob(ctx, bytes.NewReader(b.Bytes()[:min(b.Len(), protocol.MaxDiffBytes)]),
		protocol.MaxDiffBytes)
	r.Blob = &ref
	return r, err
}

func (o Operation) restore(ctx context.Context, p protocol.FileHistoryParameters) (r protocol.FileHistoryResult,
	err error) {
	if p.Point == 0 {
		return r, errors.New("name a point or a time to restore")
	}
	request := filehistory.RestoreRequest{Path: p.Path, Point: p.Point, Copy: p.Copy,
		Preview: p.Action == protocol.FileHistoryPreview}
	done, err := o.History.Restore(ctx, request, protocol.HistoryAuthor{Kind: protocol.HistoryAuthorRestore,
		Words: restoreWords(o.ID, p)})
	if err != nil {
		err = explain("restore "+workspace.QuotePath(cmp.Or(p.Copy, p.Path)), err)
		if ctx.Err() != nil || done.Restored.Count+done.Deleted.Count == 0 || !isChange(done.Span) {
			return r, err
		}
		r.Why = reasonOf(err) // the result has the changes that were made
	}
	r.Restored, r.Deleted, r.NotKept, r.Failed = done.Restored, done.Deleted, done.NotKept, done.Failed
	if isChange(done.Span) {
		r.Span = &done.Span
	}
	if v, file, err := o.History.OpenVersion(p.Path, p.Point); err == nil {
		if r.Version = &v; file != nil {
			return r, file.Close()
		}
	}
	return r, nil
}

// reasonOf returns an error as a short text.
func reasonOf(err error) string {
	text := err.Error()
	return strings.ToValidUTF8(text[:min(len(text), protocol.MaxUndoReasonBytes)], "")
}

// restoreWords returns the words of a restore's author. No other restore has the same words, even
// if a restored database uses an operation's id again.
func restoreWords(operation int64, p protocol.FileHistoryParameters) string {
	text, _ := json.Marshal(p) // never fails
	sum := sha256.Sum256(text)
	return fmt.Sprintf("restore %d (%x)", operation, sum[:4])
}

func (o Operation) space(_ context.Context, p protocol.FileHistoryParameters) (protocol.FileHistoryResult, error) {
	space := o.History.Space()
	space.Off = protocol.PlainReason(space.Off)
	for _, left := range o.History.LeftOut() {
		space.Why = append(space.Why, protocol.NotKept{Reason: protocol.PlainReason(left.Why), Count: left.Files})
	}
	space.NoRepository = withoutRepository(p.Workspaces)
	return protocol.FileHistoryResult{Space: &space}, nil
}

// withoutRepository returns the folders that are no git repository. Missing folders are left out,
// and folders that can't be read.
func withoutRepository(folders []string) (list []string) {
	for _, folder := range folders {
		_, err := os.Stat(folder)
		_, repository := os.Lstat(filepath.Join(folder, ".git")) // a file in a worktree of git
		if err == nil && errors.Is(repository, fs.ErrNotExist) {
			list = append(list, folder)
		}
	}
	return list
}
