package filehistory

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"mews/protocol"
)

// TestLoad_BadSector_KeepsTheRest rebuilds the index while a part of a pack can't be read.
func TestLoad_BadSector_KeepsTheRest(t *testing.T) {
	f := newFixture(t)
	f.write("a", noise(1, 9<<20))
	f.program(func() { f.write("b", "first") })
	f.keepAll()
	f.program(func() { f.write("c", noise(2, 9<<20)) })
	f.keepAll()
	f.close()
	f.check(os.Remove(filepath.Join(f.history, indexName)))
	f.open()
	f.h.folder.unreadable = func(name string, from, to int64) bool {
		return name == packName(1) && from < 5<<20 && 5<<20 < to
	}
	if got := f.version("b", 0) + f.version("c", 0); got != "first"+noise(2, 9<<20) {
		t.Errorf("got %d bytes", len(got))
	}
	f.program(func() { f.write("b", "second") })
	f.keepAll()
	size := f.h.Space().Bytes
	f.check(f.h.Thin(context.Background()))
	if len(f.reports) == 0 {
		t.Error("nothing was reported")
	}
	f.reports = nil
	f.reopen() // the index names the pack as bad
	if got := f.version("b", 0); got != "second" || len(f.reports) > 0 || f.h.Space().Bytes < size {
		t.Errorf("got %q, %v", got, f.reports)
	}
}

// TestLoad_BadHeader_IsReportedOnce damages the header of a pack.
func TestLoad_BadHeader_IsReportedOnce(t *testing.T) {
	for name, packs := range map[string]uint32{"last pack": 1, "other pack": 2} {
		f := newFixture(t)
		f.write("a", "one")
		if packs == 2 {
			f.write("big", noise(1, 17<<20))
		}
		f.program(func() {})
		f.close()
		path := filepath.Join(f.history, packName(1))
		b, err := os.ReadFile(path)
		f.check(err)
		b[3] ^= 1
		f.check(os.WriteFile(path, b, fileMode))
		f.open()
		f.program(func() { f.write("a", "two") })
		f.keepAll()
		if len(f.reports) != 1 {
			t.Errorf("%s: got %v", name, f.reports)
		}
		f.reports = nil
		f.reopen()
		if got := f.version("a", 0); got != "two" || len(f.reports) > 0 {
			t.Errorf("%s: got %q, %v", name, got, f.reports)
		}
		if left, err := os.ReadFile(path); err != nil || !bytes.Equal(left, b) {
			t.Errorf("%s: the damaged pack was changed: %v", name, err)
		}
		f.close()
	}
}

// TestExport_PackReplaced_HasAllVersions replaces packs after the export has begun.
func TestExport_PackReplaced_HasAllVersions(t *testing.T) {
	f := newFixture(t)
	for _, text := range []string{"one", "two", "three"} {
		f.program(func() { f.write("a", text+strings.Repeat("!", 100)) })
		f.keepAll()
	}
	f.close()
	f.open()
	dir, err := os.Open(f.history)
	f.check(err)
	defer dir.Close()
	r, err := NewReader(dir, f.report)
	f.check(err)
	defer r.Close()
	f.pass(3 * day)
	f.check(f.h.Thin(context.Background()))
	if _, err := f.h.Forget(context.Background(), []string{"b"}); err != nil {
		t.Fatal(err)
	}
	var lines bytes.Buffer
	sums, err := r.WriteVersions(context.Background(), &lines)
	f.check(err)
	if len(sums) != 3 || strings.Count(lines.String(), "\n") != 3 || len(f.reports) > 0 {
		t.Errorf("got %d files, %v\n%s", len(sums), f.reports, &lines)
	}
}

// TestSync_AfterFailure_WritesAgain: the disk fails once, and drops what it could not write.
func TestSync_AfterFailure_WritesAgain(t *testing.T) {
	failing, writes := false, 0
	f := newFixture(t, func(o *Options) {
		o.inject = func(step, name string) error {
			if step == "write" && name == packName(1) {
				writes++
			}
			if step == "sync" && failing && name == packName(1) {
				return unix.EIO
			}
			return nil
		}
	})
	f.program(func() { f.write("a", "one") })
	p := f.begin()
	f.write("a", "two")
	failing = true
	if _, err := p.End(context.Background(), f.walk(), byProgram); !errors.Is(err, unix.EIO) {
		t.Fatalf("got %v", err)
	}
	failing, writes = false, 0
	f.check(f.h.do(func(s *store) error { return s.packs.sync() }))
	if writes != 1 {
		t.Errorf("the pack was written %d times", writes)
	}
	p = f.begin()
	f.write("a", "three")
	failing = true
	if _, err := p.End(context.Background(), f.walk(), byProgram); !errors.Is(err, unix.EIO) {
		t.Errorf("got %v", err)
	}
	failing = false
	path := filepath.Join(f.history, packName(1))
	info, err := os.Stat(path)
	f.check(err)
	f.check(f.h.do(func(s *store) error {
		lost, err := os.OpenFile(path, os.O_WRONLY, 0)
		f.check(err)
		_, err = lost.WriteAt(make([]byte, 8), info.Size()-8)
		f.check(errors.Join(err, lost.Close()))
		if err := s.packs.sync(); err == nil {
			t.Error("lost bytes count as synced")
		}
		s.packs.find(1).unsynced = false
		return nil
	}))
}

// TestForget_StoppedBetweenPacks_KeepsPaths: packs that were not rewritten have the path.
func TestForget_StoppedBetweenPacks_KeepsPaths(t *testing.T) {
	f := newFixture(t)
	f.write("big", noise(1, 17<<20))
	f.write("a", "one")
	f.program(func() { f.write("c", "1") })
	f.keepAll()
	stopped, stop := context.WithCancel(context.Background())
	stop()
	if _, err := f.h.Forget(stopped, []string{"a"}); err == nil {
		t.Fatal("it was not stopped")
	}
	if got := f.version("a", 1); got != "one" {
		t.Errorf("got %q", got)
	}
	before := f.lastPoint()
	f.check(f.h.Scan(context.Background()))
	if f.lastPoint() != before {
		t.Error("the path was found as new")
	}
}

func TestForget_ShortName_KeepsOtherWords(t *testing.T) {
	f := newFixture(t)
	f.write("a", "1")
	for by, forgotten := range map[protocol.HistoryAuthor]bool{
		{Kind: protocol.HistoryAuthorTool, Words: "write_file a"}:   false,
		{Kind: protocol.HistoryAuthorUndo, Words: "undo 12"}:        false,
		{Kind: protocol.HistoryAuthorProgram, Words: "cat abc"}:     false,
		{Kind: protocol.HistoryAuthorProgram, Words: "rm -- 'a'"}:   true,
		{Kind: protocol.HistoryAuthorProgram, Words: "mv aa ./A"}:   true,
		{Kind: protocol.HistoryAuthorProgram, Words: "touch a.bak"}: true,
	} {
		f.check(f.h.do(func(s *store) error {
			_, err := s.appendPoint(point{by: by}, nil)
			return err
		}))
		_, err := f.h.Forget(context.Background(), []string{"a"})
		f.check(err)
		span, err := f.h.FindSpan(by)
		f.check(err)
		if (span.To == 0) != forgotten {
			t.Errorf("%q: got %+v", by.Words, span)
		}
	}
}
