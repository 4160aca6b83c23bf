package services

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/egress"
	"mews/supervisor/external"
	"mews/supervisor/feature"
	"mews/supervisor/problem"
	"mews/supervisor/usage"
)

// acceptedTypes are the media types that Mews prefers.
const acceptedTypes = "application/json, text/*;q=0.9, */*;q=0.5"

// pay sends a call to its service, and pays the price for it.
func (s *Services) pay(ctx context.Context, t feature.Turn, call protocol.ToolCall, r request, key string) (
	answer external.Answer[protocol.ServiceCallResult], err error) {
	if r.Price == 0 {
		return s.send(ctx, t, call, r, key)
	}
	began := false
	err = s.o.Pay(ctx, t, usage.Charge{Name: "service/" + r.Name, Price: r.Price}, func() (charged bool, err error) {
		began = true
		answer, err = s.send(ctx, t, call, r, key)
		var failure *egress.Failure
		return !errors.As(err, &failure) || failure.Sent, err
	})
	if err != nil && !began {
		err = external.NotSent{Err: err} // there is too little money, or the user is being asked
	}
	return answer, err
}

// send sends a call to its service, and returns the answer without the secret.
func (s *Services) send(ctx context.Context, t feature.Turn, call protocol.ToolCall, r request, key string) (
	answer external.Answer[protocol.ServiceCallResult], err error) {
	response, err := s.fetch(ctx, t, r, key)
	if err != nil {
		return answer, s.failed(ctx, t, call, r, err)
	}
	defer response.Body.Close() // the body was read, or is not wanted
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return answer, s.failed(ctx, t, call, r, err)
	}
	if r.access == AccessWrite {
		answer.Effects = []supervisor.Effect{r.effect(supervisor.EffectServiceCalled, strconv.Itoa(response.Status))}
		s.o.Audit(t.User, supervisor.EffectServiceCalled, answer.Effects[0].Target+" "+answer.Effects[0].Detail)
	}
	answer.Origins = []string{r.origin()}
	answer.Result = protocol.ServiceCallResult{Status: response.Status, World: !r.Trusted,
		MediaType: cut(r.redactor.String(mediaTypeOf(response.Header)), maxMediaType),
		Location:  cut(r.redactor.String(response.Header.Get("Location")), maxLocation)}
	s.putBody(ctx, t, r, &answer, r.redactor.Bytes(body))
	return answer, nil
}

// Bounds of what an answer shows of its headers, in bytes.
const (
	maxLocation  = 2 << 10
	maxMediaType = 100
)

// cut returns the beginning of a text, in whole characters.
func cut(text string, most int) string {
	if len(text) > most {
		text = text[:most]
	}
	return strings.ToValidUTF8(text, "")
}

// putBody puts a body into an answer. A long body becomes a blob. The call was made, so a body that
// can't be kept is no error.
func (s *Services) putBody(ctx context.Context, t feature.Turn, r request,
	answer *external.Answer[protocol.ServiceCallResult], body []byte) {
	result := &answer.Result
	switch {
	case !isText(body):
		result.Text = fmt.Sprintf(textNotText, r.Name, amount.FormatBytes(int64(len(body))))
	case len(body) <= protocol.MaxServiceTextBytes:
		result.Text = string(body)
	default:
		ref, err := s.o.Calls.Keep(ctx, t, bytes.NewReader(body))
		if err != nil {
			result.Text = fmt.Sprintf(textNotKept, r.Name, problem.UserText(err))
			return
		}
		result.Body, answer.Blobs = &ref, []protocol.BlobRef{ref}
	}
}

// origin returns where the words of the service's answers come from.
func (e *entry) origin() string {
	if e.Trusted {
		return protocol.TrustedOriginPrefix + "service:" + e.Name
	}
	return "service:" + e.Name
}

// effect returns the row of the ledger for the call.
func (r request) effect(kind, detail string) supervisor.Effect {
	return supervisor.Effect{Kind: kind, Target: r.Name + ": " + r.path(), Detail: detail}
}

// fetch sends a call. Only here it gets the secret.
func (s *Services) fetch(ctx context.Context, t feature.Turn, r request, key string) (*egress.Response, error) {
	header := http.Header{}
	for name, value := range r.Headers {
		header.Set(name, value)
	}
	if header.Get("Content-Type") == "" && r.mediaType != "" {
		header.Set("Content-Type", r.mediaType)
	}
	if r.IdempotencyHeader != "" {
		header.Set(r.IdempotencyHeader, key)
	}
	query := r.Auth.add(header, r.query)
	if query != "" {
		query = "?" + query
	}
	address, err := r.upstream.Address(r.url + query)
	if err != nil {
		return nil, err
	}
	return s.o.Client.Fetch(egress.WithUpstream(ctx, r.upstream), egress.Request{User: t.User, Turn: t.ID,
		Address: address, Method: r.method, Accept: acceptedTypes, Header: header, Body: r.body,
		RedirectsAreAnswers: true})
}

// failed returns the error of a call that has no answer. If the service may have done it, the error
// says so, and the ledger has it.
func (s *Services) failed(ctx context.Context, t feature.Turn, call protocol.ToolCall, r request, err error) error {
	var failure *egress.Failure
	if !errors.As(err, &failure) {
		return err // the turn has ended
	}
	text := r.redactor.String(problem.UserText(err))
	if failure.Sent && r.access == AccessWrite {
		e := r.effect(supervisor.EffectServiceMaybeCalled, "")
		s.o.Audit(t.User, e.Kind, e.Target)
		e.User, e.Turn, e.Call = t.User, t.ID, call.ID
		if bad := t.Commit(ctx, func() error { return s.o.Effects.Put(ctx, e) }); bad != nil {
			return fmt.Errorf("record a call of the service %s: %w", r.Name, bad)
		}
		text = fmt.Sprintf(textMaybeDone, text, r.Name)
	}
	return &supervisor.Error{Code: supervisor.ErrorCodeOf(err), Message: text, Err: failure}
}

// mediaTypeOf returns the media type of an answer without its parameters.
func mediaTypeOf(header http.Header) string {
	kind, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return kind
}

// isText reports whether a body is text that a model can read.
func isText(body []byte) bool { return utf8.Valid(body) && !strings.ContainsRune(string(body), 0) }
