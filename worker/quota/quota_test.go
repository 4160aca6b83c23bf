package quota

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// freeDisk is a disk that is mostly free.
func freeDisk(string) (DiskSpace, error) { return DiskSpace{Total: 100 * gib, Free: 50 * gib}, nil }

// newQuota makes a quota of a new folder, or of o.Dir. It waits for counts as long as a slow
// machine needs.
func newQuota(t testing.TB, o Options) *Quota {
	t.Helper()
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	if o.Disk == nil {
		o.Disk = freeDisk
	}
	if o.WriteWait == 0 {
		o.WriteWait, o.NoteWait = time.Minute, time.Minute
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Report == nil {
		o.Report = func(err error) { t.Log(err) }
	}
	q, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- q.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if err := q.Close(); err != nil {
			t.Error(err)
		}
	})
	return q
}

func fill(t testing.TB, q *Quota, name string, bytes int) {
	t.Helper()
	path := filepath.Join(q.options.Dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte(strings.Repeat("x", bytes))); err != nil || f.Sync() != nil || f.Close() != nil {
		t.Fatal("write", err)
	}
}

// counted waits for a new count and returns it.
func counted(t testing.TB, q *Quota) (int64, bool) {
	t.Helper()
	if !q.await(t.Context(), q.request(), time.Minute) {
		t.Fatal("no count")
	}
	return q.UsedBytes()
}

// TestQuota_FolderFillsUp_Refuses: writes are added to the sum, files of programs are counted, and
// deleting makes room.
func TestQuota_FolderFillsUp_Refuses(t *testing.T) {
	q := newQuota(t, Options{Limit: 4 * mib})
	if used, _ := q.UsedBytes(); used != 0 {
		t.Errorf("%d bytes before anything was counted", used)
	}
	wantMessage(t, q.CheckGrowth(3*mib), "")
	// these bytes are not on the disk: a new count corrects the sum before a write is refused
	q.RecordGrowth(3 * mib)
	wantMessage(t, q.CheckGrowth(2*mib), "")
	fill(t, q, "a/big", 3*mib)
	counted(t, q)
	wantMessage(t, q.CheckGrowth(2*mib), "the folder holds 3 MiB of the 4 MiB that it may, and this would add 2 MiB")
	fill(t, q, "b", 2*mib)
	if note := q.RefusalNote(t.Context()); !strings.HasPrefix(note,
		"no room: the folder holds 5 MiB of the 4 MiB that it may; delete") {
		t.Errorf("after a program that wrote: %q", note)
	}
	wantMessage(t, q.CheckGrowth(1), "the folder holds 5 MiB of the 4 MiB")
	wantMessage(t, q.CheckGrowth(0), "")
	wantMessage(t, q.CheckGrowth(-mib), "")
	if err := os.Remove(filepath.Join(q.options.Dir, "b")); err != nil {
		t.Fatal(err)
	}
	wantMessage(t, q.CheckGrowth(4096), "")
	if note := q.RefusalNote(t.Context()); note != "" {
		t.Errorf("after a program that deleted: %q", note)
	}
}

// TestQuota_NoLimit_RefusesOnlyByDisk: without a limit only a full disk refuses, and no write waits
// for a count.
func TestQuota_NoLimit_RefusesOnlyByDisk(t *testing.T) {
	free := int64(50 * gib)
	q := newQuota(t, Options{Disk: func(string) (DiskSpace, error) {
		return DiskSpace{Total: 100 * gib, Free: free},
			nil
	}})
	wantMessage(t, q.CheckGrowth(40*gib), "")
	free = gib / 2
	wantMessage(t, q.CheckGrowth(1), "the disk has 512 MiB free of 100 GiB, and 1 GiB are kept free")
	if note := q.RefusalNote(t.Context()); !strings.HasPrefix(note, "no room: the disk has 512 MiB free") {
		t.Errorf("noted: %q", note)
	}
}

// TestQuota_NoCountYet_WaitsOnlyBriefly: neither a write nor a program's result waits forever.
func TestQuota_NoCountYet_WaitsOnlyBriefly(t *testing.T) {
	q, err := New(Options{Dir: t.TempDir(), Limit: mib, Disk: freeDisk, Now: time.Now, WriteWait: time.Millisecond, NoteWait: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	wantMessage(t, q.CheckGrowth(1), "")
	wantMessage(t, q.CheckGrowth(2*mib), "this would add 2 MiB")
	if note := q.RefusalNote(t.Context()); note != "" {
		t.Errorf("noted: %q", note)
	}
}

// TestRefreshCount_OldCount_StartsNewCount: RefreshCount requests a count only if the newest one is
// older than a minute.
func TestRefreshCount_OldCount_StartsNewCount(t *testing.T) {
	var now atomic.Int64
	q := newQuota(t, Options{Now: func() time.Time { return time.Unix(now.Load(), 0) }})
	asked := func() int {
		q.mu.Lock()
		defer q.mu.Unlock()
		return q.state.requested
	}
	for _, ask := range []struct {
		at   int64
		want int
	}{{1000, 1}, {1030, 1}, {1060, 1}, {1061, 2}, {1100, 2}, {2000, 3}} {
		now.Store(ask.at)
		q.RefreshCount()
		if asked() != ask.want {
			t.Errorf("at %d s: %d counts were asked for, want %d", ask.at, asked(), ask.want)
		}
		q.await(t.Context(), asked(), time.Minute)
	}
}

func TestRecordGrowth_DuringCount_IsAdded(t *testing.T) {
	q, err := New(Options{Dir: t.TempDir(), Disk: freeDisk, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	q.RecordGrowth(7) // recorded before the count, which includes these bytes
	q.request()
	answered := q.begin()
	q.RecordGrowth(100)
	q.RecordGrowth(-30)
	q.end(answered, folderSize{bytes: 1000})
	q.RecordGrowth(1)
	if used, more := q.UsedBytes(); used != 1071 || more {
		t.Errorf("got %d, %t, want 1071", used, more)
	}
	q.RecordGrowth(-5000)
	if used, _ := q.UsedBytes(); used != 0 {
		t.Errorf("got %d, want 0", used)
	}
}

func TestNew_MissingFolder_Fails(t *testing.T) {
	_, err := New(Options{Dir: filepath.Join(t.TempDir(), "none")})
	wantMessage(t, err, "keep count of")
}

// BenchmarkCountFiles counts 10,000 files in 100 folders.
func BenchmarkCountFiles(b *testing.B) {
	q := newQuota(b, Options{})
	for i := range 10_000 {
		name := filepath.Join(q.options.Dir, fmt.Sprint(i%100), fmt.Sprint(i))
		if os.MkdirAll(filepath.Dir(name), 0o755) != nil || os.WriteFile(name, nil, 0o644) != nil {
			b.Fatal(name)
		}
	}
	for b.Loop() {
		if c, err := measure(b.Context(), q.root, &pacer{fast: 200_000}); err != nil || c.more {
			b.Fatal(c, err)
		}
	}
}
