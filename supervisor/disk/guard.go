package disk

import (
	"context"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/supervisor/internal/rare"
	"mews/supervisor/internal/retry"
	"mews/supervisor/internal/signals"
)

// Worker is a running worker.
type Worker struct {
	User    string
	Folders []string // the user's home, and then the workspaces
	History string   // folder of the file history; "" means none
}

// Options of a Guard. All are required, except Space.
type Options struct {
	Folder  string          // a folder on the disk of the state folder, for the ballast
	Workers func() []Worker // lists the running workers of users
	// Growth asks a user's worker how much its programs have written.
	Growth func(ctx context.Context, user string) (protocol.DiskGrowth, error)
	// Thin deletes versions of a user's files that were replaced over 48 hours ago.
	Thin func(ctx context.Context, user string) error
	// Hold keeps the programs that a user's worker starts later from writing.
	Hold func(ctx context.Context, user string) error
	// EndPrograms ends the programs of a user's worker because of a limit, and returns whether any
	// ran. The user is told.
	EndPrograms func(ctx context.Context, user, kind string, limit uint64) bool
	Tell        func(text string) // tells the admins; never blocks
	// Limit and FileLimit are the most bytes and files of a home; 0 means no limit.
	Limit, FileLimit int64
	Now              func() time.Time
	Log              hclog.Logger

	Space func(path string) (Space, error) // measures a disk; nil means SpaceOf
}

// Times of the guard.
const (
	busyInterval = time.Second      // time between two measurements while a worker runs
	idleInterval = 10 * time.Second // time between two measurements while no worker runs
	// how long the disk must have had room before the ballast is made again
	roomFor = 5 * time.Minute
	// how long to wait for a worker's answer
	workerTimeout = 900 * time.Millisecond
	endTimeout    = 5 * time.Second // how long to wait for the end of programs
	thinTimeout   = 5 * time.Second // how long programs go on while old versions are deleted
	thinLimit     = time.Hour       // how long a worker may delete old versions
	// least time between two deletions of old versions on a disk
	thinInterval = 10 * time.Minute
)

// Guard watches disks. Run is its only goroutine; the other methods may be called from any.
type Guard struct {
	Options
	ballast Ballast
	notices rare.Throttle
	wake    chan struct{} // holds a token if a worker has started

	disks     map[uint64]*state // watched disks; only Run uses disks and roomSince
	roomSince time.Time         // since when the disk of the state folder has room; zero if it has none

	mu       sync.Mutex // guards the field below
	exceeded map[string]protocol.DiskExceeded
}

// state is what is known about a disk.
type state struct {
	path string // path of a folder on the disk
	low  bool
	mark Space // room on the disk when programs were last ended, or the most room since then

	thinBegan time.Time     // when the last deletion of old versions began
	thinEnd   chan struct{} // closed when that has ended; nil means that none began
}

// mayThin reports whether old versions on the disk may be deleted now.
func (s *state) mayThin(now time.Time) bool {
	if s.thinEnd == nil {
		return true
	}
	select {
	case <-s.thinEnd:
		return now.Sub(s.thinBegan) >= thinInterval
	default:
		return false
	}
}

// New makes a guard.
func New(o Options) *Guard {
	if o.Space == nil {
		o.Space = SpaceOf
	}
	return &Guard{Options: o, ballast: BallastIn(o.Folder), notices: rare.Throttle{Every: 10 * time.Minute},
		wake: make(chan struct{}, 1), disks: map[uint64]*state{}, exceeded: map[string]protocol.DiskExceeded{}}
}

// NotifyWorkerStart tells the guard that a worker has started.
func (g *Guard) NotifyWorkerStart() { signals.SendToken(g.wake) }

// NotifyHomeTooLarge tells the guard that a worker reports a home beyond its limits. The guard ends
// the user's programs within a second.
func (g *Guard) NotifyHomeTooLarge(user string, size protocol.DiskExceeded) {
	g.mu.Lock()
	g.exceeded[user] = size
	g.mu.Unlock()
}

// Run watches until ctx ends.
func (g *Guard) Run(ctx context.Context) error {
	for {
		g.endExceeding(ctx)
		workers := g.Workers()
		g.check(ctx, workers)
		interval := idleInterval
		if len(workers) > 0 {
			interval = busyInterval
		}
		retry.SleepOrWake(ctx, interval, g.wake)
		if ctx.Err() != nil {
			return nil
		}
	}
}

// check measures all disks once, and acts on the results.
func (g *Guard) check(ctx context.Context, workers []Worker) {
	for device, r := range g.read(workers) {
		s := g.disks[device]
		if s == nil {
			s = &state{path: r.path}
			g.disks[device] = s
		}
		g.checkDisk(ctx, s, r)
		if r.own {
			g.keepBallast(r)
		}
	}
}

// tell tells the admins something about a disk, at most once in ten minutes.
func (g *Guard) tell(key string, r *reading, text string) {
	if g.notices.ShouldReport(key+" "+r.path, g.Now()) {
		g.Tell(text)
	}
}
