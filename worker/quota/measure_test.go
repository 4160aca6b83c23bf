package quota

import (
	"context"
	"errors"
	"os"
	"path/filepath"
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

// TestMeasure_ManyEntries_CountsAll: a count has no bound. Beyond FastEntries it only rests.
func TestMeasure_ManyEntries_CountsAll(t *testing.T) {
	q := newQuota(t, Options{FastEntries: 10, Limit: 4096})
	for i := range 20 {
		fill(t, q, filepath.Join(string(rune('a'+i)), "x"), 4096)
	}
	used, more := counted(t, q)
	if more || used < 20*4096 || q.usedSpace().files != 40 {
		t.Errorf("got %d, more: %t, files: %d", used, more, q.usedSpace().files)
	}
	wantMessage(t, q.CheckGrowth(1), "the folder holds ")
}

// TestMeasure_DeepFolders_CountsAll: folders that no path can name are counted too.
func TestMeasure_DeepFolders_CountsAll(t *testing.T) {
	const depth = 500
	q := newQuota(t, Options{})
	dir, err := unix.Open(q.options.Dir, unix.O_DIRECTORY, 0)
	must(t, err)
	for range depth {
		must(t, unix.Mkdirat(dir, "d", 0o755))
		below, err := unix.Openat(dir, "d", unix.O_DIRECTORY, 0)
		must(t, err)
		must(t, unix.Close(dir))
		dir = below
	}
	before, more := counted(t, q)
	if files := q.usedSpace().files; more || files != depth {
		t.Errorf("%d folders, more: %t", files, more)
	}
	file, err := unix.Openat(dir, "deep", unix.O_CREAT|unix.O_WRONLY, 0o600)
	must(t, err)
	_, err = unix.Write(file, make([]byte, mib))
	must(t, err)
	must(t, errors.Join(unix.Fsync(file), unix.Close(file), unix.Close(dir)))
	if after, _ := counted(t, q); after-before < mib {
		t.Errorf("a deep file of 1 MiB adds %d bytes", after-before)
	}
}

func TestMeasure_ContextEnds_Stops(t *testing.T) {
	q := newQuota(t, Options{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := measure(ctx, q.root, &pacer{fast: 10}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
