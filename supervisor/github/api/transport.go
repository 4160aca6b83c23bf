package api

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"time"
)

const (
	connectTimeout = 10 * time.Second
	maxAnswer      = 32 << 20 // maximum size of an answer in bytes
	maxRefusal     = 64 << 10 // maximum size of a refusal in bytes
	maxRedirects   = 10
)

// errNotModified means that the answer has not changed since the given ETag.
var errNotModified = errors.New("not modified")

func newTransport() http.RoundTripper {
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: connectTimeout, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout: connectTimeout,
		IdleConnTimeout:     90 * time.Second, // the default of net/http for idle connections
		ForceAttemptHTTP2:   true,
	}
}

// followOnHost follows a redirect only on the same host, for example to a renamed repository. It
// never follows a redirect from https to http. It never follows a redirect of a write, because
// status 301 would turn the write into a GET.
func followOnHost(host string) func(*http.Request, []*http.Request) error {
	return func(r *http.Request, via []*http.Request) error {
		if r.URL.Host != host || r.URL.Scheme != via[0].URL.Scheme || len(via) >= maxRedirects || r.Method != via[0].Method {
			return http.ErrUseLastResponse
		}
		return nil
	}
}

// transport adds the token, keeps to the rate limits, and turns each refusal into an *Error. So
// go-github sees only successful answers.
type transport struct {
	inner  http.RoundTripper
	host   string
	auth   *authorizer
	limits *limiter
	clock  *clock
	now    func() time.Time
}

func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	k := callOf(r.Context())
	if k == nil || r.URL.Host != t.host {
		closeBody(r)
		return nil, fmt.Errorf("a request to %s is not GitHub's client's", r.URL.Host)
	}
	header, err := t.auth.authorization(r.Context(), k)
	if err != nil {
		closeBody(r)
		return nil, err
	}
	resource, write := resourceOf(r.URL.Path), isWrite(r, k)
	scope := t.auth.scope(k.repo)
	if err := t.limits.admit(r.Context(), k, scope, resource, write); err != nil {
		closeBody(r)
		return nil, err
	}
	wrote := false
	r = r.Clone(httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{WroteHeaders: func() { wrote = true }}))
	r.Header.Set("Authorization", header)
	if k.etag != "" {
		r.Header.Set("If-None-Match", k.etag)
	}
	resp, err := t.inner.RoundTrip(r)
	if err != nil {
		return nil, unanswered(k, write && wrote, err)
	}
	t.clock.note(resp.Header.Get("Date"), t.now())
	err = t.limits.end(r.Context(), k, scope, resource, resp)
	if err == nil {
		err = t.judge(k, resp, write, header)
	}
	if err != nil {
		_ = resp.Body.Close() // an error replaces the answer, so the body is not needed
		return nil, err
	}
	k.answerETag, k.mayHaveWritten = resp.Header.Get("ETag"), write && resp.StatusCode < http.StatusMultipleChoices
	hideLimits(resp.Header)
	resp.Body = &cappedBody{resp.Body, k, 0}
	return resp, nil
}

func closeBody(r *http.Request) {
	if r.Body != nil {
		_ = r.Body.Close() // the request was not sent
	}
}

// judge returns an error if an answer is a refusal, otherwise nil.
func (t *transport) judge(k *call, resp *http.Response, write bool, header string) error {
	if resp.StatusCode == http.StatusNotModified {
		return errNotModified
	}
	if resp.StatusCode < http.StatusBadRequest {
		return nil
	}
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxRefusal)) // the beginning of the text is enough
	e := newError(classOf(resp.StatusCode), k.action, resp.StatusCode, redact(refusalText(body), header), nil)
	e.Unknown = write && resp.StatusCode >= http.StatusInternalServerError
	e.Needs = resp.Header.Get("X-Accepted-GitHub-Permissions")
	t.auth.refused(k, resp.StatusCode)
	return e
}

// isWrite reports whether a request changes content.
func isWrite(r *http.Request, k *call) bool {
	return !k.isRead && r.Method != http.MethodGet && r.Method != http.MethodHead
}

// hideLimits removes the headers about rate limits. By these, go-github would refuse requests,
// using this machine's clock.
func hideLimits(h http.Header) {
	for name := range h {
		if strings.HasPrefix(strings.ToLower(name), "x-ratelimit-") {
			h.Del(name)
		}
	}
}

// cappedBody is the body of an answer. Reading fails if the body is too long.
type cappedBody struct {
	io.ReadCloser
	call *call
	read int64
}

func (b *cappedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	most := b.call.maxBytes
	if most == 0 {
		most = maxAnswer
	}
	if b.read += int64(n); b.read > most {
		return 0, newError(AnswerTooLarge, b.call.action, http.StatusOK, "",
			fmt.Errorf("the answer has more than %d bytes", most))
	}
	return n, err
}
