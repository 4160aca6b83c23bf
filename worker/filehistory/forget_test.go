package filehistory

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mews/protocol"
)

// unpacked returns all files of the history, with the payloads of all records unpacked.
func (f *fixture) unpacked() []byte {
	f.t.Helper()
	var all bytes.Buffer
	files, err := filepath.Glob(f.history + "/*")
	f.check(err)
	for _, name := range files {
		b, err := os.ReadFile(name)
		f.check(err)
		all.Write(b)
		id, ok := parsePackHeader(b)
		if !ok {
			continue
		}
		_, bad := scanRecords(b, packHeader, id, func(_ int, r frame) {
			payload, err := r.payload()
			f.check(err)
			all.Write(payload)
		})
		if bad > 0 {
			f.t.Fatal("damaged")
		}
	}
	return all.Bytes()
}

func TestForget_Paths_LeavesNoTrace(t *testing.T) {
	f := newFixture(t)
	secret := strings.Repeat("Alice's secret ", 20)
	f.write("private/secretname.md", secret+"1")
	f.write("shared-copy", "everybody has this")
	f.write("private/shared-too", "everybody has this")
	f.write("other", "public")
	for i := range 3 {
		f.program(func() { f.write("private/secretname.md", secret+strings.Repeat("x", i+2)) })
	}
	open, err := f.h.options.Home.OpenRegularFile("private/secretname.md")
	f.check(err)
	_, err = f.h.Keep(context.Background(), open, 1<<20)
	f.check(err)
	f.check(open.Close())
	p := f.begin()
	f.check(os.RemoveAll(f.path("private")))
	_, err = p.End(context.Background(), f.walk(), protocol.HistoryAuthor{Kind: protocol.HistoryAuthorProgram,
		Words: "rm private/secretname.md"})
	f.check(err)
	f.keepAll()
	found, err := f.h.Search(context.Background(), []string{"private", "other"}, []string{"ALICE'S SECRET"})
	f.check(err)
	if len(found) != 1 || found[0] != "private/secretname.md" {
		t.Errorf("found %q", found)
	}
	n, err := f.h.Forget(context.Background(), []string{"private/secretname.md"})
	f.check(err)
	if n < 4 {
		t.Errorf("forgot %d versions", n)
	}
	f.reopen()
	f.program(func() { f.write("other", "changed") })
	all := f.unpacked()
	for _, trace := range []string{"Alice", "secretname"} {
		if bytes.Contains(all, []byte(trace)) {
			t.Errorf("%q is still there", trace)
		}
	}
	if got := f.version("private/shared-too", 1) + f.version("other", 1); got != "everybody has thispublic" {
		t.Errorf("got %q", got)
	}
	if len(f.reports) > 0 {
		t.Error(f.reports)
	}
}

func TestForget_FileThatStays_IsKeptAgain(t *testing.T) {
	f := newFixture(t)
	f.write("MEMORY.md", "a fact to forget")
	f.program(func() { f.write("MEMORY.md", "") })
	_, err := f.h.Forget(context.Background(), []string{"MEMORY.md"})
	f.check(err)
	span := f.program(func() { f.check(os.Remove(f.path("MEMORY.md"))) })
	undone := f.undo(span, false, "undo 1")
	if f.read("MEMORY.md") != "" || bytes.Contains(f.unpacked(), []byte("a fact")) {
		t.Errorf("got %q, %+v", f.read("MEMORY.md"), undone)
	}
}
