package egress

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"mews/supervisor/internal/slots"
)

// Request is one fetch.
type Request struct {
	User    string // name of the user whose limits count; "" means the service itself
	Turn    int64  // id of the turn whose limit counts; 0 means none
	Address Address
	Method  string // "" means GET
	Accept  string // media types for every server that is asked; "" means any
	// Header is sent to the origin of Address. A redirect to another origin drops it. The public
	// web gets no header Cookie.
	Header http.Header
	Body   []byte
	// RedirectsAreAnswers says to follow no redirect. Only GET and HEAD ever follow one.
	RedirectsAreAnswers bool
}

// Response is an answer of any status.
type Response struct {
	Status  int
	Header  http.Header // without cookies
	Address Address     // the address that answered, after redirects
	// Body is the unpacked body. The caller must close it, and should read it at once: the time
	// limit goes on. A Read that exceeds a limit returns an error of this package.
	Body io.ReadCloser
}

// fetch is a running Request. It holds a slot until its end.
type fetch struct {
	client  *Client
	request Request
	parent  context.Context
	ctx     context.Context
	cancel  context.CancelCauseFunc
	slot    *slots.Slot
	timer   *time.Timer // ends the fetch after its whole time

	at     Address // address of the current request
	route  *route
	target string // name of at in texts
	sent   atomic.Bool
}

// Fetch makes one request and follows its redirects. It waits for a free slot. Its errors are for
// people and have a *Failure, unless ctx has ended: then it returns the cause.
func (c *Client) Fetch(ctx context.Context, r Request) (*Response, error) {
	route, target, f := c.routeOf(ctx, r.Address)
	if f != nil {
		return nil, f.failure("", false)
	}
	if err := c.limiter.count(r.User, r.Turn, target); err != nil {
		return nil, err
	}
	slot, err := c.slots.Acquire(ctx, r.User)
	if err != nil {
		return nil, err
	}
	x := &fetch{client: c, request: r, parent: ctx, slot: slot, at: r.Address, route: route, target: target}
	x.request.Header = r.Header.Clone()
	x.ctx, x.cancel = context.WithCancelCause(ctx)
	x.timer = time.AfterFunc(route.whole, func() {
		x.cancel(faultWhole)
		slot.Release() // even if nobody closes the body
	})
	resp, err := x.run()
	if err != nil {
		x.end()
		return nil, err
	}
	return resp, nil
}

// run asks for the address, and then for each address that it redirects to.
func (x *fetch) run() (*Response, error) {
	for redirects := 0; ; redirects++ {
		answer, err := x.ask()
		if err != nil {
			return nil, x.failure(err)
		}
		location := answer.Header.Get("Location")
		if !x.follows(answer.StatusCode) || location == "" {
			return x.response(answer)
		}
		_ = answer.Body.Close() // only its headers count
		if redirects == maxRedirects {
			return nil, x.failure(faultRedirects)
		}
		if f := x.redirect(location); f != nil {
			return nil, x.failure(f)
		}
	}
}

// ask sends one request, and waits for the headers of its answer.
func (x *fetch) ask() (*http.Response, error) {
	timer := time.AfterFunc(x.route.headers, func() { x.cancel(faultHeaders) })
	defer timer.Stop()
	ctx := httptrace.WithClientTrace(context.WithValue(x.ctx, fetchKey{}, x.ctx), &httptrace.ClientTrace{
		WroteHeaders: func() { x.sent.Store(true) }})
	req := (&http.Request{Method: x.request.Method, URL: x.at.url(), Host: x.at.hostPort(), Header: http.Header{},
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}).WithContext(ctx)
	if len(x.request.Body) > 0 {
		req.Body = io.NopCloser(bytes.NewReader(x.request.Body))
		req.ContentLength = int64(len(x.request.Body))
	}
	req.Header.Set("User-Agent", x.client.userAgent)
	req.Header.Set("Accept-Encoding", "gzip")
	if x.request.Accept != "" {
		req.Header.Set("Accept", x.request.Accept)
	}
	for name, values := range x.request.Header {
		req.Header[http.CanonicalHeaderKey(name)] = values
	}
	if x.route == x.client.web {
		req.Header.Del("Cookie")
	}
	return x.route.transport.RoundTrip(req)
}

// follows reports whether an answer of a status is a redirect to follow.
func (x *fetch) follows(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect,
		http.StatusPermanentRedirect:
		m := x.request.Method
		return !x.request.RedirectsAreAnswers && (m == "" || m == http.MethodGet || m == http.MethodHead)
	}
	return false
}

// redirect makes the location of a redirect the next address, or returns why it is refused.
func (x *fetch) redirect(location string) *fault {
	next, f := x.at.resolve(location)
	if f != nil {
		return faultRedirect
	}
	if x.at.scheme == "https" && next.scheme != "https" {
		return faultDowngrade
	}
	route, target, f := x.client.routeOf(x.parent, next)
	if f != nil {
		return faultRedirect
	}
	if !next.hasOriginOf(x.at) {
		x.request.Header, x.request.Body = nil, nil
	}
	x.at, x.route, x.target = next, route, target
	return nil
}

// response makes the Response of the last answer. Its body ends the fetch.
func (x *fetch) response(answer *http.Response) (*Response, error) {
	body, f := x.newBody(answer)
	if answer.StatusCode < http.StatusOK { // 101 makes the body a connection of another protocol
		f = faultAnswer
	}
	if f != nil {
		_ = answer.Body.Close() // the fault replaces the answer
		return nil, x.failure(f)
	}
	answer.Header.Del("Set-Cookie")
	return &Response{Status: answer.StatusCode, Header: answer.Header, Address: x.at, Body: body}, nil
}

// failure returns the error of the fetch for an error of a request or body.
func (x *fetch) failure(err error) error {
	f := faultOf(err)
	if x.ctx.Err() != nil {
		own, isOwn := context.Cause(x.ctx).(*fault)
		if !isOwn {
			return context.Cause(x.ctx) // the caller's context has ended
		}
		f = own
	}
	return f.failure(x.target, x.sent.Load())
}

// end frees the connection and the slot. It may be called several times.
func (x *fetch) end() {
	x.timer.Stop()
	x.cancel(nil)
	x.slot.Release()
}
