package model

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/modelcall"
)

// scriptedProvider is a provider that plays the test's script. n is the number of the call, from 1.
type scriptedProvider struct {
	play func(ctx context.Context, n int, say func(string)) (modelcall.Answer, error)

	mu    sync.Mutex
	asked []modelcall.Request
	at    []time.Time
}

func (s *scriptedProvider) Stream(ctx context.Context, req modelcall.Request,
	delta func(modelcall.Delta)) (modelcall.Answer, error) {
	s.mu.Lock()
	s.asked, s.at = append(s.asked, req), append(s.at, time.Now())
	n := len(s.asked)
	s.mu.Unlock()
	answer, err := s.play(ctx, n, func(text string) { delta(modelcall.Delta{Text: text}) })
	answer.Model = req.Model
	return answer, err
}

func (s *scriptedProvider) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.asked)
}

// answers returns a model that answers with text.
func answers(text string) *scriptedProvider {
	return &scriptedProvider{play: func(_ context.Context, _ int, say func(string)) (modelcall.Answer, error) {
		return said(text, say), nil
	}}
}

func said(text string, say func(string)) modelcall.Answer {
	say(text)
	return modelcall.Answer{Message: protocol.Message{Role: protocol.RoleAssistant,
		Parts: []protocol.ContentPart{{Text: text}}}}
}

// failsWith returns a model that fails with each of classes in turn, and then with the last class
// forever. The class "" means that it answers "fine".
func failsWith(classes ...modelcall.ErrorClass) *scriptedProvider {
	return &scriptedProvider{play: func(_ context.Context, n int, say func(string)) (modelcall.Answer, error) {
		class := classes[min(n, len(classes))-1]
		if class == "" {
			return said("fine", say), nil
		}
		return modelcall.Answer{}, failed(class)
	}}
}

func failed(class modelcall.ErrorClass) *modelcall.Error {
	return &modelcall.Error{Class: class, Err: &supervisor.Error{Code: supervisor.CodeUnavailable,
		Message: "It failed: " + string(class) + ".", Err: errors.New("raw " + string(class))}}
}

// catalogueOf returns a catalogue of scripted models, named a/m, b/m and so on. The first is the
// default model, and the others are its fallback models.
func catalogueOf(t testing.TB, models ...*scriptedProvider) *Catalogue {
	t.Helper()
	c, err := NewCatalogue(Options{})
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Default: "a/m"}
	for i, m := range models {
		name := string(rune('a' + i))
		c.providers[name] = provider{Provider: m, kind: "scripted"}
		if i > 0 {
			o.Fallback = append(o.Fallback, name+"/m")
		}
	}
	if err := c.resolveOptions(o); err != nil {
		t.Fatal(err)
	}
	return c
}

// receivedText is the text that a user sees.
type receivedText struct {
	text     string
	restarts int
}

func (h *receivedText) add(d modelcall.Delta) {
	if d.Restart {
		h.text = ""
		h.restarts++
	}
	h.text += d.Text
}

func ask(ctx context.Context, c *Catalogue) (modelcall.Answer, *receivedText, error) {
	h := new(receivedText)
	answer, err := c.Stream(ctx, "", modelcall.Request{Thinking: modelcall.ThinkingLow,
		Messages: []protocol.Message{protocol.NewUserMessage("hi")}}, h.add)
	return answer, h, err
}
