package web

import (
	"net/http"
	"runtime/debug"
)

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.running.TryRLock() {
		refuse(w, http.StatusServiceUnavailable)
		return
	}
	defer s.running.RUnlock()
	handler, ok := s.o.Routes[r.URL.EscapedPath()] // as it was sent: a path has one spelling
	if !ok || r.Method != http.MethodPost {
		refuse(w, http.StatusNotFound)
		return
	}
	a := &responseWriter{ResponseWriter: w}
	defer s.recoverPanic(a, r)
	handler.ServeHTTP(a, r)
}

// refuse answers with a status alone and hangs up: who asks for what is not there need not keep a connection.
func refuse(w http.ResponseWriter, status int) {
	w.Header().Set("Connection", "close")
	w.WriteHeader(status)
}

// recoverPanic has a handler's panic end its request and nothing else.
func (s *Server) recoverPanic(a *responseWriter, r *http.Request) {
	switch fault := recover(); fault {
	case nil:
		return
	case http.ErrAbortHandler:
		panic(fault) // the handler's way to hang up, which net/http knows
	default:
		s.errors.panicked(r.URL.EscapedPath(), fault, debug.Stack())
	}
	if a.started {
		panic(http.ErrAbortHandler) // the caller must not take the half for the whole
	}
	clear(a.Header())
	refuse(a, http.StatusInternalServerError)
}

// responseWriter is a ResponseWriter that knows whether an answer has begun.
type responseWriter struct {
	http.ResponseWriter
	started bool
}

func (a *responseWriter) WriteHeader(status int) {
	a.started = a.started || status >= http.StatusOK // what is below announces only
	a.ResponseWriter.WriteHeader(status)
}

func (a *responseWriter) Write(p []byte) (int, error) {
	a.started = true
	return a.ResponseWriter.Write(p)
}

// Unwrap is for http.ResponseController.
func (a *responseWriter) Unwrap() http.ResponseWriter { return a.ResponseWriter }
