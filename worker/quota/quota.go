// Package quota keeps count of what a person's folder holds, and says when no more may be written to it: when it holds more
// than it may, or when little is left of its file system.
//
// It is no wall. The file tools ask it before they write; of what programs write it only tells, because what runs may be
// just what deletes. What holds programs is the kernel's: the largest size of a file, and where the file system has
// project quotas, those.
package quota

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"sync"
	"time"
)

// Options are what a Quota is made with. Dir is needed, the zero value of everything else will do.
type Options struct {
	Dir   string // the folder
	Limit int64  // bytes that it may hold; 0 is no limit

	Disk       func(dir string) (Disk, error) // looks at the folder's file system; nil is the system's own look
	Now        func() time.Time
	Report     func(error)   // takes what goes to the log alone; nil drops it
	MaxEntries int           // files and folders that one count comes to: 200,000
	WriteWait  time.Duration // how long a write waits for a count: 2 s
	NoteWait   time.Duration // how long a program's result waits for one: 100 ms
}

// maxAge is the age from which a count is made again at a turn's start.
const maxAge = time.Minute

// Quota keeps count of one folder. Its methods may be called from any goroutine.
type Quota struct {
	options Options
	root    *os.Root
	wake    chan struct{} // wantMessage a token when a count was asked for

	mu    sync.Mutex // guards tally
	state state
}

// state is what is known of the folder.
type state struct {
	requested int           // counts that were asked for
	answered  int           // how many of them are answered by the newest count
	used      int64         // bytes, with what was written since
	more      bool          // there is more than that: not everything could be counted
	at        time.Time     // when the newest count began
	written   int64         // bytes written since the present count began
	ended     chan struct{} // closed at the end of the next count
}

// New opens the folder. Whoever calls it closes the Quota, after Run has ended.
func New(o Options) (*Quota, error) {
	o.MaxEntries = cmp.Or(o.MaxEntries, 200_000)
	o.WriteWait = cmp.Or(o.WriteWait, 2*time.Second)
	o.NoteWait = cmp.Or(o.NoteWait, 100*time.Millisecond)
	if o.Disk == nil {
		o.Disk = statDisk
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Report == nil {
		o.Report = func(error) {}
	}
	root, err := os.OpenRoot(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("keep count of %s: %w", o.Dir, err)
	}
	return &Quota{options: o, root: root, wake: make(chan struct{}, 1), state: state{ended: make(chan struct{})}}, nil
}

// Close lets go of the folder.
func (q *Quota) Close() error { return q.root.Close() }

// Run counts whenever it was asked to, one count at a time, until ctx ends.
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
			continue // what was known before still is
		}
		q.end(answered, c)
	}
}

// begin notes that a count begins, and returns how many were asked for until now.
func (q *Quota) begin() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.state.written, q.state.at = 0, q.options.Now()
	return q.state.requested
}

// end takes a count in. What was written meanwhile may be in it already and is added all the same: the next count puts
// that right, and nothing is refused by this one alone.
func (q *Quota) end(answered int, c folderSize) {
	q.mu.Lock()
	defer q.mu.Unlock()
	t := &q.state
	t.used, t.more, t.answered = max(0, c.bytes+t.written), c.more, answered
	close(t.ended)
	t.ended = make(chan struct{})
}

// Refresh asks for a count where the newest one is old. It does not wait.
func (q *Quota) Refresh() {
	q.mu.Lock()
	fresh := q.state.requested > 0 && q.options.Now().Sub(q.state.at) <= maxAge
	q.mu.Unlock()
	if !fresh {
		q.request()
	}
}

// request asks for a count that begins from now on, and returns its number.
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

// await waits for a count, but not long, nor longer than ctx, and reports whether there is one.
func (q *Quota) await(ctx context.Context, number int, patience time.Duration) bool {
	bounded, cancel := context.WithTimeout(ctx, patience)
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

// Grew notes that the folder holds so many bytes more than before; fewer where by is negative.
func (q *Quota) Grew(by int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.state.used = max(0, q.state.used+by)
	q.state.written += by
}

// Used is how many bytes the folder holds, 0 as long as that was not counted. more says that there is more in it.
func (q *Quota) Used() (bytes int64, more bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.state.answered == 0 {
		return 0, false
	}
	return q.state.used, q.state.more
}
