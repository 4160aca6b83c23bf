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
	maxConnections          = 128
	maxConnectionsOfAccount = 16
	maxConnectionsOfAdmin   = 64
	maxRefusing             = 16 // that are told why at the same time; more are hung up on
	refusalTimeout          = 2 * time.Second
	firstCallTimeout        = 5 * time.Second
)

// connectionLimit counts who is inside.
type connectionLimit struct {
	people   People
	refusing chan struct{} // holds a token for each that is being told why

	mu    sync.Mutex // guards what follows
	total int
	byUID map[uint32]int // connections of each user id; none is 0
}

// acquire takes a place, which leave gives back. An error says why there is none, and none was taken.
func (d *connectionLimit) acquire(uid uint32) error {
	if !d.people.Known(uid) {
		_, err := d.people.Speaker(uid, "")
		if err == nil {
			err = &supervisor.Error{Code: supervisor.CodeForbidden, Message: "No user of Mews has this account."}
		}
		return err
	}
	most := maxConnectionsOfAccount
	if d.people.Admin(uid) {
		most = maxConnectionsOfAdmin
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.byUID[uid] >= most:
		return tooManyConnections("Too many terminals of this account are connected (%d). Leave one of them with Ctrl-D.", most)
	case d.total >= maxConnections:
		return tooManyConnections("Too many terminals are connected (%d). Try again when somebody has left.", maxConnections)
	}
	d.byUID[uid]++
	d.total++
	return nil
}

func tooManyConnections(format string, most int) error {
	return &supervisor.Error{Code: supervisor.CodeUnavailable, Message: fmt.Sprintf(format, most)}
}

func (d *connectionLimit) release(uid uint32) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.total--
	if d.byUID[uid]--; d.byUID[uid] == 0 {
		delete(d.byUID, uid)
	}
}

// refuse answers whatever a client asks with why it can't come in, for a moment, and hangs up.
func (d *connectionLimit) refuse(ctx context.Context, conn *net.UnixConn, why error) {
	select {
	case d.refusing <- struct{}{}:
		defer func() { <-d.refusing }()
	default:
		conn.Close()
		return
	}
	ctx, cancel := context.WithTimeout(ctx, refusalTimeout)
	defer cancel()
	_ = protocol.NewConn(conn, refusedHandler{why}, protocol.Options{}).Run(ctx) // however it ends, it was not let in
}

// refusedHandler is the handler of a connection that is not let in.
type refusedHandler struct{ why error }

func (c refusedHandler) Call(context.Context, *protocol.Request) (any, error) {
	return nil, &protocol.Error{Code: protocol.CodeFailed, Message: supervisor.ErrorMessage(c.why)}
}

func (refusedHandler) Notify(*protocol.Request) {}
