package workspace

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"mews/protocol"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// open makes a workspace over a new folder with these files, by path and content.
func open(t *testing.T, policy protocol.FilePolicy, files map[string]string) (*Workspace, string) {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		put := filepath.Join(dir, name)
		must(t, os.MkdirAll(filepath.Dir(put), 0o755))
		must(t, os.WriteFile(put, []byte(content), 0o644))
	}
	ws, err := Open(dir, policy)
	must(t, err)
	t.Cleanup(func() { must(t, ws.Close()) })
	return ws, dir
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func content(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	must(t, err)
	return string(b)
}

// wantError checks the kind of an error, and that it names the attempt.
func wantError(t *testing.T, err, is error, says string) {
	t.Helper()
	if !errors.Is(err, is) || !strings.Contains(err.Error(), says) {
		t.Fatalf("got error %v; want %v, and %q in it", err, is, says)
	}
}

// names returns the names that a walk shows.
func names(t *testing.T, ws *Workspace, dir string) []string {
	t.Helper()
	var all []string
	must(t, ws.Walk(t.Context(), dir, func(e Entry) error {
		all = append(all, e.Path)
		return e.Err
	}))
	return all
}

func TestCleanPath_AnyForm_IsCanonical(t *testing.T) {
	long := strings.Repeat("x", 256)
	for _, c := range []struct {
		raw, want string
		err       error
	}{
		{"notes/a.md", "notes/a.md", nil},
		{"/notes", "notes", nil},
		{"./notes/", "notes", nil},
		{"~/notes", "notes", nil},
		{"~", ".", nil},
		{"/", ".", nil},
		{"///a//b/./c", "a/b/c", nil},
		{"a/../b", "b", nil},
		{"/home/alice/notes", "notes", nil},
		{"/home/alice", ".", nil},
		{"/home/alicette/x", "home/alicette/x", nil},
		{"~bob/x", "~bob/x", nil},
		{"...", "...", nil},
		{"", "", ErrEmptyPath},
		{"a\x00b", "", ErrPathHasNUL},
		{"..", "", ErrPathOutside},
		{"/../etc/passwd", "", ErrPathOutside},
		{"a/../../b", "", ErrPathOutside},
		{"~/../x", "", ErrPathOutside},
		{"./~/x", "", ErrTildePath},
		{long, "", syscall.ENAMETOOLONG},
		{strings.Repeat("x/", 2049), "", syscall.ENAMETOOLONG},
	} {
		got, err := clean("/home/alice", c.raw)
		if got != c.want || !errors.Is(err, c.err) {
			t.Errorf("clean %.40q: got %q, %v; want %q, %v", c.raw, got, err, c.want, c.err)
		}
	}
}

func TestPath_Escape_IsRefused(t *testing.T) {
	ws, dir := open(t, protocol.FilePolicy{}, map[string]string{"in.txt": "in"})
	outside := t.TempDir()
	secret := filepath.Join(outside, "secret")
	must(t, os.WriteFile(secret, []byte("secret"), 0o644))
	for name, target := range map[string]string{
		"abs": secret, "absdir": outside, "up": "../" + filepath.Base(outside), "hop": "absdir", "deep": "abs/../../x",
		"self": dir,
	} {
		must(t, os.Symlink(target, filepath.Join(dir, name)))
	}
	for _, path := range []string{"abs", "absdir/secret", "absdir/new", "up", "hop/secret", "deep", "self/in.txt"} {
		t.Run(path, func(t *testing.T) {
			_, err := ws.Open(path)
			wantError(t, err, ErrPathOutside, "read "+path)
			_, err = ws.WriteFile(path, []byte("x"), ModeReplace)
			wantError(t, err, ErrPathOutside, "write "+path)
			_, err = ws.AppendFile(path, []byte("x"))
			wantError(t, err, ErrPathOutside, "append to "+path)
			_, err = ws.MoveFile(t.Context(), "in.txt", path+"/y")
			wantError(t, err, ErrPathOutside, "move to "+path)
			wantError(t, ws.Walk(t.Context(), path, nil), ErrPathOutside, "list "+path)
		})
	}
	if got := content(t, secret); got != "secret" {
		t.Fatalf("the file outside now holds %q", got)
	}
	if where, err := ws.MoveToTrash(t.Context(), "abs", noon); err != nil || content(t, secret) != "secret" {
		t.Fatalf("a link out is deleted as the link it is: %s, %v", where, err)
	}
}

func TestPath_LinkWithinWorkspace_IsFollowed(t *testing.T) {
	ws, dir := open(t, protocol.FilePolicy{}, map[string]string{"real/a.md": "a\n"})
	must(t, os.Symlink("real", filepath.Join(dir, "short")))
	must(t, os.Symlink("../short/a.md", filepath.Join(dir, "real", "again.md")))
	must(t, os.Symlink("loop2", filepath.Join(dir, "loop1")))
	must(t, os.Symlink("loop1", filepath.Join(dir, "loop2")))
	_, err := ws.WriteFile("short/again.md", []byte("b\n"), ModeReplace)
	must(t, err)
	if got := content(t, filepath.Join(dir, "real/a.md")); got != "b\n" {
		t.Fatalf("got %q behind the link", got)
	}
	if info, err := os.Lstat(filepath.Join(dir, "real/again.md")); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Fatalf("the link was replaced: %v, %v", info, err)
	}
	_, err = ws.Open("loop1")
	wantError(t, err, syscall.ELOOP, "round in a circle")
}

func TestOpen_NotRegular_IsRefused(t *testing.T) {
	ws, dir := open(t, protocol.FilePolicy{}, map[string]string{"folder/a": "", "file": "x"})
	must(t, syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o644))
	for _, c := range []struct {
		path string
		is   error
		says string
	}{
		{"fifo", ErrSpecialFile, "fifo: it is neither a file nor a folder"},
		{"folder", syscall.EISDIR, "folder: it is a folder"},
		{".", syscall.EISDIR, ".: it is a folder"},
		{"new/", syscall.EISDIR, "new/: it is a folder"},
		{"file/below", syscall.ENOTDIR, "a name on the way to it is a file"},
	} {
		_, err := ws.WriteFile(c.path, []byte("x"), ModeReplace)
		wantError(t, err, c.is, c.says)
		_, err = ws.AppendFile(c.path, []byte("x"))
		wantError(t, err, c.is, c.says)
		if c.path != "new/" {
			_, err = ws.Open(c.path)
			wantError(t, err, c.is, c.says)
		}
	}
	_, err := ws.Open("missing")
	wantError(t, err, fs.ErrNotExist, "read missing: there is no such file or folder")
	// A file may be replaced between the check of its path and the call of open.
	f, err := openRegular(ws.root, "fifo", os.O_RDONLY)
	if !errors.Is(err, ErrSpecialFile) || f != nil {
		t.Fatalf("opening the FIFO: %v, %v", f, err)
	}
}

func TestWrite_Overwrite_KeepsPermissions(t *testing.T) {
	ws, dir := open(t, protocol.FilePolicy{}, map[string]string{"run.sh": "old", "locked": "old"})
	must(t, os.Chmod(filepath.Join(dir, "run.sh"), 0o750))
	must(t, os.Chmod(filepath.Join(dir, "locked"), 0o444))
	reader, err := ws.Open("run.sh")
	must(t, err)
	defer reader.Close()
	created, err := ws.WriteFile("run.sh", []byte("new"), ModeReplace)
	if err != nil || created {
		t.Fatalf("write over: created %v, %v", created, err)
	}
	old := make([]byte, 8)
	if n, _ := reader.Read(old); string(old[:n]) != "old" {
		t.Fatalf("who had the file open now reads %q: it was written in place", old[:n])
	}
	info, err := os.Stat(filepath.Join(dir, "run.sh"))
	if err != nil || info.Mode().Perm() != 0o750 || content(t, filepath.Join(dir, "run.sh")) != "new" {
		t.Fatalf("after the write: %v, %v", info.Mode(), err)
	}
	_, err = ws.WriteFile("locked", []byte("new"), ModeReplace)
	wantError(t, err, ErrReadOnly, "write locked: it is marked read-only")
	created, err = ws.WriteFile("a/b/c.txt", nil, ModeReplace)
	if err != nil || !created || content(t, filepath.Join(dir, "a/b/c.txt")) != "" {
		t.Fatalf("new folders: created %v, %v", created, err)
	}
}

func TestWrite_ModeCreate_RefusesExistingFile(t *testing.T) {
	ws, _ := open(t, protocol.FilePolicy{}, map[string]string{"a": "one"})
	_, err := ws.WriteFile("a", []byte("two"), ModeCreate)
	wantError(t, err, fs.ErrExist, "write a: there is something with this name already")
	if created, err := ws.WriteFile("a", []byte("one"), ModeCreate); created || err != nil {
		t.Fatalf("the same again: created %v, %v", created, err)
	}
	if created, err := ws.WriteFile("b", []byte("two"), ModeCreate); !created || err != nil {
		t.Fatalf("a new one: created %v, %v", created, err)
	}
}

func TestAppend_Text_AddsLineAtEnd(t *testing.T) {
	for _, c := range []struct{ name, before, add, after string }{
		{"after a whole line", "one\n", "two\n", "one\ntwo\n"},
		{"after half a line", "one", "two", "one\ntwo"},
		{"to an empty file", "", "one", "one"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ws, dir := open(t, protocol.FilePolicy{}, map[string]string{"a": c.before})
			if created, err := ws.AppendFile("a", []byte(c.add)); created || err != nil {
				t.Fatalf("created %v, %v", created, err)
			}
			if got := content(t, filepath.Join(dir, "a")); got != c.after {
				t.Fatalf("got %q, want %q", got, c.after)
			}
		})
	}
	ws, dir := open(t, protocol.FilePolicy{}, nil)
	if created, err := ws.AppendFile("logs/new", []byte("x")); !created || err != nil || content(t, filepath.Join(dir,
		"logs/new")) != "x" {
		t.Fatalf("a new file: created %v, %v", created, err)
	}
}

func TestSweep_CrashLeftovers_AreRemoved(t *testing.T) {
	ws, dir := open(t, protocol.FilePolicy{Exclude: []string{"secret"}}, map[string]string{
		"a": "whole", ".mews-OLD.tmp": "ha", "sub/.mews-NEW.tmp": "ha", "secret/.mews-OLD.tmp": "x", ".mews-.tmp": "no leftover",
	})
	must(t, os.Chtimes(filepath.Join(dir, ".mews-OLD.tmp"), noon, noon.Add(-2*time.Hour)))
	must(t, os.Chtimes(filepath.Join(dir, "secret/.mews-OLD.tmp"), noon, noon.Add(-2*time.Hour)))
	must(t, os.Chtimes(filepath.Join(dir, "sub/.mews-NEW.tmp"), noon, noon))
	if got := names(t, ws, "."); !slices.Equal(got, []string{".mews-.tmp", "a", "sub"}) {
		t.Fatalf("the walk shows %v", got)
	}
	_, err := ws.WriteFile("x/.mews-1.tmp", nil, ModeReplace)
	wantError(t, err, ErrReservedName, "kept for files that are being written")
	n, err := ws.RemoveHalfWrittenFiles(t.Context(), noon.Add(-time.Hour))
	if n != 2 || err != nil {
		t.Fatalf("swept %d, %v; want 2", n, err)
	}
	if content(t, filepath.Join(dir, "sub/.mews-NEW.tmp")) != "ha" {
		t.Fatal("a file that may still be being written was swept")
	}
}

func TestWalk_Folder_VisitsVisibleFiles(t *testing.T) {
	ws, dir := open(t, protocol.FilePolicy{}, map[string]string{
		"b/2": "", "b/1": "", "a.txt": "", "a/x/y": "", ".trash/s-1/gone": "", "c": "",
	})
	must(t, os.Symlink("b", filepath.Join(dir, "link")))
	if got := names(t, ws, "."); !slices.Equal(got, []string{"a", "a/x", "a/x/y", "a.txt", "b", "b/1", "b/2", "c", "link"}) {
		t.Fatalf("got %v", got)
	}
	if got := names(t, ws, ".trash"); !slices.Equal(got, []string{".trash/s-1", ".trash/s-1/gone"}) {
		t.Fatalf("the trash by its name: got %v", got)
	}
	if got := names(t, ws, "b/2"); !slices.Equal(got, []string{"b/2"}) {
		t.Fatalf("a file: got %v", got)
	}
	var top []string
	must(t, ws.Walk(t.Context(), "/", func(e Entry) error {
		top = append(top, e.Path)
		if e.Path == "c" {
			return fs.SkipAll
		}
		if e.Info.IsDir() {
			return fs.SkipDir
		}
		return nil
	}))
	if !slices.Equal(top, []string{"a", "a.txt", "b", "c"}) {
		t.Fatalf("with skips: got %v", top)
	}
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	err := ws.Walk(ctx, ".", func(Entry) error { cancel(stop); return nil })
	if !errors.Is(err, stop) {
		t.Fatalf("after the context ended: %v", err)
	}
}

func TestError_SystemErrors_AreSentences(t *testing.T) {
	for _, r := range reasons {
		err := wrapError("write", "a\nb", &fs.PathError{Op: "openat", Path: "/x", Err: r.is})
		if got := err.Error(); got != `write "a\nb": `+r.text {
			t.Errorf("got %q", got)
		}
	}
	err := wrapError("read", strings.Repeat("x", 5000), &fs.PathError{Op: "openat", Path: "/x", Err: syscall.ENXIO})
	if got := err.Error(); len(got) > 400 || strings.Contains(got, "openat") {
		t.Errorf("got %q", got)
	}
}
