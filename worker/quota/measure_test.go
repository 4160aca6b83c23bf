package quota

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestMeasure_CountsBlocksOnce: a file with several names counts once; links and holes do not
// count.
func TestMeasure_CountsBlocksOnce(t *testing.T) {
	q := newQuota(t, Options{})
	dir := q.options.Dir
	empty, _ := counted(t, q)
	outside := filepath.Join(t.TempDir(), "outside")
	must(t, os.WriteFile(outside, make([]byte, mib), 0o644))
	fill(t, q, "a", mib)
	fill(t, q, "sub/.trash/b", mib)
	must(t, os.Link(filepath.Join(dir, "a"), filepath.Join(dir, "sub/again")))
	must(t, os.Symlink(outside, filepath.Join(dir, "link")))
	must(t, os.Symlink(filepath.Dir(outside), filepath.Join(dir, "sub/links")))
	must(t, os.Symlink(".", filepath.Join(dir, "sub/round")))
	must(t, unix.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	sparse, err := os.Create(filepath.Join(dir, "sparse"))
	must(t, err)
	must(t, sparse.Truncate(gib))
	must(t, sparse.Close())
	used, more := counted(t, q)
	if grown := used - empty; grown < 2*mib || grown > 2*mib+64<<10 || more {
		t.Errorf("the folder grew by %d bytes, want 2 MiB and what its names take; more: %t", grown, more)
	}
}

func TestMeasure_TooManyEntries_SaysMore(t *testing.T) {
	q := newQuota(t, Options{MaxEntries: 10, Limit: 4096})
	for i := range 20 {
		fill(t, q, filepath.Join(string(rune('a'+i)), "x"), 4096)
	}
	used, more := counted(t, q)
	if !more || used == 0 {
		t.Errorf("got %d, more: %t", used, more)
	}
	wantMessage(t, q.CheckGrowth(1), "the folder holds at least ")
}

func TestMeasure_TooDeep_SaysMore(t *testing.T) {
	q := newQuota(t, Options{})
	at := filepath.Join(q.options.Dir, strings.Repeat("d/", maxDepth))
	must(t, os.MkdirAll(at, 0o755))
	if _, more := counted(t, q); more {
		t.Error("there is no more")
	}
	must(t, os.Mkdir(filepath.Join(at, "d"), 0o755))
	must(t, os.Mkdir(filepath.Join(at, "d/d"), 0o755))
	if _, more := counted(t, q); !more {
		t.Error("what lies deeper was passed over in silence")
	}
}

func TestMeasure_ContextEnds_Stops(t *testing.T) {
	q := newQuota(t, Options{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := measure(ctx, q.root, 10); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
