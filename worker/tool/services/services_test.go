package services_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"mews/protocol"
	"mews/worker"
	"mews/worker/tool/services"
)

// fakeHost answers the calls of a turn, and reads one blob.
type fakeHost struct {
	answer protocol.ServiceCallResult
	err    error
	blob   string
	called []string
}

func (h *fakeHost) Call(_ context.Context, method string, params, result any) error {
	p, err := json.Marshal(params)
	if err != nil {
		return err
	}
	h.called = append(h.called, method+" "+string(p))
	*result.(*protocol.ServiceCallResult) = h.answer
	return h.err
}

func (h *fakeHost) ReadBlob(_ context.Context, _ string, offset int64, length int) (protocol.BlobReadResult, error) {
	rest := h.blob[offset:]
	return protocol.BlobReadResult{Data: []byte(rest[:min(len(rest), length)]), Size: int64(len(h.blob))}, nil
}

// run runs a tool with arguments.
func (h *fakeHost) run(t *testing.T, name, arguments string) (worker.Result, error) {
	t.Helper()
	for _, tool := range services.Tools(h) {
		if tool.Name == name {
			return tool.Run(t.Context(), worker.Call{ID: "c1", Arguments: json.RawMessage(arguments),
				Progress: func(string) {}})
		}
	}
	t.Fatalf("there is no tool %s", name)
	return worker.Result{}, nil
}

func TestCall_Answer_BecomesText(t *testing.T) {
	long := strings.Repeat("0123456789", 20_000)
	for want, h := range map[string]*fakeHost{
		"HTTP status 200, application/json\n\n{\"a\":1}": {answer: protocol.ServiceCallResult{Status: 200,
			MediaType: "application/json", Text: `{"a":1}`, World: true}},
		"HTTP status 204\nThe answer is empty.": {answer: protocol.ServiceCallResult{Status: 204, World: true}},
		"HTTP status 302, text/html\nLocation: /x%0Ay (a redirect; it was not followed)\n\nmoved": {
			answer: protocol.ServiceCallResult{Status: 302, MediaType: "text/html", Location: "/x%0Ay", Text: "moved",
				World: true}},
		"HTTP status 200, text/plain\n\n" + long: {answer: protocol.ServiceCallResult{Status: 200,
			MediaType: "text/plain", Body: &protocol.BlobRef{Size: int64(len(long))}, World: true}, blob: long},
	} {
		got, err := h.run(t, "call_service", `{"name":"home","body":{"a":1}}`)
		if got.Text != want || !got.World || err != nil {
			t.Errorf("got %.100q, %v, %v, want %.100q", got.Text, got.World, err, want)
		}
		if want := `service.call {"turn":0,"call":"c1"}`; h.called[0] != want {
			t.Errorf("called %q", h.called)
		}
	}
	h := &fakeHost{answer: protocol.ServiceCallResult{Text: "Services: home"}}
	if got, err := h.run(t, "read_service", ``); got.Text != "Services: home" || got.World || err != nil {
		t.Errorf("the list is %+v, %v", got, err)
	}
	h = &fakeHost{err: fmt.Errorf("call: %w", &protocol.Error{Code: protocol.CodeFailed, Message: "it is off"})}
	if _, err := h.run(t, "read_service", `{"name":"home"}`); err == nil || err.Error() != "it is off" {
		t.Errorf("got %v", err)
	}
	waits := &protocol.Error{Code: protocol.CodeWaitsForUser}
	h = &fakeHost{err: waits}
	if _, err := h.run(t, "call_service", `{"name":"home"}`); !errors.Is(err, waits) {
		t.Errorf("got %v", err)
	}
}

// The tools make at most as many calls as the supervisor allows.
func TestCall_OverLimit_IsRefused(t *testing.T) {
	h := &fakeHost{}
	tools := services.Tools(h)
	for i := range protocol.MaxServiceCalls + 1 {
		_, err := tools[0].Run(t.Context(), worker.Call{ID: "c1", Progress: func(string) {}})
		if refused := err != nil; refused != (i == protocol.MaxServiceCalls) {
			t.Fatalf("call %d: %v", i, err)
		}
	}
	if len(h.called) != protocol.MaxServiceCalls {
		t.Errorf("the supervisor got %d calls", len(h.called))
	}
}
