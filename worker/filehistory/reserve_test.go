package filehistory

import (
	"errors"
	"os"
	"testing"
)

// TestUndo_LowDisk_RefusesOrCanBeTakenBack undoes the deletion of so many files that the records
// of the undo would use up the reserve of a low disk.
func TestUndo_LowDisk_RefusesOrCanBeTakenBack(t *testing.T) {
	const files = 200
	f := newFixture(t, func(o *Options) { o.records = 4 << 10 })
	restored := f.path("junk/" + noiseName(files/2))
	free, freeOnceRestored := int64(100<<30), int64(100<<30)
	f.options.disk = func() (int64, int64, error) {
		if _, err := os.Lstat(restored); err == nil {
			return freeOnceRestored, 200 << 30, nil
		}
		return free, 200 << 30, nil
	}
	f.reopen()
	f.program(func() {
		f.check(os.Mkdir(f.path("junk"), 0o700))
		for i := range files {
			f.check(os.WriteFile(f.path("junk/"+noiseName(uint64(i))), nil, 0o600))
		}
	})
	span := f.program(func() { f.check(os.RemoveAll(f.path("junk"))) })

	free = 1 << 20 // below the reserve from the start
	undone, err := f.h.UndoSpan(t.Context(), span, false, undoBy("one"))
	if !errors.Is(err, errNoRoom) || undone.Span != nil {
		t.Errorf("got %+v, %v on a low disk", undone.Span, err)
	}
	if _, err := os.Lstat(f.path("junk")); err == nil {
		t.Error("the refused undo has changed files")
	}

	free, freeOnceRestored = 100<<30, 1<<20 // the restored files use up the disk
	back := f.undo(span, false, "two")
	if back.Span == nil || back.Span.To <= back.Span.From {
		t.Fatalf("the undo has no span: %+v", back)
	}
	freeOnceRestored = 100 << 30
	f.undo(*back.Span, false, "three")
	if _, err := os.Lstat(f.path("junk")); err == nil {
		t.Error("the undo of the undo has left files")
	}
}
