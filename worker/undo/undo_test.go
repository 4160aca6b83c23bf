package undo

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	_ "mews/internal/fixedseed"
	"mews/protocol"
	"mews/worker"
	"mews/worker/host/hosttest"
	"mews/worker/tool/files"
	"mews/worker/workspace"
)

// folder is a real folder with the file tools and an Undoer.
type folder struct {
	t     testing.TB
	dir   string
	ws    *workspace.Workspace
	tools map[string]worker.Tool
	blobs *blobs
	undo  *Undoer
}

// blobs is a supervisor's spool, which may lose blobs.
type blobs struct {
	hosttest.Host
	gone  map[string]bool
	most  int64 // maximum bytes from before changes that may be kept; 0 means no limit
	reads func() error
	keep  workspace.BackupFunc // keeps bytes from before a tool's change; nil means StoreUndoBlob
}

func (b *blobs) StoreUndoBlob(ctx context.Context, r io.Reader, most int64) (protocol.BlobRef, error) {
	ref, err := b.StoreBlob(ctx, r, most)
	if b.most > 0 && ref.Size > b.most {
		return ref, &protocol.Error{Code: protocol.CodeFailed, Message: "there is no room"}
	}
	return ref, err
}

func (b *blobs) ReadBlob(ctx context.Context, sha256 string, offset int64, length int) (protocol.BlobReadResult,
	error) {
	if b.reads != nil {
		if err := b.reads(); err != nil {
			return protocol.BlobReadResult{}, err
		}
	}
	if b.gone[sha256] {
		return protocol.BlobReadResult{}, &protocol.Error{Code: protocol.CodeBlobExpired, Message: "gone"}
	}
	return b.Host.ReadBlob(ctx, sha256, offset, length)
}

func newFolder(t testing.TB, dir string) *folder {
	ws, err := workspace.Open(dir, protocol.FilePolicy{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ws.Close() })
	f := &folder{t: t, dir: dir, ws: ws, tools: map[string]worker.Tool{}, blobs: &blobs{gone: map[string]bool{}},
		undo: New(ws, nil, nil)}
	for _, tool := range files.Tools(ws, time.Now, nil) {
		f.tools[tool.Name] = tool
	}
	return f
}

// call uses a tool and returns the undos of its changes. A refused call changes nothing.
func (f *folder) call(name string, arguments map[string]any) (undos []protocol.Undo) {
	f.t.Helper()
	raw, err := json.Marshal(arguments)
	if err != nil {
		f.t.Fatal(err)
	}
	keep := f.blobs.keep
	if keep == nil {
		keep = f.blobs.StoreUndoBlob
	}
	result, _ := f.tools[name].Run(f.t.Context(), worker.Call{Arguments: raw, KeepBefore: keep})
	for _, c := range result.Changes {
		if c.Undo != nil {
			if err := c.Undo.Validate(); err != nil {
				f.t.Errorf("%s %v: %+v: %v", name, arguments, *c.Undo, err)
			}
			undos = append(undos, *c.Undo)
		}
	}
	return undos
}

func (f *folder) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

func (f *folder) put(name, content string) {
	f.t.Helper()
	path := filepath.Join(f.dir, name)
	f.must(os.MkdirAll(filepath.Dir(path), 0o755))
	f.must(os.WriteFile(path, []byte(content), 0o644))
}

// content returns everything in the folder outside the trash: each file and link, and each folder
// that is not empty.
func (f *folder) content() map[string]string {
	f.t.Helper()
	all := map[string]string{}
	f.must(filepath.WalkDir(f.dir, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(f.dir, path)
		switch {
		case err != nil:
			return err
		case name == ".trash":
			return fs.SkipDir
		case d.Type().IsRegular():
			data, err := os.ReadFile(path)
			all[name] = string(data)
			return err
		case d.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			all[name] = "-> " + target
			return err
		}
		return nil
	}))
	return all
}

func (f *folder) run(action protocol.UndoAction, changes []protocol.Undo) []protocol.UndoneChange {
	f.t.Helper()
	p := protocol.UndoParameters{Action: action, Changes: changes}
	r, err := f.undo.RunOperation(f.t.Context(), 1, p, f.blobs)
	f.must(err)
	f.must(r.Validate(p))
	return r.Changes
}

// newestFirst returns changes in the order of an undo.
func newestFirst(changes []protocol.Undo) []protocol.Undo {
	changes = slices.DeleteFunc(slices.Clone(changes), func(u protocol.Undo) bool { return u.Obstacle != "" })
	slices.Reverse(changes)
	return changes
}

// inverse returns the changes that undo an undo.
func inverse(done []protocol.Undo, outcomes []protocol.UndoneChange) (list []protocol.Undo) {
	for i, u := range done {
		if outcomes[i].Outcome == protocol.UndoOutcomeDone {
			list = append(list, u.Inverse())
		}
	}
	return list
}

// randomTool uses a file tool at random.
func randomTool(t *rapid.T, f *folder) []protocol.Undo {
	path := rapid.SampledFrom([]string{"a", "b", "d/a", "d/b", "e/a", "d/x/c"})
	text := rapid.SampledFrom([]string{"", "one\n", "two\n", "one\ntwo\n", "three"})
	switch rapid.SampledFrom([]string{"write", "write", "append", "edit", "move", "delete", "folder", "trash"}).Draw(t, "tool") {
	case "write":
		return f.call("write_file", map[string]any{"path": path.Draw(t, "path"), "content": text.Draw(t, "text"), "overwrite": rapid.Bool().Draw(t, "overwrite")})
	case "append":
		return f.call("append_file", map[string]any{"path": path.Draw(t, "path"), "content": text.Draw(t, "text")})
	case "edit":
		return f.call("edit_file", map[string]any{"path": path.Draw(t, "path"), "old_text": "o", "new_text": "0", "all": true})
	case "move":
		return f.call("move_file", map[string]any{"from": path.Draw(t, "from"), "to": path.Draw(t, "to"), "overwrite": rapid.Bool().Draw(t, "overwrite")})
	case "folder":
		folders := rapid.SampledFrom([]string{"d", "e", "d/x", "f"})
		return f.call("move_file", map[string]any{"from": folders.Draw(t, "from"), "to": folders.Draw(t, "to")})
	case "trash":
		return f.call("delete_file", map[string]any{"path": rapid.SampledFrom([]string{"d", "d/x", "link"}).Draw(t, "path")})
	}
	return f.call("delete_file", map[string]any{"path": path.Draw(t, "path")})
}

// byHand changes a file as a program or a user does, without a record.
func byHand(t *rapid.T, f *folder) (path string) {
	path = rapid.SampledFrom([]string{"a", "b", "d/a", "e/a"}).Draw(t, "path")
	full := filepath.Join(f.dir, path)
	if rapid.Bool().Draw(t, "remove") {
		_ = os.RemoveAll(full)
		return path
	}
	if info, err := os.Lstat(filepath.Dir(full)); err != nil || !info.IsDir() {
		return path
	}
	if info, err := os.Lstat(full); err == nil && !info.Mode().IsRegular() {
		return path
	}
	f.must(os.WriteFile(full, []byte(rapid.SampledFrom([]string{"by hand", "one\n", ""}).Draw(t, "text")), 0o644))
	return path
}

// TestUndo_AnyChanges_RestoreOldFiles: a complete undo restores the folder from before the turn.
// After an incomplete undo, each file that it left alone is unchanged. An undo of the undo restores
// everything. A killed undo that runs again has the same result.
func TestUndo_AnyChanges_RestoreOldFiles(t *testing.T) {
	n := 0
	top := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		n++
		dir := filepath.Join(top, fmt.Sprint(n))
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		f := newFolder(t, dir)
		f.put("a", "one\n")
		f.put("d/a", "two\n")
		f.put("d/x/c", "three")
		f.must(os.Symlink("a", filepath.Join(dir, "link")))
		before := f.content()
		seen := []map[string]string{before}
		var changes []protocol.Undo
		touched := map[string]bool{}
		for range rapid.IntRange(1, 6).Draw(rt, "tools") {
			changes = append(changes, randomTool(rt, f)...)
			if rapid.IntRange(0, 9).Draw(rt, "program") == 0 {
				touched[byHand(rt, f)] = true
			}
			seen = append(seen, f.content())
		}
		if rapid.IntRange(0, 3).Draw(rt, "by hand") == 0 {
			touched[byHand(rt, f)] = true
		}
		left := f.content()
		list := newestFirst(changes)
		if rapid.Bool().Draw(rt, "killed") {
			kill(rt, f, list)
		}
		outcomes := f.run(protocol.UndoActionUnchangedFiles, list)
		after := f.content()
		check(rt, list, outcomes, append(seen, left), after, touched)
		if len(touched) > 0 {
			return
		}
		again := newestFirst(inverse(list, outcomes)) // the oldest change is the first that the undo made
		redone := f.run(protocol.UndoActionUnchangedFiles, again)
		if got := f.content(); !maps.Equal(got, left) && !slices.ContainsFunc(append(outcomes, redone...),
			func(o protocol.UndoneChange) bool { return o.Outcome != protocol.UndoOutcomeDone }) {
			rt.Fatalf("undone again: %q, want %q: %+v of %+v, before %+v of %+v", got, left, redone, again, outcomes, list)
		}
	})
}

// kill runs an undo that ends early, as a killed worker's does.
func kill(t *rapid.T, f *folder, list []protocol.Undo) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	at := rapid.IntRange(0, 12).Draw(t, "reads until the kill")
	f.blobs.reads = func() error {
		if at--; at < 0 {
			cancel()
			return context.Canceled
		}
		return nil
	}
	_, _ = f.undo.RunOperation(ctx, 1, protocol.UndoParameters{Action: protocol.UndoActionUnchangedFiles,
		Changes: list},
		f.blobs)
	f.blobs.reads = nil
}

// check compares a folder after an undo with the expected folder.
func check(t *rapid.T, list []protocol.Undo, outcomes []protocol.UndoneChange, seen []map[string]string, after map[string]string, touched map[string]bool) {
	before, left, alone := seen[0], seen[len(seen)-1], false
	for i, o := range outcomes {
		switch o.Outcome {
		case protocol.UndoOutcomeDone, protocol.UndoOutcomeAlreadyUndone:
		case protocol.UndoOutcomeChangedSince:
			alone = true
			for _, path := range []string{list[i].Path, list[i].To} {
				if path != "" && after[path] != left[path] {
					t.Fatalf("%s was left alone, and is %q, was %q", path, after[path], left[path])
				}
			}
		default:
			t.Fatalf("%+v: %+v", list[i], o)
		}
	}
	if len(touched) == 0 && (alone || !maps.Equal(after, before)) {
		t.Fatalf("all is as the turn left it: %q, want %q; %+v", after, before, outcomes)
	}
	// each file that an undo writes existed before, maybe in a moved folder; other files stay
	for path, content := range after {
		if !slices.ContainsFunc(seen, func(was map[string]string) bool { return slices.Contains(slices.Collect(maps.Values(was)), content) }) {
			t.Fatalf("%s is %q, which nothing ever was", path, content)
		}
		if !isChanged(list, path) && content != left[path] {
			t.Fatalf("%s is %q, was %q, and no tool had changed it", path, content, left[path])
		}
	}
	for path := range left {
		if _, still := after[path]; !still && !isChanged(list, path) {
			t.Fatalf("%s is gone, and no tool had changed it", path)
		}
	}
}

func isChanged(list []protocol.Undo, path string) bool {
	return slices.ContainsFunc(list, func(u protocol.Undo) bool { return related(u, protocol.Undo{Path: path}) })
}
