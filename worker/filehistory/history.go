package filehistory

import (
	"context"
	"io"
	"iter"
	"os"
	"time"

	"mews/protocol"
	"mews/worker/workspace"
)

// Options are the options of a History.
type Options struct {
	Folder  *os.File             // the open folder of the history; the History owns and closes it
	Home    *workspace.Workspace // the home; all of it is kept, also files that the rules hide
	Room    int64                // most bytes of the history
	Exclude []string             // globs of paths whose bytes are not kept
	Temp    string               // path in the home that no walk enters; "" means none
	Now     func() time.Time
	Report  func(error) // gets errors that no caller sees, such as a damaged record
}

// History is the file history of one home. Its methods may be called from any goroutine.
type History struct {
	options Options
}

// Open opens the history in a folder, which may be empty. It reads no pack yet.
func Open(o Options) (*History, error) { return &History{options: o}, nil }

// Run works in the background until ctx ends: it keeps the home's files, finds changes by others
// each hour, thins old versions and frees memory.
func (h *History) Run(ctx context.Context) error { return nil }

// Close saves the index and closes the folder. Call it after Run has returned.
func (h *History) Close() error { return h.options.Folder.Close() }

// Tree lists everything in the home at one moment.
type Tree struct {
	entries []TreeEntry
	unread  []string
}

// TreeEntry is a file, folder, link or special file of a Tree.
type TreeEntry struct {
	Path     string // clean path in the home; may have any bytes except NUL
	Mode     os.FileMode
	Size     int64
	Modified time.Time
	Stamp    workspace.Stamp
}

// Entries returns all entries in no order, without the home itself.
func (t *Tree) Entries() iter.Seq[TreeEntry] { return nil }

// Unread returns the folders that could not be read to their end.
func (t *Tree) Unread() []string { return t.unread }

// Walk lists the home, without half-written files and the folder for temporary files.
func (h *History) Walk(ctx context.Context) (*Tree, error) { return &Tree{}, nil }

// Program is a running program, whose changes End records.
type Program struct {
	history *History
}

// BeginProgram keeps the files of a tree that are not kept yet. It stops after 2 s; NotKept names
// the rest. The caller calls End or Drop.
func (h *History) BeginProgram(ctx context.Context, before *Tree) (*Program, error) {
	return &Program{history: h}, nil
}

// NotKept counts files whose bytes from before the program are not kept. Before End, these are the
// files that BeginProgram did not keep. After End, only those that the program changed or deleted.
func (p *Program) NotKept() protocol.PathCount { return protocol.PathCount{} }

// End records the changes that the program made, and syncs them to the disk. The zero span means
// that it changed nothing.
func (p *Program) End(ctx context.Context, after *Tree, by protocol.HistoryAuthor) (protocol.HistorySpan, error) {
	return protocol.HistorySpan{}, nil
}

// Drop forgets a program that did not start. After End it does nothing.
func (p *Program) Drop() {}

// Keep keeps at most that many bytes of a file before a tool changes it. They are on the disk when
// Keep returns, and stay for 48 hours. Keep is a workspace.BackupFunc.
func (h *History) Keep(ctx context.Context, r io.Reader, most int64) (protocol.BlobRef, error) {
	return protocol.BlobRef{}, nil
}

// ReadKept opens kept bytes by their SHA-256 in hex, and returns their number. It returns
// fs.ErrNotExist if they are not kept. The caller closes the reader.
func (h *History) ReadKept(sha256 string) (io.ReadCloser, int64, error) { return nil, 0, os.ErrNotExist }

// Record records that somebody has changed these clean paths, and everything in folders among them.
// It keeps the new bytes.
func (h *History) Record(ctx context.Context, paths []string, by protocol.HistoryAuthor) (protocol.HistorySpan, error) {
	return protocol.HistorySpan{}, nil
}

// UndoSpan makes the paths that a span has changed as they were before. It leaves paths alone that
// have changed since, or that another program may have changed, unless force is set. Repeated with
// the same author, it continues.
func (h *History) UndoSpan(ctx context.Context, span protocol.HistorySpan, force bool,
	by protocol.HistoryAuthor) (protocol.UndoneSpan, error) {
	return protocol.UndoneSpan{}, nil
}

// Versions lists at most protocol.MaxFileVersions versions of a file or folder, the newest first.
// Only points below before count; 0 means all. more means that there are older versions.
func (h *History) Versions(path string, before int64) (list []protocol.FileVersion, more bool, err error) {
	return nil, false, nil
}

// FindPoint returns the last point until a time, or fs.ErrNotExist.
func (h *History) FindPoint(at time.Time) (int64, error) { return 0, os.ErrNotExist }

// OpenVersion returns a path as it was at a point; 0 means the newest point. The reader is nil
// unless the path was a file whose bytes are kept. The caller closes the reader.
func (h *History) OpenVersion(path string, point int64) (protocol.FileVersion, io.ReadCloser, error) {
	return protocol.FileVersion{}, nil, os.ErrNotExist
}

// RestoreRequest asks for a path as it was at a point.
type RestoreRequest struct {
	Path    string // clean path of a file or folder; "." means the home
	Point   int64
	Copy    string // new path to restore to; "" means in place
	Preview bool   // only count
}

// RestoreResult tells what a restore has changed, or would change.
type RestoreResult struct {
	Restored protocol.PathCount // paths that get an earlier state
	Deleted  protocol.PathCount // paths that were not there at the point
	NotKept  protocol.PathCount // paths that stay, because their earlier or present bytes are not kept
	Span     protocol.HistorySpan
}

// Restore makes a path as it was at a point, in place or as a copy. What is there now is kept
// before.
func (h *History) Restore(ctx context.Context, r RestoreRequest, by protocol.HistoryAuthor) (RestoreResult, error) {
	return RestoreResult{}, nil
}

// Forget deletes all versions of these paths, and of everything in folders among them. When it
// returns, no pack has their bytes or names. It returns the number of versions.
func (h *History) Forget(ctx context.Context, paths []string) (versions int64, err error) {
	return 0, nil
}

// Search returns the files among paths, or in folders among them, with a version that has one of
// the phrases. Upper and lower case count as the same.
func (h *History) Search(ctx context.Context, paths, phrases []string) ([]string, error) {
	return nil, nil
}

// Space returns the size and age of the history.
func (h *History) Space() protocol.HistorySpace { return protocol.HistorySpace{} }

// Thin deletes all versions that were replaced more than 48 hours ago, to make room on the disk.
func (h *History) Thin(ctx context.Context) error { return nil }
