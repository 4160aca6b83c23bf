// Package openai speaks to any endpoint of the chat completions API as OpenAI defined it: OpenAI itself, Ollama,
// llama.cpp, vLLM, LM Studio, OpenRouter and many more.
//
// It is a small client of its own over net/http, because OpenAI's library would add 18 MB to the binary. It is strict
// where a mistake would lie (half an answer is never returned as a whole one) and lenient where servers differ without
// harm (indices of tool calls that are missing or all zero, arguments that are an object instead of a string, streams
// that end without [DONE]).
package openai

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor"
)

// Options say where an endpoint is and how it is spoken to.
type Options struct {
	Name       string        // the provider's name in the configuration; it stands in what a person reads
	BaseURL    string        // with its version, as in http://127.0.0.1:11434/v1; no user and password in it
	APIKey     string        // "" where the endpoint wants none; it is kept out of every error and log line
	HTTPClient *http.Client  // nil: one of our own, without redirects and with deadlines for connecting
	Begin      time.Duration // the longest wait for the answer's first byte; 0 is DefaultBegin
	Stall      time.Duration // the longest silence within an answer; 0 is DefaultStall
	Log        hclog.Logger  // nil: nothing is logged
}

const (
	// DefaultBegin is long because a local server may first read the model from a slow disk (Ollama allows five minutes
	// for it) and then the whole prompt, and because a reasoning model may think before it says anything.
	DefaultBegin = 5 * time.Minute
	// DefaultStall is short because a server that has begun either speaks or sends comments to keep the line open.
	DefaultStall = 60 * time.Second
)

// Provider is one endpoint. It may be used from several goroutines at once.
type Provider struct {
	name     string
	host     string // what a person is told of the address: host and port
	endpoint string // of chat/completions
	key      string
	client   *http.Client
	begin    time.Duration
	stall    time.Duration
	log      hclog.Logger
}

// New prepares an endpoint and connects to nothing. The caller closes the provider.
func New(o Options) (*Provider, error) {
	base, err := parseBase(o.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("model provider %q: base_url: %w", o.Name, err)
	}
	p := &Provider{
		name: o.Name, host: base.Host, endpoint: base.JoinPath("chat", "completions").String(), key: o.APIKey,
		client: newClient(o.HTTPClient), begin: o.Begin, stall: o.Stall, log: o.Log,
	}
	if p.begin == 0 {
		p.begin = DefaultBegin
	}
	if p.stall == 0 {
		p.stall = DefaultStall
	}
	if p.log == nil {
		p.log = hclog.NewNullLogger()
	}
	return p, nil
}

// parseBase checks a base URL. Its errors do not repeat the URL, which may hold a password.
func parseBase(base string) (*url.URL, error) {
	u, err := url.Parse(base)
	switch {
	case err != nil:
		return nil, errors.New("it is not a URL; write it like http://127.0.0.1:11434/v1")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, errors.New("it must begin with http:// or https://, as in http://127.0.0.1:11434/v1")
	case u.Host == "":
		return nil, errors.New("it names no host; write it like http://127.0.0.1:11434/v1")
	case u.User != nil:
		return nil, errors.New("it must hold no user and password; the key goes into api_key")
	}
	return u, nil
}

// Close drops the idle connections. Calls under way go on.
func (p *Provider) Close() {
	p.client.CloseIdleConnections()
}

// Stream calls the model, as supervisor.ModelProvider says.
func (p *Provider) Stream(ctx context.Context, req supervisor.ModelRequest,
	delta func(supervisor.ModelDelta)) (supervisor.ModelAnswer, error) {
	body, err := encode(req)
	if err != nil {
		return supervisor.ModelAnswer{}, fmt.Errorf("request for model %s of %s: %w", req.Model, p.name, err)
	}
	answer, err := p.exchange(ctx, body, func(text string) { delta(supervisor.ModelDelta{Text: text}) })
	if err != nil && ctx.Err() != nil {
		return supervisor.ModelAnswer{}, context.Cause(ctx)
	}
	if err != nil {
		return supervisor.ModelAnswer{}, p.explain(err, req.Model)
	}
	if answer.Model == "" {
		answer.Model = req.Model
	}
	p.log.Debug("model answered", "provider", p.name, "model", answer.Model,
		"input", answer.Usage.Input, "output", answer.Usage.Output)
	return answer, nil
}
