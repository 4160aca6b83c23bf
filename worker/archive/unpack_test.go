package archive

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
)

// unpackOptions names the archive of a test.
var unpackOptions = UnpackOptions{Name: "archive-1", MaxNamed: 5, MaxText: 40}

// contents returns the files and links of a folder, as members does.
func contents(t *testing.T, folder string) map[string]string {
	t.Helper()
	var out bytes.Buffer
	if _, err := Write(t.Context(), folder, &out, options); err != nil {
		t.Fatal(err)
	}
	return members(t, &out)
}

func TestUnpack_Archive_RestoresTheHome(t *testing.T) {
	outside := fill(t, map[string]string{"secret": "not yours"})
	home := fill(t, map[string]string{"todo.md": "milk\n", "notes/a.md": "a", "empty/": "", "link": "->notes/a.md",
		"out": "->" + outside, "dangling": "->nowhere", "run.sh": "#!/bin/sh\n"})
	when := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	err := errors.Join(os.Chmod(filepath.Join(home, "run.sh"), 0o750), os.Chmod(filepath.Join(home, "empty"), 0o500),
		os.Chtimes(filepath.Join(home, "notes"), when, when), os.Chtimes(filepath.Join(home, "todo.md"), when, when))
	var packed bytes.Buffer
	if _, bad := Write(t.Context(), home, &packed, options); err != nil || bad != nil {
		t.Fatal(err, bad)
	}
	var compressed bytes.Buffer
	z, err := zstd.NewWriter(&compressed, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	if _, bad := packed.WriteTo(z); bad != nil || z.Close() != nil {
		t.Fatal(bad)
	}
	to := t.TempDir()
	result, err := Unpack(t.Context(), to, &compressed, unpackOptions)
	if err != nil || result.Files != 3 || result.Bytes != int64(len("milk\na#!/bin/sh\n")) || len(result.LeftOut) > 0 {
		t.Fatalf("got %+v, %v", result, err)
	}
	if got, want := contents(t, to), contents(t, home); !maps.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	for name, mode := range map[string]fs.FileMode{"run.sh": 0o750, "empty": 0o500} {
		if info, err := os.Stat(filepath.Join(to, name)); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	for _, name := range []string{"notes", "todo.md"} {
		if info, err := os.Stat(filepath.Join(to, name)); err != nil || !info.ModTime().Equal(when) {
			t.Errorf("%s was changed at %v, %v", name, info.ModTime(), err)
		}
	}
}

// tarOf returns an archive of members, whose names are below files/.
func tarOf(t *testing.T, list ...tar.Header) *bytes.Buffer {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, h := range list {
		text := ""
		if h.Typeflag == tar.TypeReg {
			text = "evil"
			h.Size = int64(len(text))
		}
		h.Name, h.Mode = filesFolder+"/"+h.Name, 0o755
		err := w.WriteHeader(&h)
		if _, bad := io.WriteString(w, text); err != nil || bad != nil {
			t.Fatal(err, bad)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return &out
}

func TestUnpack_HostileArchive_WritesOnlyInHome(t *testing.T) {
	outside := t.TempDir()
	hostile := tarOf(t, tar.Header{Name: "link", Typeflag: tar.TypeSymlink, Linkname: outside},
		tar.Header{Name: "link/planted", Typeflag: tar.TypeReg}, tar.Header{Name: "../up", Typeflag: tar.TypeReg},
		tar.Header{Name: "hard", Typeflag: tar.TypeLink, Linkname: outside + "/x"},
		tar.Header{Name: "pipe", Typeflag: tar.TypeFifo}, tar.Header{Name: unfinishedFile, Typeflag: tar.TypeReg})
	to := t.TempDir()
	for range 2 { // a repeat finds the files of the first call
		if err := os.WriteFile(filepath.Join(to, unfinishedFile), []byte(unpackOptions.Name), 0o600); err != nil {
			t.Fatal(err)
		}
		result, err := Unpack(t.Context(), to, bytes.NewReader(hostile.Bytes()), unpackOptions)
		if err != nil || result.Files != 1 || len(result.LeftOut) != 4 {
			t.Errorf("got %+v, %v", result, err)
		}
		want := map[string]string{"files/": "", "files/link/": "", "files/link/planted": "evil", leftOutFile: ""}
		if got := contents(t, to); !maps.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if entries, err := os.ReadDir(outside); err != nil || len(entries) > 0 {
		t.Errorf("outside: %v, %v", entries, err)
	}
}

func TestUnpack_FullFolder_IsRefusedUnchanged(t *testing.T) {
	for _, files := range []map[string]string{{"mine.md": "keep"}, {"mine.md": "keep", unfinishedFile: "another"}} {
		to := fill(t, files)
		before := contents(t, to)
		archive := tarOf(t, tar.Header{Name: "mine.md", Typeflag: tar.TypeReg})
		if _, err := Unpack(t.Context(), to, archive, unpackOptions); !errors.Is(err, ErrNotEmpty) {
			t.Errorf("got %v", err)
		}
		if after := contents(t, to); !maps.Equal(before, after) {
			t.Errorf("got %q, was %q", after, before)
		}
	}
}

// cutReader fails after a number of bytes, as if its process had been killed.
type cutReader struct {
	io.Reader
	left int
}

var errCut = errors.New("cut")

func (c *cutReader) Read(p []byte) (int, error) {
	if c.left == 0 {
		return 0, errCut
	}
	n, err := c.Reader.Read(p[:min(len(p), c.left)])
	c.left -= n
	return n, err
}

// An archive that ends early at any block, and a repeat after that: the repeat restores all.
func TestUnpack_CutAnywhere_RepeatRestoresAll(t *testing.T) {
	home := fill(t, map[string]string{"a": strings.Repeat("a", 700), "b/c": "c", "b/link": "->c", "z": "last"})
	var packed bytes.Buffer
	if _, err := Write(t.Context(), home, &packed, options); err != nil {
		t.Fatal(err)
	}
	want := contents(t, home)
	for cut := 0; cut < packed.Len(); cut += block {
		to := t.TempDir()
		_, err := Unpack(t.Context(), to, &cutReader{bytes.NewReader(packed.Bytes()), cut}, unpackOptions)
		ended := err == nil // the end of the archive is after the last file
		if !ended && !errors.Is(err, errCut) {
			t.Fatal(err)
		}
		if _, err := os.Lstat(filepath.Join(to, unfinishedFile)); (err == nil) == ended {
			t.Errorf("cut at %d: the home is marked as unfinished: %v", cut, err)
		}
		if ended {
			continue
		}
		if _, err := Unpack(t.Context(), to, bytes.NewReader(packed.Bytes()), unpackOptions); err != nil {
			t.Fatal(err)
		}
		if got := contents(t, to); !maps.Equal(got, want) {
			t.Errorf("cut at %d: got %q, want %q", cut, got, want)
		}
	}
}

func TestUnpack_CancelledContext_Stops(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errCut)
	archive := tarOf(t, tar.Header{Name: "a", Typeflag: tar.TypeReg})
	if _, err := Unpack(ctx, t.TempDir(), archive, unpackOptions); !errors.Is(err, errCut) {
		t.Errorf("got %v", err)
	}
}
