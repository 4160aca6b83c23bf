// Package openai speaks to any endpoint of the chat completions API as OpenAI defined it: OpenAI
// itself, Ollama, llama.cpp, vLLM, LM Studio, Groq, DeepInfra, OpenRouter and many more. The table
// servers has their differences. What a model refuses beyond that is learned from its refusals.
//
// It does without OpenAI's library, which would add 18 MB to the binary. It is strict where a
// mistake would mislead (half an answer is never returned as a whole one) and lenient where servers
// differ without harm (indices of tool calls that are missing or all zero, arguments that are an
// object instead of a string, streams that end without [DONE]).
//
//	openai.go       the provider: a call of a model
//	server.go       in what servers differ; local.go finds those of this machine, list.go lists their models
//	request.go      a request in the API's form, with cache.go, limit.go and pictures.go
//	learned.go      what models have refused, and are not sent again
//	texttools.go    tools that are told and called in text
//	answer.go       an answer, from its events; finish.go has its end, usage.go its counts
//	callfilter.go   calls in the text of an answer; thinkfilter.go: thinking in it
//	rules.go        what each error is to a person
package openai

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/supervisor/model/remote"
	"mews/supervisor/modelcall"
)

// Options say where an endpoint is and how it is spoken to.
type Options struct {
	// the provider's name in the configuration; it stands in what a person reads
	Name string
	// with its version, as in http://127.0.0.1:11434/v1; no user and password in it
	BaseURL string
	// "" where the endpoint wants none; it is kept out of every error and log line
	APIKey    string
	Server    string // one of Servers; "": the one that BaseURL looks like
	MaxOutput int    // tokens that an answer may have; 0 is the endpoint's own limit
	// nil: one of our own, without redirects and with deadlines for connecting
	HTTPClient *http.Client
	// the longest wait for the answer's first byte; 0 is DefaultBegin, and Stall at least
	Begin time.Duration
	// it is beyond one's own network: Begin's defaults are FarBegin, and FarThinking where the
	// model thinks
	Far   bool
	Stall time.Duration // the longest silence within an answer; 0 is DefaultStall
	Log   hclog.Logger  // nil: nothing is logged
}

// DefaultOutput is how many tokens an answer may have where a caller needs a limit: that of gpt-4o,
// the lowest of the models whose prices are listed. Thinking is a part of it.
const DefaultOutput = 16_384

const (
	// DefaultBegin is long because a local server may first read the model from a slow disk (Ollama
	// allows five minutes for it) and then the whole prompt, and because a reasoning model may
	// think before it says anything.
	DefaultBegin = 5 * time.Minute
	// FarBegin and FarThinking are for servers that have their models loaded, and a proxy before
	// them that waits no longer.
	FarBegin    = 60 * time.Second
	FarThinking = 180 * time.Second
	// DefaultStall is short because a server that has begun either speaks or sends comments to keep
	// the line open.
	DefaultStall = 60 * time.Second
)

// Provider is one endpoint. It may be used from several goroutines at once.
type Provider struct {
	*remote.Endpoint
	chatURL   string
	modelsURL string
	speechURL string
	hearURL   string // what writes down recordings
	embedURL  string // what turns texts into vectors
	propsURL  string // llama.cpp's
	server    server
	optional  []optionalPart          // what may be left out of a request here
	refused   remote.Memory[[]string] // names of optional parts that a model has refused
	limits    remote.Memory[int]      // tokens that a model may answer
	maxOutput int
	thinking  time.Duration // the longest wait for the first byte where the model thinks
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
	o.Log = cmp.Or(o.Log, hclog.NewNullLogger())
	begin, thinking := DefaultBegin, DefaultBegin
	if o.Far {
		begin, thinking = FarBegin, FarThinking
	}
	p := &Provider{
		thinking: cmp.Or(o.Begin, max(thinking, o.Stall)),
		chatURL:  base.JoinPath("chat", "completions").String(), modelsURL: base.JoinPath("models").String(),
		speechURL: base.JoinPath("audio", "speech").String(), hearURL: base.JoinPath("audio", "transcriptions").String(),
		embedURL: base.JoinPath("embeddings").String(),
		propsURL: base.JoinPath("..", "props").String(),
		server:   server, optional: optionalPartsOf(server), maxOutput: o.MaxOutput,
		Endpoint: &remote.Endpoint{
			Name: o.Name, Host: base.Host, Key: o.APIKey, Header: http.Header{}, Client: remote.Client(o.HTTPClient),
			Begin: cmp.Or(o.Begin, max(begin, o.Stall)), Stall: cmp.Or(o.Stall, DefaultStall), Rules: errorRules, Log: o.Log,
			Refusal: readRefusal, RetryAfter: remote.RetryAfter, RequestID: requestID,
		},
	}
	if o.APIKey != "" {
		p.Header.Set("Authorization", "Bearer "+o.APIKey)
	}
	return p, nil
}

// requestID is the endpoint's own name of a call, if it has the look of one.
func requestID(h http.Header) string {
	if id := h.Get("X-Request-Id"); remote.IsIdentifier(id) {
		return id
	}
	return ""
}

// Stream calls the model, as modelcall.Provider says. A request of which the endpoint refuses
// a part that can be left out is made again without it.
func (p *Provider) Stream(ctx context.Context, req modelcall.Request,
	delta func(modelcall.Delta)) (modelcall.Answer, error) {
	r, err := p.newRequest(req)
	if err != nil {
		return p.End(ctx, req.Model, modelcall.Answer{}, err)
	}
	say := func(text string) { delta(modelcall.Delta{Text: text}) }
	endpoint := *p.Endpoint
	if !thinksNot(req.Thinking) || p.thinksUnasked(req.Model) {
		endpoint.Begin = p.thinking
	}
	for {
		body, err := remote.Encode(r)
		if err != nil {
			return p.End(ctx, req.Model, modelcall.Answer{}, fmt.Errorf("%w: %w", remote.ErrUnsendable, err))
		}
		b := newAnswerBuilder(say, p.server.thinkTags, r.textTools)
		b.endpoint, b.names, b.idInBody = p.Endpoint, wireToolNames(req.Tools), p.server.idInBody
		answer, err := endpoint.Stream(ctx, p.chatURL, body, b)
		begun := b.progress.Events > 0
		switch {
		case err != nil && ctx.Err() == nil && !begun && p.learn(r, err):
			continue
		case err != nil && !begun:
			err = unspoken(err)
		}
		answer.Blind = slices.Contains(p.refused.Get(r.Model), pictureParts) && slices.ContainsFunc(req.Messages, protocol.Message.Pictured)
		return p.End(ctx, req.Model, answer, err)
	}
}
