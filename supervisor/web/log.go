package web

import (
	"fmt"
	"log"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
)

// errorLog logs what goes wrong with callers, of which anybody may be one: each kind of trouble once a minute, with how
// often there was any that was not logged. All of it is there at debug.
type errorLog struct {
	log hclog.Logger
	now func() time.Time

	mu    sync.Mutex           // guards what follows
	kinds map[string]*logCount // by message; there are two
}

type logCount struct {
	logged time.Time
	since  int // not logged since then
}

const logInterval = time.Minute

// allow tells whether it is time to log a kind of trouble, and how much of it was left out.
func (e *errorLog) allow(kind string) (ok bool, left int) {
	now := e.now()
	e.mu.Lock()
	defer e.mu.Unlock()
	last := e.kinds[kind]
	if last != nil && now.Sub(last.logged) < logInterval {
		last.since++
		return false, 0
	}
	if last != nil {
		left = last.since
	}
	if e.kinds == nil {
		e.kinds = map[string]*logCount{}
	}
	e.kinds[kind] = &logCount{logged: now}
	return true, left
}

// panicked logs a handler's panic. Its value may hold what a person wrote, unless the runtime made it.
func (e *errorLog) panicked(path string, fault any, stack []byte) {
	const message = "webhooks: a request was given up: panic"
	e.log.Debug(message, "path", path, "value", fmt.Sprint(fault))
	ok, left := e.allow(message)
	if !ok {
		return
	}
	what := fmt.Sprintf("a %T", fault)
	if err, isRuntime := fault.(runtime.Error); isRuntime {
		what = err.Error()
	}
	e.log.Error(message, "path", path, "value", what, "left_out", left, "stack", string(stack))
}

// logger is what net/http logs to.
func (e *errorLog) logger() *log.Logger { return log.New(serverLines{e}, "", 0) }

// serverLines takes net/http's own lines.
type serverLines struct{ *errorLog }

func (s serverLines) Write(line []byte) (int, error) {
	const message = "webhooks: the HTTP server"
	text := strings.TrimSpace(string(line))
	s.log.Debug(message, "says", text)
	if ok, left := s.allow(message); ok {
		s.log.Warn(message, "says", text, "left_out", left)
	}
	return len(line), nil
}
