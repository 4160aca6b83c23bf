// Package quota counts what a person's folder holds, and says when no more may be written to it:
// when it holds more than its limit, or when its file system is nearly full.
//
// It is no wall. The file tools ask it before they write. For programs it only adds a note to their
// results: a program may be what deletes. Programs are limited by the kernel: by the largest size
// of a file, and by project quotas where the file system has them.
package quota

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"sync"
	"time"
)

// Options are what a Quota is made with. Dir, Now and Report are required; zero values of the
// others stand for defaults.
type Options struct {
	Dir   string // the folder
	Limit int64  // bytes that it may hold; 0 is no limit

	// looks at the folder's file system; nil asks the system
	Disk       func(dir string) (Disk, error)
	Now        func() time.Time
	Report     func(error)   // takes errors for the log
	MaxEntries int           // the most files and folders that one count looks at: 200,000
	WriteWait  time.Duration // how long a write waits for a count: 2 s
	NoteWait   time.Duration // how long a program's result waits for one: 100 ms
}

// maxAge is the age of a count from which Refresh asks for another.
const maxAge = time.Minute

// Quota counts one folder. Its methods may be called from any goroutine.
type Quota struct {
	options Options
	root    *os.Root
	wake    chan struct{} // has a token when a count was requested

	mu    sync.Mutex // guards state
	state state
}

// state is what is known of the folder.
type state struct {
	requested int           // how many counts were requested
	answered  int           // how many of them are answered by the newest count
	used      int64         // bytes, with what was written since
	more      bool          // it holds more than that: not everything could be counted
	at        time.Time     // when the newest count began
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

// Close lets go of the folder.
func (q *Quota) Close() error { return q.root.Close() }

// Run counts when a count was requested, one at a time, until ctx ends.
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
			continue // the count before stays valid
		}
		q.end(answered, c)
	}
}

// begin records that a count begins, and returns how many were requested until now: this one
// answers them all.
func (q *Quota) begin() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.state.written, q.state.at = 0, q.options.Now()
	return q.state.requested
}

// end records a count. Bytes written meanwhile are added, although the count may include some of
// them: the next count corrects that, and nothing is refused because of this one alone.
func (q *Quota) end(answered int, c folderSize) {
	q.mu.Lock()
	defer q.mu.Unlock()
	t := &q.state
	t.used, t.more, t.answered = max(0, c.bytes+t.written), c.more, answered
	close(t.ended)
	t.ended = make(chan struct{})
}

// Refresh requests a count if the newest one is old. It does not wait.
func (q *Quota) Refresh() {
	q.mu.Lock()
	fresh := q.state.requested > 0 && q.options.Now().Sub(q.state.at) <= maxAge
	q.mu.Unlock()
	if !fresh {
		q.request()
	}
}

// request requests a count that begins from now on, and returns its number.
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

// await waits for a count for so long at most, and until ctx ends, and reports whether there is
// one.
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

// Grew records that the folder holds so many bytes more than before, or fewer where by is negative.
func (q *Quota) Grew(by int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.state.used = max(0, q.state.used+by)
	q.state.written += by
}

// Used is how many bytes the folder holds, 0 until it was counted. more says that it holds more
// than was counted.
func (q *Quota) Used() (bytes int64, more bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.state.answered == 0 {
		return 0, false
	}
	return q.state.used, q.state.more
}
