package protocol

import (
	"cmp"
	"context"
	"fmt"
	"strings"
)

// lane is one of two queues. Lines of one lane leave in the order of queuing. Lines of the bulk
// lane leave only while the main lane is empty.
type lane int

const (
	laneMain lane = iota
	laneBulk      // lane of the blob.* calls and their answers
	laneCount
)

func laneOf(method string) lane {
	if strings.HasPrefix(method, "blob.") {
		return laneBulk
	}
	return laneMain
}

// connState is the changing part of a connection. Only Conn.update may use it. Its methods never
// wait.
type connState struct {
	cause     error           // cause of the connection's end; nil while the connection lives
	running   bool            // whether Run was called
	lastID    int64           // id of the newest outgoing call
	calls     map[int64]*call // outgoing calls without an answer, by id
	abandoned int             // number of outgoing calls whose caller has stopped waiting
	// id of the newest incoming call in each lane; ids rise within a lane
	lastHeard [laneCount]int64
	// incoming calls that are being answered, by id
	serving map[int64]context.CancelCauseFunc
	queue   [laneCount]queue // lines that wait to be written
	// closed when a line leaves a queue; nil if no sender waits for room
	roomFreed chan struct{}
}

func newConnState() connState {
	return connState{calls: map[int64]*call{}, serving: map[int64]context.CancelCauseFunc{}}
}

// end sets the cause of the connection's end, unless a cause is set already.
func (s *connState) end(cause error) bool {
	if s.cause != nil {
		return false
	}
	s.cause = cmp.Or(cause, ErrClosed)
	return true
}

// addCall records an outgoing call and returns its id.
func (s *connState) addCall(c *call) int64 {
	s.lastID++
	s.calls[s.lastID] = c
	return s.lastID
}

// takeCall removes and returns the call that a response answers.
func (s *connState) takeCall(id int64) (*call, error) {
	c, ok := s.calls[id]
	if !ok {
		return nil, fmt.Errorf("%w: an answer to call %d, which is not open", ErrProtocolBroken, id)
	}
	delete(s.calls, id)
	if c.abandoned {
		s.abandoned--
	}
	return c, nil
}

// maxAbandoned bounds the calls that were cancelled and never answered. A peer that obeys MaxCalls
// stays far below it.
const maxAbandoned = 1024

// abandon keeps an outgoing call after its caller has stopped waiting, so that a late answer is
// still recognised.
func (s *connState) abandon(id int64) error {
	c, ok := s.calls[id]
	if !ok {
		return nil
	}
	c.abandoned = true
	s.abandoned++
	if s.abandoned > maxAbandoned {
		return fmt.Errorf("%w: %d cancelled calls without an answer", ErrPeerStalled, s.abandoned)
	}
	return nil
}

// admit adds an incoming call. most is the maximum of open calls. If it is reached, busy is true
// and only the id is recorded.
func (s *connState) admit(id int64, l lane, most int, cancel context.CancelCauseFunc) (busy bool, err error) {
	if _, open := s.serving[id]; open || id <= s.lastHeard[l] {
		return false, fmt.Errorf("%w: call id %d used again", ErrProtocolBroken, id)
	}
	s.lastHeard[l] = id
	if len(s.serving) >= most {
		return true, nil
	}
	s.serving[id] = cancel
	return false, nil
}

// fits reports whether a line of size bytes may be queued below limit. An empty queue takes any
// line.
func (s *connState) fits(l lane, size, limit int) bool {
	q := &s.queue[l]
	return q.bytes == 0 || q.bytes+size <= limit
}

// tryQueue makes a line and queues it if it fits below limit. Otherwise it returns a channel that
// is closed once there is room.
func (s *connState) tryQueue(l lane, size, limit int, line func(*connState) []byte) (room <-chan struct{}, ended error) {
	if s.cause != nil {
		return nil, s.cause
	}
	if !s.fits(l, size, limit) {
		return s.awaitRoom(), nil
	}
	s.queue[l].push(line(s))
	return nil, nil
}

// awaitRoom returns a channel that is closed when a line leaves a queue.
func (s *connState) awaitRoom() <-chan struct{} {
	if s.roomFreed == nil {
		s.roomFreed = make(chan struct{})
	}
	return s.roomFreed
}

// take removes and returns the next line to write.
func (s *connState) take() []byte {
	for l := range s.queue {
		if line := s.queue[l].pop(); line != nil {
			if s.roomFreed != nil {
				close(s.roomFreed)
				s.roomFreed = nil
			}
			return line
		}
	}
	return nil
}

func (s *connState) pending() bool {
	return s.queue[laneMain].bytes > 0 || s.queue[laneBulk].bytes > 0
}

// queue holds lines in order.
type queue struct {
	lines [][]byte
	next  int // index of the first line that is still queued
	bytes int
}

func (q *queue) push(line []byte) {
	q.lines = append(q.lines, line)
	q.bytes += len(line)
}

func (q *queue) pop() []byte {
	if q.next == len(q.lines) {
		return nil
	}
	line := q.lines[q.next]
	q.lines[q.next] = nil
	q.next++
	q.bytes -= len(line)
	if q.next == len(q.lines) {
		q.lines, q.next = q.lines[:0], 0
	}
	return line
}
