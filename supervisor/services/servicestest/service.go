// Package servicestest is a fake service with an API over HTTP, for tests of callers.
package servicestest

import (
	"io"
	"net/http"
	"slices"
	"sync"
)

// Call is a call that the service has got.
type Call struct {
	Method string
	Path   string // as it was sent, with its escapes
	Query  string
	Header http.Header
	Body   string
}

// Service is a fake service. It refuses calls without the right secret, as real services do. Its
// methods may be called from any goroutine.
type Service struct {
	// Allows reports whether a call has the right secret; nil allows every call.
	Allows func(*http.Request) bool
	// Answer answers the calls that Allows accepts; nil answers {"ok":true}. Set it before the
	// first call.
	Answer http.HandlerFunc

	mu    sync.Mutex // guards the following fields
	calls []Call
	keys  map[string]bool
	done  int
}

// IdempotencyHeader is the header by which the service recognises repeated calls.
const IdempotencyHeader = "Idempotency-Key"

// ServeHTTP answers one call.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the caller has gone
	}
	if s.Allows != nil && !s.Allows(r) {
		w.Header().Set("WWW-Authenticate", "Bearer")
		http.Error(w, `{"error":"the key is wrong"}`, http.StatusUnauthorized)
		return
	}
	s.mu.Lock()
	s.calls = append(s.calls, Call{r.Method, r.URL.EscapedPath(), r.URL.RawQuery, r.Header.Clone(), string(body)})
	key := r.Header.Get(IdempotencyHeader)
	if key == "" || !s.keys[key] {
		s.done++
	}
	if s.keys == nil {
		s.keys = map[string]bool{}
	}
	s.keys[key] = true
	s.mu.Unlock()
	if s.Answer != nil {
		s.Answer(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"ok":true}`) // an error means that the caller has gone
}

// Calls returns the calls with the right secret, in order.
func (s *Service) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// Done returns the number of calls, without those that the service recognised as repeated.
func (s *Service) Done() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.done
}
