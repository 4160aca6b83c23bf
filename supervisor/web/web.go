// Package web is an HTTP listener: the public one for webhooks, and the private one for this
// machine. It serves a table of routes, and answers all other requests with an empty 404. It limits
// the time, headers, bodies and connections of callers.
package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor/feature"
)

// Options configures the server.
type Options struct {
	Name   string // the listener's name in the log and in errors, such as webhooks
	Key    string // the key of the configuration for Listen, which hints name
	Listen string // IP address or localhost, with a port
	Routes []feature.Route
	// maximum number of open connections; 0 means 256. If all slots are taken, a new connection
	// waits, or takes the slot of a connection without a request.
	Connections int
	Timings     Timeouts
	Log         hclog.Logger
}

// Timeouts limits how long callers may take. 0 means the default.
type Timeouts struct {
	Header time.Duration // maximum wait for a request's headers; default 3 s
	// time for which a connection without headers keeps its slot while others wait for one; default
	// 250 ms
	Patience time.Duration
	Read     time.Duration // maximum wait for a whole request; default 15 s
	Write    time.Duration // maximum time until a request is answered; default 30 s
	Idle     time.Duration // maximum wait for the next request on a connection; default 60 s
	Grace    time.Duration // time in which running requests may finish when the service stops; default 5 s
}

const (
	maxConnections = 256
	maxHeaderBytes = 16 << 10
)

// Server is an HTTP listener.
type Server struct {
	o        Options
	listener *limitedListener
	errors   *errorLog

	// running is locked for reading during each request. When Run ends, it locks running for
	// writing and never unlocks it. So no request runs after Run.
	running sync.RWMutex
}

// New opens the port. Calls are answered when Run is called.
func New(o Options) (*Server, error) {
	o.Connections = cmp.Or(o.Connections, maxConnections)
	t := &o.Timings
	t.Header, t.Read = cmp.Or(t.Header, 3*time.Second), cmp.Or(t.Read, 15*time.Second)
	t.Write, t.Idle = cmp.Or(t.Write, 30*time.Second), cmp.Or(t.Idle, time.Minute)
	t.Grace, t.Patience = cmp.Or(t.Grace, 5*time.Second), cmp.Or(t.Patience, 250*time.Millisecond)
	listener, err := net.Listen("tcp", o.Listen)
	if err != nil {
		return nil, fmt.Errorf("listen for %s: %w%s", o.Name, err, listenHint(err, o.Key))
	}
	return &Server{
		o: o, listener: limitListener(listener.(*net.TCPListener), o.Connections, t.Patience), errors: &errorLog{name: o.Name, log: o.Log, now: time.Now},
	}, nil
}

func listenHint(err error, key string) string {
	for _, h := range listenHints {
		if errors.Is(err, h.err) {
			return "; " + fmt.Sprintf(h.hint, key)
		}
	}
	return ""
}

// Addr returns the listener's address.
func (s *Server) Addr() net.Addr { return s.listener.Addr() }

// SetRoutes replaces the table of routes. It must be called before Run.
func (s *Server) SetRoutes(routes []feature.Route) { s.o.Routes = routes }

// Close closes the port of a server that does not run.
func (s *Server) Close() error {
	if err := s.listener.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// Run serves until ctx ends. Then running requests may finish within Grace. After Grace, their
// connections are closed and their contexts cancelled. Run returns when the last handler has
// returned. A Server runs only once.
func (s *Server) Run(ctx context.Context) error {
	requests, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	server := s.server(requests)
	served := make(chan error, 1)
	// this goroutine ends when shutDown or Close ends the server
	go func() { served <- server.Serve(s.listener) }()
	var err error
	select {
	case err = <-served:
		err = fmt.Errorf("serve %s on %s: %w", s.o.Name, s.Addr(), err)
	case <-ctx.Done():
		s.shutDown(requests, server)
		<-served
	}
	// Close must come before the cancel. Otherwise a handler that ends with its context could still
	// send a response that looks successful.
	server.Close()
	cancel(errStopping)
	s.running.Lock()
	return err
}

var errStopping = errors.New("the service ends")

// shutDown lets running requests finish, for Grace at most.
func (s *Server) shutDown(ctx context.Context, server *http.Server) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.o.Timings.Grace, errStopping)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		s.o.Log.Warn(s.o.Name+": some requests did not end in time and were cut off", "grace", s.o.Timings.Grace)
	}
}

func (s *Server) server(requests context.Context) *http.Server {
	t := s.o.Timings
	return &http.Server{
		Handler: s, BaseContext: func(net.Listener) context.Context { return requests },
		ReadHeaderTimeout: t.Header, ReadTimeout: t.Read, WriteTimeout: t.Write, IdleTimeout: t.Idle,
		MaxHeaderBytes: maxHeaderBytes, ErrorLog: s.errors.logger(), DisableGeneralOptionsHandler: true,
		ConnState: s.listener.stateChanged,
	}
}
