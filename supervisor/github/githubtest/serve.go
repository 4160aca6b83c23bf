package githubtest

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// maxBody is the maximum size of a body that GitHub accepts, in bytes.
const maxBody = 25 << 20

// request is a request that is being handled.
type request struct {
	*http.Request
	server *Server
	body   []byte
	repo   *Repo
	grant  *grant
	route  route
}

// number returns a number from the query or the path; absent if it is missing.
func (r *request) number(name string, absent int) int {
	text := r.PathValue(name)
	if text == "" {
		text = r.URL.Query().Get(name)
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return absent
	}
	return n
}

func (r *request) id(name string) int64 { return int64(r.number(name, 0)) }

// into decodes the JSON body into v. Fields that the body lacks stay unchanged.
func (r *request) into(v any) bool { return json.Unmarshal(r.body, v) == nil }

// route is one kind of request that the server handles.
type route struct {
	pattern string
	needs   string // permission that a token needs, as permission=level
	answer  func(*Server, *request) answer
	flags   flag
}

type flag int

const (
	byApp  flag = 1 << iota // the route needs the App's own JWT
	quiet                   // the route is a POST that changes nothing
	noRepo                  // the route is not about a repository
	free                    // the route does not count against a limit
)

func (r route) has(f flag) bool { return r.flags&f != 0 }

// handler returns the handler for all routes, with the path prefixes of GitHub and of GitHub
// Enterprise.
func (s *Server) handler() http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
		path, _ := strings.CutPrefix(req.URL.EscapedPath(), "/api/v3")
		if path == "/api/graphql" {
			path = "/graphql"
		}
		req.URL.Path, req.URL.RawPath = path, ""
		for _, r := range routes {
			if r.matches(req, path) {
				s.serve(rw, req, r)
				return
			}
		}
		s.serve(rw, req, route{answer: unknown, flags: noRepo})
	})
}

// digits are the parts of a path that must be numbers.
var digits = map[string]bool{"number": true, "review": true, "comment": true, "check": true, "hook": true, "delivery": true, "installation": true}

// matches reports whether a request matches a route. It stores the named parts of the path.
func (r route) matches(req *http.Request, path string) bool {
	method, pattern, _ := strings.Cut(r.pattern, " ")
	want, got := strings.Split(pattern, "/"), strings.Split(path, "/")
	if req.Method != method || len(got) < len(want) {
		return false
	}
	values := map[string]string{}
	for n, part := range want {
		name, named := strings.CutPrefix(strings.TrimSuffix(part, "}"), "{")
		value, err := url.PathUnescape(got[n])
		rest, all := strings.CutSuffix(name, "...")
		switch {
		case err != nil || !named && part != value || named && digits[name] && atoi(value) == 0 && value != "0":
			return false
		case all:
			if values[rest], err = url.PathUnescape(strings.Join(got[n:], "/")); err != nil {
				return false
			}
			got = got[:len(want)]
		case named:
			values[name] = value
		}
	}
	if len(got) != len(want) {
		return false
	}
	for name, value := range values {
		req.SetPathValue(name, value)
	}
	return true
}

func unknown(*Server, *request) answer { return notFound() }

// serve records a request, checks its rights and limits, and answers it.
func (s *Server) serve(rw http.ResponseWriter, req *http.Request, to route) {
	body, err := io.ReadAll(io.LimitReader(req.Body, maxBody))
	if err != nil {
		return // the client has left
	}
	r := &request{Request: req, server: s, body: body, route: to}
	var a answer
	var f *fault
	at := 0
	s.change(func() {
		at = len(s.log.requests)
		token := strings.TrimPrefix(strings.TrimPrefix(req.Header.Get("Authorization"), "Bearer "), "token ")
		s.log.requests = append(s.log.requests, Request{Method: req.Method, Path: strings.TrimSuffix(req.URL.Path+"?"+req.URL.RawQuery, "?"), Route: to.pattern, Body: string(body), Token: token,
			At: s.now(), Write: s.isWrite(r)})
		f = s.matchFault(r)
		if f != nil && f.Kind == FaultSecondaryLimit {
			a = s.limits.pause(r, f.Fault, s.now())
			return
		}
		if f == nil || f.After {
			a = s.answer(r, token)
			s.log.requests[at].Done = a.code < http.StatusBadRequest
		}
	})
	code := a.code
	if f != nil {
		code = f.code(a)
	}
	s.change(func() { s.log.requests[at].Code = code })
	if f != nil && f.Kind != FaultSecondaryLimit {
		f.write(rw, req, a)
		return
	}
	a.write(rw)
}

// answer handles a request like GitHub. Call it only within Server.change.
func (s *Server) answer(r *request, token string) answer {
	if a, ok := s.admit(r, token); !ok {
		return a
	}
	if a, ok := s.limit(r); !ok {
		return a
	}
	a := r.route.answer(s, r).tagged(r)
	return s.count(r, a)
}

// isWrite reports whether a request changes content.
func (s *Server) isWrite(r *request) bool {
	if r.route.pattern == "POST /graphql" {
		var q struct{ Query string }
		return r.into(&q) && strings.HasPrefix(strings.TrimSpace(q.Query), "mutation")
	}
	return r.Method != http.MethodGet && r.Method != http.MethodHead && !r.route.has(quiet)
}

// connKey is the context key for a request's connection.
type connKey struct{}

func withConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

func connOf(r *request) net.Conn {
	c, _ := r.Context().Value(connKey{}).(net.Conn) // nil if a test calls the handler without a connection
	return c
}

// connState notices connections that the client has closed.
func (s *Server) connState(c net.Conn, state http.ConnState) {
	if state == http.StateClosed {
		s.change(func() { s.limits.closed(c, s.now()) })
	}
}

// RecordClientCrash tells the server that its client was killed. The client may not have stored a
// refusal that it had just received.
func (s *Server) RecordClientCrash() { s.change(func() { s.limits.died(s.now()) }) }
