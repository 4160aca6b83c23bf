package remote

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/supervisor/modelcall"
)

const (
	// maxAnswer bounds the text and arguments of an answer in bytes, so that the message can be
	// sent to the worker.
	maxAnswer    = 512 << 10
	maxListing   = 8 << 20 // bytes of a list of models
	maxRequestID = 128     // bytes kept of the endpoint's id of a call; Anthropic's ids have 28
	// ListTimeout is the limit of one request for a list of models.
	ListTimeout = 10 * time.Second
)

// Endpoint is one endpoint of a model API. Its fields must not change after the first use. It may
// be used from several goroutines at once.
type Endpoint struct {
	Name   string        // the provider's name in the configuration
	Host   string        // the address in texts for users: host and port
	Key    string        // "" if there is none; no error and no log line contains it
	Header http.Header   // header of each request
	Client *http.Client  // made by the function Client
	Begin  time.Duration // the longest wait for an answer's first event
	Stall  time.Duration // the longest wait within an answer
	Rules  []ErrorRule   // tried in order; together they match every error
	Log    hclog.Logger

	// Refusal reads an error object. status is the HTTP status, or 0 within a stream.
	Refusal func(status int, o ErrorObject) *Refusal
	// RetryAfter returns the pause that the endpoint wants.
	RetryAfter func(h http.Header, now time.Time) time.Duration
	// RequestID returns the endpoint's id of a call.
	RequestID func(http.Header) string
	// TypedLists requires that a list of models has the content type of JSON.
	TypedLists bool
}

// Builder builds an answer from the events of a stream.
type Builder interface {
	// Add takes one event and passes its text on.
	Add(Event) error
	// Answer returns the complete message, or the error that prevented it. It is called once
	// Progress has a Finish.
	Answer() (modelcall.Answer, error)
	// Progress returns the state of the answer so far.
	Progress() *Progress
}

// Progress is the state of an answer while it comes. A builder keeps it.
type Progress struct {
	Finish   string         // the API's word for the reason why the model stopped; "" before the end
	Ended    bool           // the stream has announced its end
	Usage    protocol.Usage // the usage, as far as the endpoint has counted it
	Received int64          // bytes of text, thinking and calls
	Request  string         // the endpoint's id of the call, if the events have it
	Events   int            // number of events that Add took; Stream counts them
	size     int            // bytes of the answer
}

// Grow counts n more bytes of the answer, and fails if it is too long.
func (p *Progress) Grow(n int) error {
	if p.size += n; p.size > maxAnswer {
		return ErrTooLong
	}
	return nil
}

// Encode returns a request's JSON. The same request gives the same bytes.
func Encode(request any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	err := enc.Encode(request)
	return buf.Bytes(), err
}

// Body is the body of a request.
type Body struct {
	Type  string
	Size  int64
	Bytes io.Reader
}

// JSON returns a Body of JSON.
func JSON(data []byte) Body { return Body{TypeJSON, int64(len(data)), bytes.NewReader(data)} }

// Stream posts a request and lets b build its answer. Its errors are raw: they may contain the URL
// and the key. If Stream fails, the answer still has Request, Usage, Sent and Received as far as
// they are known.
func (e *Endpoint) Stream(ctx context.Context, url string, body []byte, b Builder) (answer modelcall.Answer, err error) {
	var request string
	sent, p := false, b.Progress()
	err = watchIdle(ctx, e.Begin, func(ctx context.Context, w *watchedBody) error {
		// Nothing can be sent before there is a connection.
		trace := httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { sent = true }}
		resp, err := e.do(httptrace.WithClientTrace(ctx, &trace), http.MethodPost, url, JSON(body))
		if err != nil {
			return err
		}
		defer resp.Body.Close() // the error is ignored: the body was only read
		w.ReadCloser, request = resp.Body, e.requestID(resp)
		if !hasType(resp, TypeStream) {
			return e.readRefusal(resp, w)
		}
		answer, err = e.receive(ctx, w, b)
		return err
	})
	answer.Request, answer.Usage = cmp.Or(request, e.clean(p.Request)), p.Usage
	answer.Sent, answer.Received = sent || p.Events > 0, p.Received
	return answer, err
}

// receive reads the stream to its end. Everything up to the stop reason must arrive. The rest is
// awaited only briefly and may be missing.
func (e *Endpoint) receive(ctx context.Context, w *watchedBody, b Builder) (modelcall.Answer, error) {
	events, p := newEventReader(w), b.Progress()
	for ctx.Err() == nil && !p.Ended {
		event, err := events.next()
		if err != nil && p.Finish == "" {
			return modelcall.Answer{}, fmt.Errorf("%w: %w", ErrCutOff, err)
		}
		if err != nil {
			break
		}
		w.limit = e.Stall
		if err := b.Add(event); err != nil {
			return modelcall.Answer{}, err
		}
		if p.Events++; p.Finish != "" {
			w.expectEnd()
		}
	}
	if p.Finish == "" {
		return modelcall.Answer{}, ErrCutOff
	}
	answer, err := b.Answer()
	if err == nil {
		w.drain()
	}
	return answer, err
}

// do sends a request and waits for the head of the response.
func (e *Endpoint) do(ctx context.Context, method, url string, body Body) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, body.Bytes)
	if err != nil {
		return nil, err
	}
	req.Header, req.ContentLength = e.Header.Clone(), body.Size
	req.Header.Set("Content-Type", body.Type)
	req.Header.Set("Accept", TypeStream+", "+TypeJSON)
	req.Header.Set("User-Agent", "mews")
	return e.Client.Do(req)
}

// List reads a list of models, or a page of one. Its errors are raw, like those of Stream.
func (e *Endpoint) List(ctx context.Context, url string, into any) error {
	ctx, cancel := context.WithTimeout(ctx, ListTimeout)
	defer cancel()
	resp, err := e.do(ctx, http.MethodGet, url, JSON(nil))
	if err != nil {
		return err
	}
	defer resp.Body.Close() // the error is ignored: the body was only read
	if resp.StatusCode != http.StatusOK || e.TypedLists && !hasType(resp, TypeJSON) {
		return e.readRefusal(resp, resp.Body)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxListing))
	if err != nil {
		return err
	}
	return Decode(data, into)
}

// Post posts a request and reads the response. answer is the content type that the response must
// have, and most is its maximum size in bytes. Errors are raw, like those of Stream.
func (e *Endpoint) Post(ctx context.Context, url string, body Body, answer string, most int64) (data []byte, err error) {
	err = watchIdle(ctx, e.Begin, func(ctx context.Context, w *watchedBody) error {
		resp, err := e.do(ctx, http.MethodPost, url, body)
		if err != nil {
			return err
		}
		defer resp.Body.Close() // the error is ignored: the body was only read
		w.ReadCloser, w.limit = resp.Body, e.Stall
		if !hasType(resp, answer) {
			return e.readRefusal(resp, w)
		}
		if data, err = io.ReadAll(io.LimitReader(w, most+1)); err == nil && int64(len(data)) > most {
			err = ErrTooLong
		}
		return err
	})
	return data, err
}

// Decode decodes an endpoint's JSON.
func Decode(data []byte, into any) error {
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%w: %w", ErrNotEvent, err)
	}
	return nil
}

// requestID returns the endpoint's id of a call, without characters that cannot be stored.
func (e *Endpoint) requestID(resp *http.Response) string { return e.clean(e.RequestID(resp.Header)) }

func (e *Endpoint) clean(id string) string {
	id = e.Redact(oneLine(id))
	return strings.ToValidUTF8(id[:min(len(id), maxRequestID)], "")
}

// End converts the results of a call to those of a provider's Stream. If ctx has ended, it returns
// ctx's cause, and otherwise an error for users.
func (e *Endpoint) End(ctx context.Context, model string, answer modelcall.Answer, err error) (modelcall.Answer, error) {
	switch {
	case err == nil:
		answer.Model = cmp.Or(answer.Model, model)
		e.Log.Debug("model answered", "provider", e.Name, "model", answer.Model, "request", answer.Request, "stop", answer.Stop,
			"input", answer.Usage.Input, "output", answer.Usage.Output, "cache_read", answer.Usage.CacheRead,
			"cache_write", answer.Usage.CacheWrite, "bytes", answer.Received)
		return answer, nil
	case ctx.Err() != nil:
		return answer, context.Cause(ctx)
	}
	return answer, e.Explain(err, model, answer)
}

// Close closes the idle connections. Running calls continue.
func (e *Endpoint) Close() { e.Client.CloseIdleConnections() }
