package workspace

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"mews/protocol"
)

func TestMove_EachTarget_RenamesOrFails(t *testing.T) {
	ws, dir := open(t, protocol.FilePolicy{}, map[string]string{
		"a": "a", "b": "b", "c": "c", "box/x": "x", "other/y": "y", ".trash/s-1/old": "old",
	})
	for _, c := range []struct{ from, to, at string }{
		{"a", "new/name", "new/name"},
		{"b", "box", "box/b"},
		{"c", "crate/", "crate/c"},
		{"box", "other", "other/box"},
		{"other", "elsewhere", "elsewhere"},
		{".trash/s-1/old", "old", "old"},
	} {
		if at, err := ws.MoveFile(t.Context(), c.from, c.to); err != nil || at != c.at {
			t.Fatalf("move %s to %s: at %q, %v", c.from, c.to, at, err)
		}
	}
	if got := content(t, filepath.Join(dir, "elsewhere/box/b")); got != "b" {
		t.Fatalf("got %q", got)
	}
	for _, c := range []struct {
		from, to string
		is       error
	}{
		{"old", "new/name", fs.ErrExist},
		{"old", "old", fs.ErrExist},
		{"elsewhere", "new/name", fs.ErrExist},
		{"elsewhere", "elsewhere/box/z", syscall.EINVAL},
		{"missing", "x", fs.ErrNotExist},
		{".", "x", ErrPathIsRoot},
		{".trash", "x", ErrPathIsRoot},
		{"old", ".trash/x", ErrInTrash},
		{"old", "../x", ErrPathOutside},
		{"old", "new/name/below", syscall.ENOTDIR},
	} {
		_, err := ws.MoveFile(t.Context(), c.from, c.to)
		wantError(t, err, c.is, "move")
	}
	if content(t, filepath.Join(dir, "new/name")) != "a" || content(t, filepath.Join(dir, "old")) != "old" {
		t.Fatal("a refused move changed something")
	}
}

func TestMoveToTrash_File_IsInTrash(t *testing.T) {
	ws, dir := open(t, protocol.FilePolicy{}, map[string]string{"notes/a": "1", "box/deep/x": "x"})
	for _, want := range []string{"1", "2"} {
		_, err := ws.WriteFile("notes/a", []byte(want), ModeReplace)
		must(t, err)
		where, err := ws.MoveToTrash(t.Context(), "notes/a", noon)
		if err != nil || where != ".trash/20261120T120000Z-"+want+"/notes/a" || content(t, filepath.Join(dir, where)) != want {
			t.Fatalf("deletion %s went to %q, %v", want, where, err)
		}
	}
	where, err := ws.MoveToTrash(t.Context(), "box", noon)
	if err != nil || content(t, filepath.Join(dir, where, "deep/x")) != "x" {
		t.Fatalf("the folder went to %q, %v", where, err)
	}
	if f, err := ws.Open(where + "/deep/x"); err != nil || f.Close() != nil {
		t.Fatalf("reading in the trash by its path: %v", err)
	}
	for path, is := range map[string]error{".": ErrPathIsRoot, "/": ErrPathIsRoot, where: ErrInTrash,
		".trash": ErrInTrash, "box": fs.ErrNotExist} {
		_, err := ws.MoveToTrash(t.Context(), path, noon)
		wantError(t, err, is, "delete "+path)
	}
	_, err = ws.AppendFile(where+"/new", []byte("x"))
	wantError(t, err, ErrInTrash, "append to")
	if _, err := ws.MoveFile(t.Context(), where, "box"); err != nil {
		t.Fatal(err)
	}
}

func TestMoveToTrash_Failure_LeavesNoFolders(t *testing.T) {
	ws, dir := open(t, protocol.FilePolicy{}, map[string]string{"a/b/c": "x"})
	where, err := newTrashFolder(ws.root, noon)
	must(t, err)
	must(t, os.MkdirAll(filepath.Join(dir, where, "a/b"), 0o755))
	must(t, removeEmpty(ws.root, where+"/a/b/not-made"))
	left, err := os.ReadDir(filepath.Join(dir, trash))
	if len(left) != 0 || err != nil {
		t.Fatalf("left in the trash: %v, %v", left, err)
	}
}
