// Package openai calls any endpoint of the chat completions API that OpenAI defined: OpenAI itself,
// Ollama, llama.cpp, vLLM, LM Studio, Groq, DeepInfra, OpenRouter and many more. The table servers
// has their differences. Other limits of a model are learned from its refusals.
//
// The package does not use OpenAI's library, which would add 18 MB to the binary. It is strict if a
// mistake would mislead: half an answer is never returned as a whole one. It is lenient if servers
// differ without harm. Indices of tool calls may be missing or all zero. Arguments may be an object
// instead of a string. A stream may end without [DONE].
//
//	openai.go       the provider: a call of a model
//	server.go       the differences of servers; local.go finds local servers, list.go lists models
//	request.go      a request in the API's form, with cache.go, limit.go and pictures.go
//	learned.go      parameters that models have refused, and that are not sent again
//	returned.go     thoughts and signatures that a server wants back with its answers
//	textcall.go     calls that a model writes as text because its server has no parser for them;
//	                toolschema.go checks their arguments
//	texttools.go    tools that are described and called in text
//	answer.go       an answer, from its events; finish.go has its end, usage.go its counts
//	callpieces.go   the calls of an answer, joined from their pieces
//	callfilter.go   calls in the text of an answer; thinkfilter.go: thinking in it
//	rules.go        the user's message for each error
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

// Options configure a Provider.
type Options struct {
	// the provider's name in the configuration, also used in texts for users
	Name string
	// address with the API's version, without user and password: http://127.0.0.1:11434/v1
	BaseURL string
	// API key; "" if the endpoint needs none; no error and no log line contains it
	APIKey string
	// texts for the fields of the same names in remote.Endpoint
	KeyAdvice, URLVariable string
	Server                 string // a name from ServerNames; "" means that BaseURL decides
	MaxOutput              int    // output limit in tokens; 0 means the endpoint's own limit
	// sends the requests; nil means a new client, without redirects and with deadlines for
	// connecting
	HTTPClient *http.Client
	// the longest wait for the first byte of an answer; 0 means DefaultFirstByteWait, but at least
	// Stall
	Begin time.Duration
	// the endpoint is outside the private network. Begin's default is then RemoteFirstByteWait, or
	// RemoteThinkingWait for a model that thinks. No text of such an endpoint is read as a call.
	Far   bool
	Stall time.Duration // the longest silence within an answer; 0 means DefaultMaxSilence
	Log   hclog.Logger  // receives the log; nil means no log
}

// DefaultMaxOutput is the output limit in tokens if the caller needs one. It is gpt-4o's limit, the
// lowest in the price list. Thinking counts as output.
const DefaultMaxOutput = 16_384

const (
	// DefaultFirstByteWait is long because a local server may first load the model from a slow
	// disk, and then read the whole prompt. Ollama allows five minutes for loading. A model may
	// also think before its first word.
	DefaultFirstByteWait = 5 * time.Minute
	// RemoteFirstByteWait and RemoteThinkingWait are for servers that have their models loaded.
	// Their proxies wait no longer.
	RemoteFirstByteWait = 60 * time.Second
	RemoteThinkingWait  = 180 * time.Second
	// DefaultMaxSilence is short, because a working server sends text, or comments that keep the
	// connection open.
	DefaultMaxSilence = 60 * time.Second
)

// Provider calls the models of one endpoint. It may be used from several goroutines.
type Provider struct {
	*remote.Endpoint
	chatURL       string
	modelsURL     string
	speechURL     string
	transcribeURL string // URL for transcriptions
	embedURL      string // URL for embeddings
	propsURL      string // URL for llama.cpp's properties
	server        server
	optional      []optionalPart                 // parts of a request that this server may refuse
	refused       remote.ValuePerModel[[]string] // names of the optional parts that each model has refused
	limits        remote.ValuePerModel[int]      // each model's maximum output in tokens
	maxOutput     int
	near          bool          // the endpoint is on this machine or in its network
	thinking      time.Duration // the longest wait for the first byte of a model that thinks
}

// New creates a Provider without connecting. The caller closes the Provider.
func New(o Options) (*Provider, error) {
	base, err := remote.ParseBaseURL(o.BaseURL, "http://127.0.0.1:11434/v1")
	if err != nil {
		return nil, fmt.Errorf("model provider %q: base_url: %w", o.Name, err)
	}
	server, err := serverAt(o.Server, base)
	if err != nil {
		return nil, fmt.Errorf("model provider %q: %w", o.Name, err)
	}
	o.Log = cmp.Or(o.Log, hclog.NewNullLogger())
	begin, thinking := DefaultFirstByteWait, DefaultFirstByteWait
	if o.Far {
		begin, thinking = RemoteFirstByteWait, RemoteThinkingWait
	}
	p := &Provider{
		thinking: cmp.Or(o.Begin, max(thinking, o.Stall)),
		chatURL:  base.JoinPath("chat", "completions").String(), modelsURL: base.JoinPath("models").String(),
		speechURL: base.JoinPath("audio", "speech").String(), transcribeURL: base.JoinPath("audio", "transcriptions").String(),
		embedURL: base.JoinPath("embeddings").String(),
		propsURL: base.JoinPath("..", "props").String(),
		near:     !o.Far,
		server:   server, optional: optionalPartsOf(server), maxOutput: o.MaxOutput,
		Endpoint: &remote.Endpoint{
			Name: o.Name, Host: base.Host, Key: remote.NewKey(o.APIKey), Header: http.Header{},
			KeyAdvice: o.KeyAdvice, URLVariable: o.URLVariable,
			Client: remote.NewHTTPClient(o.HTTPClient),
			Begin:  cmp.Or(o.Begin, max(begin, o.Stall)), Stall: cmp.Or(o.Stall, DefaultMaxSilence), Rules: errorRules,
			Log:     o.Log,
			Refusal: readRefusal, RetryAfter: remote.ParseRetryAfter, RequestID: requestID, WholeAnswers: true,
		},
	}
	p.Authorize = func(h http.Header, key string) { h.Set("Authorization", "Bearer "+key) }
	return p, nil
}

// requestID returns the endpoint's id of a call; "" if it is missing or invalid.
func requestID(h http.Header) string {
	if id := h.Get("X-Request-Id"); remote.IsIdentifier(id) {
		return id
	}
	return ""
}

// Stream calls the model, see modelcall.Provider. If the endpoint refuses an optional part of the
// request, Stream repeats the request without that part.
func (p *Provider) Stream(ctx context.Context, req modelcall.Request,
	delta func(modelcall.Delta)) (modelcall.Answer, error) {
	r, err := p.newRequest(req)
	if err != nil {
		return p.FinishCall(ctx, req.Model, modelcall.Answer{}, err)
	}
	say := func(text string) { delta(modelcall.Delta{Text: text}) }
	endpoint := *p.Endpoint
	endpoint.OnEvent = req.OnEvent
	if !thinksNot(req.Thinking) || p.thinksUnasked(req.Model) {
		endpoint.Begin = p.thinking
	}
	for {
		body, err := remote.EncodeRequest(r)
		if err != nil {
			return p.FinishCall(ctx, req.Model, modelcall.Answer{}, fmt.Errorf("%w: %w", remote.ErrUnsendableRequest,
				err))
		}
		b := newAnswerBuilder(say, p.server.thinkTags, r.textTools)
		b.unsay = func() { delta(modelcall.Delta{Restart: true}) }
		b.endpoint, b.names, b.idInBody = p.Endpoint, wireToolNames(req.Tools), p.server.idInBody
		b.server, b.origin, b.inCalls = p.server, p.ThinkingOrigin(req.Model), inTurnWithCalls(r.Messages)
		if p.near && len(req.Tools) > 0 {
			b.readTextCalls(req)
		}
		answer, err := endpoint.Stream(ctx, p.chatURL, body, b)
		begun := b.progress.Events > 0
		switch {
		case err != nil && ctx.Err() == nil && !begun && p.learn(r, err):
			continue
		case err != nil && !begun:
			err = beforeFirstWord(err)
		}
		answer.Blind = slices.Contains(p.refused.Get(r.Model), pictureParts) && slices.ContainsFunc(req.Messages, protocol.Message.HasImage)
		return p.FinishCall(ctx, req.Model, answer, err)
	}
}
