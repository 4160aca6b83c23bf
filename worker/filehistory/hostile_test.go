package filehistory

import (
	"context"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"mews/protocol"
	"mews/worker/workspace"
)

func usedBytes(t *testing.T, name string) int64 {
	t.Helper()
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	return info.Sys().(*syscall.Stat_t).Blocks * 512
}

func TestBeginProgram_LeftOutFiles_HaveReasons(t *testing.T) {
	f := newFixture(t, func(o *Options) {
		o.Exclude = []string{"*.iso", "/videos/**"}
		o.Temp = "tmp"
	})
	f.write("node_modules/a", "1")
	f.write("x/.venv/b", "1")
	f.write("x/__pycache__/c", "1")
	f.write("target/CACHEDIR.TAG", cacheSignature+"\n# made by a tool")
	f.write("target/deep/d", "1")
	f.write("not-a-cache/CACHEDIR.TAG", "hello")
	f.write("not-a-cache/e", "1")
	f.write("disk.iso", "1")
	f.write("videos/f", "1")
	f.write("tmp/g", "1")
	f.write("large", "")
	f.check(os.Truncate(f.path("large"), maxFile+1))
	f.check(syscall.Mkfifo(f.path("pipe"), 0o644))
	p := f.begin()
	if n := p.NotKept(); n.Count != 0 {
		t.Errorf("got %+v; files left out by name are no loss", n)
	}
	for name, want := range map[string]reason{"node_modules/a": leftOutByName, "x/.venv/b": leftOutByName,
		"x/__pycache__/c": leftOutByName, "target/deep/d": isCache, "disk.iso": isExcluded, "videos/f": isExcluded,
		"large": tooLarge, "pipe": isSpecial, "not-a-cache/e": pending} {
		v, r, err := f.h.OpenVersion(name, 0)
		f.check(err)
		if text := reasons[want]; want == pending && r == nil || want != pending && (r != nil || v.NotKept != text) {
			t.Errorf("%s: got %+v, want %q", name, v, text)
		}
	}
	f.check(os.RemoveAll(f.path("large")))
	f.check(os.RemoveAll(f.path("node_modules")))
	f.check(os.RemoveAll(f.path("tmp")))
	f.end(p)
	if n := p.NotKept(); n.Count != 2 {
		t.Errorf("got %+v, want the files that the program deleted", n)
	}
}

func TestKeepFile_ChangesWhileRead_IsNamed(t *testing.T) {
	f := newFixture(t)
	f.write("log", strings.Repeat("x", 3*chunkSize))
	grow := func() bool { // is called before and during each read
		file, err := os.OpenFile(f.path("log"), os.O_WRONLY|os.O_APPEND, 0)
		f.check(err)
		_, err = file.WriteString("more")
		f.check(err)
		f.check(file.Close())
		return false
	}
	f.check(f.h.do(func(s *store) error {
		list := s.candidates(nil)
		left, err := s.keepAll(f.h.home, list, true, grow)
		if len(left) != 1 || list[0].e.why != keptChanging {
			t.Errorf("got %q, %+v", left, list[0].e)
		}
		return err
	}))
}

func TestBeginProgram_ManyEmptyFiles_AreKept(t *testing.T) {
	f := newFixture(t)
	const files = 3000
	for i := range files {
		f.write(fmt.Sprintf("d/%d", i), "")
	}
	span := f.program(func() { f.check(os.RemoveAll(f.path("d"))) })
	if undone := f.undo(span, false, "undo 1"); undone.Restored.Count != files+1 || len(f.contents()) != files+1 {
		t.Errorf("got %+v", undone)
	}
	if space := f.h.Space(); space.Bytes > files*100 {
		t.Errorf("%d empty files take %d bytes", files, space.Bytes)
	}
}

func TestUndoSpan_OddNames_ComeBack(t *testing.T) {
	f := newFixture(t)
	names := []string{"new\nline", "bad\xff", "tab\t", "\"quote\"", "-rf", "…", strings.Repeat("n", 255)}
	for _, name := range names {
		f.write("dir\xfe/"+name, name)
	}
	was := f.contents()
	span := f.program(func() { f.check(os.RemoveAll(f.path("dir\xfe"))) })
	undone := f.undo(span, false, "undo 1")
	for name, text := range was {
		if got := f.contents()[name]; got != text {
			t.Errorf("%q: got %q", name, got)
		}
	}
	result := protocol.UndoResult{Changes: []protocol.UndoneChange{{Outcome: protocol.UndoOutcomeDone, Span: &undone}}}
	f.write("\xff", "")
	if undone.Restored.Count != int64(len(was)) || len(undone.Restored.Named) != 0 {
		t.Errorf("got %+v, %+v", undone, result)
	}
}

func TestUndoSpan_LinkSwappedIn_IsRefused(t *testing.T) {
	f := newFixture(t)
	outside := t.TempDir()
	f.write("dir/a", "old")
	f.write("b", "old")
	span := f.program(func() {
		f.check(os.RemoveAll(f.path("dir")))
		f.write("b", "new")
	})
	f.check(os.Symlink(outside, f.path("dir")))
	undone := f.undo(span, true, "undo 1")
	if left, err := os.ReadDir(outside); err != nil || len(left) > 0 {
		t.Errorf("the undo wrote outside: %v, %v", left, err)
	}
	if f.read("b") != "old" {
		t.Errorf("got %+v", undone)
	}
	f.check(os.Remove(f.path("b")))
	f.check(os.Symlink(outside+"/x", f.path("b")))
	p := f.begin()
	defer p.Drop()
	if v, r, err := f.h.OpenVersion("b", 0); err != nil || v.State != protocol.FileStateLink || r != nil {
		t.Errorf("got %+v, %v", v, err)
	}
}

func TestUndoSpan_DeepFolders_ComeBack(t *testing.T) {
	f := newFixture(t)
	deep := strings.TrimSuffix(strings.Repeat("deep/", 64), "/")
	f.write(deep+"/file", "1")
	was := f.contents()
	span := f.program(func() { f.check(os.RemoveAll(f.path("deep"))) })
	undone := f.undo(span, false, "undo 1")
	if len(was) != 65 || len(f.contents()) != 65 || f.read(deep+"/file") != "1" {
		t.Errorf("got %+v", undone)
	}
}

func TestUndoSpan_QuotaRefuses_TellsAndContinues(t *testing.T) {
	f := newFixture(t)
	f.write("a", "old")
	f.write("b", "old")
	span := f.program(func() {
		f.write("a", "new")
		f.write("b", "new")
		f.check(os.Remove(f.path("a")))
		f.check(os.Remove(f.path("b")))
	})
	quota := &fakeQuota{left: 1}
	f.h.options.Home.SetQuota(quota)
	if _, err := f.h.UndoSpan(context.Background(), span, false, undoBy("undo 1")); err == nil {
		t.Fatal("the quota did not refuse")
	}
	quota.left = 10
	undone := f.undo(span, false, "undo 1")
	if undone.Restored.Count != 2 || f.read("a")+f.read("b") != "oldold" {
		t.Errorf("got %+v", undone)
	}
	f.undo(*undone.Span, false, "undo 2")
	if got := f.contents(); len(got) != 0 {
		t.Errorf("got %v after the undo back", got)
	}
}

// fakeQuota is a quota with room for a number of files.
type fakeQuota struct{ left int }

func (q *fakeQuota) CheckGrowth(int64) error {
	if q.left--; q.left < 0 {
		return fmt.Errorf("the folder is full")
	}
	return nil
}

func (q *fakeQuota) RecordGrowth(int64) {}

var _ workspace.Quota = (*fakeQuota)(nil)
