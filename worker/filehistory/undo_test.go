package filehistory

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"mews/protocol"
)

// beforeSteps runs a function once, right before the first step of an undo or restore.
func beforeSteps(run *func()) func(o *Options) {
	return func(o *Options) {
		o.inject = func(step, _ string) error {
			if do := *run; do != nil && step == "sync" {
				*run = nil
				do()
			}
			return nil
		}
	}
}

func TestUndoSpan_ForceOverUnkept_LeavesFile(t *testing.T) {
	f := newFixture(t)
	f.write("secret", "old")
	f.write("a", "old")
	span := f.program(func() {
		f.write("secret", "program")
		f.write("a", "program")
		f.write("secret made", "program")
	})
	f.options.Exclude = []string{"secret*"}
	f.reopen()
	f.write("secret", "by hand")
	f.write("secret made", "by hand")
	undone := f.undo(span, true, "undo 1")
	got := f.read("secret") + ", " + f.read("secret made") + ", " + f.read("a")
	if got != "by hand, by hand, old" || undone.NotKept.Count != 2 || undone.Restored.Count != 1 {
		t.Errorf("got %q, %+v", got, undone)
	}
}

// New files whose bytes are not kept stay until the undo is forced, because nothing could restore them.
func TestUndoSpan_NewUnkept_NeedsForce(t *testing.T) {
	f := newFixture(t)
	f.write("a", "old")
	span := f.program(func() {
		f.write("a", "program")
		f.write("node_modules/x/y", "program")
		f.write("node_modules/z", "program")
		f.write("new/large", "")
		f.check(os.Truncate(f.path("new/large"), maxFile+1))
		f.write("new/small", "program")
	})
	undone := f.undo(span, false, "undo 1")
	if f.read("a") != "old" || f.read("node_modules/x/y") != "program" || f.exists("new/small") ||
		!f.exists("new/large") || undone.Unkept.Count != 6 || undone.Failed.Count != 0 {
		t.Errorf("without force: %+v", undone)
	}
	undone = f.undo(span, true, "undo 2")
	if f.exists("node_modules") || f.exists("new") || undone.Unkept.Count != 3 || undone.Failed.Count != 0 {
		t.Errorf("with force: %+v", undone)
	}
}

func TestUndoSpan_Canceled_ChangesNothing(t *testing.T) {
	f := newFixture(t)
	f.write("a", "old")
	f.write("b", "old")
	span := f.program(func() {
		f.write("a", "program")
		f.write("b", "program")
	})
	f.write("a", "by hand")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	undone, err := f.h.UndoSpan(ctx, span, true, undoBy("undo 1"))
	if got := f.read("a") + f.read("b"); got != "by handprogram" || !errors.Is(err, context.Canceled) ||
		undone.Restored.Count != 0 {
		t.Errorf("got %q, %+v, %v", got, undone, err)
	}
}

func TestUndoSpan_ChangedAfterPlan_IsLeftAlone(t *testing.T) {
	for _, force := range []bool{false, true} {
		var run func()
		f := newFixture(t, beforeSteps(&run))
		f.write("file", "old")
		f.write("removed", "old")
		f.write("fine", "old")
		f.check(os.Symlink("old", f.path("link")))
		span := f.program(func() {
			f.write("file", "program")
			f.check(os.Remove(f.path("removed")))
			f.write("fine", "program")
			f.write("made", "program")
			f.check(os.Remove(f.path("link")))
			f.check(os.Symlink("program", f.path("link")))
		})
		run = func() {
			f.write("file", "by hand")
			f.write("removed", "by hand")
			f.write("made", "by hand")
			f.check(os.Remove(f.path("link")))
			f.write("link", "by hand")
		}
		undone := f.undo(span, force, "undo 1")
		for _, name := range []string{"file", "removed", "made", "link"} {
			if got := f.read(name); got != "by hand" {
				t.Errorf("%s: got %q", name, got)
			}
		}
		if f.read("fine") != "old" || undone.Changed.Count != 4 || undone.Restored.Count != 1 {
			t.Errorf("got %q, %+v", f.read("fine"), undone)
		}
		f.check(f.h.Scan(context.Background()))
		versions, _, err := f.h.Versions("file", 0)
		f.check(err)
		if by := versions[0].By.Kind; by != protocol.HistoryAuthorOther {
			t.Errorf("the change by hand counts as one by %s", by)
		}
	}
}

func TestUndoSpan_HardLinks_ComeBack(t *testing.T) {
	f := newFixture(t)
	f.write("a", "old")
	f.check(os.Link(f.path("a"), f.path("b")))
	f.check(os.Link(f.path("a"), f.path("c")))
	span := f.program(func() {
		f.write("a", "program")
		f.check(os.Chmod(f.path("a"), 0o600))
		f.check(os.Remove(f.path("c")))
		f.check(os.Link(f.path("a"), f.path("d")))
	})
	undone := f.undo(span, false, "undo 1")
	if got := f.read("a") + f.read("b") + f.read("c"); got != "oldoldold" || undone.Restored.Count != 4 {
		t.Errorf("got %q, %+v", got, undone)
	}
}

func TestUndoSpan_EndsEarly_CountsOnlyDone(t *testing.T) {
	var run func()
	f := newFixture(t, beforeSteps(&run))
	for i := range 5 {
		f.write(fmt.Sprint("file", i), "old")
	}
	span := f.program(func() {
		for i := range 5 {
			f.write(fmt.Sprint("file", i), "program")
		}
	})
	ctx, cancel := context.WithCancel(context.Background())
	run = cancel
	undone, err := f.h.UndoSpan(ctx, span, false, undoBy("undo 1"))
	if !errors.Is(err, context.Canceled) || undone.Restored.Count != 0 || undone.Failed.Count != 5 ||
		undone.Span != nil || f.read("file3") != "program" {
		t.Errorf("got %+v, %v", undone, err)
	}
	undone = f.undo(span, false, "undo 1")
	if undone.Restored.Count != 5 || f.read("file3") != "old" {
		t.Errorf("got %+v after the repetition", undone)
	}
}

func TestPutter_FullDisk_FailsTheRest(t *testing.T) {
	w := &putter{ctx: context.Background(), failed: map[string]error{}, done: map[string]bool{},
		touched: map[fileID]bool{}}
	steps := []step{{path: "a"}, {path: "b"}, {path: "c"}, {path: "d"}}
	err := w.each(steps, func(st *step) error {
		switch st.path {
		case "b":
			return fmt.Errorf("chunk: %w", unix.EIO)
		case "c":
			return unix.ENOSPC
		}
		return w.finish(st, nil)
	})
	w.failRest(steps, err)
	if !errors.Is(err, unix.ENOSPC) || !w.done["a"] || w.failed["a"] != nil || !errors.Is(w.failed["b"], unix.EIO) ||
		!errors.Is(w.failed["c"], unix.ENOSPC) || !errors.Is(w.failed["d"], unix.ENOSPC) {
		t.Errorf("got %v, done %v, failed %v", err, w.done, w.failed)
	}
}

// TestRestore_FullHistory_KeepsItsTargets restores a version while room is short. The version is
// old enough to be dropped, and the present bytes need room.
func TestRestore_FullHistory_KeepsItsTargets(t *testing.T) {
	for name, back := range map[string]func(f *fixture, point int64, span protocol.HistorySpan){
		"restore": func(f *fixture, point int64, _ protocol.HistorySpan) {
			f.restore(RestoreRequest{Path: "a", Point: point})
		},
		"undo": func(f *fixture, _ int64, span protocol.HistorySpan) { f.undo(span, true, "undo 1") },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, func(o *Options) { o.Room = 1 << 20 })
			f.program(func() { f.write("a", noise(1, 200<<10)) })
			f.keepAll()
			f.pass(time.Hour)
			span := f.program(func() { f.write("a", "small") })
			f.pass(40 * 24 * time.Hour)
			f.program(func() { f.write("other", noise(2, 600<<10)) })
			f.keepAll()
			f.write("a", noise(3, 250<<10)) // has room only without the first version
			back(f, span.From, span)
			if got := f.read("a"); got != noise(1, 200<<10) && got != noise(3, 250<<10) {
				t.Errorf("%d other bytes came back", len(got))
			}
			if got := f.version("a", span.From); got != noise(1, 200<<10) {
				t.Error("the version was deleted before its restore")
			}
		})
	}
}

func TestUndoSpan_SameSizeAndTime_IsReadAgain(t *testing.T) {
	f := newFixture(t)
	f.write("a", "old")
	span := f.program(func() { f.write("a", "program") })
	undone := f.undo(span, false, "undo 1")
	f.check(f.h.do(func(s *store) error {
		if e := s.index.present["a"]; !e.racy || !s.hasBytes(e.digest) {
			t.Errorf("got %+v", e)
		}
		return nil
	}))
	f.keepAll()
	if got := f.version("a", undone.Span.To); got != "old" {
		t.Errorf("got %q", got)
	}
}

func TestRestore_AbsentThen_IsSaid(t *testing.T) {
	f := newFixture(t)
	f.write("a", "1")
	f.program(func() { f.write("dir/made", "2") })
	for _, name := range []string{"dir/made", "dir"} {
		_, err := f.h.Restore(context.Background(), RestoreRequest{Path: name, Point: 1}, byRestore)
		if !errors.Is(err, ErrAbsent) || f.read("dir/made") != "2" {
			t.Errorf("%s: got %v", name, err)
		}
	}
	_, err := f.h.Restore(context.Background(), RestoreRequest{Path: "never", Point: 1}, byRestore)
	if err == nil || errors.Is(err, ErrAbsent) {
		t.Errorf("got %v", err)
	}
}
