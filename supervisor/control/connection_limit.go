package control

import (
	"context"
	"net"
	"sync"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/slots"
	"mews/supervisor/problem"
)

// Limits of connections at the same time. One account gets only a part of them, so that it can't
// lock out other accounts. An admin's account gets more, so that the service can always be
// maintained.
const (
	maxConnections          = 128
	maxConnectionsOfAccount = 16
	maxConnectionsOfAdmin   = 64
	// most refused clients that get the reason at the same time; further clients are only
	// disconnected
	maxRefusing      = 16
	refusalTimeout   = 2 * time.Second // how long a refused client may take to make its call
	firstCallTimeout = 5 * time.Second // default of Options.FirstCallTimeout
)

// connectionLimit counts the connections of each account.
type connectionLimit struct {
	people   People
	refusing *slots.Slots // one slot for each refused client that is told the reason

	mu    sync.Mutex // guards the fields below
	total int
	byUID map[uint32]int // connections of each user id; entries of 0 are removed
}

// acquire counts a connection of a user id until release. If the connection may not be served,
// acquire returns the reason, and does not count the connection.
func (l *connectionLimit) acquire(uid uint32) error {
	if !l.people.IsKnown(uid) {
		_, err := l.people.FindSpeaker(uid, "")
		if err == nil {
			err = supervisor.Errorf(supervisor.CodeForbidden, textNoUser)
		}
		return err
	}
	most := maxConnectionsOfAccount
	if l.people.IsAdmin(uid) {
		most = maxConnectionsOfAdmin
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.byUID[uid] >= most:
		return supervisor.Errorf(supervisor.CodeUnavailable, textTooManyOfAccount, most)
	case l.total >= maxConnections:
		return supervisor.Errorf(supervisor.CodeUnavailable, textTooMany, maxConnections)
	}
	l.byUID[uid]++
	l.total++
	return nil
}

func (l *connectionLimit) release(uid uint32) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.total--
	if l.byUID[uid]--; l.byUID[uid] == 0 {
		delete(l.byUID, uid)
	}
}

// refuse answers a client's calls with the reason of its refusal, and disconnects it after
// refusalTimeout.
func (l *connectionLimit) refuse(ctx context.Context, conn *net.UnixConn, why error) {
	slot, ok := l.refusing.TryAcquire("")
	if !ok {
		conn.Close()
		return
	}
	defer slot.Release()
	ctx, cancel := context.WithTimeout(ctx, refusalTimeout)
	defer cancel()
	handler := failingHandler(func(*protocol.Request) error {
		return &protocol.Error{Code: protocol.CodeFailed, Message: problem.UserText(why)}
	})
	// the error does not matter, because the client is refused anyway
	_ = protocol.NewConn(conn, handler, protocol.Options{}).Run(ctx)
}
