package githubtest

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Request is a request that the server has received.
type Request struct {
	Method string
	Path   string // path without /api/v3, with the query
	// the matching route, such as GET /repos/{owner}/{repo}/pulls/{number}; "" means none
	Route string
	Body  string
	Token string // the token that the client sent
	At    time.Time
	Code  int  // status of the answer; 0 if no answer was sent
	Done  bool // the request was carried out, even if the client got an error or no answer
	Write bool // the request is one that changes content
}

// record has the requests and their effects.
type record struct {
	requests   []Request
	violations []string
	mails      map[string]int // number of mails; a key is owner/name#number
}

func (r *record) violate(format string, args ...any) {
	r.violations = append(r.violations, fmt.Sprintf(format, args...))
}

// mail counts a mail to all watchers of a pull request or an issue.
func (s *Server) mail(repo string, number int) {
	if s.log.mails == nil {
		s.log.mails = map[string]int{}
	}
	s.log.mails[fmt.Sprintf("%s#%d", strings.ToLower(repo), number)]++
}

// Requests returns all requests in order, or only those of some routes. An example of a route is
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

// LimitViolations returns the requests that no good client makes. These are writes beyond the
// limits, and requests before a Retry-After has passed.
func (s *Server) LimitViolations() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.log.violations)
}

// CountMails returns how many mails the bot has caused for a pull request or an issue. A review
// with all its comments is one mail. A single comment is one mail, too. An edit causes no mail.
func (s *Server) CountMails(repo string, number int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.mails[fmt.Sprintf("%s#%d", strings.ToLower(repo), number)]
}

// DumpRequests returns the last requests as text without bodies, for the log of a test.
func (s *Server) DumpRequests() string {
	var b strings.Builder
	all := s.Requests()
	fmt.Fprintf(&b, "the GitHub was asked %d times\n", len(all))
	for _, r := range all[max(0, len(all)-20):] {
		fmt.Fprintf(&b, "  %s %s %s: %d\n", r.At.Format("15:04:05.000"), r.Method, r.Path, r.Code)
	}
	for _, v := range s.LimitViolations() {
		fmt.Fprintf(&b, "  violation: %s\n", v)
	}
	return b.String()
}
