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

// refuse answers with only a status. It closes the connection, because a caller of an unknown route
// needs no connection.
func refuse(w http.ResponseWriter, status int) {
	w.Header().Set("Connection", "close")
	w.WriteHeader(status)
}

// recoverPanic stops a handler's panic, so that only its request fails.
func (s *Server) recoverPanic(w *responseWriter, r *http.Request) {
	switch fault := recover(); fault {
	case nil:
		return
	case http.ErrAbortHandler:
		panic(fault) // for this value, net/http closes the connection without a log
	default:
		s.errors.panicked(r.URL.EscapedPath(), fault, debug.Stack())
	}
	if w.started {
		panic(http.ErrAbortHandler) // cuts the connection, so that a partial response does not look complete
	}
	clear(w.Header())
	refuse(w, http.StatusInternalServerError)
}

// responseWriter is a ResponseWriter that records whether a response has begun.
type responseWriter struct {
	http.ResponseWriter
	started bool
}

func (w *responseWriter) WriteHeader(status int) {
	w.started = w.started || status >= http.StatusOK // statuses below 200 only announce a response
	w.ResponseWriter.WriteHeader(status)
}

func (w *responseWriter) Write(p []byte) (int, error) {
	w.started = true
	return w.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController find the wrapped writer.
func (w *responseWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
