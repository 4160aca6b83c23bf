package remote

import (
	"net"
	"net/http"
	"strings"
	"time"
)

const (
	connectTimeout = 10 * time.Second
	pingAfter      = 15 * time.Second // silence on an HTTP/2 connection after which a ping is sent
	// idleConns is the maximum number of idle connections to keep. A new connection would need a
	// TLS handshake.
	idleConns = 64
)

// NewHTTPClient returns a copy of given, or a new client if given is nil. The client follows no
// redirect, which could send the user's words and the key to a host that is not configured.
func NewHTTPClient(given *http.Client) *http.Client {
	client := http.Client{Transport: &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: connectTimeout, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout: connectTimeout,
		IdleConnTimeout:     90 * time.Second, // the idle timeout of net/http's default transport
		MaxIdleConnsPerHost: idleConns,
		DisableCompression:  true, // a proxy that compresses would delay the deltas of an answer
		ForceAttemptHTTP2:   true,
		HTTP2:               &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingAfter},
	}}
	if given != nil {
		client = *given
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &client
}

// Content types for hasType. ContentTypeStream stands for any type except JSON and HTML.
const (
	ContentTypeStream = "text/event-stream"
	ContentTypeJSON   = "application/json"
)

// hasType reports whether a response has status 200 and the expected content type. Servers send
// streams with various types. JSON or HTML is never a stream: it is an error, or the server is no
// model API.
func hasType(resp *http.Response, kind string) bool {
	given, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	given = strings.ToLower(strings.TrimSpace(given))
	right := given == kind
	if kind == ContentTypeStream {
		right = given != ContentTypeJSON && given != "text/html"
	}
	return right && resp.StatusCode == http.StatusOK
}
