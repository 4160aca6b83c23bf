// Package quota measures a user's folder. It refuses writes if the folder holds more than its
// limit, or if the file system is nearly full.
//
// It is not a wall. The file tools ask it before they write. Results of programs get a note,
// because a program may be deleting files to make room. While programs run, the folder is counted
// every 10 s. If the folder holds more than it may, and has grown since the programs started, the
// supervisor is told and ends the programs.
package quota

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"
)

// Options configure a Quota. Dir, Now and Report are required; zero values of the other fields mean
// defaults.
type Options struct {
	Dir   string // path of the folder
	Limit int64  // most bytes in the folder; 0 means no limit
	// most files and folders in the folder; 0 means no limit
	FileLimit int64
	// RunPrograms reports whether programs run; nil means that no program ever runs.
	RunPrograms func() bool
	// Exceeded is called after each count that finds too much, while programs run. nil means no
	// call.
	Exceeded func(bytes, files int64)

	// reads the numbers of the folder's file system; nil asks the system
	Disk        func(dir string) (DiskSpace, error)
	Now         func() time.Time
	Report      func(error)   // receives errors, for the worker's log
	FastEntries int           // files that a requested count reads without rests; default 200,000
	WriteWait   time.Duration // how long a write waits for a count; default 2 s
	NoteWait    time.Duration // how long a program's result waits for a count; default 100 ms
	WatchEvery  time.Duration // time between two counts while programs run; default 10 s
}

// maxAge is the age at which RefreshCount asks for another count.
const maxAge = time.Minute

// Quota measures one folder. Its methods may be called from any goroutine.
type Quota struct {
	options Options
	root    *os.Root
	wake    chan struct{} // holds a token if a count was requested
	started chan struct{} // holds a token if a program has started

	mu    sync.Mutex // guards state
	state state
}

// state is the known state of the folder.
type state struct {
	requested int           // number of counts that were requested so far
	answered  int           // number of requests that the newest count answers
	used      int64         // bytes of the newest count and of writes since
	files     int64         // files and folders of the newest count
	more      bool          // whether the folder holds more than used, because not all could be counted
	at        time.Time     // start of the newest count
	written   int64         // bytes written since the running count began
	ended     chan struct{} // closed at the end of the next count
	before    baseline
}

// baseline is the size of the folder when the running programs started.
type baseline struct {
	known        bool
	bytes, files int64
}

// New opens the folder. The caller closes the Quota after Run has ended.
func New(o Options) (*Quota, error) {
	o.FastEntries = cmp.Or(o.FastEntries, 200_000)
	o.WatchEvery = cmp.Or(o.WatchEvery, 10*time.Second)
	o.WriteWait = cmp.Or(o.WriteWait, 2*time.Second)
	o.NoteWait = cmp.Or(o.NoteWait, 100*time.Millisecond)
	if o.Disk == nil {
		o.Disk = statDisk
	}
	root, err := os.OpenRoot(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("keep count of %s: %w", o.Dir, err)
	}
	return &Quota{options: o, root: root, wake: make(chan struct{}, 1), started: make(chan struct{}, 1),
		state: state{ended: make(chan struct{})}}, nil
}

// Close closes the folder.
func (q *Quota) Close() error { return q.root.Close() }

// Run makes the requested counts, one at a time, until ctx ends. While programs run, it also counts
// every WatchEvery. A count without a request rests often, and ends if a request comes.
func (q *Quota) Run(ctx context.Context) error {
	watch := time.NewTimer(q.options.WatchEvery)
	watch.Stop()
	defer watch.Stop()
	for {
		pace := &pacer{}
		select {
		case <-ctx.Done():
			return nil
		case <-q.started:
			watch.Reset(q.options.WatchEvery)
			continue
		case <-watch.C:
			if !q.runPrograms() {
				continue
			}
			watch.Reset(q.options.WatchEvery)
			pace.yield, pace.put = q.wake, q.wake
		case <-q.wake:
			pace.fast = q.options.FastEntries
		}
		answered := q.begin()
		c, err := measure(ctx, q.root, pace)
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, errDone): // the count was ended for a request, which comes first
		case err != nil:
			q.options.Report(fmt.Errorf("count what is in %s: %w", q.options.Dir, err))
		default:
			q.end(answered, c)
			q.reportExcess()
		}
	}
}

func (q *Quota) runPrograms() bool { return q.options.RunPrograms != nil && q.options.RunPrograms() }

// reportExcess calls Exceeded if programs run, and the folder holds more than it may and has grown
// since they started.
func (q *Quota) reportExcess() {
	if q.options.Exceeded == nil || !q.runPrograms() {
		return
	}
	q.mu.Lock()
	t, limit, files := q.state, q.options.Limit, q.options.FileLimit
	q.mu.Unlock()
	bytesOver := limit > 0 && t.used > limit && t.used > t.before.bytes
	filesOver := files > 0 && t.files > files && t.files > t.before.files
	if t.before.known && (bytesOver || filesOver) {
		q.options.Exceeded(t.used, t.files)
	}
}

// RecordProgramStart records that a program starts while no other program runs. Growth is measured
// from the newest count. If another count was already requested, growth is measured from the end of
// that count, because earlier programs may have written since the newest count.
func (q *Quota) RecordProgramStart() {
	q.mu.Lock()
	t := &q.state
	t.before = baseline{known: t.requested > 0 && t.answered == t.requested, bytes: t.used, files: t.files}
	q.mu.Unlock()
	select {
	case q.started <- struct{}{}:
	default:
	}
}

// Growth returns how much the folder has grown since the running programs started. It waits for a
// new count at most for atMost. partial means that the count is old, or was not complete.
func (q *Quota) Growth(ctx context.Context, atMost time.Duration) (bytes, files int64, partial bool) {
	fresh := q.await(ctx, q.request(), atMost)
	q.mu.Lock()
	defer q.mu.Unlock()
	t := q.state
	if !t.before.known {
		return 0, 0, true
	}
	return t.used - t.before.bytes, t.files - t.before.files, t.more || !fresh
}

// begin records that a count begins. It returns the number of requests for a count so far. This
// count answers all of them.
func (q *Quota) begin() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.state.written, q.state.at = 0, q.options.Now()
	return q.state.requested
}

// end records a count. Bytes written meanwhile are added, although the count may include some of
// them. The next count corrects that, and no write is refused because of this count alone.
func (q *Quota) end(answered int, c folderSize) {
	q.mu.Lock()
	defer q.mu.Unlock()
	t := &q.state
	t.used, t.files, t.more, t.answered = max(0, c.bytes+t.written), c.files, c.more, answered
	if !t.before.known {
		t.before = baseline{known: true, bytes: t.used, files: t.files}
	}
	close(t.ended)
	t.ended = make(chan struct{})
}

// RefreshCount requests a count if the newest count is old. It does not wait for the count.
func (q *Quota) RefreshCount() {
	q.mu.Lock()
	fresh := q.state.requested > 0 && q.options.Now().Sub(q.state.at) <= maxAge
	q.mu.Unlock()
	if !fresh {
		q.request()
	}
}

// request requests a count that begins later than now, and returns its number.
func (q *Quota) request() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.state.requested++
	select {
	case q.wake <- struct{}{}:
	default:
	}
	return q.state.requested
}

// await waits for a count, at most atMost and until ctx ends. It reports whether there is a count.
func (q *Quota) await(ctx context.Context, number int, atMost time.Duration) bool {
	bounded, cancel := context.WithTimeout(ctx, atMost)
	defer cancel()
	for {
		q.mu.Lock()
		there, ended := q.state.answered >= number, q.state.ended
		q.mu.Unlock()
		if there {
			return true
		}
		select {
		case <-bounded.Done():
			return false
		case <-ended:
		}
	}
}

// RecordGrowth records that the folder grew by some bytes. A negative number means that it shrank.
func (q *Quota) RecordGrowth(by int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.state.used = max(0, q.state.used+by)
	q.state.written += by
}

// UsedBytes returns the bytes in the folder; 0 until it was counted. more means that the folder
// holds more bytes than were counted.
func (q *Quota) UsedBytes() (bytes int64, more bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.state.answered == 0 {
		return 0, false
	}
	return q.state.used, q.state.more
}
