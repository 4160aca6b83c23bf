package protocol

import (
	"errors"
	"net"
	"testing"
)

func newState() *connState {
	s := newConnState()
	return &s
}

func TestAbandonedCall_LateAnswer_FreesItsSlot(t *testing.T) {
	s := newState()
	for range 3 * maxAbandoned {
		id := s.addCall(new(call))
		if err := s.abandon(id); err != nil {
			t.Fatal(err)
		}
		if _, err := s.takeCall(id); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.calls) != 0 {
		t.Errorf("%d calls are still open", len(s.calls))
	}
}

func TestIncomingCall_IDNotRising_IsRefused(t *testing.T) {
	s := newState()
	steps := []struct {
		id     int64
		lane   lane
		finish int64 // id of a call that ends before this call comes; 0 means none
		broken bool
	}{
		{id: 5, lane: laneBulk},
		{id: 4, lane: laneMain}, // call 4 has overtaken call 5 of the other lane
		{id: 4, lane: laneMain, broken: true},
		{id: 5, lane: laneMain, broken: true}, // call 5 is open in the other lane
		{id: 6, lane: laneMain, finish: 4},
		{id: 4, lane: laneMain, broken: true}, // id 4 was used already
		{id: 8, lane: laneBulk},
		{id: 7, lane: laneBulk, broken: true},
	}
	for _, step := range steps {
		delete(s.serving, step.finish)
		_, err := s.admit(step.id, step.lane, 64, func(error) {})
		if errors.Is(err, ErrProtocolBroken) != step.broken {
			t.Errorf("%+v: got %v", step, err)
		}
	}
}

func TestLineQueue_CountsItsBytes(t *testing.T) {
	s := newState()
	s.queue[laneBulk].push([]byte("bulk"))
	s.queue[laneMain].push([]byte("one"))
	room := s.awaitRoom()
	if s.fits(laneMain, 3, 5) || !s.fits(laneMain, 2, 5) {
		t.Error("room was not counted")
	}
	for _, want := range []string{"one", "bulk", ""} {
		if got := string(s.take()); got != want {
			t.Errorf("took %q, want %q", got, want)
		}
	}
	select {
	case <-room:
	default:
		t.Error("nobody was told of the room")
	}
	if !s.fits(laneMain, 100, 5) || s.pending() {
		t.Error("an empty queue takes any line")
	}
}

func TestCall_AnswerBeforeEnd_IsReturned(t *testing.T) {
	ours, _ := net.Pipe()
	c := NewConn(ours, nil, Options{})
	c.Close(nil)
	answered, waiting := &call{answer: make(chan *wireMessage, 1)}, &call{answer: make(chan *wireMessage, 1)}
	answered.answer <- &wireMessage{id: 7}
	if m, err := c.answerAtEnd(answered); err != nil || m.id != 7 {
		t.Errorf("got %v and %v", m, err)
	}
	if _, err := c.answerAtEnd(waiting); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v", err)
	}
}
