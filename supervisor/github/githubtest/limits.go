package githubtest

import (
	"maps"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// grace is how long after a refusal an earlier request may still arrive.
	grace = 500 * time.Millisecond
	// keeping is how long a client may need to store a refusal. A client whose connection closes
	// within that time may have lost the refusal.
	keeping = 2 * time.Second
)

// GitHub's secondary limits (docs.github.com, rate limits for the REST API).
const (
	minuteWrites = 80
	hourWrites   = 500
	retryAfter   = 60 // seconds in the header Retry-After of a refusal
)

// primary has GitHub's primary limits: the number of requests for each resource, and the period.
var primary = map[string]struct {
	most int
	in   time.Duration
}{"core": {5000, time.Hour}, "graphql": {5000, time.Hour}, "search": {30, time.Minute}}

// limits has the used part of each account's limits.
type limits struct {
	most   map[string]int // limits by resource that the test has set, in place of the limits in primary
	used   map[string]*window
	writes map[string][]time.Time
	pauses map[string]*pause
}

func newLimits() limits {
	return limits{most: map[string]int{}, used: map[string]*window{}, writes: map[string][]time.Time{}, pauses: map[string]*pause{}}
}

// window is a period of a primary limit.
type window struct {
	used     int
	reset    time.Time
	toldOver *pause // the pause after the client was told that no requests are left
}

// pause is a time in which the server refuses an account's requests.
type pause struct {
	since, until time.Time
	told         net.Conn
	lost         bool // the client may have lost the refusal that began the pause
}

// SetRateLimit sets the primary limit of a resource: core, graphql or search.
func (s *Server) SetRateLimit(resource string, most int) {
	s.change(func() { s.limits.most[resource] = most })
}

// ResetWriteLimits clears the count of writes, as if an hour had passed.
func (s *Server) ResetWriteLimits() {
	s.change(func() { clear(s.limits.writes) })
}

// died marks recent refusals as lost after the client was killed. closed does the same for the
// refusals on one connection.
func (l *limits) died(at time.Time) { l.lose(at, func(*pause) bool { return true }) }

func (l *limits) closed(c net.Conn, at time.Time) {
	l.lose(at, func(p *pause) bool { return p.told == c })
}

func (l *limits) lose(at time.Time, concerned func(*pause) bool) {
	all := slices.Collect(maps.Values(l.pauses))
	for _, w := range l.used {
		if w.toldOver != nil {
			all = append(all, w.toldOver)
		}
	}
	for _, p := range all {
		p.lost = p.lost || concerned(p) && at.Sub(p.since) <= keeping
	}
}

// isTooEarly reports whether a request during a pause is the client's fault. The client is not at
// fault if it may have lost the refusal.
func (p *pause) isTooEarly(r *request, now time.Time) bool {
	if p.lost {
		p.since, p.told, p.lost = now, connOf(r), false
		return false
	}
	return now.Sub(p.since) > grace
}

// pause starts a pause, because of a fault or too many writes.
func (l *limits) pause(r *request, f Fault, now time.Time) answer {
	account := ""
	if r.grant != nil {
		account = r.grant.account
	}
	code, seconds := f.Code, f.RetryAfter
	if code == 0 {
		code = http.StatusForbidden
	}
	if seconds == 0 && !f.Wordless {
		seconds = retryAfter
	}
	wait := time.Duration(max(seconds, retryAfter)) * time.Second
	if !f.Wordless {
		wait = time.Duration(seconds) * time.Second
	}
	l.pauses[account] = &pause{since: now, until: now.Add(wait), told: connOf(r)}
	return secondary(code, seconds)
}

// secondary returns the refusal of a secondary limit. If seconds is 0, the refusal names no time,
// and the client must wait at least a minute.
func secondary(code, seconds int) answer {
	a := refuse(code, "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.")
	if seconds > 0 {
		a.header = map[string]string{"Retry-After": strconv.Itoa(seconds)}
	}
	return a
}

// limit refuses a request that is too early or beyond a limit. Call it only within Server.change.
func (s *Server) limit(r *request) (answer, bool) {
	if r.route.has(free) || r.grant == nil {
		return answer{}, true
	}
	now, l := s.now(), &s.limits
	for _, account := range []string{"", r.grant.account} {
		p := l.pauses[account]
		left := time.Duration(0)
		if p != nil {
			left = p.until.Sub(now)
		}
		if left <= 0 {
			delete(l.pauses, account)
			continue
		}
		if p.isTooEarly(r, now) {
			s.log.violate("%s %s came %v before the end of its Retry-After", r.Method, r.URL.Path, left.Round(time.Millisecond))
		}
		return secondary(http.StatusForbidden, int((left+time.Second-1)/time.Second)), false
	}
	if w := l.window(r, now); w.used >= l.mostOf(r) {
		if w.toldOver == nil {
			w.toldOver = &pause{since: now, told: connOf(r)}
		}
		if w.toldOver.isTooEarly(r, now) {
			s.log.violate("%s %s came though X-RateLimit-Remaining was 0", r.Method, r.URL.Path)
		}
		return l.headers(r, refuse(http.StatusForbidden, "API rate limit exceeded for user ID 1."), now), false
	}
	if !s.isWrite(r) {
		return answer{}, true
	}
	return s.limitWrites(r, now)
}

// limitWrites counts a write. It refuses a write beyond the limit.
func (s *Server) limitWrites(r *request, now time.Time) (answer, bool) {
	l, account := &s.limits, r.grant.account
	writes := l.writes[account]
	for len(writes) > 0 && now.Sub(writes[0]) >= time.Hour {
		writes = writes[1:]
	}
	last := 0
	for _, at := range writes {
		if now.Sub(at) < time.Minute {
			last++
		}
	}
	l.writes[account] = append(writes, now)
	if last < minuteWrites && len(writes) < hourWrites {
		return answer{}, true
	}
	s.log.violate("%s %s is the write %d within a minute and %d within an hour", r.Method, r.URL.Path, last+1, len(writes)+1)
	return l.pause(r, Fault{}, now), false
}

// count counts an answered request, and adds the headers about the limit. Unchanged answers (304)
// are not counted.
func (s *Server) count(r *request, a answer) answer {
	if r.route.has(free) || r.grant == nil {
		return a
	}
	now := s.now()
	if w := s.limits.window(r, now); a.code != http.StatusNotModified {
		if w.used++; w.used == s.limits.mostOf(r) {
			w.toldOver = &pause{since: now, told: connOf(r)}
		}
	}
	return s.limits.headers(r, a, now)
}

func resourceOf(r *request) string {
	switch {
	case r.URL.Path == "/graphql":
		return "graphql"
	case strings.HasPrefix(r.URL.Path, "/search/"):
		return "search"
	}
	return "core"
}

func (l *limits) mostOf(r *request) int {
	if most, ok := l.most[resourceOf(r)]; ok {
		return most
	}
	return primary[resourceOf(r)].most
}

func (l *limits) window(r *request, now time.Time) *window {
	key := r.grant.account + "/" + resourceOf(r)
	w := l.used[key]
	if w == nil || !now.Before(w.reset) {
		w = &window{reset: now.Add(primary[resourceOf(r)].in).Truncate(time.Second)}
		l.used[key] = w
	}
	return w
}

func (l *limits) headers(r *request, a answer, now time.Time) answer {
	w, most := l.window(r, now), l.mostOf(r)
	if a.header == nil {
		a.header = map[string]string{}
	}
	for name, value := range map[string]string{
		"X-RateLimit-Limit": strconv.Itoa(most), "X-RateLimit-Remaining": strconv.Itoa(max(most-w.used, 0)),
		"X-RateLimit-Reset": strconv.FormatInt(w.reset.Unix(), 10), "X-RateLimit-Used": strconv.Itoa(w.used),
		"X-RateLimit-Resource": resourceOf(r), "Date": now.Format(http.TimeFormat),
	} {
		a.header[name] = value
	}
	return a
}

// rateLimit answers with the state of the limits. This request is not counted.
func rateLimit(s *Server, r *request) answer {
	resources := map[string]any{}
	for name, limit := range primary {
		most := limit.most
		if n, ok := s.limits.most[name]; ok {
			most = n
		}
		left, reset := most, s.now().Add(limit.in)
		if w := s.limits.used[r.grant.account+"/"+name]; w != nil && s.now().Before(w.reset) {
			left, reset = max(most-w.used, 0), w.reset
		}
		resources[name] = map[string]any{"limit": most, "remaining": left, "used": most - left, "reset": reset.Unix()}
	}
	a := good(map[string]any{"resources": resources, "rate": resources["core"]})
	a.header = map[string]string{"Date": s.now().Format(http.TimeFormat)}
	return a
}
