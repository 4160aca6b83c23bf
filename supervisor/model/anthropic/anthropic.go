// Package anthropic speaks to Claude, and to every other server that answers at POST /v1/messages
// as Anthropic does. It does without Anthropic's library, which copies a request's JSON once for
// each level of it; package remote sends requests and reads the answers. It never returns half an
// answer as a whole one and reads nothing from the environment. No error holds the key or the URL.
//
//	anthropic.go  the provider: a call of a model, and the list of models
//	request.go    a request in the API's form
//	thinking.go   how each model is told to think
//	pictures.go   pictures, and models that take none
//	deferred.go   tools that are read where a result refers to them
//	answer.go     an answer, from its events; answer_block.go has its pieces
//	rules.go      what each error is to a person
package anthropic

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/supervisor/model/remote"
	"mews/supervisor/modelcall"
)

// Options say where the API is and how it is spoken to.
type Options struct {
	// the provider's name in the configuration; it stands in what a person reads
	Name string
	// with or without /v1 at its end; "" is DefaultBaseURL; no user and password in it
	BaseURL string
	// "" where the endpoint wants none; it is kept out of every error and log line
	APIKey     string
	HTTPClient *http.Client  // nil: one of our own, with deadlines for connecting
	Silence    time.Duration // the longest wait for the next byte; 0 is DefaultSilence
	MaxTokens  int           // the longest answer, thinking included; 0 is DefaultMaxTokens
	Log        hclog.Logger  // nil: nothing is logged
}

const (
	// DefaultBaseURL is Anthropic itself.
	DefaultBaseURL = "https://api.anthropic.com"
	// DefaultSilence is enough, because the API sends a ping every few seconds while the model
	// thinks.
	DefaultSilence = 60 * time.Second
	// DefaultMaxTokens is what every Claude since Opus 4 can answer.
	DefaultMaxTokens = 32000
)

// Format is the name of this API's thinking blocks in the transcript.
const Format = "anthropic"

// version of the API. There has been no other since 2023.
const version = "2023-06-01"

// Provider is one endpoint. It may be used from several goroutines at once.
type Provider struct {
	*remote.Endpoint
	base        *url.URL
	maxTokens   int64
	pictureless remote.Memory[bool] // models that take no pictures; all of Anthropic's own do
	// models that take no deferred tools, although their names say so
	undeferring remote.Memory[bool]
}

// New prepares an endpoint and connects to nothing. The caller closes the provider.
func New(o Options) (*Provider, error) {
	base, err := remote.ParseBase(cmp.Or(o.BaseURL, DefaultBaseURL), DefaultBaseURL)
	if err != nil {
		return nil, fmt.Errorf("model provider %q: base_url: %w", o.Name, err)
	}
	if o.MaxTokens < 0 || o.Silence < 0 {
		return nil, fmt.Errorf("model provider %q: a limit is below zero", o.Name)
	}
	base.Path, base.RawPath = strings.TrimSuffix(strings.TrimRight(base.Path, "/"), "/v1")+"/v1", ""
	o.Log = cmp.Or(o.Log, hclog.NewNullLogger())
	silence := cmp.Or(o.Silence, DefaultSilence)
	p := &Provider{base: base, maxTokens: int64(cmp.Or(o.MaxTokens, DefaultMaxTokens)), Endpoint: &remote.Endpoint{
		Name: o.Name, Host: base.Host, Key: o.APIKey, Header: http.Header{"Anthropic-Version": {version}},
		Client: remote.Client(o.HTTPClient), Begin: silence, Stall: silence, Rules: errorRules, Log: o.Log,
		Refusal: readRefusal, RetryAfter: retryAfter, RequestID: requestID, TypedLists: true,
	}}
	if o.APIKey != "" {
		p.Header.Set("X-Api-Key", o.APIKey)
	}
	return p, nil
}

func requestID(h http.Header) string { return cmp.Or(h.Get("Request-Id"), h.Get("X-Request-Id")) }

// Stream calls the model, as modelcall.Provider says. A request whose pictures or thinking
// are refused is made again without them.
func (p *Provider) Stream(ctx context.Context, req modelcall.Request,
	delta func(modelcall.Delta)) (modelcall.Answer, error) {
	say := func(text string) { delta(modelcall.Delta{Text: text}) }
	form := thinkingFormOf(req.Model, req.Thinking, p.maxOutput(req))
	req = p.withoutPictures(req)
	answer, err := p.exchange(ctx, req, form, say)
	if other, better := p.retryWithoutPictures(req, err); better && ctx.Err() == nil {
		req = other
		answer, err = p.exchange(ctx, req, form, say)
	}
	if ctx.Err() == nil && p.retryUndeferred(req.Model, err) {
		answer, err = p.exchange(ctx, req, form, say)
	}
	if other, better := form.retryForm(err); better && ctx.Err() == nil {
		p.Log.Debug("ask again with other thinking", "provider", p.Name, "model", req.Model, "request", answer.Request)
		answer, err = p.exchange(ctx, req, other, say)
	}
	answer.Blind = p.pictureless.Get(req.Model) && slices.ContainsFunc(req.Messages, protocol.Message.Pictured)
	return p.End(ctx, req.Model, answer, err)
}

// maxOutput is how many tokens the answer may have, thinking included.
func (p *Provider) maxOutput(req modelcall.Request) int64 {
	return cmp.Or(req.Output, p.maxTokens)
}

// exchange sends one request and reads its answer, as remote.Endpoint.Stream does.
func (p *Provider) exchange(ctx context.Context, req modelcall.Request, form thinkingForm,
	say func(string)) (modelcall.Answer, error) {
	if !p.defers(req.Model) {
		req.Tools = withoutFamilies(req.Tools)
	}
	body, err := encode(req, form, p.maxOutput(req))
	if err != nil {
		return modelcall.Answer{}, fmt.Errorf("%w: %w", remote.ErrUnsendable, err)
	}
	return p.Endpoint.Stream(ctx, p.base.JoinPath("messages").String(), body, &answerBuilder{endpoint: p.Endpoint, say: say})
}

// maxPages bounds the list of models, each page of which has up to pageSize of them.
const (
	maxPages = 10
	pageSize = 50
)

// modelPage is one page of the list of models.
type modelPage struct {
	Data []struct {
		ID string `json:"id"`
	} `json:"data"`
	More bool   `json:"has_more"`
	Last string `json:"last_id"`
}

// Models lists the names of the models that the endpoint offers, newest first. Its errors are those
// of Stream.
func (p *Provider) Models(ctx context.Context) (names []string, err error) {
	at := p.base.JoinPath("models")
	query := at.Query()
	query.Set("limit", strconv.Itoa(pageSize))
	for range maxPages {
		var found modelPage
		at.RawQuery = query.Encode()
		if err := p.List(ctx, at.String(), &found); err != nil {
			_, err = p.End(ctx, "", modelcall.Answer{}, err)
			return nil, err
		}
		for _, m := range found.Data {
			if remote.ValidModelName(m.ID) {
				names = append(names, m.ID)
			}
		}
		if !found.More || found.Last == "" {
			break
		}
		query.Set("after_id", found.Last)
	}
	return names, nil
}
