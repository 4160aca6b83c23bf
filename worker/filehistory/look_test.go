package filehistory

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"mews/protocol"
)

// changesAfter lists the changes of all points after one: author, kind and path.
func (f *fixture) changesAfter(number int64) (list []string) {
	f.t.Helper()
	f.check(f.h.do(func(s *store) error {
		return s.eachChange(number+1, s.index.last(), func(p *point, c *change) {
			list = append(list, fmt.Sprintf("%s %d %s", p.by.Kind, c.after.kind, c.path))
		})
	}))
	return list
}

func TestScanHome_OldTree_IsNotRecorded(t *testing.T) {
	f := newFixture(t)
	f.write("a", "one")
	f.program(func() {})
	old := f.walk()
	f.program(func() {
		f.write("a", "another text")
		f.write("b", "new")
	})
	last := f.lastPoint()
	f.check(f.h.recordTree(context.Background(), old))
	if got := f.changesAfter(last); len(got) > 0 {
		t.Errorf("an old tree made changes: %q", got)
	}
	if got := f.version("a", 0) + f.version("b", 0); got != "no bytesno bytes" {
		t.Errorf("got %q", got)
	}
	f.keepAll()
	if got := f.version("a", 0) + f.version("b", 0); got != "another textnew" {
		t.Errorf("got %q", got)
	}
}

func TestEnd_OldTree_IsNotRecorded(t *testing.T) {
	f := newFixture(t)
	f.write("a", "one")
	first, second := f.begin(), f.begin()
	old := f.walk()
	f.write("b", "new")
	f.write("a", "two, by the second")
	f.end(second)
	last := f.lastPoint()
	_, err := first.End(context.Background(), old, byProgram)
	f.check(err)
	if got := f.changesAfter(last); len(got) > 0 {
		t.Errorf("an old tree made changes: %q", got)
	}
}

func TestForget_OldTree_BringsNoNameBack(t *testing.T) {
	f := newFixture(t)
	f.write("secret", "one")
	f.program(func() {})
	old := f.walk()
	f.check(os.Remove(f.path("secret")))
	_, err := f.h.Forget(context.Background(), []string{"secret"})
	f.check(err)
	f.check(f.h.recordTree(context.Background(), old))
	if list, _, err := f.h.Versions("secret", 0); err != nil || len(list) > 0 {
		t.Errorf("got %+v, %v", list, err)
	}
}

// A terminal's tree ends one program and begins the next.
func TestBeginProgram_TreeOfEnd_IsUsedAgain(t *testing.T) {
	f := newFixture(t)
	f.write("a", "one")
	p := f.begin()
	f.write("a", "two and more")
	tree, walks := f.walk(), f.h.home.walks.Load()
	_, err := p.End(context.Background(), tree, byProgram)
	f.check(err)
	p, err = f.h.BeginProgram(context.Background(), tree)
	f.check(err)
	p.Drop()
	if got := f.h.home.walks.Load(); got != walks {
		t.Errorf("%d more walks", got-walks)
	}
	f.write("b", "new")
	_, err = f.h.Record(context.Background(), []string{"b"}, protocol.HistoryAuthor{Kind: protocol.HistoryAuthorTool})
	f.check(err)
	p, err = f.h.BeginProgram(context.Background(), tree)
	f.check(err)
	p.Drop()
	if got := f.h.home.walks.Load(); got != walks+1 {
		t.Errorf("%d walks after a tool's change, want 1", got-walks)
	}
}

// Without changes, a program makes two walks and writes nothing. Its changes take one sync.
func TestProgram_Syncs_OnlyForChanges(t *testing.T) {
	steps := map[string]int{}
	f := newFixture(t, func(o *Options) {
		o.inject = func(step, _ string) error {
			steps[step]++
			return nil
		}
	})
	f.write("a", "one")
	f.program(func() { f.write("a", "another") })
	f.keepAll()
	clear(steps)
	f.h.Space()
	_, _, err := f.h.Versions("a", 0)
	f.check(err)
	walks := f.h.home.walks.Load()
	f.program(func() {})
	if steps["write"] > 0 || steps["sync"] > 0 || f.h.home.walks.Load()-walks != 2 {
		t.Errorf("got %v and %d walks without a change", steps, f.h.home.walks.Load()-walks)
	}
	clear(steps)
	f.program(func() { f.check(os.Remove(f.path("a"))) })
	if steps["sync"] != 1 {
		t.Errorf("got %v for a change", steps)
	}
}

func TestHasStamp_OtherDevice_IsSame(t *testing.T) {
	f := newFixture(t)
	f.write("a", "one")
	f.program(func() {})
	f.check(f.h.do(func(s *store) error {
		s.index.present["a"].device++ // as after a reboot
		return nil
	}))
	last := f.lastPoint()
	f.begin().Drop()
	if got := f.changesAfter(last); len(got) > 0 {
		t.Errorf("got %q", got)
	}
}

// A stranger's change after an interrupted undo is not that undo's.
func TestLook_InterruptedUndo_BooksToOthers(t *testing.T) {
	f := newFixture(t)
	f.write("mine", "old")
	f.write("other", "old")
	f.write("rest", "old")
	span := f.program(func() {
		f.write("mine", "program")
		f.write("rest", "program")
	})
	f.beginUndo("undo 1") // and a crash, or an error of putChanges
	f.write("mine", "old")
	f.write("other", "by hand, in the night")
	f.check(f.h.scanHome(context.Background()))
	f.keepAll()
	if list, _, err := f.h.Versions("other", 0); err != nil || list[0].By.Kind != protocol.HistoryAuthorOther {
		t.Errorf("got %+v, %v", list, err)
	}
	undone := f.undo(span, false, "undo 1")
	f.undo(*undone.Span, true, "undo 2")
	if got := f.read("other"); got != "by hand, in the night" {
		t.Errorf("the undo back reverted another file: %q", got)
	}
}

// beginUndo records the begin of an undo that a crash interrupts.
func (f *fixture) beginUndo(words string) {
	f.t.Helper()
	f.check(f.h.do(func(s *store) error {
		_, err := s.appendPoint(point{by: undoBy(words), begun: true}, nil)
		return err
	}))
}

// A repeated undo and a repeated restore have the changes of the interrupted one too.
func TestPutBack_Repeated_HasInterruptedChanges(t *testing.T) {
	for _, path := range []string{".", "dir"} {
		f := newFixture(t)
		f.write("dir/a", "old")
		f.write("dir/b", "old")
		f.program(func() {})
		span := f.program(func() {
			f.write("dir/a", "program")
			f.write("dir/b", "program")
		})
		f.keepAll()
		f.beginUndo("restore 1")
		f.write("dir/a", "old")
		f.write("dir/new", "by hand")
		done, err := f.h.Restore(context.Background(), RestoreRequest{Path: path, Point: span.From},
			undoBy("restore 1"))
		f.check(err)
		back := f.undo(done.Span, false, "undo 2")
		if got := f.read("dir/a") + f.read("dir/b"); got != "programprogram" {
			t.Errorf("%s: got %q, %+v, %+v", path, got, done, back)
		}
	}
}

// A home with too many files is said, but files that were known before can still be undone.
func TestWalk_ManyEntries_HasError(t *testing.T) {
	f := newFixture(t, func(o *Options) { o.entries = 5 })
	f.write("diary", "dear diary")
	f.write("book", "a book")
	p := f.begin()
	for i := range 10 {
		f.write(fmt.Sprint("junk", i), "")
	}
	f.check(os.Remove(f.path("diary")))
	f.write("book", "another book")
	tree := f.walk()
	if !errors.Is(tree.Err(), ErrManyFiles) || !tree.mayHold("diary") || !slices.Equal(tree.Unread(), []string{"."}) {
		t.Errorf("got %v, %v", tree.Err(), tree.Unread())
	}
	span, err := p.End(context.Background(), tree, byProgram)
	f.check(err)
	if undone := f.undo(span, false, "undo 1"); f.read("diary")+f.read("book") != "dear diarya book" {
		t.Errorf("got %+v", undone)
	}
}

func TestIsHalfWritten_OldFile_IsKept(t *testing.T) {
	for _, c := range []struct {
		name string
		age  time.Duration
		want bool
	}{{".mews-x.tmp", time.Minute, true}, {".mews-x.tmp", halfWrittenFor, false}, {"diary", time.Minute, false},
		{".mews-x.tmp", -time.Minute, true}} {
		if got := isHalfWritten(c.name, c.age); got != c.want {
			t.Errorf("%s, %s: got %t", c.name, c.age, got)
		}
	}
}

// Deeper paths than Linux takes in one piece are not read. Their loss is named.
func TestWalk_LongPaths_AreNamedIfDeleted(t *testing.T) {
	f := newFixture(t)
	name, depth := strings.Repeat("d", 250), 17 // 17 * 251 > 4096
	dir, err := openBelow(int(f.h.home.dir.Fd()), ".", unix.O_DIRECTORY)
	f.check(err)
	for range depth {
		f.check(unix.Mkdirat(int(dir.Fd()), name, 0o755))
		below, err := openBelow(int(dir.Fd()), name, unix.O_DIRECTORY)
		f.check(err)
		f.check(dir.Close())
		dir = below
	}
	f.check(dir.Close())
	p := f.begin()
	unread := strings.TrimSuffix(strings.Repeat(name+"/", 16), "/")
	if tree := f.walk(); !slices.Equal(tree.Unread(), []string{unread}) {
		t.Fatalf("got %q", tree.Unread())
	}
	f.check(os.RemoveAll(f.path(name)))
	f.end(p)
	f.check(p.history.do(func(*store) error { return nil }))
	if !slices.Equal(p.notKept, []string{unread}) {
		t.Errorf("got %.300q", p.notKept)
	}
}

func TestUnreadable_HourlyLook_TriesAgain(t *testing.T) {
	f := newFixture(t)
	f.write("a", "one")
	f.program(func() {})
	f.write("b", "two")
	f.check(f.h.scanHome(context.Background()))
	f.check(f.h.do(func(s *store) error {
		s.index.present["b"].why = unreadable
		return nil
	}))
	f.keepAll()
	if got := f.version("b", 0); got != "no bytes" {
		t.Fatalf("got %q before the next scan", got)
	}
	f.check(f.h.scanHome(context.Background()))
	f.keepAll()
	if got := f.version("b", 0); got != "two" {
		t.Errorf("got %q", got)
	}
}

// Errors of the history's own disk do not mark a file as unreadable.
func TestKeepFile_NewPackFails_IsTriedAgain(t *testing.T) {
	for _, c := range []struct {
		err  error
		want reason
	}{{unix.ENOSPC, noRoom}, {unix.EDQUOT, noRoom}, {unix.EMFILE, pending}, {unix.EIO, pending}} {
		var fail error
		f := newFixture(t, func(o *Options) {
			o.inject = func(step, name string) error {
				if step == "open" && strings.HasSuffix(name, ".pack") {
					return fail
				}
				return nil
			}
		})
		f.program(func() {})
		f.write("a", "one")
		tree := f.walk()
		f.check(f.h.do(func(s *store) error {
			s.packs.close()
			fail = c.err
			defer func() { fail = nil }()
			e := treeEntryOf(tree, "a")
			err := s.keepFile(f.h.home, "a", e, true, func() bool { return false })
			if e.why != c.want || (err != nil) != (c.want == pending) {
				t.Errorf("%v: got %q, %v", c.err, reasons[e.why], err)
			}
			return nil
		}))
		f.begin().Drop()
		if got := f.version("a", 0); got != "one" {
			t.Errorf("%v: got %q", c.err, got)
		}
	}
}

func treeEntryOf(t *Tree, path string) *entry {
	for i := range t.entries {
		if t.entries[i].path == path {
			e := t.entries[i].entry
			return &e
		}
	}
	return nil
}

func TestForget_NoPaths_ReadsNoPack(t *testing.T) {
	opened := 0
	f := newFixture(t, func(o *Options) {
		o.inject = func(step, name string) error {
			if step == "open" && strings.HasSuffix(name, ".pack") {
				opened++
			}
			return nil
		}
	})
	f.write("a", "one")
	f.program(func() { f.write("a", "another") })
	f.reopen()
	f.h.Space()
	f.check(f.h.do(func(s *store) error {
		s.packs.close()
		return nil
	}))
	opened = 0
	_, err := f.h.Forget(context.Background(), nil)
	f.check(err)
	if opened > 0 {
		t.Errorf("opened %d packs", opened)
	}
}

// After a crash the packs may have bytes without a name.
func TestForget_AfterCrash_DropsNamelessBytes(t *testing.T) {
	f := newFixture(t)
	f.write("a", "one")
	f.program(func() {})
	f.check(f.h.do(func(s *store) error {
		_, _, err := s.keepBytes(strings.NewReader("nameless"), 100, func() error { return nil })
		return errors.Join(err, s.packs.sync())
	}))
	f.h = nil // a crash closes nothing
	f.open()
	_, err := f.h.Forget(context.Background(), nil)
	f.check(err)
	f.check(f.h.do(func(s *store) error {
		if s.hasBytes(digestOf([]byte("nameless"))) {
			t.Error("the bytes are still there")
		}
		return nil
	}))
	if got := f.version("a", 0); got != "one" {
		t.Errorf("got %q", got)
	}
}

// TestScanHome_ToolRuns_LeavesItsChanges: a scan between a tool's write and its record takes
// nothing from the tool.
func TestScanHome_ToolRuns_LeavesItsChanges(t *testing.T) {
	f := newFixture(t)
	f.write("a", "one")
	f.program(func() {})
	end := f.h.StartTool()
	f.write("a", "two")
	if err := f.h.scanHome(context.Background()); err != errToolRuns {
		t.Errorf("got %v", err)
	}
	by := protocol.HistoryAuthor{Kind: protocol.HistoryAuthorTool, Words: "write_file"}
	span, err := f.h.Record(context.Background(), []string{"a"}, by)
	if err != nil || span.To == 0 {
		t.Errorf("got %+v, %v", span, err)
	}
	end()
	f.check(f.h.scanHome(context.Background()))
	if list, _, err := f.h.Versions("a", 0); err != nil || len(list) != 2 || list[0].By != by {
		t.Errorf("got %+v, %v", list, err)
	}
}
