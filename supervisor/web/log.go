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

// errorLog logs what goes wrong with callers, of which anybody may be one. A kind of trouble is logged once a minute, with how
// often it was left out since; at debug all of it is.
type errorLog struct {
	log hclog.Logger
	now func() time.Time

	mu    sync.Mutex          // guards what follows
	kinds map[string]logCount // by message; there are two
}

type logCount struct {
	logged  time.Time
	leftOut int // since then
}

const logInterval = time.Minute

// allow tells whether it is time to log a kind of trouble, and how often it was left out.
func (e *errorLog) allow(kind string) (ok bool, leftOut int) {
	now := e.now()
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.kinds == nil {
		e.kinds = map[string]logCount{}
	}
	last := e.kinds[kind]
	if now.Sub(last.logged) < logInterval {
		last.leftOut++
		e.kinds[kind] = last
		return false, 0
	}
	e.kinds[kind] = logCount{logged: now}
	return true, last.leftOut
}

// panicked logs a handler's panic. The value may hold what a person wrote, unless the runtime made it.
func (e *errorLog) panicked(path string, fault any, stack []byte) {
	const message = "webhooks: a request was given up: panic"
	e.log.Debug(message, "path", path, "value", fmt.Sprint(fault))
	ok, leftOut := e.allow(message)
	if !ok {
		return
	}
	what := fmt.Sprintf("a %T", fault)
	if err, isRuntime := fault.(runtime.Error); isRuntime {
		what = err.Error()
	}
	e.log.Error(message, "path", path, "value", what, "left_out", leftOut, "stack", string(stack))
}

// logger is what net/http logs to.
func (e *errorLog) logger() *log.Logger { return log.New(serverLines{e}, "", 0) }

// serverLines takes net/http's own lines.
type serverLines struct{ *errorLog }

func (s serverLines) Write(line []byte) (int, error) {
	const message = "webhooks: the HTTP server"
	text := strings.TrimSpace(string(line))
	s.log.Debug(message, "says", text)
	if ok, leftOut := s.allow(message); ok {
		s.log.Warn(message, "says", text, "left_out", leftOut)
	}
	return len(line), nil
}
