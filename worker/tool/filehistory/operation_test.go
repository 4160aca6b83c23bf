package filehistory

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/worker/filehistory"
	"mews/worker/workspace"
)

// keptHome is a home with a file history.
type keptHome struct {
	*testing.T
	dir string
	op  Operation
}

func newKeptHome(t *testing.T) *keptHome {
	h := &keptHome{T: t, dir: t.TempDir()}
	ws, err := workspace.Open(h.dir, protocol.FilePolicy{})
	h.must(err)
	folder, err := os.Open(t.TempDir())
	h.must(err)
	history, err := filehistory.Open(filehistory.Options{Folder: folder, Home: ws, Room: 1 << 30, Now: time.Now,
		Report: func(err error) { t.Error(err) }})
	h.must(err)
	t.Cleanup(func() { h.must(errors.Join(history.Close(), ws.Close())) })
	h.op = Operation{ID: 1, Files: ws, History: history}
	return h
}

func (h *keptHome) must(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

func (h *keptHome) write(name, text string) {
	h.Helper()
	h.must(os.WriteFile(filepath.Join(h.dir, name), []byte(text), 0o644))
}

// look keeps the present files.
func (h *keptHome) scan() {
	h.Helper()
	tree, err := h.op.History.Walk(h.Context())
	h.must(err)
	p, err := h.op.History.BeginProgram(h.Context(), tree)
	h.must(err)
	p.Drop()
}

func (h *keptHome) restore(path string, point int64) (protocol.FileHistoryResult, error) {
	return h.op.Run(h.Context(), protocol.FileHistoryParameters{Action: protocol.FileHistoryRestore, Path: path,
		Point: point})
}

// fullQuota has no room for a second file.
type fullQuota struct{ files int }

var errNoRoom = errors.New("there is no room")

func (q *fullQuota) CheckGrowth(int64) error {
	if q.files++; q.files > 1 {
		return errNoRoom
	}
	return nil
}

func (q *fullQuota) RecordGrowth(int64) {}

func TestRestore_EndsEarly_KeepsItsSpan(t *testing.T) {
	h := newKeptHome(t)
	for _, name := range []string{"a", "b", "c"} {
		h.write(name, "old")
	}
	h.scan()
	for _, name := range []string{"a", "b", "c"} {
		h.write(name, "new")
	}
	h.op.Files.SetQuota(&fullQuota{})
	r, err := h.restore(".", 1)
	if err != nil || r.Restored.Count != 1 || r.Failed.Count != 2 || r.Span == nil ||
		!strings.Contains(r.Why, errNoRoom.Error()) ||
		r.Validate(protocol.FileHistoryParameters{Action: protocol.FileHistoryRestore, Path: "."}) != nil {
		t.Fatalf("got %+v, %v", r, err)
	}
	by := protocol.HistoryAuthor{Kind: protocol.HistoryAuthorUndo, Words: "undo 1"}
	h.op.Files.SetQuota(&fullQuota{})
	if undone, err := h.op.History.UndoSpan(t.Context(), *r.Span, false, by); err != nil || undone.Restored.Count != 1 {
		t.Errorf("got %+v, %v", undone, err)
	}
	h.op.ID = 2
	h.op.Files.SetQuota(&fullQuota{files: 1})
	if r, err = h.restore(".", 1); !errors.Is(err, errNoRoom) {
		t.Errorf("got %+v, %v", r, err)
	}
}

// killer is a quota that kills a restore at a file; left counts down to that.
type killer struct{ left int }

func (q *killer) CheckGrowth(int64) error {
	if q.left--; q.left == 0 {
		panic(errKilled)
	}
	return nil
}

func (q *killer) RecordGrowth(int64) {}

var errKilled = errors.New("killed")

func TestRestore_RepeatedAfterKill_OwnsItsChanges(t *testing.T) {
	h := newKeptHome(t)
	names := []string{"a", "b", "c"}
	for _, name := range names {
		h.write(name, "old")
	}
	h.scan()
	for _, name := range names {
		h.write(name, "new")
	}
	h.scan()
	h.op.Files.SetQuota(&killer{left: 2})
	func() {
		defer func() {
			if got := recover(); got != errKilled {
				t.Fatalf("the restore was not killed, but %v", got)
			}
		}()
		_, _ = h.restore(".", 1)
	}()
	r, err := h.restore(".", 1)
	if err != nil || r.Span == nil {
		t.Fatalf("got %+v, %v", r, err)
	}
	by := protocol.HistoryAuthor{Kind: protocol.HistoryAuthorUndo, Words: "undo 1"}
	undone, err := h.op.History.UndoSpan(t.Context(), *r.Span, false, by)
	for _, name := range names {
		if got, _ := os.ReadFile(filepath.Join(h.dir, name)); err != nil || string(got) != "new" {
			t.Errorf("%s has %q after %+v, %v", name, got, undone, err)
		}
	}
}

// failing is a quota without room.
type failing struct{}

func (failing) CheckGrowth(int64) error { return errNoRoom }

func (failing) RecordGrowth(int64) {}

func TestRestore_AllFail_ChangesNothing(t *testing.T) {
	h := newKeptHome(t)
	h.write("a", "old")
	h.scan()
	h.write("a", "new")
	h.scan()
	h.op.Files.SetQuota(failing{})
	p := protocol.FileHistoryParameters{Action: protocol.FileHistoryRestore, Path: "a", Point: 1, Copy: "copy"}
	if r, err := h.op.Run(t.Context(), p); err == nil && (r.Span != nil || r.Restored.Count != 0) {
		t.Errorf("a copy: got %+v", r)
	}
	done, err := h.op.History.Restore(t.Context(), filehistory.RestoreRequest{Path: "a", Point: 1},
		protocol.HistoryAuthor{Kind: protocol.HistoryAuthorRestore, Words: "restore 9"})
	if isChange(done.Span) || done.Failed.Count != 1 {
		t.Errorf("got %+v, %v", done, err)
	}
}

func TestRestore_AbsentThen_IsSaid(t *testing.T) {
	h := newKeptHome(t)
	h.write("a", "1")
	h.scan()
	h.write("b", "2")
	h.scan()
	for path, want := range map[string]string{"b": filehistory.ErrAbsent.Error(), "c": "no such version is kept"} {
		if _, err := h.restore(path, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", path, err)
		}
	}
}
