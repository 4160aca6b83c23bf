package control

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/unit"
)

// callTimeout limits one call of a client.
const callTimeout = 30 * time.Second

// NotRunningError is the error if no process listens on the control socket.
type NotRunningError struct {
	Path string
	Err  error
}

func (e *NotRunningError) Error() string {
	return fmt.Sprintf(textNotRunning, e.Path, ServiceStartCommand(e.Path))
}

// ServiceStartCommand returns the shell command that starts a control socket's service. The socket
// is at path.
func ServiceStartCommand(path string) string {
	return unit.ServiceCommand("start", filepath.Dir(path), "mews run")
}

func (e *NotRunningError) Unwrap() error { return e.Err }

// CallOnce calls one method over a new connection.
func CallOnce(ctx context.Context, path, method string, params, result any) error {
	conn, err := dial(ctx, path, failingHandler(noMethods))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	var running sync.WaitGroup
	running.Go(func() { _ = conn.Run(ctx) }) // Call returns the connection's error
	defer running.Wait()
	defer cancel()
	return decodeError(conn.Call(ctx, method, params, result))
}

func dial(ctx context.Context, path string, h protocol.Handler) (*protocol.Conn, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED):
		return nil, &NotRunningError{Path: path, Err: err}
	case errors.Is(err, fs.ErrPermission):
		if group := groupOf(path); group != "" {
			return nil, fmt.Errorf(textOfGroup, path, group, accountName(), err)
		}
		return nil, fmt.Errorf(textNotAllowed, path, err)
	case err != nil:
		return nil, fmt.Errorf("reach the control socket: %w", err)
	}
	return protocol.NewConn(conn, h, protocol.Options{}), nil
}

// groupOf returns the name or number of the group of a socket; "" means unknown.
func groupOf(path string) string {
	var stat syscall.Stat_t
	if err := syscall.Stat(path, &stat); err != nil {
		return ""
	}
	gid := strconv.FormatUint(uint64(stat.Gid), 10)
	if found, err := user.LookupGroupId(gid); err == nil {
		return found.Name
	}
	return gid
}

// accountName returns the name of this process's account, or its number.
func accountName() string {
	uid := strconv.Itoa(os.Getuid())
	if found, err := user.LookupId(uid); err == nil {
		return found.Username
	}
	return uid
}

// decodeError converts an error from the wire into an error for the user.
func decodeError(err error) error {
	var wire *protocol.Error
	if errors.As(err, &wire) && wire.Code == protocol.CodeFailed {
		return &supervisor.Error{Code: supervisor.CodeUnavailable, Message: wire.Message}
	}
	if errors.Is(err, protocol.ErrClosed) {
		return fmt.Errorf(textHungUp, err)
	}
	return err
}

// failingHandler is a handler that answers every call with an error.
type failingHandler func(*protocol.Request) error

func (f failingHandler) HandleCall(_ context.Context, req *protocol.Request) (any, error) {
	return nil, f(req)
}

func (failingHandler) HandleNotification(*protocol.Request) {}

func noMethods(req *protocol.Request) error { return protocol.MethodNotFoundError(req.Method) }
