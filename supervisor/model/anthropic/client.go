package anthropic

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/anthropics/anthropic-sdk-go/packages/ssestream"

	"mews/supervisor"
	"mews/supervisor/model/remote"
)

const (
	maxLine      = 1 << 20 // bytes of one line of the stream, which the library gathers before it looks at it
	maxListing   = 4 << 20 // bytes of a page of models
	maxRequestID = 128     // bytes kept of the provider's own name of a call; Anthropic's have 28
)

// exchange sends one request and reads its answer. Beside an error the answer holds what is known of the call: its name
// and its usage.
func (p *Provider) exchange(ctx context.Context, req supervisor.ModelRequest, how thinkingForm,
	say func(string)) (supervisor.ModelAnswer, error) {
	var b answerBuilder
	var answer supervisor.ModelAnswer
	var name string
	err := remote.WatchIdle(ctx, p.silence, func(ctx context.Context, w *remote.WatchedBody) error {
		ctx = remote.ReportSent(ctx, req.OnReceive)
		params, err := paramsOf(req, how, p.maxOutput(req))
		if err != nil {
			return fmt.Errorf("%w: %w", errUnfit, err)
		}
		var resp *http.Response
		err = p.client.Post(ctx, "v1/messages", params, &resp, option.WithJSONSet("stream", true),
			option.WithHeader("Accept", remote.TypeStream), option.WithMiddleware(checkResponse(w, &name, remote.TypeStream)))
		if err != nil {
			return err
		}
		defer resp.Body.Close() // of a body that was only read: its error says nothing
		b.onReceive = req.OnReceive
		answer, err = receive(ctx, ssestream.NewDecoder(resp), &b, w, say)
		return err
	})
	if err != nil {
		answer = supervisor.ModelAnswer{Usage: b.tokens()}
	}
	answer.Request = p.requestID(name)
	return answer, err
}

// requestID is the name of a call as the endpoint gave it, fit to be kept.
func (p *Provider) requestID(id string) string {
	id = p.at.Redact(remote.OneLine(id))
	return strings.ToValidUTF8(id[:min(len(id), maxRequestID)], "")
}

// receive reads the stream to its end. Everything up to the reason why the model stopped must arrive; the event after it
// is waited for briefly and may be missing.
func receive(ctx context.Context, events ssestream.Decoder, b *answerBuilder, w *remote.WatchedBody,
	say func(string)) (supervisor.ModelAnswer, error) {
	for ctx.Err() == nil && !b.ended && events.Next() {
		ev := events.Event()
		if err := b.add(ev.Type, bytes.TrimSuffix(ev.Data, []byte("\n")), say); err != nil {
			return supervisor.ModelAnswer{}, err
		}
		if b.stop != "" {
			w.ExpectEnd()
		}
	}
	if err := events.Err(); b.stop == "" {
		return supervisor.ModelAnswer{}, cutOff(err)
	}
	answer, err := b.answer()
	if err == nil {
		w.Drain()
	}
	return answer, err
}

// cutOff marks an error of reading as the end of an answer before its time. What is wrong with the stream itself keeps
// its name.
func cutOff(err error) error {
	switch {
	case err == nil:
		return errCutOff
	case errors.Is(err, errTooBig):
		return err
	}
	return fmt.Errorf("%w: %w", errCutOff, err)
}

// checkResponse looks at each response before the library does, and keeps the provider's own name of the call. It lets through
// what has the status 200 and is not of a wrong kind; all else is a refusal.
func checkResponse(w *remote.WatchedBody, name *string, kind string) option.Middleware {
	return func(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
		resp, err := next(req)
		if err != nil {
			return nil, err
		}
		w.ReadCloser = &lineLimiter{ReadCloser: resp.Body}
		*name = firstHeader(resp, "Request-Id", "X-Request-Id")
		if !remote.HasType(resp, kind) {
			defer w.Close()
			return nil, readRefusal(resp, w)
		}
		resp.Body = w
		if kind == remote.TypeStream {
			return resp, nil
		}
		return readJSON(resp)
	}
}

// readJSON reads the whole of a response that is to be JSON.
func readJSON(resp *http.Response) (*http.Response, error) {
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxListing))
	if err != nil {
		return nil, err
	}
	if !json.Valid(data) {
		return nil, fmt.Errorf("%w: no JSON", errNotEvent)
	}
	resp.Body = io.NopCloser(bytes.NewReader(data))
	return resp, nil
}

func firstHeader(resp *http.Response, names ...string) string {
	for _, name := range names {
		if value := resp.Header.Get(name); value != "" {
			return value
		}
	}
	return ""
}

// lineLimiter is a body that refuses lines without end.
type lineLimiter struct {
	io.ReadCloser
	length int // bytes since the last line's end
}

func (l *lineLimiter) Read(buf []byte) (int, error) {
	n, err := l.ReadCloser.Read(buf)
	if i := bytes.LastIndexByte(buf[:n], '\n'); i >= 0 {
		l.length = -i - 1
	}
	if l.length += n; l.length > maxLine {
		return 0, errTooBig
	}
	return n, err
}
