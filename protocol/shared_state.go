package protocol

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// sharedState is what the parts of a connection share: its state, behind a lock, and the signals for those who wait for
// a change of it. Its methods may be called from any goroutine.
type sharedState struct {
	queueBytes int           // of lines that may wait in the main lane; the bulk lane has a quarter of it
	done       chan struct{} // closed when the connection ends
	wake       chan struct{} // a token when there may be lines to write

	mu    sync.Mutex // of state
	state connState
}

func newSharedState(queueBytes int) *sharedState {
	return &sharedState{
		queueBytes: queueBytes,
		done:       make(chan struct{}),
		wake:       make(chan struct{}, 1),
		state:      connState{calls: make(map[int64]*call), serving: make(map[int64]context.CancelCauseFunc)},
	}
}

// update is the only way to state. f must not block. After each change it is decided whether the writer has work.
func (s *sharedState) update(f func(*connState)) {
	s.mu.Lock()
	f(&s.state)
	pending := s.state.pending()
	s.mu.Unlock()
	if !pending {
		return
	}
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// end sets the cause of the connection's end. It reports whether it was the first to.
func (s *sharedState) end(cause error) (first bool) {
	s.update(func(st *connState) { first = st.end(cause) })
	if first {
		close(s.done)
	}
	return first
}

// cause is nil while the connection lives, and then why it ended.
func (s *sharedState) cause() (err error) {
	s.update(func(st *connState) { err = st.cause })
	return err
}

// take removes the next line to be written; nil where there is none.
func (s *sharedState) take() (line []byte) {
	s.update(func(st *connState) { line = st.take() })
	return line
}

// enqueue waits for room, until ctx or the connection ends, and then, in one update, makes the line and queues it.
func (s *sharedState) enqueue(ctx context.Context, l lane, size int, line func(*connState) []byte) error {
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		var room <-chan struct{}
		var ended error
		s.update(func(st *connState) { room, ended = st.tryQueue(l, size, s.limit(l), line) })
		if ended != nil {
			return closedError(ended)
		}
		if room == nil {
			return nil
		}
		select {
		case <-room:
		case <-s.done:
		case <-ctx.Done():
		}
	}
}

// enqueueNow is for the reader, which waits for nobody. What it queues has a reserve of another quarter; a peer that
// has used up even that asks without reading, and the error ends the connection.
func (s *sharedState) enqueueNow(line []byte) error {
	most, full := s.queueBytes+s.queueBytes/4, false
	s.update(func(st *connState) {
		full = !st.fits(laneMain, len(line), most)
		if !full {
			st.queue[laneMain].push(line)
		}
	})
	if full {
		return fmt.Errorf("%w: %d bytes of answers wait", ErrStalled, most)
	}
	return nil
}

// limit is how many bytes of a lane may wait.
func (s *sharedState) limit(l lane) int {
	if l == laneBulk {
		return s.queueBytes / 4
	}
	return s.queueBytes
}

// closedError says that the connection ended, and why.
func closedError(cause error) error {
	if errors.Is(cause, ErrClosed) {
		return cause
	}
	return fmt.Errorf("%w: %w", ErrClosed, cause)
}
