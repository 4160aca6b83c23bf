package filehistory

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestBeginProgram_HistoryBusy_WaitsTwoSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.write("a", "one")
		first, tree := f.begin(), f.walk()
		f.h.mu.Lock()
		start := time.Now()
		_, err := f.h.BeginProgram(context.Background(), tree)
		if waited := time.Since(start); !errors.Is(err, errBusy) || waited != maxWait {
			t.Errorf("got %v after %s", err, waited)
		}
		first.Drop() // does not wait
		f.h.mu.Unlock()
		second := f.begin()
		if second.shared || len(f.h.running) != 1 {
			t.Errorf("the dropped program still runs: %d", len(f.h.running))
		}
		second.Drop()
	})
}

func TestBeginProgram_TurnStopped_StopsWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		tree := f.walk()
		f.h.mu.Lock()
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error)
		for _, wait := range []func() error{
			func() error { _, err := f.h.BeginProgram(ctx, tree); return err },
			func() error { _, err := f.h.Search(ctx, []string{"."}, []string{"x"}); return err },
			func() error { _, err := f.h.Keep(ctx, noBytes{}, 1); return err },
		} {
			go func() { ended <- wait() }()
		}
		synctest.Wait()
		cancel()
		for range 3 {
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
		}
		f.h.mu.Unlock()
	})
}

// A load that takes too long goes on, and the next operation uses it.
func TestBeginProgram_SlowLoad_WaitsTwoSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := make(chan struct{})
		isSlow := false
		f := newFixture(t, func(o *Options) {
			o.inject = func(step, name string) error {
				if isSlow && step == "open" && strings.HasSuffix(name, ".pack") {
					<-slow
				}
				return nil
			}
		})
		f.write("a", "one")
		f.program(func() {})
		f.reopen()
		isSlow = true
		start := time.Now()
		_, err := f.h.BeginProgram(context.Background(), f.walk())
		if waited := time.Since(start); !errors.Is(err, errBusy) || waited != maxWait {
			t.Errorf("got %v after %s", err, waited)
		}
		close(slow)
		f.h.mu.Lock() // waits for the load
		if f.h.store == nil || time.Since(f.h.used) > 0 {
			t.Errorf("the loaded history counts as idle since %s", f.h.used)
		}
		f.h.mu.Unlock()
		if got := f.version("a", 0); got != "one" {
			t.Errorf("got %q", got)
		}
	})
}

// Keeping that takes too long stops after two seconds, and the program's result names the rest.
func TestBeginProgram_SlowKeeping_StopsInTime(t *testing.T) {
	const files = 100
	var passed time.Duration
	f := newFixture(t, func(o *Options) {
		o.elapsed = func() time.Duration {
			passed += maxWait / 20 // so after 20 questions it is time to stop
			return passed
		}
	})
	for i := range files {
		f.write(fmt.Sprint(i), fmt.Sprint("text ", i))
	}
	p := f.begin()
	left := p.NotKept().Count
	if left == 0 || left == files {
		t.Errorf("%d of %d files are not kept", left, files)
	}
	for i := range files {
		f.check(os.Remove(f.path(fmt.Sprint(i))))
	}
	f.end(p)
	if got := p.NotKept().Count; got != left {
		t.Errorf("%d files are lost, want %d", got, left)
	}
}

// The background work gives the lock away within a file, and keeps that file later.
func TestKeepWaiting_LockWanted_StopsWithinFile(t *testing.T) {
	f := newFixture(t)
	f.write("a", "one")
	f.program(func() {})
	large := noise(1, 3*chunkSize)
	f.write("large", large)
	f.write("small", "small")
	f.check(f.h.scanHome(context.Background()))
	asked := 0
	wanted := func() bool {
		asked++
		return asked > 3 // small, large, and after the first chunk of large
	}
	var rest []string
	f.check(f.h.do(func(s *store) (err error) {
		rest, _, err = s.keepSome(f.h.home, []string{"small", "large"}, wanted)
		return err
	}))
	if len(rest) != 1 || rest[0] != "large" || f.version("small", 0) != "small" {
		t.Errorf("left %q", rest)
	}
	f.keepAll()
	if f.version("large", 0) != large {
		t.Error("the large file is not kept")
	}
}

// Making room stops between two packs. The file waits then, and is not refused.
func TestMakeRoom_Stopped_FileWaits(t *testing.T) {
	f := newFixture(t, func(o *Options) { o.Room = 4 << 20 })
	for i := range 7 {
		f.program(func() { f.write("book", noise(uint64(i), 500<<10)) })
		f.pass(20 * time.Hour)
	}
	f.program(func() { f.check(os.Remove(f.path("book"))) })
	text := noise(99, 900<<10)
	f.write("new", text)
	tree, asked := f.walk(), 0
	f.check(f.h.do(func(s *store) error {
		e := treeEntryOf(tree, "new")
		if s.room.left > e.size {
			t.Fatalf("there is room for %d bytes, so the test shows nothing", s.room.left)
		}
		total := s.packs.total()
		err := s.keepFile(f.h.home, "new", e, true, func() bool { asked++; return true })
		if !e.wantsBytes() || asked == 0 || s.packs.total() != total {
			t.Errorf("got %q, asked %d times", reasons[e.why], asked)
		}
		return err
	}))
	f.begin().Drop()
	if got := f.version("new", 0); got != text {
		t.Errorf("got %.20q", got)
	}
}

// A program may have changed the folder's permissions, so each use sets them again.
func TestDo_FolderOpenedByProgram_IsClosed(t *testing.T) {
	f := newFixture(t)
	f.program(func() {})
	f.check(os.Chmod(f.history, 0o777))
	f.lastPoint()
	info, err := os.Stat(f.history)
	f.check(err)
	if info.Mode().Perm() != folderMode {
		t.Errorf("the folder has the mode %o", info.Mode().Perm())
	}
}
