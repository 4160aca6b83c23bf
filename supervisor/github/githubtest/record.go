package githubtest

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Request is a request that the server received.
type Request struct {
	Method string
	Path   string // the path without /api/v3, with the query
	// as in the table of routes: GET /repos/{owner}/{repo}/pulls/{number}; "" if no route matches
	Route string
	Body  string
	Token string // the token as the client sent it
	At    time.Time
	Code  int  // the HTTP status; 0 if no answer was sent
	Done  bool // the request was carried out, even if the client got no answer or an error
	Write bool // the request changes content
}

// record has everything that the server has seen.
type record struct {
	requests   []Request
	violations []string
	mails      map[string]int // number of mails by owner/name#number
}

func (r *record) violate(format string, args ...any) {
	r.violations = append(r.violations, fmt.Sprintf(format, args...))
}

// mail counts a mail to everybody who watches a pull request or an issue.
func (s *Server) mail(repo string, number int) {
	if s.log.mails == nil {
		s.log.mails = map[string]int{}
	}
	s.log.mails[fmt.Sprintf("%s#%d", strings.ToLower(repo), number)]++
}

// Requests returns every request in order, or the requests of some routes. A route is for example
// "POST /repos/{owner}/{repo}/pulls/{number}/reviews".
func (s *Server) Requests(routes ...string) []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []Request
	for _, r := range s.log.requests {
		if len(routes) == 0 || slices.Contains(routes, r.Route) {
			found = append(found, r)
		}
	}
	return found
}

// Violations returns everything that no good client does. These are writes beyond the limits, and
// requests before a Retry-After has ended.
func (s *Server) Violations() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.log.violations)
}

// Mails returns how many mails the token's owner caused for a pull request or issue. A review with
// all its comments is one mail. A comment is one mail too. An edit is none.
func (s *Server) Mails(repo string, number int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.mails[fmt.Sprintf("%s#%d", strings.ToLower(repo), number)]
}

// Dump returns the last requests for a test's log, without their bodies.
func (s *Server) Dump() string {
	var b strings.Builder
	all := s.Requests()
	fmt.Fprintf(&b, "the GitHub was asked %d times\n", len(all))
	for _, r := range all[max(0, len(all)-20):] {
		fmt.Fprintf(&b, "  %s %s %s: %d\n", r.At.Format("15:04:05.000"), r.Method, r.Path, r.Code)
	}
	for _, v := range s.Violations() {
		fmt.Fprintf(&b, "  violation: %s\n", v)
	}
	return b.String()
}
