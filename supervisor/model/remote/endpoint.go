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
	// maxAnswer is the maximum size of an answer's text and arguments in bytes. A larger message
	// cannot be sent to the worker.
	maxAnswer    = 512 << 10
	maxListing   = 8 << 20 // maximum size of a list of models, in bytes
	maxRequestID = 128     // maximum size of a call's id, in bytes; Anthropic's ids have 28
	// ModelListTimeout is the limit of one request for a list of models.
	ModelListTimeout = 10 * time.Second
)

// Endpoint is an address of a model API. Its fields must not change after the first use. It may be
// used from several goroutines.
type Endpoint struct {
	Name string // the provider's name in the configuration
	Host string // host and port, for texts to users
	Key  *Key   // API key; nil if there is none
	// KeyAdvice is a sentence for people about where a wrong key is to be mended; "" means any place.
	KeyAdvice string
	// URLVariable is the environment variable that holds the address; "" means the configuration.
	URLVariable string
	Header      http.Header   // headers of every request
	Client      *http.Client  // an HTTP client made by the function NewHTTPClient
	Begin       time.Duration // the longest wait for the first event of an answer
	Stall       time.Duration // the longest silence within an answer
	Rules       []ErrorRule   // rules for errors, tried in order; one of them matches any error
	Log         hclog.Logger

	// Authorize adds the API key, which is not "", to the headers of a request.
	Authorize func(h http.Header, key string)
	// Refusal reads an error object. status is the HTTP status, or 0 for an error within a stream.
	Refusal func(status int, o ErrorObject) *Refusal
	// ParseRetryAfter returns the pause that the endpoint asks for.
	RetryAfter func(h http.Header, now time.Time) time.Duration
	// RequestID returns the endpoint's id of a call.
	RequestID func(http.Header) string
	// WholeAnswers means that an answer may also come as one JSON object. It is one event then.
	WholeAnswers bool
	// OnEvent is called for each event of an answer; nil means no call.
	OnEvent func()
	// TypedLists means that a list of models must have the content type of JSON.
	TypedLists bool
}

// SetKey changes the API key for later calls. Only one goroutine may call it at a time.
func (e *Endpoint) SetKey(key string) (changed bool) {
	if key == e.Key.value() {
		return false
	}
	e.Key.Set(key)
	return true
}

// AnswerBuilder builds an answer from the events of a stream.
type AnswerBuilder interface {
	// AddEvent takes the next event and passes its text on.
	AddEvent(ServerEvent) error
	// Answer returns the complete message, or the error that prevented it. It is called when
	// Progress has a Finish.
	Answer() (modelcall.Answer, error)
	// AnswerProgress returns the state of the answer so far.
	Progress() *AnswerProgress
}

// AnswerProgress is the state of an answer that is still being received. A builder keeps it up to
// date.
type AnswerProgress struct {
	Finish   string         // the API's word for the stop reason; "" until it is known
	Ended    bool           // the stream has announced its end
	Usage    protocol.Usage // the usage that the endpoint has counted so far
	Received int64          // bytes of text, thinking and calls so far
	Request  string         // the endpoint's id of the call, if the events contain it
	Events   int            // number of events so far; Stream counts them
	size     int            // size of the answer so far, in bytes
}

// CountBytes adds n bytes to the answer's size, and fails if the answer is too long.
func (p *AnswerProgress) CountBytes(n int) error {
	if p.size += n; p.size > maxAnswer {
		return ErrAnswerTooLong
	}
	return nil
}

// EncodeRequest returns a request's JSON. Equal requests give equal bytes.
func EncodeRequest(request any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	err := enc.Encode(request)
	return buf.Bytes(), err
}

// RequestBody is the body of a request.
type RequestBody struct {
	Type  string
	Size  int64
	Bytes io.Reader
}

// JSONBody returns a RequestBody of JSON.
func JSONBody(data []byte) RequestBody {
	return RequestBody{ContentTypeJSON, int64(len(data)), bytes.NewReader(data)}
}

// Stream posts a request and lets b build the answer. Its errors are raw: they may contain the URL
// and the key. Even if Stream fails, the answer has the known values of Request, Usage, Sent and
// Received.
func (e *Endpoint) Stream(ctx context.Context, url string, body []byte, b AnswerBuilder) (answer modelcall.Answer,
	err error) {
	var request string
	sent, p := false, b.Progress()
	err = watchIdle(ctx, e.Begin, func(ctx context.Context, w *watchedBody) error {
		// A request can only be sent on a connection.
		trace := httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { sent = true }}
		resp, err := e.do(httptrace.WithClientTrace(ctx, &trace), http.MethodPost, url, JSONBody(body))
		if err != nil {
			return err
		}
		defer resp.Body.Close() // a body that was only read needs no check
		w.ReadCloser, request = resp.Body, e.requestID(resp)
		switch {
		case e.WholeAnswers && hasType(resp, ContentTypeJSON):
			answer, err = e.receiveWhole(resp, w, b)
		case !hasType(resp, ContentTypeStream):
			err = e.readRefusal(resp, w)
		default:
			answer, err = e.receive(ctx, w, b)
		}
		return err
	})
	answer.Request, answer.Usage = cmp.Or(request, e.clean(p.Request)), p.Usage
	answer.Sent, answer.Received = sent || p.Events > 0, p.Received
	return answer, err
}

// receive reads a stream. It must receive everything up to the stop reason. For the rest it waits
// only briefly, because some servers never send it.
func (e *Endpoint) receive(ctx context.Context, w *watchedBody, b AnswerBuilder) (modelcall.Answer, error) {
	events, p := newEventReader(w), b.Progress()
	for ctx.Err() == nil && !p.Ended {
		event, err := events.next()
		if err != nil && p.Finish == "" {
			return modelcall.Answer{}, fmt.Errorf("%w: %w", ErrStreamCut, err)
		}
		if err != nil {
			break
		}
		w.limit = e.Stall
		if e.OnEvent != nil {
			e.OnEvent()
		}
		if err := b.AddEvent(event); err != nil {
			return modelcall.Answer{}, err
		}
		if p.Events++; p.Finish != "" {
			w.expectEnd()
		}
	}
	if p.Finish == "" {
		return modelcall.Answer{}, ErrStreamCut
	}
	answer, err := b.Answer()
	if err == nil {
		w.drain()
	}
	return answer, err
}

// receiveWhole reads an answer that comes as one JSON object. If the object is no answer, it is a
// refusal.
func (e *Endpoint) receiveWhole(resp *http.Response, w *watchedBody, b AnswerBuilder) (modelcall.Answer, error) {
	data, err := io.ReadAll(io.LimitReader(w, maxEvent+1))
	var object struct {
		Choices []json.RawMessage `json:"choices"`
	}
	switch {
	case err != nil:
		return modelcall.Answer{}, fmt.Errorf("%w: %w", ErrStreamCut, err)
	case len(data) > maxEvent:
		return modelcall.Answer{}, ErrAnswerTooLong
	case json.Unmarshal(data, &object) != nil || len(object.Choices) == 0:
		return modelcall.Answer{}, e.readRefusal(resp, bytes.NewReader(data))
	}
	b.Progress().Events++
	if err := b.AddEvent(ServerEvent{Data: data, Whole: true}); err != nil {
		return modelcall.Answer{}, err
	}
	return b.Answer()
}

// do sends a request and waits for the headers of the response.
func (e *Endpoint) do(ctx context.Context, method, url string, body RequestBody) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, body.Bytes)
	if err != nil {
		return nil, err
	}
	req.Header, req.ContentLength = e.Header.Clone(), body.Size
	req.Header.Set("Content-Type", body.Type)
	req.Header.Set("Accept", ContentTypeStream+", "+ContentTypeJSON)
	req.Header.Set("User-Agent", "mews")
	if key := e.Key.value(); key != "" {
		e.Authorize(req.Header, key)
	}
	return e.Client.Do(req)
}

// ReadModelList reads a list of models, or one page of it, and decodes it. Errors are raw, like
// those of Stream.
func (e *Endpoint) ReadModelList(ctx context.Context, url string, into any) error {
	ctx, cancel := context.WithTimeout(ctx, ModelListTimeout)
	defer cancel()
	resp, err := e.do(ctx, http.MethodGet, url, JSONBody(nil))
	if err != nil {
		return err
	}
	defer resp.Body.Close() // a body that was only read needs no check
	if resp.StatusCode != http.StatusOK || e.TypedLists && !hasType(resp, ContentTypeJSON) {
		return e.readRefusal(resp, resp.Body)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxListing))
	if err != nil {
		return err
	}
	return DecodeJSON(data, into)
}

// Post posts a request and returns the body of the response. The response must have the content
// type answer, and at most most bytes. Errors are raw, like those of Stream.
func (e *Endpoint) Post(ctx context.Context, url string, body RequestBody, answer string, most int64) (data []byte,
	err error) {
	err = watchIdle(ctx, e.Begin, func(ctx context.Context, w *watchedBody) error {
		resp, err := e.do(ctx, http.MethodPost, url, body)
		if err != nil {
			return err
		}
		defer resp.Body.Close() // a body that was only read needs no check
		w.ReadCloser, w.limit = resp.Body, e.Stall
		if !hasType(resp, answer) {
			return e.readRefusal(resp, w)
		}
		if data, err = io.ReadAll(io.LimitReader(w, most+1)); err == nil && int64(len(data)) > most {
			err = ErrAnswerTooLong
		}
		return err
	})
	return data, err
}

// DecodeJSON decodes an endpoint's JSON.
func DecodeJSON(data []byte, into any) error {
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%w: %w", ErrInvalidEvent, err)
	}
	return nil
}

// requestID returns the endpoint's id of a call, without characters that can't be stored.
func (e *Endpoint) requestID(resp *http.Response) string { return e.clean(e.RequestID(resp.Header)) }

func (e *Endpoint) clean(id string) string {
	id = e.RedactKey(oneLine(id))
	return strings.ToValidUTF8(id[:min(len(id), maxRequestID)], "")
}

// FinishCall converts the result of a call to that of a provider's Stream. If ctx has ended, the
// error is ctx's cause. Otherwise it is an error for users.
func (e *Endpoint) FinishCall(ctx context.Context, model string, answer modelcall.Answer, err error) (modelcall.Answer,
	error) {
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
	return answer, e.ExplainError(err, model, answer)
}

// Origin names a model of this endpoint, as protocol.Thinking does.
func (e *Endpoint) Origin(model string) string { return e.Name + "@" + e.Host + "/" + model }

// IsSameOrigin reports whether the origin of a stored part names the same model as own. Origins of
// earlier releases lack the provider's name.
func IsSameOrigin(stored, own string) bool {
	_, unnamed, _ := strings.Cut(own, "@")
	return stored == own || stored == unnamed
}

// Close closes the idle connections. Running calls continue.
func (e *Endpoint) Close() { e.Client.CloseIdleConnections() }
