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
	// maxAnswer is the maximum size of an answer in bytes, with text and arguments. A larger
	// message can't be sent to the worker.
	maxAnswer    = 512 << 10
	maxListing   = 8 << 20 // maximum size of a list of models, in bytes
	maxRequestID = 128     // maximum size of a call's id, in bytes; Anthropic's ids have 28
	// ModelListTimeout is the time limit of one request for a list of models.
	ModelListTimeout = 10 * time.Second
)

// Endpoint is an address of a model API. Its fields must not change after the first use. Several
// goroutines may use it.
type Endpoint struct {
	Name string // the provider's name in the configuration
	Host string // host and port, for texts to users
	Key  *Key   // API key; nil means that the endpoint needs none
	// KeyAdvice tells people in a sentence where to correct a wrong key; "" means no advice.
	KeyAdvice string
	// URLVariable is the environment variable with the address. "" means that the configuration has
	// the address.
	URLVariable string
	Header      http.Header   // headers of every request
	Client      *http.Client  // HTTP client, made by the function NewHTTPClient
	Begin       time.Duration // maximum wait for the first event of an answer
	Stall       time.Duration // maximum time without data within an answer
	Rules       []ErrorRule   // rules for errors, tried in order; the last one must match any error
	Log         hclog.Logger

	// Authorize adds the API key to the headers of a request. It is not called if the key is "".
	Authorize func(h http.Header, key string)
	// Refusal reads an error object. The argument status is the HTTP status, or 0 for an error
	// within a stream.
	Refusal func(status int, o ErrorObject) *Refusal
	// RetryAfter returns the pause that the endpoint asks for.
	RetryAfter func(h http.Header, now time.Time) time.Duration
	// RequestID returns the endpoint's id of a call.
	RequestID func(http.Header) string
	// WholeAnswers means that an answer may also come as one JSON object. Such an object counts as
	// one event.
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
	// Answer returns the complete message, or the error that prevented it. Call it when Progress
	// has a Finish.
	Answer() (modelcall.Answer, error)
	// Progress returns the state of the answer so far.
	Progress() *AnswerProgress
}

// AnswerProgress is the state of an answer that is still being received. The AnswerBuilder keeps it
// up to date.
type AnswerProgress struct {
	Finish   string         // stop reason in the API's word; "" until it is known
	Ended    bool           // the stream has announced its end
	Usage    protocol.Usage // usage that the endpoint has counted so far
	Received int64          // bytes of text, thinking and calls that were received so far
	Request  string         // the endpoint's id of the call; "" if the events have no id
	Events   int            // number of events so far; Stream counts them
	size     int            // size of the answer so far, in bytes
}

// CountBytes adds n bytes to the answer's size. It fails if the answer becomes too long.
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

// RequestBody is the body of a request, with its type and size.
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
		// a connection was found, so from here on the request may be sent
		trace := httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { sent = true }}
		resp, err := e.do(httptrace.WithClientTrace(ctx, &trace), http.MethodPost, url, JSONBody(body))
		if err != nil {
			return err
		}
		defer resp.Body.Close() // only reading: an error of Close does no harm
		w.ReadCloser, request = resp.Body, e.requestID(resp)
		switch {
		case resp.StatusCode == http.StatusNoContent:
			err = ErrEmptyAnswer
		case e.WholeAnswers && (hasType(resp, ContentTypeJSON) || w.isUnlabelledJSON(resp)):
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

// receive reads a stream. A stream without a stop reason is incomplete. After the stop reason,
// receive waits only briefly for the stream's end, because some servers never end the stream.
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
	defer resp.Body.Close() // only reading: an error of Close does no harm
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
// type in answer. The argument most is the maximum size of the body. Errors are raw, like those of
// Stream.
func (e *Endpoint) Post(ctx context.Context, url string, body RequestBody, answer string, most int64) (data []byte,
	err error) {
	err = watchIdle(ctx, e.Begin, func(ctx context.Context, w *watchedBody) error {
		resp, err := e.do(ctx, http.MethodPost, url, body)
		if err != nil {
			return err
		}
		defer resp.Body.Close() // only reading: an error of Close does no harm
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

// DecodeJSON decodes JSON from an endpoint.
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

// FinishCall turns the result of a call into the result of a provider's Stream. If ctx has ended,
// the error is ctx's cause. Otherwise it is an error for users.
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

// ThinkingOrigin names a model of this endpoint in the form of protocol.Thinking.
func (e *Endpoint) ThinkingOrigin(model string) string { return e.Name + "@" + e.Host + "/" + model }

// IsSameThinkingOrigin reports whether the origins stored and own name the same model. The argument
// stored is the origin of a stored part. Origins from earlier releases have no provider's name.
func IsSameThinkingOrigin(stored, own string) bool {
	_, unnamed, _ := strings.Cut(own, "@")
	return stored == own || stored == unnamed
}

// Close closes the idle connections. Running calls continue.
func (e *Endpoint) Close() { e.Client.CloseIdleConnections() }
