package archive

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

var options = Options{MaxBytes: 64 << 20, MaxNamed: 5, MaxText: 40}

// fill makes a folder. A name that ends in a slash is a folder, and a text that begins with -> is a
// link.
func fill(t *testing.T, files map[string]string) string {
	t.Helper()
	home := t.TempDir()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		at, text := filepath.Join(home, name), files[name]
		err := os.MkdirAll(filepath.Dir(at), 0o755)
		target, link := strings.CutPrefix(text, "->")
		switch {
		case strings.HasSuffix(name, "/"):
			err = errors.Join(err, os.MkdirAll(at, 0o755))
		case link:
			err = errors.Join(err, os.Symlink(target, at))
		default:
			err = errors.Join(err, os.WriteFile(at, []byte(text), 0o640))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return home
}

// members returns the contents of an archive by name: a file's text, or a link's target after ->.
func members(t *testing.T, archive io.Reader) map[string]string {
	t.Helper()
	all := map[string]string{}
	r := tar.NewReader(archive)
	for {
		h, err := r.Next()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if all[h.Name] = string(text); h.Typeflag == tar.TypeSymlink {
			all[h.Name] = "->" + h.Linkname
		}
	}
}

func write(t *testing.T, home string, o Options) (map[string]string, Result) {
	t.Helper()
	var out bytes.Buffer
	result, err := Write(t.Context(), home, &out, o)
	if err != nil {
		t.Fatal(err)
	}
	if int64(out.Len()) > o.MaxBytes {
		t.Errorf("the archive has %d bytes, and %d were allowed", out.Len(), o.MaxBytes)
	}
	return members(t, &out), result
}

func TestArchive_HasAllFilesOfHome(t *testing.T) {
	outside := fill(t, map[string]string{"secret": "not yours"})
	home := fill(t, map[string]string{
		"todo.md": "milk\n", "notes/a.md": "a", "empty/": "", ".trash/old": "gone", "link": "->notes/a.md",
		"out": "->" + outside + "/secret", "folder out": "->" + outside, strings.Repeat("long/", 60) + "ö.md": "deep",
	})
	if err := syscall.Mkfifo(filepath.Join(home, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	when := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	if err := os.Chtimes(filepath.Join(home, "todo.md"), when, when); err != nil {
		t.Fatal(err)
	}
	got, result := write(t, home, options)
	want := map[string]string{
		"files/": "", "files/todo.md": "milk\n", "files/notes/": "", "files/notes/a.md": "a", "files/empty/": "",
		"files/.trash/": "", "files/.trash/old": "gone", "files/link": "->notes/a.md", "files/out": "->" + outside + "/secret",
		"files/folder out": "->" + outside, "files/" + strings.Repeat("long/", 60) + "ö.md": "deep",
		"left-out.txt": "\"pipe\": it is neither a file nor a folder nor a link\n",
	}
	for i := range 60 {
		want["files/"+strings.Repeat("long/", i+1)] = ""
	}
	if !maps.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	left := []OmittedFile{{"pipe", "it is neither a file nor a folder nor a "}}
	if result.Files != 4 || result.Bytes != int64(len("milk\n"+"a"+"gone"+"deep")) || !slices.Equal(result.LeftOut, left) || result.More != 0 {
		t.Errorf("got %+v", result)
	}
}

func TestArchive_KeepsPermissionsAndTimes(t *testing.T) {
	home := fill(t, map[string]string{"run.sh": "#!/bin/sh\n"})
	when := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	at := filepath.Join(home, "run.sh")
	if err := errors.Join(os.Chmod(at, 0o750), os.Chtimes(at, when, when)); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := Write(t.Context(), home, &out, options); err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(&out); ; {
		h, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if h.Name == "files/run.sh" {
			if h.Mode != 0o750 || !h.ModTime.Equal(when) {
				t.Errorf("mode %o, %v", h.Mode, h.ModTime)
			}
			return
		}
	}
}

func TestArchive_FileTooLarge_IsOmitted(t *testing.T) {
	home := fill(t, map[string]string{"a.md": "a", "b.bin": strings.Repeat("b", 600<<10), "c.bin": strings.Repeat("c", 600<<10), "d.md": "d"})
	got, result := write(t, home, Options{MaxBytes: 1 << 20, MaxNamed: 5, MaxText: 1000})
	if _, there := got["files/c.bin"]; there || got["files/a.md"] != "a" || got["files/d.md"] != "d" || len(got["files/b.bin"]) != 600<<10 {
		t.Errorf("got %q", slices.Sorted(maps.Keys(got)))
	}
	reason := "its 614400 bytes do not fit: the archive may have 1048576 bytes"
	if !slices.Equal(result.LeftOut, []OmittedFile{{"c.bin", reason}}) || result.Files != 3 ||
		!strings.Contains(got["left-out.txt"], reason) {
		t.Errorf("got %+v", result)
	}
}

// TestArchive_HugeSparseFile_KeepsOtherFiles: a quota does not count holes, so a sparse file may be
// larger than the limit of the archive.
func TestArchive_HugeSparseFile_KeepsOtherFiles(t *testing.T) {
	home := fill(t, map[string]string{"a.img": "", "z.bin": strings.Repeat("z", 600<<10)})
	if err := os.Truncate(filepath.Join(home, "a.img"), 600<<10<<1); err != nil {
		t.Fatal(err)
	}
	got, _ := write(t, home, Options{MaxBytes: 2 << 20, MaxNamed: 5, MaxText: 1000})
	if len(got["files/a.img"]) != 0 || len(got["files/z.bin"]) != 600<<10 || !strings.Contains(got["left-out.txt"], `"a.img"`) {
		t.Errorf("got %q: %s", slices.Sorted(maps.Keys(got)), got["left-out.txt"])
	}
	got, _ = write(t, home, options)
	if got["files/a.img"] != strings.Repeat("\x00", 600<<10<<1) {
		t.Errorf("the holes were read as %d bytes", len(got["files/a.img"]))
	}
}

func TestArchive_AnyHome_StaysBelowMaxBytes(t *testing.T) {
	files := map[string]string{}
	for i := range 1500 {
		files[fmt.Sprintf("%s/%d%s", strings.Repeat("ä", 50), i, strings.Repeat("ö", i%100))] = strings.Repeat("x", i%1000)
		files[fmt.Sprintf("link%d", i)] = "->" + strings.Repeat("far/", i%500+1)
	}
	home := fill(t, files)
	got, result := write(t, home, Options{MaxBytes: 1 << 20, MaxNamed: 5, MaxText: 1000})
	if len(result.LeftOut) != 5 || result.More == 0 || !strings.Contains(got["left-out.txt"], "\nand ") {
		t.Errorf("%d members, %d and %d left out", len(got), len(result.LeftOut), result.More)
	}
	if len(got["left-out.txt"]) > maxLeftOut {
		t.Errorf("the list of what was left out has %d bytes", len(got["left-out.txt"]))
	}
}

func TestArchive_UnreadableFolder_IsNamed(t *testing.T) {
	home := fill(t, map[string]string{"closed/a": "a", "file": "f", "open": "o"})
	if err := errors.Join(os.Chmod(filepath.Join(home, "closed"), 0), os.Chmod(filepath.Join(home, "file"), 0)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(filepath.Join(home, "closed"), 0o700) })
	defer notRoot(t, home)() // runs without root's right to read all files
	got, result := write(t, home, options)
	if got["files/open"] != "o" || len(result.LeftOut) != 2 {
		t.Errorf("got %q, %+v", got, result)
	}
}

// changingWriter is a writer that changes the home after it has got a number of bytes.
type changingWriter struct {
	bytes.Buffer
	after  int
	change func()
}

func (c *changingWriter) Write(p []byte) (int, error) {
	if c.Len() >= c.after && c.change != nil {
		c.change()
		c.change = nil
	}
	return c.Buffer.Write(p)
}

func TestArchive_ChangingFile_KeepsItsSize(t *testing.T) {
	whole := strings.Repeat("0123456789abcdef", 64<<10)
	home := fill(t, map[string]string{"a": whole, "b": "->a", "c": "c"})
	at := filepath.Join(home, "a")
	for name, c := range map[string]struct {
		change func() error
		text   string // the beginning of the file's contents
		left   bool
	}{
		"shorter": {func() error { return os.Truncate(at, 0) }, whole[:100], true},
		"longer":  {func() error { return os.WriteFile(at, []byte(whole+"more"), 0o600) }, whole, false},
	} {
		if err := os.WriteFile(at, []byte(whole), 0o600); err != nil {
			t.Fatal(err)
		}
		out := &changingWriter{after: 4096, change: func() {
			if err := c.change(); err != nil {
				t.Error(err)
			}
		}}
		result, err := Write(t.Context(), home, out, options)
		if err != nil {
			t.Fatal(err)
		}
		got := members(t, out)
		if len(got["files/a"]) != len(whole) || !strings.HasPrefix(got["files/a"], c.text) || (len(result.LeftOut) > 0) != c.left || got["files/c"] != "c" {
			t.Errorf("%s: %d bytes, %+v", name, len(got["files/a"]), result)
		}
	}
}

func TestArchive_ContextOrWriterEnds_Fails(t *testing.T) {
	home := fill(t, map[string]string{"a": "a"})
	why := errors.New("over")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	if _, err := Write(ctx, home, io.Discard, options); !errors.Is(err, why) {
		t.Errorf("got %v", err)
	}
	full := errors.New("full")
	r, w := io.Pipe()
	r.CloseWithError(full)
	if _, err := Write(t.Context(), home, w, options); !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
	if _, err := Write(t.Context(), filepath.Join(home, "none"), io.Discard, options); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}
