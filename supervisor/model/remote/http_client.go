package remote

import (
	"net"
	"net/http"
	"strings"
	"time"
)

const (
	connectTimeout = 10 * time.Second
	pingAfter      = 15 * time.Second // silence on an HTTP/2 connection before a ping
	// idleConns is the number of connections kept for the next calls. Further calls open new ones,
	// with a TLS handshake.
	idleConns = 64
)

// Client returns a copy of given, or a new client if given is nil. The client does not follow
// redirects. A redirect would send the user's words, and perhaps the key, to a host that nobody
// configured.
func Client(given *http.Client) *http.Client {
	client := http.Client{Transport: &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: connectTimeout, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout: connectTimeout,
		IdleConnTimeout:     90 * time.Second, // the value of net/http
		MaxIdleConnsPerHost: idleConns,
		DisableCompression:  true, // a compressing proxy would delay deltas
		ForceAttemptHTTP2:   true,
		HTTP2:               &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingAfter},
	}}
	if given != nil {
		client = *given
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &client
}

// Types of bodies. TypeStream is any type except JSON and HTML.
const (
	TypeStream = "text/event-stream"
	TypeJSON   = "application/json"
)

// hasType reports whether a response has the status 200 and a fitting content type. Servers give
// their streams various types, but never JSON or HTML. JSON or HTML with status 200 is an error, or
// the server is no model API at all.
func hasType(resp *http.Response, kind string) bool {
	given, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	given = strings.ToLower(strings.TrimSpace(given))
	right := given == kind
	if kind == TypeStream {
		right = given != TypeJSON && given != "text/html"
	}
	return right && resp.StatusCode == http.StatusOK
}
