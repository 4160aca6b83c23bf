package web

import (
	"fmt"
	"log"
	"runtime"
	"strings"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor/internal/rare"
)

// errorLog logs errors that callers cause. Because any stranger can cause errors, it logs each kind
// once a minute, with the number of errors left out. At debug level it logs all.
type errorLog struct {
	name string // the listener's name
	log  hclog.Logger
	now  func() time.Time
	rare rare.Throttle
}

// panicked logs the panic of a handler. The value of the panic may contain a user's words. Unless
// it comes from the Go runtime, it is logged only at level debug.
func (e *errorLog) panicked(path string, fault any, stack []byte) {
	message := e.name + ": a request was given up: panic"
	e.log.Debug(message, "path", path, "value", fmt.Sprint(fault))
	n := e.rare.CountOccurrence("panic", e.now())
	if n == 0 {
		return
	}
	what := fmt.Sprintf("a %T", fault)
	if err, isRuntime := fault.(runtime.Error); isRuntime {
		what = err.Error()
	}
	e.log.Error(message, "path", path, "value", what, "left_out", n-1, "stack", string(stack))
}

// logger returns a logger with which net/http logs its own messages.
func (e *errorLog) logger() *log.Logger { return log.New(errorLogWriter{e}, "", 0) }

// errorLogWriter is an io.Writer that sends net/http's own messages to the log.
type errorLogWriter struct{ *errorLog }

func (s errorLogWriter) Write(line []byte) (int, error) {
	message := s.name + ": the HTTP server"
	text := strings.TrimSpace(string(line))
	s.log.Debug(message, "says", text)
	if n := s.rare.CountOccurrence("line", s.now()); n > 0 {
		s.log.Warn(message, "says", text, "left_out", n-1)
	}
	return len(line), nil
}
