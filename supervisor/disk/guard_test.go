package disk

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/supervisor/pool"
)

// rig is a guard over one pretended disk.
type rig struct {
	*Guard
	t      *testing.T
	now    time.Time
	space  Space
	growth map[string]protocol.DiskGrowth
	users  []string
	ended  []string // whose programs were ended and why, each as "user kind"
	held   []string
	told   []string
	mu     sync.Mutex // guards space while file histories are thinned
	thin   func()     // called for each file history that is thinned
}

func newRig(t *testing.T, users ...string) *rig {
	r := &rig{t: t, now: time.Unix(1_800_000_000, 0), users: users, thin: func() {},
		growth: map[string]protocol.DiskGrowth{},
		space:  Space{Total: 1000 * mib, Free: 500 * mib, Files: 10_000, FreeFiles: 9_000}}
	folder := t.TempDir()
	r.Guard = New(Options{Folder: folder, Limit: 100 * mib, FileLimit: 500, Now: func() time.Time { return r.now },
		Log: hclog.NewNullLogger(),
		Space: func(string) (Space, error) {
			r.mu.Lock()
			defer r.mu.Unlock()
			return r.space, nil
		},
		Growth: func(_ context.Context, user string) (protocol.DiskGrowth, error) {
			growth, known := r.growth[user]
			if !known {
				return growth, errors.New("it does not answer")
			}
			return growth, nil
		},
		Thin: func(context.Context, string) error {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.thin()
			return nil
		},
		Hold: func(_ context.Context, user string) error { r.held = append(r.held, user); return nil },
		EndPrograms: func(_ context.Context, user, kind string, limit uint64) bool {
			if limit == 0 {
				t.Errorf("%s is told no limit", user)
			}
			r.ended = append(r.ended, user+" "+kind)
			growth := r.growth[user]
			r.growth[user] = protocol.DiskGrowth{}
			return growth.Programs > 0
		},
		Tell: func(text string) { r.told = append(r.told, text) },
	})
	return r
}

// look lets the guard measure the disk once, a second later.
func (r *rig) look() {
	r.now = r.now.Add(time.Second)
	var workers []Worker
	for _, user := range r.users {
		workers = append(workers, Worker{User: user, Folders: []string{r.Folder}, History: r.Folder})
	}
	r.endExceeding(r.t.Context())
	r.check(r.t.Context(), workers)
}

func (r *rig) want(what string, got []string, want ...string) {
	r.t.Helper()
	if !slices.Equal(got, want) {
		r.t.Errorf("%s: %q, want %q", what, got, want)
	}
}

// TestGuard_FullDisk_EndsOnlyItsCause: the other users' programs go on, however long the disk
// stays full.
func TestGuard_FullDisk_EndsOnlyItsCause(t *testing.T) {
	r := newRig(t, "ann", "bob", "cleo")
	r.growth = map[string]protocol.DiskGrowth{"ann": {Programs: 2, Bytes: 400 * mib},
		"bob": {Programs: 1, Bytes: 8 * mib}, "cleo": {}}
	r.look()
	r.want("ended with room", r.ended)
	r.space.Free = 49 * mib
	r.look()
	r.want("ended", r.ended, "ann "+pool.LimitFreeSpace)
	r.want("held", r.held, "ann")
	if len(r.told) != 1 || !strings.Contains(r.told[0], "programs of ann") {
		t.Errorf("told: %q", r.told)
	}
	for range 5 {
		r.look()
	}
	r.want("ended while nobody writes", r.ended, "ann "+pool.LimitFreeSpace)
	r.space.Free = 45 * mib // less room than before, because bob's programs go on writing
	r.growth["bob"] = protocol.DiskGrowth{Programs: 1, Bytes: 12 * mib}
	r.look()
	r.want("ended when it falls", r.ended, "ann "+pool.LimitFreeSpace, "bob "+pool.LimitFreeSpace)
	r.space.Free = 300 * mib
	r.look()
	if last := r.told[len(r.told)-1]; !strings.Contains(last, "has room again") {
		t.Errorf("told: %q", last)
	}
}

func TestGuard_FileLimitReached_EndsItsCause(t *testing.T) {
	r := newRig(t, "ann", "bob")
	r.growth = map[string]protocol.DiskGrowth{"ann": {Programs: 1, Bytes: 90 * mib, Files: 1},
		"bob": {Programs: 1, Files: 8_000}}
	r.space.FreeFiles = 100
	r.look()
	r.want("ended", r.ended, "bob "+pool.LimitFreeSpace)
	if len(r.told) != 1 || !strings.Contains(r.told[0], "room for 100 more files") {
		t.Errorf("told: %q", r.told)
	}
}

// TestGuard_LowDisk_ThinsHistoryFirst: programs go on if the disk has room after that.
func TestGuard_LowDisk_ThinsHistoryFirst(t *testing.T) {
	r := newRig(t, "ann")
	r.growth["ann"] = protocol.DiskGrowth{Programs: 1, Bytes: 400 * mib}
	thinned := 0
	r.thin = func() {
		if len(r.ended) > 0 {
			t.Error("a program was ended first")
		}
		if thinned++; thinned == 1 {
			r.space.Free = 60 * mib
		}
	}
	r.space.Free = 49 * mib
	r.look()
	r.want("ended with room again", r.ended)
	r.space.Free = 500 * mib
	r.look()
	r.now = r.now.Add(thinInterval)
	r.space.Free = 49 * mib // this time, the history has nothing to delete
	r.look()
	r.want("ended", r.ended, "ann "+pool.LimitFreeSpace)
	if thinned != 2 {
		t.Errorf("thinned %d times", thinned)
	}
}

// TestGuard_LowAgainSoon_EndsPrograms: programs that fill the disk again soon end at once.
func TestGuard_LowAgainSoon_EndsPrograms(t *testing.T) {
	r := newRig(t, "ann")
	r.growth["ann"] = protocol.DiskGrowth{Programs: 1, Bytes: 400 * mib}
	thinned := 0
	r.thin = func() { thinned++; r.space.Free = 51 * mib }
	for range 2 {
		r.space.Free = 49 * mib
		r.look()
	}
	r.want("ended", r.ended, "ann "+pool.LimitFreeSpace)
	if thinned != 1 {
		t.Errorf("thinned %d times", thinned)
	}
}

func TestMayThin_OneAtATime(t *testing.T) {
	s, now := &state{}, time.Unix(1_800_000_000, 0)
	if !s.mayThin(now) {
		t.Error("the first may not begin")
	}
	s.thinBegan, s.thinEnd = now, make(chan struct{})
	if s.mayThin(now.Add(2 * thinInterval)) {
		t.Error("a second begins while the first goes on")
	}
	close(s.thinEnd)
	if s.mayThin(now.Add(thinInterval-1)) || !s.mayThin(now.Add(thinInterval)) {
		t.Error("another begins too soon or never")
	}
}

// TestGuard_OtherPrograms_FillDisk_EndsNobody: something outside of Mews fills the disk.
func TestGuard_OtherPrograms_FillDisk_EndsNobody(t *testing.T) {
	r := newRig(t, "ann")
	r.growth["ann"] = protocol.DiskGrowth{Programs: 1, Bytes: 4096, Written: 8192}
	for _, free := range []int64{49, 40, 20, 5, 0} {
		r.space.Free = free * mib
		r.look()
	}
	r.want("ended", r.ended)
	if len(r.told) != 2 || !strings.Contains(r.told[0], "No running program of Mews filled it") ||
		!strings.Contains(r.told[1], "can't be kept") {
		t.Errorf("told: %q", r.told)
	}
}

// TestGuard_HomeTooLarge_EndsPrograms: a report within the limits ends nothing.
func TestGuard_HomeTooLarge_EndsPrograms(t *testing.T) {
	r := newRig(t, "ann", "bob", "cleo")
	r.NotifyHomeTooLarge("ann", protocol.DiskExceeded{Bytes: 101 * mib})
	r.look()
	r.NotifyHomeTooLarge("bob", protocol.DiskExceeded{Files: 501})
	r.look()
	r.NotifyHomeTooLarge("cleo", protocol.DiskExceeded{Bytes: 100 * mib, Files: 500})
	r.look()
	r.want("ended", r.ended, "ann "+pool.LimitHomeBytes, "bob "+pool.LimitHomeFiles)
	r.want("held", r.held)
	if len(r.told) != 0 {
		t.Errorf("admins are told: %q", r.told)
	}
}

// TestBallast_DiskFull_FreedAndMadeAgain: programs end before the ballast is freed. The ballast is
// made again after the disk has had room for five minutes without a break.
func TestBallast_DiskFull_FreedAndMadeAgain(t *testing.T) {
	r := newRig(t, "ann")
	r.growth["ann"] = protocol.DiskGrowth{Programs: 1, Bytes: 400 * mib}
	whole := func(want bool) {
		t.Helper()
		if got := r.ballast.IsWhole(r.space); got != want {
			t.Errorf("the ballast is whole: %t", got)
		}
	}
	wait := func(d time.Duration) { r.now = r.now.Add(d); r.look() }
	r.look()
	whole(false)
	wait(roomFor)
	whole(true)
	r.Options.EndPrograms = func(_ context.Context, user, kind string, _ uint64) bool {
		whole(true)
		r.ended = append(r.ended, user+" "+kind)
		return true
	}
	r.space.Free = 0
	r.look()
	whole(false)
	r.want("ended", r.ended, "ann "+pool.LimitFreeSpace)
	if len(r.told) != 2 || !strings.Contains(r.told[1], "deleted its spare files of 50 MiB") {
		t.Errorf("told: %q", r.told)
	}
	r.space.Free = 99 * mib // room for the reserve, but not for the ballast too
	r.look()
	wait(2 * roomFor)
	whole(false)
	r.space.Free = 500 * mib
	r.look()
	wait(roomFor - 2*time.Second)
	whole(false)
	r.space.Free = 60 * mib // the room is too small for a moment
	r.look()
	r.space.Free = 500 * mib
	r.look()
	wait(roomFor - 2*time.Second)
	whole(false)
	wait(time.Second)
	whole(true)
}

// TestBallast_HalfFreed_IsMadeWhole: a crash came while the ballast was freed, or while it was
// made.
func TestBallast_HalfFreed_IsMadeWhole(t *testing.T) {
	s := Space{Total: 100 * mib, Free: 90 * mib}
	b := BallastIn(t.TempDir())
	for name, spoil := range map[string]func() error{
		"a file is missing": func() error { return os.Remove(b.file(3)) },
		"a file is short":   func() error { return os.Truncate(b.file(15), 7) },
		"all is gone":       func() error { return os.RemoveAll(b.Dir) },
	} {
		if err := b.Make(s); err != nil || !b.IsWhole(s) {
			t.Fatal(name, err)
		}
		if err := spoil(); err != nil || b.IsWhole(s) {
			t.Error(name, err)
		}
	}
	if _, err := b.Free(); err != nil {
		t.Fatal(err)
	}
	if freed, err := b.Free(); freed || err != nil {
		t.Errorf("without files: %t, %v", freed, err)
	}
	if err := errors.Join(b.Make(s), os.Remove(b.file(0))); err != nil {
		t.Fatal(err)
	}
	if freed, err := b.Free(); !freed || err != nil {
		t.Errorf("freed: %t, %v", freed, err)
	}
	if left, err := filepath.Glob(b.Dir + "/*"); len(left) != 0 || err != nil {
		t.Errorf("left: %v, %v", left, err)
	}
}
