// Package serve is a worker's side of the connection. It answers the supervisor's calls, and runs
// the turns and operations that the supervisor starts. It ends on the supervisor's order, or when
// the supervisor goes away.
package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"mews/protocol"
	"mews/worker"
	"mews/worker/host"
)

// Options of a worker.
type Options struct {
	Build  string // build of the worker, for the supervisor's log
	Now    func() time.Time
	Report func(error) // receives errors for the worker's log, from any goroutine; never nil
	// Tools replace the tools of the table families; nil means the tools of that table.
	Tools []worker.Tool
	// MoreTools sends the whole list of additional tools each time that it changes. nil means that
	// there are none.
	MoreTools <-chan []worker.Tool
	// Start starts a program behind a second layer of walls; nil means that programs do not run.
	// Orphans must become children of this process.
	Start func(cmd *exec.Cmd) error
	// StartParser starts this process's own program as a parser of files, behind walls without any
	// folder; nil means that Start starts parsers too.
	StartParser func(cmd *exec.Cmd) error
	// StartReader starts a program of the system that reads a file of others, behind walls without
	// the user's folders; nil means that Start starts readers too.
	StartReader func(cmd *exec.Cmd) error
	// KillAll kills all programs within this process's walls at one moment; nil, or an error, means
	// that no wall confines signals.
	KillAll func() error
	// Abort ends this process at once, because only that ends a program that resists. nil means
	// that the process continues.
	Abort func(error)
	Env   []string // variables, NAME=VALUE, that programs need within these walls
	Temp  string   // parent folder for programs' outputs; "" means /tmp
	// History is the open folder for the file history of the user's home; nil means that none is
	// kept. The server owns and closes it.
	History *os.File
	// Try tries to escape from the walls; nil means that this system has no way to try.
	Try func(context.Context, protocol.TryWallsParams) []protocol.EscapeReport
}

// Waits at the end of a worker.
const (
	// stopTimeout is the time in which cancelled turns and operations must end. A tool that takes
	// longer ends with the process.
	stopTimeout = 4 * time.Second
	// closeDelay is the time in which the supervisor reads the last answers and closes the
	// connection. Then the worker closes it.
	closeDelay = 300 * time.Millisecond
	// exitTimeout is the time in which tools must end once the supervisor has gone.
	exitTimeout = time.Second
)

// errStopping is the cause of the end of turns and operations when the worker is stopped.
var errStopping = errors.New("the worker is stopping")

// Run serves the supervisor at the other end of rwc, which it owns and closes. It returns nil if
// the supervisor has gone or called stop, or if ctx has ended, which counts as stop. It returns an
// error if the wire broke. It waits at most a second for tools that ignore their context, so the
// process must end when Run has returned.
func Run(ctx context.Context, rwc io.ReadWriteCloser, o Options) error {
	s := newServer(o)
	defer s.close()
	s.conn = protocol.NewConn(rwc, s, protocol.Options{MaxCalls: maxCalls, Report: o.Report})
	s.host = host.New(s.conn)

	tidying, enough := context.WithCancel(context.WithoutCancel(ctx))
	var tidy sync.WaitGroup
	tidy.Go(func() { s.cleanUpWhenIdle(tidying) })
	tidy.Go(func() { s.runHome(tidying) })
	if o.Start != nil {
		tidy.Go(func() { s.reap(tidying) })
	}
	defer tidy.Wait()
	defer enough()

	ended := make(chan error, 1)
	go func() { ended <- s.conn.Run(context.WithoutCancel(ctx)) }()
	select {
	case <-s.conn.Done():
	case <-s.stopped:
		s.closeAfterAnswers()
	case <-ctx.Done():
		s.stopWork()
		s.closeAfterAnswers()
	}
	select {
	case err := <-ended:
		return connError(err)
	case <-time.After(exitTimeout):
		return connError(s.conn.Err())
	}
}

// closeAfterAnswers closes the connection once the supervisor has had time to read the last
// answers.
func (s *server) closeAfterAnswers() {
	select {
	case <-s.conn.Done():
	case <-time.After(closeDelay):
		s.conn.Close(nil)
	}
}

// connError returns the error of a broken connection; nil means that the connection has only ended.
// A killed supervisor may leave half a line, or answers that it has not read.
func connError(err error) error {
	for _, end := range []error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE} {
		if errors.Is(err, end) {
			return nil
		}
	}
	if err == protocol.ErrClosed {
		return nil
	}
	return fmt.Errorf("serve the supervisor: %w", err)
}
