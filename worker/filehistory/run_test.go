package filehistory

import (
	"context"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// runFixture is a fixture whose history runs in the background, in a bubble of synctest.
func runFixture(t *testing.T) (f *fixture, stop func()) {
	f = newFixture(t, func(o *Options) { o.Now = time.Now })
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- f.h.Run(ctx) }()
	return f, func() {
		cancel()
		f.check(<-ended)
		f.close()
	}
}

func TestRun_NewHome_KeepsEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, stop := runFixture(t)
		defer stop()
		f.write("a", "one")
		time.Sleep(scanEvery + time.Minute)
		if space := f.h.Space(); space.Files != 1 || space.Left.Count != 0 {
			t.Errorf("got %+v", space)
		}
		f.program(func() { f.write("b", "two") })
		time.Sleep(time.Second)
		if got := f.version("b", 0); got != "two" {
			t.Errorf("got %q", got)
		}
		f.write("by hand", "three")
		time.Sleep(scanEvery + time.Minute)
		list, _, err := f.h.Versions("by hand", 0)
		f.check(err)
		if len(list) != 1 || list[0].By.Kind != "other" || list[0].NotKept != "" {
			t.Errorf("got %+v", list)
		}
	})
}

// The repetition of an interrupted undo comes at the same time as Run.
func TestRun_InterruptedUndo_WaitsForRepeat(t *testing.T) {
	for _, isRepeated := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			f := newFixture(t, func(o *Options) { o.Now = time.Now })
			f.write("a", "old")
			span := f.program(func() { f.write("a", "program") })
			f.beginUndo("undo 1")
			f.write("a", "old")
			f.reopen()
			ctx, cancel := context.WithCancel(context.Background())
			ended := make(chan error)
			go func() { ended <- f.h.Run(ctx) }()
			synctest.Wait()
			if isRepeated {
				if undone := f.undo(span, false, "undo 1"); undone.Span == nil {
					t.Errorf("got %+v", undone)
				}
			}
			time.Sleep(scanEvery + time.Minute)
			list, _, err := f.h.Versions("a", 0)
			if err != nil || len(list) != 3 || (list[0].By.Kind == "undo") != isRepeated {
				t.Errorf("repeated: %t, got %+v, %v", isRepeated, list, err)
			}
			cancel()
			f.check(<-ended)
			f.close()
		})
	}
}

func TestRun_IdleHistory_FreesItsIndex(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, stop := runFixture(t)
		defer stop()
		f.write("a", "one")
		f.program(func() { f.write("a", "and two") })
		time.Sleep(3 * idleAfter)
		f.h.mu.Lock()
		loaded := f.h.store != nil
		f.h.mu.Unlock()
		if loaded {
			t.Error("the index is still in memory")
		}
		if got := f.version("a", 0); got != "and two" {
			t.Errorf("got %q", got)
		}
	})
}

func TestRun_RunningProgram_KeepsItsChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, stop := runFixture(t)
		defer stop()
		f.write("a", "one")
		p := f.begin()
		f.write("a", "two")
		time.Sleep(2 * scanEvery)
		f.check(os.Remove(f.path("a")))
		span := f.end(p)
		if undone := f.undo(span, false, "undo 1"); f.read("a") != "one" {
			t.Errorf("got %q, %+v", f.read("a"), undone)
		}
	})
}

// A program that runs at the hour does not put off the look for another hour.
func TestRun_ProgramAtTheHour_LooksAfterwards(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, stop := runFixture(t)
		defer stop()
		time.Sleep(scanEvery - 90*time.Second) // no tick of the loop is at the same moment
		p := f.begin()
		time.Sleep(2 * time.Minute)
		p.Drop()
		f.write("by hand", "one")
		time.Sleep(2 * time.Minute)
		list, _, err := f.h.Versions("by hand", 0)
		f.check(err)
		if len(list) != 1 {
			t.Errorf("got %+v", list)
		}
	})
}
