package openai

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"

	"mews/supervisor"
	"mews/supervisor/model/remote"
)

// exchange sends one request and reads its answer. Its errors are raw: they may hold the URL and the key. What it knows
// of the call it gives beside an error too: its name and its usage.
func (p *Provider) exchange(ctx context.Context, r *request, b *answerBuilder) (answer supervisor.ModelAnswer, err error) {
	body, err := encode(r)
	if err != nil {
		return answer, fmt.Errorf("%w: %w", errUnsendable, err)
	}
	err = remote.WatchIdle(ctx, p.begin, func(ctx context.Context, w *remote.WatchedBody) error {
		ctx = remote.ReportSent(ctx, b.onReceive)
		resp, err := p.send(ctx, http.MethodPost, p.endpoint, body)
		if err != nil {
			return err
		}
		defer resp.Body.Close() // of a body that was only read: its error says nothing
		w.ReadCloser = resp.Body
		name := p.nameOf(resp)
		if !remote.HasType(resp, remote.TypeStream) {
			answer.Request = name
			return named(readRefusal(resp, w), name)
		}
		answer, err = p.receive(ctx, w, b)
		answer.Request, answer.Usage = name, b.usage.counts()
		if name == "" && p.server.idInBody && remote.IsIdentifier(b.id) {
			answer.Request = p.at.Redact(b.id)
		}
		return err
	})
	return answer, err
}

// nameOf is the endpoint's own name of a call, if it has the look of one.
func (p *Provider) nameOf(resp *http.Response) string {
	if name := resp.Header.Get("X-Request-Id"); remote.IsIdentifier(name) {
		return p.at.Redact(name)
	}
	return ""
}

// named gives a refusal its call's name.
func named(err error, name string) error {
	if f := new(failure); errors.As(err, &f) {
		f.request = name
	}
	return err
}

// send makes a request and waits for the head of the response.
func (p *Provider) send(ctx context.Context, method, url string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", remote.TypeJSON)
	req.Header.Set("Accept", remote.TypeStream+", "+remote.TypeJSON)
	req.Header.Set("User-Agent", "mews")
	if p.at.Key != "" {
		req.Header.Set("Authorization", "Bearer "+p.at.Key)
	}
	return p.client.Do(req)
}

// receive reads the stream to its end. Everything up to the finish reason must arrive; what comes after it, the usage
// and [DONE], is waited for briefly and may be missing.
func (p *Provider) receive(ctx context.Context, w *remote.WatchedBody, b *answerBuilder) (supervisor.ModelAnswer, error) {
	events := newEventReader(w)
	for ctx.Err() == nil {
		ev, err := events.next()
		if err != nil && b.finish == "" {
			return supervisor.ModelAnswer{}, cutOff(err, b)
		}
		if err != nil || string(ev.data) == "[DONE]" {
			break
		}
		w.Limit = p.stall
		if err := b.add(ev); err != nil {
			return supervisor.ModelAnswer{}, err
		}
		if b.finish != "" {
			w.ExpectEnd()
		}
	}
	answer, err := b.answer()
	if err == nil {
		w.Drain()
	}
	return answer, err
}

// cutOff marks an error of reading as the end of an answer before its time. What is wrong with the stream itself keeps
// its name.
func cutOff(err error, b *answerBuilder) error {
	if errors.Is(err, errTooLong) {
		return err
	}
	if b.chunks == 0 {
		return fmt.Errorf("%w: %w", errUnspoken, err)
	}
	return fmt.Errorf("%w: %w", errCutOff, err)
}
