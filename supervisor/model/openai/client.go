package openai

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"mews/supervisor"
)

const (
	connectTimeout = 10 * time.Second
	pingAfter      = 15 * time.Second // an HTTP/2 connection this long silent is asked whether it lives
	tailTimeout    = 5 * time.Second  // for the usage, once the model has said that it is done
	drainTimeout   = 100 * time.Millisecond
	maxRefusal     = 64 << 10 // bytes read of a refusal's body
)

// newClient is given, or one of our own. Neither follows redirects: they would carry the person's words, and perhaps
// the key, to a host that nobody configured.
func newClient(given *http.Client) *http.Client {
	client := http.Client{Transport: &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: connectTimeout, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout: connectTimeout,
		IdleConnTimeout:     90 * time.Second, // as net/http's own
		MaxIdleConnsPerHost: 4,
		DisableCompression:  true, // a compressing proxy would hold deltas back
		ForceAttemptHTTP2:   true,
		HTTP2:               &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingAfter},
	}}
	if given != nil {
		client = *given
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &client
}

// exchange sends one request and reads its answer. Its errors are raw: they may hold the URL and the key.
func (p *Provider) exchange(ctx context.Context, body []byte, say func(string)) (supervisor.ModelAnswer, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	w := watch(cancel, p.begin)
	defer w.timer.Stop()
	resp, err := p.send(ctx, body)
	if err != nil {
		return supervisor.ModelAnswer{}, w.silence(ctx, err)
	}
	defer resp.Body.Close() // of a body that was only read: its error says nothing
	w.body = resp.Body
	if !streams(resp) {
		return supervisor.ModelAnswer{}, w.silence(ctx, readRefusal(resp, w))
	}
	answer, err := p.receive(ctx, w, say)
	return answer, w.silence(ctx, err)
}

// send makes the request and waits for the head of the response.
func (p *Provider) send(ctx context.Context, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.endpoint, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("User-Agent", "mews")
	if p.key != "" {
		req.Header.Set("Authorization", "Bearer "+p.key)
	}
	return p.client.Do(req)
}

// streams tells an answer from a refusal. Servers name the type of their streams freely, but none of them streams JSON
// or HTML: those are an error with status 200, or something that is no model API at all.
func streams(resp *http.Response) bool {
	kind, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	switch strings.ToLower(strings.TrimSpace(kind)) {
	case "application/json", "text/html":
		return false
	}
	return resp.StatusCode == http.StatusOK
}

// receive reads the stream to its end. Everything up to the finish reason must arrive; what comes after it, the usage
// and [DONE], is waited for briefly and may be missing.
func (p *Provider) receive(ctx context.Context, w *watched, say func(string)) (supervisor.ModelAnswer, error) {
	events := newEventReader(w)
	var b builder
	for ctx.Err() == nil {
		ev, err := events.next()
		if err != nil && b.finish == "" {
			return supervisor.ModelAnswer{}, cutOff(err)
		}
		if err != nil || string(ev.data) == "[DONE]" {
			break
		}
		w.limit = p.stall
		if err := b.add(ev, say); err != nil {
			return supervisor.ModelAnswer{}, err
		}
		if b.finish != "" {
			w.limit = min(tailTimeout, p.stall)
		}
	}
	answer, err := b.answer(say)
	if err == nil {
		w.drain()
	}
	return answer, err
}

// cutOff marks an error of reading as the end of an answer before its time. What is wrong with the stream itself keeps
// its name.
func cutOff(err error) error {
	if errors.Is(err, errTooLong) {
		return err
	}
	return fmt.Errorf("%w: %w", errCutOff, err)
}

// errSilent ends a call whose endpoint has been silent for too long.
var errSilent = errors.New("silent for too long")

// watched is a body that ends the call when it has been silent too long. Time that the reader spends elsewhere does
// not count.
type watched struct {
	body  io.Reader
	limit time.Duration
	timer *time.Timer
}

// watch starts the first wait. Later ones start with each Read.
func watch(cancel context.CancelCauseFunc, limit time.Duration) *watched {
	return &watched{limit: limit, timer: time.AfterFunc(limit, func() { cancel(errSilent) })}
}

func (w *watched) Read(buf []byte) (int, error) {
	w.timer.Reset(w.limit)
	defer w.timer.Stop()
	return w.body.Read(buf)
}

// drain reads what little is left, because only a connection that was read to its end is used again.
func (w *watched) drain() {
	w.limit = drainTimeout
	_, _ = io.CopyN(io.Discard, w, 4<<10) // the answer is whole; what fails here costs a connection and no more
}

// silence is the endpoint's silence when that is what ended the call, and err otherwise.
func (w *watched) silence(ctx context.Context, err error) error {
	if err != nil && context.Cause(ctx) == errSilent {
		return &silentError{w.limit}
	}
	return err
}
