package telegram

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/PaulSonOfLars/gotgbot/v2"

	"mews/supervisor/internal/signals"
)

const (
	connectTimeout = 10 * time.Second
	// idleTimeout is shorter than a server's keep-alive (nginx: 75 s, many proxies: 60 s or 30 s).
	// If the server closes a connection while we write to it, a call's result is unknown.
	idleTimeout = 20 * time.Second
	maxUpdates  = 16 << 20 // maximum bytes of an answer to getUpdates
	maxAnswer   = 1 << 20  // maximum bytes of an answer to any other method
	firstRead   = 1 << 10  // bytes of the first buffer for an answer, which holds most answers
)

const pollMethod = "getUpdates"

// apiCall is a call of the API.
type apiCall struct {
	method string
	chat   string // the chat in the error's text; "" if the call is about no chat
	params any    // value that is marshalled to a JSON object; nil means an empty object
	files  uploads
	// forgiving lists errors of the API that count as success. A call with such an error returns
	// neither a result nor an error.
	forgiving []string
	// timeout limits the whole call with its connection; 0 means callTimeout, with more time for
	// the bytes of files.
	timeout time.Duration
}

// newTransport uses only HTTP/1.1, with one call at a time on a connection. If a connection breaks,
// only one known call has an unknown result.
func newTransport(idle int) *http.Transport {
	var only http.Protocols
	only.SetHTTP1(true)
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: connectTimeout, KeepAlive: 15 * time.Second}).DialContext,
		TLSHandshakeTimeout: connectTimeout,
		IdleConnTimeout:     idleTimeout,
		MaxIdleConnsPerHost: idle,
		DisableCompression:  true, // no compression, because answers are small and their limits stay simple
		Protocols:           &only,
		TLSClientConfig: &tls.Config{
			MinVersion: tls.VersionTLS12,
			// Go's own list begins with a hybrid whose ClientHello needs two packets. Some backends
			// of the public API reset such a connection: 21 of 125 connections. With the curves
			// below, they reset none of 125 connections. (openclaw 125764)
			CurvePreferences: []tls.CurveID{tls.X25519, tls.CurveP256, tls.CurveP384},
		},
	}
}

// dropIdle closes idle connections, if the transport can do that.
func dropIdle(t http.RoundTripper) {
	if own, ok := t.(interface{ CloseIdleConnections() }); ok {
		own.CloseIdleConnections()
	}
}

// dropPolls makes the next poll use a new connection, after the context of the present connection
// has ended.
func (c *Client) dropPolls() { dropIdle(c.polls) }

// do makes one call. Its error is a *supervisor.SendError. If the API itself refused, errors.As
// finds a *gotgbot.TelegramError in it.
func (c *Client) do(ctx context.Context, k apiCall) (json.RawMessage, error) {
	if k.timeout <= 0 {
		k.timeout = callTimeout + k.files.uploadTime()
	}
	began := time.Now()
	result, f := c.exchange(ctx, k)
	if c.log.IsDebug() {
		c.log.Debug("called the Bot API", "method", k.method, "chat", k.chat, "took", time.Since(began), "failed", f != nil)
	}
	if k.method != pollMethod && (f == nil || f.responder == responderAPI) {
		signals.SendToken(c.answered)
	}
	if f == nil || f.said(k.forgiving) {
		return result, nil
	}
	return nil, c.redacted(k, f).sendError()
}

// exchange sends one request and reads its answer. It calls RoundTrip without an http.Client, so it
// follows no redirect. A redirect would send the token and a user's words to a host that nobody
// configured.
func (c *Client) exchange(parent context.Context, k apiCall) (json.RawMessage, *failure) {
	ctx, cancel := context.WithTimeout(parent, k.timeout)
	defer cancel()
	req, out, err := c.newRequest(ctx, k)
	if err != nil {
		return nil, &failure{responder: responderSelf, err: err}
	}
	ended := func(err error) error { return ending(parent, ctx, k.timeout, err) }
	resp, err := c.connections(k.method).RoundTrip(req)
	if err != nil {
		return nil, unanswered(out, ended(err))
	}
	defer resp.Body.Close() // the body was only read, so its error does not matter
	c.clock.note(resp.Header.Get("Date"), time.Now())
	return readResult(resp, k.method, ended)
}

// connections returns the connections for a method.
func (c *Client) connections(method string) http.RoundTripper {
	switch method {
	case pollMethod:
		return c.polls
	case getFileMethod:
		return c.fetches
	}
	return c.sends
}

// readResult reads an answer to its end. ended converts the error of an incomplete answer.
func readResult(resp *http.Response, method string, ended func(error) error) (json.RawMessage, *failure) {
	f := &failure{responder: responderGateway, code: resp.StatusCode}
	// a date or an invalid value counts as missing
	f.retryAfter, _ = strconv.ParseInt(resp.Header.Get("Retry-After"), 10, 64)
	body, err := readAnswer(resp, method)
	if err != nil {
		f.err = ended(err)
		return nil, f
	}
	if result := f.read(body); result != nil {
		return result, nil
	}
	return nil, f
}

// unanswered returns the failure of a request without an answer.
func unanswered(out *trackedBody, err error) *failure {
	whole, broken := out.stop()
	if broken != nil {
		return &failure{responder: responderSelf, err: broken}
	}
	return &failure{sentWhole: whole, err: err}
}

// newRequest makes the HTTP request of a call. A user's words never make it fail, because all words
// can be marshalled.
func (c *Client) newRequest(ctx context.Context, k apiCall) (*http.Request, *trackedBody, error) {
	out, kind, err := k.body()
	if err != nil {
		return nil, nil, err
	}
	body, err := out.reader()
	if err != nil {
		return nil, nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.endpoint(k.method), body)
	if err != nil {
		return nil, nil, errors.Join(err, body.Close())
	}
	req.GetBody = out.reader
	req.ContentLength = out.size
	req.Header.Set("Content-Type", kind)
	req.Header.Set("User-Agent", "mews")
	return req, out, nil
}

// body returns the body of the call and its media type.
func (k apiCall) body() (*trackedBody, string, error) {
	params := []byte("{}")
	if k.params != nil {
		marshalled, err := json.Marshal(k.params)
		if err != nil {
			return nil, "", fmt.Errorf("marshal its parameters: %w", err)
		}
		params = marshalled
	}
	if len(k.files) > 0 {
		return k.files.body(params)
	}
	return bytesBody(params), "application/json", nil
}

// redacted completes a failure, and removes everything from its text that must not be logged.
func (c *Client) redacted(k apiCall, f *failure) *failure {
	f.method, f.chat = k.method, k.chat
	if f.api != nil {
		f.api.Method = k.method
		f.api.Description = clip(c.redact(f.api.Description))
	}
	if f.err != nil && !errors.Is(f.err, context.Canceled) && !errors.Is(f.err, context.DeadlineExceeded) {
		// The error is kept only as text, because a wrapped error could be printed with the URL.
		f.err = errors.New(clip(c.redact(f.err.Error())))
	}
	return f
}

// ending returns why a call ended: the end of its context or its timeout, or otherwise err.
func ending(parent, ctx context.Context, wait time.Duration, err error) error {
	switch {
	case parent.Err() != nil:
		return parent.Err()
	case ctx.Err() != nil:
		return fmt.Errorf("no answer within %s: %w", wait, context.DeadlineExceeded)
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return errors.New(err.Error()) // err may wrap one of the transport's own contexts; only its text is kept
	}
	return err
}

// readAnswer reads a body to its end, because a connection is reused only after that.
func readAnswer(resp *http.Response, method string) ([]byte, error) {
	// After a switch of protocols, the body is the connection itself, and no context ends its
	// reads.
	if resp.StatusCode == http.StatusSwitchingProtocols {
		return nil, errors.New("the answer is another protocol's")
	}
	limit := maxAnswer
	if method == pollMethod {
		limit = maxUpdates
	}
	var buf bytes.Buffer
	buf.Grow(firstRead)
	n, err := buf.ReadFrom(io.LimitReader(resp.Body, int64(limit)+1))
	if err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	if n > int64(limit) {
		return nil, fmt.Errorf("read the answer: more than %d bytes", limit)
	}
	return buf.Bytes(), nil
}

// gotgbotClient makes the library's calls through a Client.
type gotgbotClient struct{ c *Client }

// RequestWithContext ignores the library's token, because the client has its own. Parameters stay
// strings, as the library makes them; the API also reads lists and objects in strings.
func (r gotgbotClient) RequestWithContext(ctx context.Context, _ string, method string, params map[string]string,
	files map[string]gotgbot.FileReader, opts *gotgbot.RequestOpts) (json.RawMessage, error) {
	k := apiCall{method: method, chat: params["chat_id"]}
	if len(files) > 0 {
		return nil, r.c.redacted(k, &failure{err: errors.New("files are not sent this way")}).sendError()
	}
	if params != nil {
		k.params = nonEmpty(params)
	}
	if opts != nil {
		k.timeout = opts.Timeout
	}
	return r.c.do(ctx, k)
}

// nonEmpty returns the parameters that have a value. The library also includes empty optional
// parameters.
func nonEmpty(params map[string]string) map[string]string {
	out := make(map[string]string, len(params))
	for name, value := range params {
		if value != "" {
			out[name] = value
		}
	}
	return out
}

func (r gotgbotClient) GetAPIURL(*gotgbot.RequestOpts) string { return r.c.root }

// FileURL returns nothing, because the token would be in it.
func (r gotgbotClient) FileURL(string, string, *gotgbot.RequestOpts) string { return "" }

var _ gotgbot.BotClient = gotgbotClient{}
