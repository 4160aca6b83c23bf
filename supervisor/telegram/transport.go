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
	"github.com/hashicorp/go-hclog"
)

const (
	connectTimeout = 10 * time.Second
	// idleTimeout is shorter than a server's keep-alive (nginx: 75 s, many proxies: 60 s or 30 s): a connection that the
	// server has closed just when we write to it leaves a call's fate unknown.
	idleTimeout = 20 * time.Second
	maxUpdates  = 16 << 20 // bytes of an answer to getUpdates
	maxAnswer   = 1 << 20  // bytes of any other answer
	firstRead   = 1 << 10  // bytes; most answers fit
)

const pollMethod = "getUpdates"

// wire is how a client reaches the API.
type wire struct {
	endpoint func(method string) string // with the token. A function, so that nothing that prints a Client shows it
	redact   func(text string) string
	polls    http.RoundTripper // apart from sends: a poll that waits for its 50 s never holds one up
	sends    http.RoundTripper
	log      hclog.Logger
}

// apiCall is one API call.
type apiCall struct {
	method  string
	chat    string // for the error; "" where it is about none
	params  any    // marshalled to a JSON object; nil is an empty one
	file    *upload
	timeout time.Duration // in all; 0 is callTimeout, and with a file as much more as its bytes may take
}

// transports are the connections to poll and those to send by.
func transports(given http.RoundTripper) (polls, sends http.RoundTripper) {
	if given != nil {
		return given, given
	}
	return newTransport(1), newTransport(8)
}

// newTransport speaks HTTP/1.1 alone: a connection carries one call, so when one breaks, one call's fate is in question
// and not that of every call under way, and a reset names its call.
func newTransport(idle int) *http.Transport {
	var only http.Protocols
	only.SetHTTP1(true)
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: connectTimeout, KeepAlive: 15 * time.Second}).DialContext,
		TLSHandshakeTimeout: connectTimeout,
		IdleConnTimeout:     idleTimeout,
		MaxIdleConnsPerHost: idle,
		DisableCompression:  true, // answers are small, and the limits on them are plain
		Protocols:           &only,
		TLSClientConfig: &tls.Config{
			MinVersion: tls.VersionTLS12,
			// Go's own list begins with a hybrid whose ClientHello needs two packets. Some backends of the public API
			// reset it: 21 connections of 125, and none of 125 with these. (openclaw 125764)
			CurvePreferences: []tls.CurveID{tls.X25519, tls.CurveP256, tls.CurveP384},
		},
	}
}

// dropIdle closes what nobody uses. A transport of the caller's may have no such notion.
func dropIdle(t http.RoundTripper) {
	if own, ok := t.(interface{ CloseIdleConnections() }); ok {
		own.CloseIdleConnections()
	}
}

// dropPolls makes the next poll connect anew, once the present one's context has ended.
func (w *wire) dropPolls() { dropIdle(w.polls) }

// request makes one API call. wait is how long it may take in all, connecting included; 0 is callTimeout. Its error is a
// *supervisor.SendError, and errors.As finds a *gotgbot.TelegramError in it where the API itself has said no.
func (w *wire) request(ctx context.Context, method string, params map[string]any, wait time.Duration) (
	json.RawMessage, error) {
	k := apiCall{method: method, timeout: wait}
	if params != nil { // a nil map in an interface would be "null"
		k.params = params
	}
	return w.do(ctx, k)
}

// do makes one call. Its error is a *supervisor.SendError.
func (w *wire) do(ctx context.Context, k apiCall) (json.RawMessage, error) {
	if k.timeout <= 0 {
		k.timeout = callTimeout + k.file.wait()
	}
	began := time.Now()
	result, f := w.exchange(ctx, k)
	if w.log.IsDebug() {
		w.log.Debug("called the Bot API", "method", k.method, "chat", k.chat, "took", time.Since(began), "failed", f != nil)
	}
	if f != nil {
		return nil, f.sendError()
	}
	return result, nil
}

// exchange sends one request and reads its answer. RoundTrip is called without an http.Client: so no redirect is followed,
// which would carry the token and a person's words to a host that nobody configured.
func (w *wire) exchange(parent context.Context, k apiCall) (json.RawMessage, *failure) {
	ctx, cancel := context.WithTimeout(parent, k.timeout)
	defer cancel()
	req, out, err := w.newRequest(ctx, k)
	if err != nil {
		return nil, w.failed(k, &failure{responder: responderSelf, err: err})
	}
	resp, err := w.connections(k.method).RoundTrip(req)
	if err != nil {
		return nil, w.failed(k, unanswered(out, ending(parent, ctx, k.timeout, err)))
	}
	defer resp.Body.Close() // it was only read: its error says nothing
	f := &failure{responder: responderGateway, code: resp.StatusCode}
	f.retryAfter, _ = strconv.ParseInt(resp.Header.Get("Retry-After"), 10, 64) // a date, or nonsense, is as good as none
	body, err := readAnswer(resp, k.method)
	if err != nil {
		f.err = ending(parent, ctx, k.timeout, err)
		return nil, w.failed(k, f)
	}
	result := f.read(body)
	if result == nil {
		return nil, w.failed(k, f)
	}
	return result, nil
}

// unanswered is the failure of a request that no answer began to.
func unanswered(out *trackedBody, err error) *failure {
	whole, broken := out.stop()
	if broken != nil {
		return &failure{responder: responderSelf, err: broken}
	}
	return &failure{sentWhole: whole, err: err}
}

// newRequest never fails on what a person wrote: all of that can be marshalled.
func (w *wire) newRequest(ctx context.Context, k apiCall) (*http.Request, *trackedBody, error) {
	out, kind, err := k.body()
	if err != nil {
		return nil, nil, err
	}
	body, err := out.reader()
	if err != nil {
		return nil, nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.endpoint(k.method), body)
	if err != nil {
		return nil, nil, errors.Join(err, body.Close())
	}
	req.GetBody = out.reader
	req.ContentLength = out.size
	req.Header.Set("Content-Type", kind)
	req.Header.Set("User-Agent", "mews")
	return req, out, nil
}

// body is what the call sends, and its media type.
func (k apiCall) body() (*trackedBody, string, error) {
	params := []byte("{}")
	if k.params != nil {
		marshalled, err := json.Marshal(k.params)
		if err != nil {
			return nil, "", fmt.Errorf("marshal its parameters: %w", err)
		}
		params = marshalled
	}
	if k.file != nil {
		return k.file.body(params)
	}
	return bytesBody(params), "application/json", nil
}

func (w *wire) connections(method string) http.RoundTripper {
	if method == pollMethod {
		return w.polls
	}
	return w.sends
}

// failed completes f and makes its text one that may be shown to anybody who reads the log.
func (w *wire) failed(k apiCall, f *failure) *failure {
	f.method, f.chat = k.method, k.chat
	if f.api != nil {
		f.api.Method = k.method
		f.api.Description = clip(w.redact(f.api.Description))
	}
	if f.err != nil && !errors.Is(f.err, context.Canceled) && !errors.Is(f.err, context.DeadlineExceeded) {
		f.err = errors.New(clip(w.redact(f.err.Error()))) // as text alone: what it wraps could be printed with the URL
	}
	return f
}

// ending is why a call ended: its context or its time where those are at an end, and err otherwise.
func ending(parent, ctx context.Context, wait time.Duration, err error) error {
	switch {
	case parent.Err() != nil:
		return parent.Err()
	case ctx.Err() != nil:
		return fmt.Errorf("no answer within %s: %w", wait, context.DeadlineExceeded)
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return errors.New(err.Error()) // of a transport's own contexts
	}
	return err
}

// readAnswer reads a body to its end, because only such a connection is used again.
func readAnswer(resp *http.Response, method string) ([]byte, error) {
	if resp.StatusCode == http.StatusSwitchingProtocols { // its body is the connection itself, which no context ends
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

// gotgbotClient lets the library's methods make their calls by a Client.
type gotgbotClient struct{ c *Client }

// RequestWithContext passes over the token that it is given: the client has its own. Parameters stay strings, as the
// library makes them; the API reads lists and objects in a string too.
func (r gotgbotClient) RequestWithContext(ctx context.Context, _ string, method string, params map[string]string,
	files map[string]gotgbot.FileReader, opts *gotgbot.RequestOpts) (json.RawMessage, error) {
	k := apiCall{method: method, chat: params["chat_id"]}
	if len(files) > 0 {
		err := r.c.failed(k, &failure{err: errors.New("files are not sent this way")})
		return nil, err.sendError()
	}
	if params != nil {
		k.params = nonEmpty(params)
	}
	if opts != nil {
		k.timeout = opts.Timeout
	}
	return r.c.do(ctx, k)
}

// nonEmpty are the parameters that have a value: the library names every optional one.
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

// FileURL has no answer: the token would be in it.
func (r gotgbotClient) FileURL(string, string, *gotgbot.RequestOpts) string { return "" }

var _ gotgbot.BotClient = gotgbotClient{}
