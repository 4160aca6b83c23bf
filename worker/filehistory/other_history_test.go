package filehistory

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestUndoSpan_OtherHistory_ChangesNothing undoes a span of a history that was replaced. A lost
// history begins again at point 1, and one from a backup goes on from an older point. Both soon
// have a point with the number of the span's end. The undo must not take back that point's changes.
func TestUndoSpan_OtherHistory_ChangesNothing(t *testing.T) {
	for name, replace := range map[string]func(f *fixture, backup string){
		"lost":   func(f *fixture, _ string) { f.history = f.t.TempDir() },
		"backup": func(f *fixture, backup string) { f.history = backup },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.write("a", "one")
			f.check(f.h.Scan(context.Background()))
			f.close()
			backup := t.TempDir()
			f.check(os.CopyFS(backup, os.DirFS(f.history)))
			f.open()
			span := f.program(func() { f.write("b", "by the program") })
			f.close()
			replace(f, backup)
			f.open()
			for f.lastPoint() < span.To {
				f.write("a", f.read("a")+" more")
				f.check(f.h.Scan(context.Background()))
			}
			was := f.contents()
			undone, err := f.h.UndoSpan(context.Background(), span, false, undoBy("undo 1"))
			if diff := cmp.Diff(was, f.contents()); diff != "" || !errors.Is(err, ErrOtherHistory) ||
				undone.Span != nil {
				t.Errorf("got %+v, %v\n%s", undone, err, diff)
			}
			if _, err := f.h.Differences(span); !errors.Is(err, ErrOtherHistory) {
				t.Errorf("the differences: %v", err)
			}
			if err := f.h.CheckPoint(span.To, span.Nonce); !errors.Is(err, ErrOtherHistory) {
				t.Errorf("the point: %v", err)
			}
			if err := f.h.CheckPoint(span.To, span.Nonce[:4]); !errors.Is(err, ErrOtherHistory) {
				t.Errorf("the beginning of the nonce: %v", err)
			}
		})
	}
}

// TestPointNonce_RewrittenAndRebuilt_Stays rewrites packs and rebuilds the index. A span from
// before still fits.
func TestPointNonce_RewrittenAndRebuilt_Stays(t *testing.T) {
	f := newFixture(t)
	f.write("a", "one")
	f.write("secret", "forgotten")
	f.check(f.h.Scan(context.Background()))
	span := f.program(func() { f.write("a", "two") })
	if _, err := f.h.Forget(context.Background(), []string{"secret"}); err != nil {
		t.Fatal(err)
	}
	f.close()
	f.check(os.Remove(f.history + "/" + indexName))
	f.open()
	undone, err := f.h.UndoSpan(context.Background(), span, false, undoBy("undo 1"))
	if err != nil || undone.Restored.Count != 1 || f.read("a") != "one" {
		t.Errorf("got %+v, %v, %q", undone, err, f.read("a"))
	}
	if undone.Span == nil || undone.Span.Nonce == "" {
		t.Errorf("the span of the undo: %+v", undone.Span)
	}
}
