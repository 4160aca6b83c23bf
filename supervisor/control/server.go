package control

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/user"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/hashicorp/go-hclog"
	"golang.org/x/sys/unix"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/retry"
	"mews/supervisor/internal/slots"
	"mews/supervisor/reply"
	"mews/supervisor/spool"
)

// People maps user ids to users.
type People interface {
	FindSpeaker(uid uint32, as string) (supervisor.User, error)
	IsKnown(uid uint32) bool
	IsAdmin(uid uint32) bool
}

// Conversations finds a conversation, or creates it.
type Conversations interface {
	FindOrCreate(ctx context.Context, user string, channel supervisor.Channel, chat,
		thread string) (supervisor.Conversation, error)
}

// Inbox stores the messages of users.
type Inbox interface {
	StoreInbound(ctx context.Context, in supervisor.Inbound, files ...supervisor.Attachment) (supervisor.Inbound, error)
}

// Lines lists the messages that the clients of a conversation have sent.
type Lines interface {
	ListLines(ctx context.Context, conversation, after int64, limit int) ([]supervisor.Inbound, error)
	NewestInbound(ctx context.Context) (int64, error)
}

// Outbox holds the deliveries of conversations.
type Outbox interface {
	List(ctx context.Context, conversation, after int64, limit int) ([]supervisor.Delivery, error)
	ListPending(ctx context.Context, conversation, after int64, limit int) ([]supervisor.Delivery, error)
	NewestID(ctx context.Context, conversation int64) (int64, error)
	MarkDelivered(ctx context.Context, delivery int64) error
}

// Blobs knows the owner of each blob in the spool.
type Blobs interface {
	AddOwner(ctx context.Context, user string, ref protocol.BlobRef, turn int64) error
	IsOwner(ctx context.Context, user, sha256 string) (size int64, ok bool, err error)
}

// Spool stores the bytes of files.
type Spool interface {
	NewWriter() (*spool.Writer, error)
}

// Options configures the server.
type Options struct {
	People        People
	Conversations Conversations
	Inbox         Inbox
	Lines         Lines
	Outbox        Outbox
	Blobs         Blobs
	Spool         Spool
	Feeds         *reply.Feeds
	// Greet describes the service for a client that attaches.
	Greet      func(context.Context, supervisor.User) JoinChatResult
	Transcribe func(ctx context.Context, c supervisor.Conversation, file supervisor.Attachment) (TranscribeResult,
		error)
	Methods map[string]MethodHandler // methods besides chat.*, for the processes of any OS account
	// how long a client may take to attach or to take a delivery; 0 is 30 s
	CallTimeout      time.Duration
	FirstCallTimeout time.Duration // how long a client may take to make its first call; 0 is 5 s
	// called for each refused client; must not block; nil means no call
	Refused func(uid uint32, why error)
	Group   string // the OS group that may connect; "" is the process's own group
	Log     hclog.Logger
}

// MethodHandler answers a call of a process with the user id uid.
type MethodHandler = func(ctx context.Context, uid uint32, req *protocol.Request) (any, error)

// Server listens on the control socket.
type Server struct {
	o        Options
	listener *net.UnixListener
}

// Listen makes the socket at path with mode 0660. It replaces a socket that a dead process left.
// The caller holds the lock of the state folder.
func Listen(path string, o Options) (*Server, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("remove the old control socket: %w", err)
	}
	if len(path) >= len(unix.RawSockaddrUnix{}.Path) {
		return nil, fmt.Errorf("control socket %s: the path has %d bytes, and a socket's may have %d: choose a shorter state folder",
			path, len(path), len(unix.RawSockaddrUnix{}.Path)-1)
	}
	o.CallTimeout = cmp.Or(o.CallTimeout, callTimeout)
	o.FirstCallTimeout = cmp.Or(o.FirstCallTimeout, firstCallTimeout)
	listener, err := (&net.ListenConfig{Control: closeToOthers}).Listen(context.Background(), "unix", path)
	if err != nil {
		return nil, fmt.Errorf("listen on the control socket: %w", err)
	}
	if err := errors.Join(os.Chmod(path, socketMode), giveGroup(path, o.Group)); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	return &Server{o: o, listener: listener.(*net.UnixListener)}, nil
}

const socketMode = 0o660

// closeToOthers sets a socket's mode before the socket has a path. Linux keeps the mode when it
// binds the socket, so other accounts can never connect. A umask would affect the whole process. If
// a system refuses to set the mode, only the mode of the path protects the socket.
func closeToOthers(_, _ string, conn syscall.RawConn) error {
	return conn.Control(func(fd uintptr) { _ = unix.Fchmod(int(fd), socketMode) })
}

// giveGroup lets the members of a group connect to the socket at path.
func giveGroup(path, group string) error {
	if group == "" {
		return nil
	}
	found, err := user.LookupGroup(group)
	if err != nil {
		return fmt.Errorf(textNoGroup, group)
	}
	gid, err := strconv.Atoi(found.Gid)
	if err == nil {
		err = os.Chown(path, -1, gid)
	}
	if err != nil {
		return fmt.Errorf(textNotInGroup, group, err)
	}
	return nil
}

// Run serves clients until ctx ends, and returns when all clients are disconnected.
func (s *Server) Run(ctx context.Context) error {
	defer s.listener.Close() // removes the socket now; later, the path might belong to another process
	defer context.AfterFunc(ctx, func() { s.listener.Close() })()
	var clients sync.WaitGroup
	defer clients.Wait()
	limit := &connectionLimit{people: s.o.People, byUID: map[uint32]int{}, refusing: slots.New(maxRefusing)}
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
			if !retry.Sleep(ctx, 100*time.Millisecond) {
				return nil
			}
			continue
		}
		uid, err := peerUID(conn)
		if err != nil {
			s.o.Log.Error("control socket: who is it", "error", err)
			conn.Close()
			continue
		}
		if why := limit.acquire(uid); why != nil {
			s.o.Log.Warn("control socket: a client was refused", "uid", uid, "why", why)
			if s.o.Refused != nil {
				s.o.Refused(uid, why)
			}
			clients.Go(func() { limit.refuse(ctx, conn, why) })
			continue
		}
		clients.Go(func() {
			defer limit.release(uid)
			s.serve(ctx, conn, uid)
		})
	}
}

// serve serves one connection until one side ends it.
func (s *Server) serve(ctx context.Context, conn *net.UnixConn, uid uint32) {
	c := &serverConn{o: &s.o, uid: uid, called: make(chan struct{}), attachedAt: make(chan position, 1)}
	c.conn = protocol.NewConn(conn, c, protocol.Options{
		CancelGrace: min(s.o.CallTimeout, 5*time.Second),
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
	c.serve(ctx)
	reading.Wait()
	c.upload.drop(s.o.Log)
}

// peerUID returns the user id of the connected process, as the kernel reports it.
func peerUID(conn *net.UnixConn) (uint32, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, err
	}
	var uid uint32
	var credErr error
	if err := raw.Control(func(fd uintptr) { uid, credErr = socketPeerUID(int(fd)) }); err != nil {
		return 0, err
	}
	return uid, credErr
}
