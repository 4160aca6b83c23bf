package control

import (
	"context"
	"fmt"
	"net"
	"sync"
	"time"

	"mews/protocol"
	"mews/supervisor"
)

// How many connections are served at once. An account's share is smaller than the whole, so that none keeps the others
// out; an admin's is larger, for who looks after the service must get in.
const (
	maxClients      = 128
	maxOfAccount    = 16
	maxOfAdmin      = 64
	maxTurnedAway   = 16 // that are told why at the same time; more are hung up on
	turnedAwayAfter = 2 * time.Second
	silence         = 5 * time.Second
)

// door counts who is inside.
type door struct {
	people     People
	turnedAway chan struct{} // holds a token for each that is being told why

	mu     sync.Mutex // guards what follows
	all    int
	inside map[uint32]int // connections of each user id; none is 0
}

// enter takes a place, which leave gives back. An error says why there is none, and none was taken.
func (d *door) enter(uid uint32) error {
	if !d.people.Known(uid) {
		_, err := d.people.Speaker(uid, "")
		if err == nil {
			err = &supervisor.Error{Code: supervisor.CodeForbidden, Message: "No user of Mews has this account."}
		}
		return err
	}
	most := maxOfAccount
	if d.people.Admin(uid) {
		most = maxOfAdmin
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.inside[uid] >= most:
		return full("Too many terminals of this account are connected (%d). Leave one of them with Ctrl-D.", most)
	case d.all >= maxClients:
		return full("Too many terminals are connected (%d). Try again when somebody has left.", maxClients)
	}
	d.inside[uid]++
	d.all++
	return nil
}

func full(format string, most int) error {
	return &supervisor.Error{Code: supervisor.CodeUnavailable, Message: fmt.Sprintf(format, most)}
}

func (d *door) leave(uid uint32) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.all--
	if d.inside[uid]--; d.inside[uid] == 0 {
		delete(d.inside, uid)
	}
}

// turnAway answers whatever a client asks with why it can't come in, for a moment, and hangs up.
func (d *door) turnAway(ctx context.Context, conn *net.UnixConn, why error) {
	select {
	case d.turnedAway <- struct{}{}:
		defer func() { <-d.turnedAway }()
	default:
		conn.Close()
		return
	}
	ctx, cancel := context.WithTimeout(ctx, turnedAwayAfter)
	defer cancel()
	_ = protocol.NewConn(conn, closed{why}, protocol.Options{}).Run(ctx) // however it ends, it was not let in
}

// closed is the handler of a connection that is not let in.
type closed struct{ why error }

func (c closed) Call(context.Context, *protocol.Request) (any, error) {
	return nil, &protocol.Error{Code: protocol.CodeFailed, Message: supervisor.ErrorMessage(c.why)}
}

func (closed) Notify(*protocol.Request) {}
