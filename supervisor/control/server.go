package control

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	"golang.org/x/sys/unix"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/reply"
)

// People says who a user id is.
type People interface {
	Speaker(uid uint32, as string) (supervisor.User, error)
	Known(uid uint32) bool
	Admin(uid uint32) bool
}

// Conversations finds a conversation, and makes it where it is new.
type Conversations interface {
	Find(ctx context.Context, user string, channel supervisor.Channel, chat, thread string) (supervisor.Conversation, error)
}

// Inbox takes what a person says.
type Inbox interface {
	Put(ctx context.Context, in supervisor.Inbound) (supervisor.Inbound, error)
}

// Outbox holds what there is to deliver.
type Outbox interface {
	List(ctx context.Context, conversation, after int64, limit int) ([]supervisor.Delivery, error)
	Pending(ctx context.Context, conversation, after int64, limit int) ([]supervisor.Delivery, error)
	Newest(ctx context.Context, conversation int64) (int64, error)
	Delivered(ctx context.Context, delivery int64) error
}

// Options are what the server works on.
type Options struct {
	People        People
	Conversations Conversations
	Inbox         Inbox
	Outbox        Outbox
	Feeds         *reply.Feeds
	Greet         func(supervisor.User) Attached // what a client is told of the service
	Status        func(ctx context.Context, uid uint32) (Status, error)
	Answers       map[string]Answer // to further questions, by method; for anybody with an account
	Patience      time.Duration     // with a client that asks but does not attach, or takes no delivery; 0 is 30 s
	Silence       time.Duration     // of a client that has asked for nothing yet; 0 is 5 s
	// Turned is told of each client that was not let in, and must not wait; nil: nobody is.
	Turned func(uid uint32, why error)
	Log    hclog.Logger
}

// Answer answers one question of a process with that user id.
type Answer func(ctx context.Context, uid uint32, req *protocol.Request) (any, error)

// Server is the socket.
type Server struct {
	o        Options
	listener *net.UnixListener
}

// Listen makes the socket at path, 0660, in place of one that a dead process left. Only one process may do so for a
// state folder; the caller holds its lock.
func Listen(path string, o Options) (*Server, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("remove the old control socket: %w", err)
	}
	if len(path) >= len(unix.RawSockaddrUnix{}.Path) {
		return nil, fmt.Errorf("control socket %s: the path has %d bytes, and a socket's may have %d: choose a shorter state folder",
			path, len(path), len(unix.RawSockaddrUnix{}.Path)-1)
	}
	o.Patience = cmp.Or(o.Patience, patience)
	o.Silence = cmp.Or(o.Silence, silence)
	old := unix.Umask(0o117) // of the whole process, for a moment: nothing else is started yet
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	unix.Umask(old)
	if err != nil {
		return nil, fmt.Errorf("listen on the control socket: %w", err)
	}
	return &Server{o: o, listener: listener}, nil
}

// Run serves clients until ctx ends, and returns when the last one has gone.
func (s *Server) Run(ctx context.Context) error {
	defer context.AfterFunc(ctx, func() { s.listener.Close() })()
	var clients sync.WaitGroup
	defer clients.Wait()
	d := &door{people: s.o.People, inside: map[uint32]int{}, turnedAway: make(chan struct{}, maxTurnedAway)}
	for {
		conn, err := s.listener.AcceptUnix()
		if ctx.Err() != nil {
			if err == nil {
				conn.Close()
			}
			return nil
		}
		if err != nil {
			s.o.Log.Error("accept on the control socket", "error", err)
			if err := pause(ctx, 100*time.Millisecond); err != nil {
				return nil
			}
			continue
		}
		uid, err := peer(conn)
		if err != nil {
			s.o.Log.Error("control socket: who is it", "error", err)
			conn.Close()
			continue
		}
		if why := d.enter(uid); why != nil {
			s.o.Log.Warn("control socket: a client was turned away", "uid", uid, "why", why)
			if s.o.Turned != nil {
				s.o.Turned(uid, why)
			}
			clients.Go(func() { d.turnAway(ctx, conn, why) })
			continue
		}
		clients.Go(func() {
			defer d.leave(uid)
			s.serve(ctx, conn, uid)
		})
	}
}

// serve works one connection until either side ends it.
func (s *Server) serve(ctx context.Context, conn *net.UnixConn, uid uint32) {
	c := &client{o: &s.o, uid: uid, asked: make(chan struct{}), joined: make(chan joined, 1)}
	c.conn = protocol.NewConn(conn, c, protocol.Options{
		CancelGrace: min(s.o.Patience, 5*time.Second),
		Report:      func(err error) { s.o.Log.Error("control socket", "uid", uid, "error", err) },
	})
	ctx, cancel := context.WithCancel(ctx)
	var reading sync.WaitGroup
	reading.Go(func() {
		defer cancel()
		if err := c.conn.Run(ctx); err != nil && ctx.Err() == nil {
			s.o.Log.Debug("control connection ended", "uid", uid, "why", err)
		}
	})
	c.show(ctx)
	reading.Wait()
}

// peer is the user id of the process at the other end, as the kernel has it.
func peer(conn *net.UnixConn) (uint32, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, err
	}
	var uid uint32
	var credErr error
	if err := raw.Control(func(fd uintptr) { uid, credErr = peerOf(int(fd)) }); err != nil {
		return 0, err
	}
	return uid, credErr
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}
