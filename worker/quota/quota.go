// Package quota measures a user's folder. It refuses writes if the folder holds more than its
// limit, or if the file system is nearly full.
//
// It is not a wall. The file tools ask it before they write. Results of programs only get a note,
// because a program may be deleting files to make room. The kernel limits programs: by the largest
// size of a file, and by project quotas if the file system has them.
package quota

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"sync"
	"time"
)

// Options of a Quota. Dir, Now and Report are required; zero values of the other fields mean
// defaults.
type Options struct {
	Dir   string // path of the folder
	Limit int64  // most bytes in the folder; 0 means no limit

	// reads the numbers of the folder's file system; nil asks the system
	Disk       func(dir string) (DiskSpace, error)
	Now        func() time.Time
	Report     func(error)   // receives errors for the log
	MaxEntries int           // most files and folders of one count; default 200,000
	WriteWait  time.Duration // how long a write waits for a count; default 2 s
	NoteWait   time.Duration // how long a program's result waits for a count; default 100 ms
}

// maxAge is the age at which RefreshCount asks for another count.
const maxAge = time.Minute

// Quota measures one folder. Its methods may be called from any goroutine.
type Quota struct {
	options Options
	root    *os.Root
	wake    chan struct{} // holds a token if a count was requested

	mu    sync.Mutex // guards state
	state state
}

// state is the known state of the folder.
type state struct {
	requested int           // number of requested counts
	answered  int           // number of requests that the newest count answers
	used      int64         // bytes of the newest count and of writes since
	more      bool          // the folder holds more than used, because not all could be counted
	at        time.Time     // start of the newest count
	written   int64         // bytes written since the running count began
	ended     chan struct{} // closed at the end of the next count
}

// New opens the folder. The caller closes the Quota after Run has ended.
func New(o Options) (*Quota, error) {
	o.MaxEntries = cmp.Or(o.MaxEntries, 200_000)
	o.WriteWait = cmp.Or(o.WriteWait, 2*time.Second)
	o.NoteWait = cmp.Or(o.NoteWait, 100*time.Millisecond)
	if o.Disk == nil {
		o.Disk = statDisk
	}
	root, err := os.OpenRoot(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("keep count of %s: %w", o.Dir, err)
	}
	return &Quota{options: o, root: root, wake: make(chan struct{}, 1), state: state{ended: make(chan struct{})}}, nil
}

// Close closes the folder.
func (q *Quota) Close() error { return q.root.Close() }

// Run makes the requested counts, one at a time, until ctx ends.
func (q *Quota) Run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-q.wake:
		}
		answered := q.begin()
		c, err := measure(ctx, q.root, q.options.MaxEntries)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			q.options.Report(fmt.Errorf("count what is in %s: %w", q.options.Dir, err))
			continue // the earlier count stays valid
		}
		q.end(answered, c)
	}
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
	t.used, t.more, t.answered = max(0, c.bytes+t.written), c.more, answered
	close(t.ended)
	t.ended = make(chan struct{})
}

// RefreshCount requests a count if the newest one is old. It does not wait.
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

// RecordGrowth records a growth of the folder in bytes; a negative one is shrinking.
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
