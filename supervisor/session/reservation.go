package session

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/internal/signals"
)

// reservations are the idle conversations whose next turn may start in the transaction that stores
// its message. Registry.mu guards them.
type reservations struct {
	accept bool                              // whether Run is running
	known  map[supervisor.Conversation]int64 // id of each conversation that had a session, by its other fields
	held   map[int64]bool                    // reserved conversations; no session starts for them
	begun  map[int64]*supervisor.StartedTurn // started turns whose sessions have not started
}

func newReservations() reservations {
	return reservations{known: map[supervisor.Conversation]int64{}, held: map[int64]bool{},
		begun: map[int64]*supervisor.StartedTurn{}}
}

// take returns the started turn of a conversation whose session starts, or nil.
func (r *reservations) take(c supervisor.Conversation) *supervisor.StartedTurn {
	begun := r.begun[c.ID]
	delete(r.begun, c.ID)
	id := c.ID
	c.ID = 0
	if talks(c) && !ownWorkers(c) {
		r.known[c] = id
	}
	return begun
}

// ReserveTurn keeps an idle conversation for the caller, if a slot is free for a turn. Until
// ReleaseTurn no session starts for it. A conversation is known after its first turn in
// this process.
func (r *Registry) ReserveTurn(c supervisor.Conversation) (res supervisor.TurnReservation, ok bool) {
	if r.o.Serves != nil && !r.o.Serves(c) {
		return res, false
	}
	if c, ok = r.hold(c); !ok {
		return res, false
	}
	res.Conversation = c.ID
	if r.o.Advances != nil {
		res.Lease = r.o.Advances.NextTurnLease(c)
	}
	return res, true
}

// hold reserves a conversation, and returns it with its ID.
func (r *Registry) hold(c supervisor.Conversation) (_ supervisor.Conversation, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c.ID = 0
	id, known := r.reserved.known[c]
	c.ID = id
	_, woken := r.woken[id]
	if !known || !r.reserved.accept || woken || r.sessions[id] != nil || r.reserved.held[id] ||
		r.reserved.begun[id] != nil ||
		!r.allTurns.HasFreeSlot() || r.stops.wanted(id) {
		return c, false
	}
	r.reserved.held[id] = true
	return c, true
}

// ReleaseTurn ends a reservation. It starts a session for a started turn.
func (r *Registry) ReleaseTurn(res supervisor.TurnReservation, started *supervisor.StartedTurn) {
	if started != nil && started.Lease.ID != 0 {
		r.o.Advances.BeginTurn(started.Turn.ID, started.Lease, *started.Request)
	}
	r.mu.Lock()
	delete(r.reserved.held, res.Conversation)
	ended := !r.reserved.accept
	if started != nil && !ended {
		r.reserved.begun[res.Conversation] = started
		r.woken[res.Conversation] = started.Turn.Conversation
	}
	r.mu.Unlock()
	if started != nil && ended {
		r.leaveStarted(context.Background(), started)
	}
	signals.SendToken(r.changed)
}

func (r *Registry) acceptReservations() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reserved.accept = true
}

// refuseReservations returns the money of started turns that no session runs in this process. These
// turns continue at the service's next start.
func (r *Registry) refuseReservations(ctx context.Context) {
	r.mu.Lock()
	r.reserved.accept = false
	begun := r.reserved.begun
	r.reserved.begun = map[int64]*supervisor.StartedTurn{}
	r.mu.Unlock()
	for _, started := range begun {
		r.leaveStarted(ctx, started)
	}
}

// leaveStarted returns the money of a started turn that no session runs in this process.
func (r *Registry) leaveStarted(ctx context.Context, started *supervisor.StartedTurn) {
	(&session{Options: &r.o, log: r.o.Log}).endAdvance(ctx, started.Turn.ID)
}
