package web

import (
	"net/http"
	"runtime/debug"
	"slices"

	"mews/supervisor/feature"
)

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.running.TryRLock() {
		refuse(w, http.StatusServiceUnavailable)
		return
	}
	defer s.running.RUnlock()
	i := slices.IndexFunc(s.o.Routes, func(to feature.Route) bool { return to.Method == r.Method && to.Path == r.URL.EscapedPath() })
	if i < 0 {
		refuse(w, http.StatusNotFound)
		return
	}
	answer := &responseWriter{ResponseWriter: w}
	defer s.recoverPanic(answer, r)
	r.Body = http.MaxBytesReader(w, r.Body, s.o.Routes[i].Limit)
	s.o.Routes[i].Handler.ServeHTTP(answer, r)
}

// refuse answers with only a status, and closes the connection, because the caller of an unknown
// route need not keep one.
func refuse(w http.ResponseWriter, status int) {
	w.Header().Set("Connection", "close")
	w.WriteHeader(status)
}

// recoverPanic limits a handler's panic to its request.
func (s *Server) recoverPanic(w *responseWriter, r *http.Request) {
	switch fault := recover(); fault {
	case nil:
		return
	case http.ErrAbortHandler:
		panic(fault) // net/http closes the connection for this value
	default:
		s.errors.panicked(r.URL.EscapedPath(), fault, debug.Stack())
	}
	if w.started {
		panic(http.ErrAbortHandler) // the caller must not take a partial answer for the whole
	}
	clear(w.Header())
	refuse(w, http.StatusInternalServerError)
}

// responseWriter records whether an answer has begun.
type responseWriter struct {
	http.ResponseWriter
	started bool
}

func (w *responseWriter) WriteHeader(status int) {
	w.started = w.started || status >= http.StatusOK // a lower status only announces an answer
	w.ResponseWriter.WriteHeader(status)
}

func (w *responseWriter) Write(p []byte) (int, error) {
	w.started = true
	return w.ResponseWriter.Write(p)
}

// Unwrap serves http.ResponseController.
func (w *responseWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
