package filehistory

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mews/protocol"
)

func TestUndoSpan_DeletedHome_ComesBack(t *testing.T) {
	f := newFixture(t)
	f.write("diary.md", "dear diary")
	f.write("notes/a/b.md", strings.Repeat("note ", 1000))
	f.write("big.bin", strings.Repeat("0123456789abcdef", 3<<16))
	f.check(os.Mkdir(f.path("empty"), 0o750))
	f.check(os.Chmod(f.path("diary.md"), 0o600))
	f.check(os.Symlink("diary.md", f.path("link")))
	f.check(os.Symlink("/nowhere", f.path("notes/broken")))
	f.check(os.Chmod(f.path("notes/a"), 0o555))
	f.write("notes/x", "")
	was := f.contents()
	span := f.program(func() {
		f.check(os.Chmod(f.path("notes/a"), 0o755))
		for name := range was {
			f.check(os.RemoveAll(f.path(name)))
		}
	})
	undone := f.undo(span, false, "undo 1")
	if diff := cmp.Diff(was, f.contents()); diff != "" || undone.Restored.Count != int64(len(was)) {
		t.Errorf("got %+v\n%s", undone, diff)
	}
	again := f.undo(*undone.Span, false, "undo 2")
	if got := f.contents(); len(got) != 0 || again.Restored.Count != int64(len(was)) {
		t.Errorf("got %v after the undo back, %+v", got, again)
	}
}

func TestProgram_WithoutChange_HasNoSpan(t *testing.T) {
	f := newFixture(t)
	f.write("a", "1")
	f.program(func() {})
	if span := f.program(func() {}); span != (protocol.HistorySpan{}) {
		t.Errorf("got %+v", span)
	}
}

func TestUndoSpan_LaterChange_IsLeftAlone(t *testing.T) {
	f := newFixture(t)
	f.write("mine", "old")
	f.write("other", "old")
	span := f.program(func() {
		f.write("mine", "program")
		f.write("other", "program")
	})
	f.write("mine", "by hand")
	undone := f.undo(span, false, "undo 1")
	if f.read("mine") != "by hand" || f.read("other") != "old" || undone.Changed.Count != 1 ||
		undone.Restored.Count != 1 {
		t.Errorf("got %q, %q, %+v", f.read("mine"), f.read("other"), undone)
	}
	undone = f.undo(span, true, "undo 2")
	if f.read("mine") != "old" {
		t.Errorf("got %q, %+v", f.read("mine"), undone)
	}
	if back := f.undo(*undone.Span, false, "undo 3"); f.read("mine") != "by hand" {
		t.Errorf("got %q, %+v", f.read("mine"), back)
	}
}

func TestUndoSpan_TwoPrograms_LeavesSharedPaths(t *testing.T) {
	f := newFixture(t)
	f.write("a", "old")
	f.write("b", "old")
	one := f.begin()
	f.write("a", "one")
	two := f.begin()
	f.write("b", "two")
	spanTwo, spanOne := f.end(two), f.end(one)
	if !spanOne.Shared || !spanTwo.Shared {
		t.Fatalf("got %+v and %+v", spanOne, spanTwo)
	}
	undone := f.undo(spanOne, false, "undo 1")
	if undone.Shared.Count != 2 || f.read("a") != "one" {
		t.Errorf("got %+v, %q", undone, f.read("a"))
	}
	if undone = f.undo(spanOne, true, "undo 2"); undone.Shared.Count != 2 || f.read("a")+f.read("b") != "onetwo" {
		t.Errorf("got %+v, %q", undone, f.read("a")+f.read("b"))
	}
	f.restore(RestoreRequest{Path: "a", Point: spanOne.From}) // by name
	if got := f.read("a") + f.read("b"); got != "oldtwo" {
		t.Errorf("got %q", got)
	}
}

func TestUndoSpan_ModeAndKind_ComeBack(t *testing.T) {
	f := newFixture(t)
	f.write("script", "#!/bin/sh")
	f.write("folder/file", "1")
	f.write("file", "2")
	f.check(os.Symlink("file", f.path("link")))
	was := f.contents()
	span := f.program(func() {
		f.check(os.Chmod(f.path("script"), 0o755))
		f.check(os.RemoveAll(f.path("folder")))
		f.write("folder", "now a file")
		f.check(os.Remove(f.path("file")))
		f.write("file/below", "now a folder")
		f.check(os.Remove(f.path("link")))
		f.check(os.Symlink("script", f.path("link")))
	})
	undone := f.undo(span, false, "undo 1")
	if diff := cmp.Diff(was, f.contents()); diff != "" {
		t.Errorf("got %+v\n%s", undone, diff)
	}
}

func TestHistory_Reopened_HasAllVersions(t *testing.T) {
	f := newFixture(t)
	f.write("a", "one")
	f.program(func() { f.write("a", "two") })
	f.keepAll()
	f.program(func() { f.write("a", "three") })
	for _, lost := range []bool{false, true} {
		f.close()
		if lost {
			f.check(os.Remove(f.history + "/" + indexName))
		}
		f.open()
		list, more, err := f.h.Versions("a", 0)
		f.check(err)
		if len(list) != 3 || more {
			t.Fatalf("lost %v: got %+v", lost, list)
		}
		got := fmt.Sprint(f.version("a", list[2].Point), f.version("a", list[1].Point))
		if got != "onetwo" || list[0].By.Words != byProgram.Words {
			t.Errorf("lost %v: got %q, %+v", lost, got, list)
		}
	}
}

func TestKeep_ToolChange_IsRead48HoursLater(t *testing.T) {
	f := newFixture(t)
	f.write("a", "one")
	open, err := f.h.options.Home.OpenRegularFile("a")
	f.check(err)
	ref, err := f.h.Keep(context.Background(), open, 100)
	f.check(err)
	f.check(open.Close())
	f.write("a", "two")
	span, err := f.h.Record(context.Background(), []string{"a"}, protocol.HistoryAuthor{
		Kind: protocol.HistoryAuthorTool, Words: "edit_file"})
	f.check(err)
	f.reopen()
	r, size, err := f.h.ReadKept(ref.SHA256)
	f.check(err)
	f.check(r.Close())
	if undone := f.undo(span, false, "undo 1"); f.read("a") != "one" || size != 3 {
		t.Errorf("got %q, %+v", f.read("a"), undone)
	}
}
