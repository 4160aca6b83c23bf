// Package openai speaks to any endpoint of the chat completions API as OpenAI defined it: OpenAI itself, Ollama,
// llama.cpp, vLLM, LM Studio, Groq, DeepInfra, OpenRouter and many more. In what they differ is a table, servers; what
// a model refuses beyond that is learned from its refusal.
//
// It is a small client of its own over net/http, because OpenAI's library would add 18 MB to the binary. It is strict
// where a mistake would lie (half an answer is never returned as a whole one) and lenient where servers differ without
// harm (indices of tool calls that are missing or all zero, arguments that are an object instead of a string, streams
// that end without [DONE]).
package openai

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/model/remote"
)

// Options say where an endpoint is and how it is spoken to.
type Options struct {
	Name       string        // the provider's name in the configuration; it stands in what a person reads
	BaseURL    string        // with its version, as in http://127.0.0.1:11434/v1; no user and password in it
	APIKey     string        // "" where the endpoint wants none; it is kept out of every error and log line
	Server     string        // one of Servers; "": the one that BaseURL looks like
	MaxOutput  int           // tokens that an answer may have; 0: as the endpoint has it
	HTTPClient *http.Client  // nil: one of our own, without redirects and with deadlines for connecting
	Begin      time.Duration // the longest wait for the answer's first byte; 0 is DefaultBegin, and Stall at least
	Stall      time.Duration // the longest silence within an answer; 0 is DefaultStall
	Log        hclog.Logger  // nil: nothing is logged
}

// DefaultOutput is a bound for the answers of who has to have one: that of gpt-4o, the least of the models whose prices
// are listed. What a model thinks is a part of it.
const DefaultOutput = 16_384

const (
	// DefaultBegin is long because a local server may first read the model from a slow disk (Ollama allows five minutes
	// for it) and then the whole prompt, and because a reasoning model may think before it says anything.
	DefaultBegin = 5 * time.Minute
	// DefaultStall is short because a server that has begun either speaks or sends comments to keep the line open.
	DefaultStall = 60 * time.Second
)

// Provider is one endpoint. It may be used from several goroutines at once.
type Provider struct {
	name          string
	at            remote.Endpoint
	endpoint      string // of chat/completions
	listing       string // of models
	server        server
	optionalParts []optionalPart
	learned       learned
	maxOutput     int
	client        *http.Client
	begin         time.Duration
	stall         time.Duration
	log           hclog.Logger
}

// New prepares an endpoint and connects to nothing. The caller closes the provider.
func New(o Options) (*Provider, error) {
	base, err := remote.ParseBase(o.BaseURL, "http://127.0.0.1:11434/v1")
	if err != nil {
		return nil, fmt.Errorf("model provider %q: base_url: %w", o.Name, err)
	}
	server, err := serverAt(o.Server, base)
	if err != nil {
		return nil, fmt.Errorf("model provider %q: %w", o.Name, err)
	}
	p := &Provider{
		name: o.Name, endpoint: base.JoinPath("chat", "completions").String(),
		listing: base.JoinPath("models").String(), server: server, optionalParts: optionalPartsOf(server),
		maxOutput: o.MaxOutput, client: remote.Client(o.HTTPClient), log: o.Log,
		begin: cmp.Or(o.Begin, max(DefaultBegin, o.Stall)), stall: cmp.Or(o.Stall, DefaultStall),
	}
	if p.log == nil {
		p.log = hclog.NewNullLogger()
	}
	p.at = remote.Endpoint{Name: o.Name, Host: base.Host, Key: o.APIKey, Rules: errorRules, Log: p.log}
	return p, nil
}

// Close drops the idle connections. Calls under way go on.
func (p *Provider) Close() {
	p.client.CloseIdleConnections()
}

// Stream calls the model, as supervisor.ModelProvider says. A request of which the endpoint refuses a part that can be
// left out is made again without it.
func (p *Provider) Stream(ctx context.Context, req supervisor.ModelRequest,
	delta func(supervisor.ModelDelta)) (supervisor.ModelAnswer, error) {
	r, err := p.newRequest(req)
	if err != nil {
		return supervisor.ModelAnswer{}, p.at.Explain(err, req.Model, "", protocol.Usage{})
	}
	say := func(text string) { delta(supervisor.ModelDelta{Text: text}) }
	for {
		b := newAnswerBuilder(say, p.server.thinkTags, r.textTools)
		b.names, b.onReceive = wireToolNames(req.Tools), req.OnReceive
		answer, err := p.exchange(ctx, r, b)
		switch {
		case err == nil:
			return p.answered(answer, b, req), nil
		case ctx.Err() != nil:
			return supervisor.ModelAnswer{}, context.Cause(ctx)
		case b.chunks == 0 && p.learn(r, err):
			continue
		}
		return supervisor.ModelAnswer{}, p.at.Explain(err, req.Model, answer.Request, answer.Usage)
	}
}

func (p *Provider) answered(answer supervisor.ModelAnswer, b *answerBuilder, req supervisor.ModelRequest) supervisor.ModelAnswer {
	answer.Model = cmp.Or(answer.Model, req.Model)
	p.log.Debug("model answered", "provider", p.name, "model", answer.Model, "request", answer.Request,
		"stop", answer.Stop, "input", answer.Usage.Input, "cache_read", answer.Usage.CacheRead,
		"output", answer.Usage.Output, "thought", b.usage.thinking(), "thought_bytes", b.thinkingBytes)
	return answer
}
