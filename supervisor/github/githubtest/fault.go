package githubtest

import (
	"cmp"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
)

// FaultKind is a kind of failure.
type FaultKind string

const (
	FaultErrorStatus FaultKind = "error" // an error with Code and Text, in GitHub's JSON
	FaultHTMLPage    FaultKind = "html"  // a web page with Code, as proxies send it
	// the connection is cut; with After, the request is carried out and its answer is lost
	FaultConnReset     FaultKind = "reset"
	FaultHang          FaultKind = "hang"      // no answer until the client leaves
	FaultTruncatedBody FaultKind = "truncated" // half of the answer; the request is carried out
	FaultInvalidJSON   FaultKind = "bad_json"  // status 200 with invalid JSON
	// FaultSecondaryLimit is a secondary limit: Code (403 or 429) with Retry-After. Until that time
	// has passed, further requests are refused and count as violations.
	FaultSecondaryLimit FaultKind = "secondary"
)

// Fault describes requests that fail, and how.
type Fault struct {
	Kind  FaultKind
	Route string // a route from the table of routes, or its beginning such as "POST "; "" means all
	Repo  string // name of a repository; "" means all
	After bool   // the request is carried out before it fails

	Times int     // how many requests fail; 0 means one, or without limit if Rate is set; -1 means without limit
	Skip  int     // how many requests succeed before the first failure
	Rate  float64 // share of the matching requests that fail, from 0 to 1; 0 means all
	Seed  uint64

	Code       int // status; 0 means 500 for FaultErrorStatus, 502 for FaultHTMLPage, 403 for FaultSecondaryLimit
	Text       string
	RetryAfter int  // seconds in the header Retry-After of the refusal; 0 means 60
	Wordless   bool // for FaultSecondaryLimit: whether the refusal has no header Retry-After
}

type fault struct {
	Fault
	left int
	rng  *rand.Rand
}

// InjectFault makes requests fail until end is called.
func (s *Server) InjectFault(f Fault) (end func()) {
	added := &fault{Fault: f, left: f.Times}
	if f.Times == 0 {
		added.left = 1
	}
	if f.Rate > 0 {
		added.rng = rand.New(rand.NewPCG(f.Seed, 0))
		added.left = cmp.Or(f.Times, -1)
	}
	if f.Kind == FaultTruncatedBody {
		added.After = true
	}
	s.change(func() { s.faults = append(s.faults, added) })
	return func() { s.change(func() { added.left = 0 }) }
}

// matchFault returns the fault for a request; nil if there is none. Call it only within
// Server.change.
func (s *Server) matchFault(r *request) *fault {
	repo := r.PathValue("owner") + "/" + r.PathValue("repo")
	for _, f := range s.faults {
		if f.left == 0 || !strings.HasPrefix(r.route.pattern, f.Route) || f.Repo != "" && !strings.EqualFold(f.Repo, repo) {
			continue
		}
		if f.Skip > 0 {
			f.Skip--
			continue
		}
		if f.rng != nil && f.rng.Float64() >= f.Rate {
			continue
		}
		if f.left > 0 {
			f.left--
		}
		return f
	}
	return nil
}

var faultCodes = map[FaultKind]int{FaultErrorStatus: http.StatusInternalServerError,
	FaultHTMLPage: http.StatusBadGateway, FaultInvalidJSON: http.StatusOK, FaultSecondaryLimit: http.StatusForbidden}

// code returns the status that the client gets.
func (f *fault) code(answer) int { return cmp.Or(f.Code, faultCodes[f.Kind]) }

func (f *fault) write(rw http.ResponseWriter, r *http.Request, a answer) {
	code := f.code(a)
	switch f.Kind {
	case FaultErrorStatus:
		refuse(code, cmp.Or(f.Text, http.StatusText(code))).write(rw)
	case FaultHTMLPage:
		rw.Header().Set("Content-Type", "text/html")
		rw.WriteHeader(code)
		_, _ = rw.Write([]byte(cmp.Or(f.Text, "<html><head><title>Unicorn!</title></head></html>")))
	case FaultInvalidJSON:
		_, _ = rw.Write([]byte(cmp.Or(f.Text, `{"id":`)))
	case FaultHang:
		<-r.Context().Done()
	case FaultTruncatedBody:
		body := a.bytes()
		rw.Header().Set("Content-Type", "application/json")
		rw.Header().Set("Content-Length", "1000000")
		rw.WriteHeader(a.code)
		_, _ = rw.Write(body[:len(body)/2])
		_ = http.NewResponseController(rw).Flush()
		panic(http.ErrAbortHandler)
	case FaultConnReset:
		cut(rw)
	}
}

// cut ends a connection with a TCP reset.
func cut(rw http.ResponseWriter) {
	conn, _, err := http.NewResponseController(rw).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}
