package filehistory

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	_ "mews/internal/fixedseed"
	"mews/protocol"
	"mews/worker/workspace"
)

// tester is the part of testing.TB that a fixture uses.
type tester interface {
	Helper()
	Fatal(args ...any)
	TempDir() string
	Cleanup(f func())
}

// fixture is a home with a history.
type fixture struct {
	t       tester
	home    string
	history string
	h       *History
	options Options
	mu      sync.Mutex
	now     time.Time
	passed  time.Duration // without jumps of the clock
	reports []error
}

func newFixture(t tester, change ...func(o *Options)) *fixture {
	f := &fixture{t: t, home: t.TempDir(), history: t.TempDir(), now: time.Date(2026, 11, 30, 9, 30, 0, 0, time.UTC)}
	f.options = Options{Room: 1 << 30, Now: f.time, Report: f.report, elapsed: f.elapsed,
		disk: func() (int64, int64, error) { return 100 << 30, 200 << 30, nil }}
	for _, c := range change {
		c(&f.options)
	}
	f.open()
	if _, isProperty := t.(rapidTB); !isProperty {
		t.Cleanup(f.close)
	}
	return f
}

func (f *fixture) time() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

func (f *fixture) elapsed() time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.passed
}

// jump sets the clock forward or back, without time passing.
func (f *fixture) jump(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now = f.now.Add(d)
}

func (f *fixture) pass(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now, f.passed = f.now.Add(d), f.passed+d
}

func (f *fixture) report(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if errors.Is(err, errKilled) {
		return
	}
	f.reports = append(f.reports, err)
}

// open opens the history, after it was closed.
func (f *fixture) open() {
	f.t.Helper()
	h, err := f.tryOpen(f.history)
	f.check(err)
	f.h = h
}

func (f *fixture) tryOpen(history string) (*History, error) {
	dir, err := os.Open(history)
	if err != nil {
		return nil, err
	}
	return f.openIn(dir)
}

func (f *fixture) openIn(dir *os.File) (h *History, err error) {
	o := f.options
	o.Folder = dir
	if o.Home, err = workspace.Open(f.home, protocol.FilePolicy{}); err != nil {
		return nil, err
	}
	return Open(o)
}

func (f *fixture) close() {
	if f.h != nil {
		f.check(f.h.Close())
		f.h = nil
	}
}

func (f *fixture) reopen() {
	f.close()
	f.open()
}

func (f *fixture) check(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) path(name string) string { return filepath.Join(f.home, name) }

func (f *fixture) write(name, text string) {
	f.t.Helper()
	f.check(os.MkdirAll(filepath.Dir(f.path(name)), 0o755))
	f.check(os.WriteFile(f.path(name), []byte(text), 0o644))
}

func (f *fixture) read(name string) string {
	b, err := os.ReadFile(f.path(name))
	if err != nil {
		return "error: " + err.Error()
	}
	return string(b)
}

func (f *fixture) exists(name string) bool {
	_, err := os.Lstat(f.path(name))
	return err == nil
}

// scanHome looks for changes from outside Mews, unless a tool or program runs.
func (f *fixture) scanHome() error {
	if err := f.h.scanHome(context.Background()); err != errToolRuns {
		return err
	}
	return nil
}

func (f *fixture) walk() *Tree {
	f.t.Helper()
	tree, err := f.h.Walk(context.Background())
	f.check(err)
	return tree
}

func (f *fixture) begin() *Program {
	f.t.Helper()
	p, err := f.h.BeginProgram(context.Background(), f.walk())
	f.check(err)
	return p
}

var byProgram = protocol.HistoryAuthor{Kind: protocol.HistoryAuthorProgram, Turn: 7, Words: "sed -i"}

func (f *fixture) end(p *Program) protocol.HistorySpan {
	f.t.Helper()
	span, err := p.End(context.Background(), f.walk(), byProgram)
	f.check(err)
	return span
}

// program runs a function as a program, and returns its span.
func (f *fixture) program(run func()) protocol.HistorySpan {
	f.t.Helper()
	p := f.begin()
	run()
	return f.end(p)
}

func undoBy(words string) protocol.HistoryAuthor {
	return protocol.HistoryAuthor{Kind: protocol.HistoryAuthorUndo, Words: words}
}

func (f *fixture) undo(span protocol.HistorySpan, force bool, words string) protocol.UndoneSpan {
	f.t.Helper()
	undone, err := f.h.UndoSpan(context.Background(), span, force, undoBy(words))
	f.check(err)
	return undone
}

// version returns the text of a path at a point.
func (f *fixture) version(name string, point int64) string {
	_, r, err := f.h.OpenVersion(name, point)
	if err != nil {
		return "error: " + err.Error()
	}
	if r == nil {
		return "no bytes"
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	f.check(err)
	return string(b)
}

// contents lists everything in the home: kind, permissions, and bytes or target.
func (f *fixture) contents() map[string]string {
	f.t.Helper()
	return contentsOf(f.t, f.home)
}

func contentsOf(t tester, home string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == home {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(home, path)
		text := info.Mode().String() + " "
		switch {
		case info.Mode().IsRegular():
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text += string(b)
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			text = "link " + target
		}
		all[name] = text
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// keepAll keeps all files that wait to be kept, as Run does.
func (f *fixture) keepAll() {
	f.t.Helper()
	f.check(f.h.keepWaiting(context.Background()))
}

// fullDisk is the error of a disk without room.
const fullDisk = unix.ENOSPC

// rapidTB adds TempDir to a rapid.T, so that a fixture can use it. finish removes the folders.
type rapidTB struct{ *rapid.T }

// memoryFolder is a folder in memory, where syncs cost nothing.
const memoryFolder = "/dev/shm"

func (t rapidTB) TempDir() string { return memoryTempDir(t) }

func memoryTempDir(t tester) string {
	in := ""
	if info, err := os.Stat(memoryFolder); err == nil && info.IsDir() {
		in = memoryFolder
	}
	dir, err := os.MkdirTemp(in, "filehistory")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// memoryTB makes the folders of a test in memory.
type memoryTB struct{ testing.TB }

func (t memoryTB) TempDir() string {
	dir := memoryTempDir(t)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// finish closes the history of a property test, and removes its folders.
func (f *fixture) finish() {
	if f.h != nil {
		_ = f.h.Close() // the history may have been killed
	}
	_ = os.RemoveAll(f.home)
	_ = os.RemoveAll(f.history)
}
