package disk

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/supervisor/internal/rare"
	"mews/supervisor/internal/retry"
	"mews/supervisor/internal/signals"
	"mews/supervisor/pool"
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

// reading is a measurement of a disk.
type reading struct {
	Space
	path  string
	users []string // users with a running worker and a folder on the disk
	kept  []string // users with a running worker and a file history on the disk
	own   bool     // the state folder is on the disk
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

// endExceeding ends the programs of users whose homes have grown beyond their limits.
func (g *Guard) endExceeding(ctx context.Context) {
	g.mu.Lock()
	all := g.exceeded
	g.exceeded = map[string]protocol.DiskExceeded{}
	g.mu.Unlock()
	for user, size := range all {
		switch {
		case g.Limit > 0 && size.Bytes > g.Limit:
			g.end(ctx, user, pool.LimitHomeBytes, uint64(g.Limit))
		case g.FileLimit > 0 && size.Files > g.FileLimit:
			g.end(ctx, user, pool.LimitHomeFiles, uint64(g.FileLimit))
		}
	}
}

func (g *Guard) end(ctx context.Context, user, kind string, limit uint64) bool {
	ctx, cancel := context.WithTimeout(ctx, endTimeout)
	defer cancel()
	return g.EndPrograms(ctx, user, kind, limit)
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

// read measures the disks of the state folder and of the workers' folders, each once.
func (g *Guard) read(workers []Worker) map[uint64]*reading {
	found := map[uint64]*reading{}
	add := func(path, user string) {
		device, err := DeviceOf(path)
		if err != nil {
			g.Log.Debug("a folder is on no disk that can be watched", "error", err)
			return
		}
		r := found[device]
		if r == nil {
			r = &reading{path: path, own: user == ""}
			if r.Space, err = g.Space(path); err != nil {
				g.Log.Debug("a disk can't be watched", "error", err)
				return
			}
			found[device] = r
		}
		if user != "" && (len(r.users) == 0 || r.users[len(r.users)-1] != user) {
			r.users = append(r.users, user)
		}
	}
	add(g.Folder, "")
	for _, w := range workers {
		for _, folder := range w.Folders {
			add(folder, w.User)
		}
	}
	for _, w := range workers {
		if device, err := DeviceOf(w.History); w.History != "" && err == nil && found[device] != nil {
			found[device].kept = append(found[device].kept, w.User)
		}
	}
	return found
}

// checkDisk ends programs if the disk has less than its reserve. It does so when the shortage
// begins, and again each time that the room has clearly shrunk. When the shortage begins, it first
// deletes old versions of files. If that makes room, no program ends.
func (g *Guard) checkDisk(ctx context.Context, s *state, r *reading) {
	if !r.IsLow() {
		if s.low {
			g.tell("room", r, fmt.Sprintf(textRoom, r.path, r.Space))
		}
		s.low = false
		return
	}
	s.mark = s.mark.most(r.Space)
	falling := s.low && r.hasFallen(s.mark)
	if s.low && !falling {
		return
	}
	if !s.low {
		if g.thin(ctx, s, r); !r.IsLow() {
			return
		}
	}
	n := need{files: !r.lacksBytes(), urgent: r.IsFull(), falling: falling}
	n.noise = r.noise(n.files)
	ended := g.endWriters(ctx, chooseWriters(g.askGrowth(ctx, r.users), n), r)
	switch {
	case len(ended) > 0:
		names := strings.Join(ended, ", ")
		g.tell("writer "+names, r, fmt.Sprintf(textLowWriter, r.path, r.Space, names, r.DescribeReserve()))
	// The admins already know of this shortage, or keepBallast tells them about it.
	case s.low || r.own && r.IsFull() && (r.isExhausted() || g.ballast.exists()):
	default:
		g.tell("low", r, fmt.Sprintf(textLowOther, r.path, r.Space, r.DescribeReserve()))
	}
	s.low, s.mark = true, r.Space
}

// thin deletes old versions from the file histories on a disk, and measures the disk again. It
// waits until all are deleted, the disk is full, or thinTimeout has passed. After that, the
// deletion goes on. It does nothing if a deletion on the disk goes on, or began in the last
// thinInterval.
func (g *Guard) thin(ctx context.Context, s *state, r *reading) {
	if len(r.kept) == 0 || !s.mayThin(g.Now()) {
		return
	}
	thinned := make(chan struct{})
	s.thinBegan, s.thinEnd = g.Now(), thinned
	go func() {
		defer close(thinned)
		ctx, cancel := context.WithTimeout(ctx, thinLimit)
		defer cancel()
		var all sync.WaitGroup
		for _, user := range r.kept {
			all.Go(func() {
				if err := g.Thin(ctx, user); err != nil {
					g.Log.Warn("old versions of files were not deleted", "user", user, "error", err)
				}
			})
		}
		all.Wait()
	}()
	timeout, cancel := context.WithTimeout(ctx, thinTimeout)
	defer cancel()
	for isDone := false; !isDone && timeout.Err() == nil; {
		retry.SleepOrWake(timeout, busyInterval/5, thinned)
		select {
		case <-thinned:
			isDone = true
		default:
		}
		space, err := g.Space(r.path)
		if err != nil {
			g.Log.Debug("a disk can't be watched", "error", err)
			return
		}
		if r.Space = space; r.IsFull() {
			return
		}
	}
}

// askGrowth asks the workers of users how much their programs have written.
func (g *Guard) askGrowth(ctx context.Context, users []string) []writer {
	ctx, cancel := context.WithTimeout(ctx, workerTimeout)
	defer cancel()
	all := make([]writer, len(users))
	var asking sync.WaitGroup
	for i, user := range users {
		asking.Go(func() {
			growth, err := g.Growth(ctx, user)
			all[i] = writer{user, growth, err != nil}
		})
	}
	asking.Wait()
	return all
}

// endWriters ends the programs of users who have filled a disk. It returns the users whose programs
// it has ended.
func (g *Guard) endWriters(ctx context.Context, users []string, r *reading) (ended []string) {
	for _, user := range users {
		told, cancel := context.WithTimeout(ctx, workerTimeout)
		if err := g.Hold(told, user); err != nil {
			g.Log.Warn("a worker was not told that its disk is full", "user", user, "error", err)
		}
		cancel()
		if g.end(ctx, user, pool.LimitFreeSpace, uint64(protocol.DiskReserve(r.Total))) {
			ended = append(ended, user)
		}
	}
	return ended
}

// keepBallast frees the ballast if the disk of the state folder is full. After the disk has had
// room for some time, keepBallast makes the ballast again.
func (g *Guard) keepBallast(r *reading) {
	now := g.Now()
	switch size := ballastSize(r.Space); {
	case r.IsFull():
		g.roomSince = time.Time{}
		g.freeBallast(r)
	case r.Free-size < protocol.DiskReserve(r.Total) || r.lacksFiles():
		g.roomSince = time.Time{}
	case g.roomSince.IsZero():
		g.roomSince = now
	case now.Sub(g.roomSince) >= roomFor:
		g.roomSince = now
		if g.ballast.IsWhole(r.Space) {
			return
		}
		if err := g.ballast.Make(r.Space); err != nil {
			g.Log.Warn("the ballast could not be made", "error", err)
		}
	}
}

// freeBallast frees the ballast, and tells the admins how much room is left.
func (g *Guard) freeBallast(r *reading) {
	freed, err := g.ballast.Free()
	if err != nil {
		g.Log.Error("free the ballast", "error", err)
	}
	if freed {
		g.tell("freed", r, fmt.Sprintf(textFreed, r.path, r.Space, amount.BinarySize(ballastSize(r.Space))))
	} else if r.isExhausted() {
		g.tell("full", r, fmt.Sprintf(textFull, r.path, r.Space))
	}
}

// tell tells the admins something about a disk, at most once in ten minutes.
func (g *Guard) tell(key string, r *reading, text string) {
	if g.notices.ShouldReport(key+" "+r.path, g.Now()) {
		g.Tell(text)
	}
}

// BallastIn returns the ballast in a folder that only the supervisor may read.
func BallastIn(folder string) Ballast { return Ballast{Dir: folder + "/ballast"} }

// FreeBallastForStart frees the ballast if the disk is full, so that a service can start. It
// returns the room after that.
func FreeBallastForStart(folder string) (Space, error) {
	s, err := SpaceOf(folder)
	if err != nil || !s.IsFull() {
		return s, err
	}
	if _, err := BallastIn(folder).Free(); err != nil {
		return s, fmt.Errorf("free the ballast: %w", err)
	}
	return SpaceOf(folder)
}
