// Package anthropic calls Claude, and any other server that answers POST /v1/messages as Anthropic
// does. It does not use Anthropic's library, which copies a request's JSON once for each level of
// it. Package remote sends requests and reads the answers.
//
// The package never returns half an answer as a whole one, and reads nothing from the environment.
// No error contains the key or the URL.
//
//	anthropic.go  the provider: a call of a model, and the list of models
//	request.go    a request in the API's form
//	thinking.go   the parameters that make each model think
//	pictures.go   pictures, and models that take none
//	deferred.go   tools whose definitions are read only when a result refers to them
//	answer.go     an answer, from its events; answer_block.go has its pieces
//	rules.go      the user's message for each error
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

// Options configure a Provider.
type Options struct {
	// the provider's name in the configuration, also used in texts for users
	Name string
	// the API's URL, with or without /v1 at its end, and without user and password; "" means
	// DefaultBaseURL
	BaseURL string
	// API key; "" if the endpoint needs none; no error and no log line contains it
	APIKey string
	// texts for users, see the fields of the same names in remote.Endpoint
	KeyAdvice, URLVariable string
	HTTPClient             *http.Client  // nil means a new client, with deadlines for connecting
	Silence                time.Duration // the longest allowed silence; 0 means DefaultMaxSilence
	MaxTokens              int           // output limit in tokens, including thinking; 0 means DefaultMaxTokens
	Log                    hclog.Logger  // log of the provider; nil means no log
}

const (
	// DefaultBaseURL is the address of Anthropic's own API.
	DefaultBaseURL = "https://api.anthropic.com"
	// DefaultMaxSilence is the default of Options.Silence. It suffices, because the API sends a
	// ping every few seconds while the model thinks.
	DefaultMaxSilence = 60 * time.Second
	// DefaultMaxTokens is an output limit that every Claude since Opus 4 allows.
	DefaultMaxTokens = 32000
)

// ThinkingFormat names the format of this API's thinking blocks in the transcript.
const ThinkingFormat = "anthropic"

// version is the API's version, unchanged since 2023.
const version = "2023-06-01"

// Provider calls the models of one endpoint. It may be used from several goroutines.
type Provider struct {
	*remote.Endpoint
	base       *url.URL
	maxTokens  int64
	noPictures remote.ValuePerModel[bool] // models that can't see pictures; all of Anthropic's models can
	// models that refused deferred tools, although models of their version should support such
	// tools
	noDeferredTools remote.ValuePerModel[bool]
}

// New creates a Provider without connecting. The caller closes the Provider.
func New(o Options) (*Provider, error) {
	base, err := remote.ParseBaseURL(cmp.Or(o.BaseURL, DefaultBaseURL), DefaultBaseURL)
	if err != nil {
		return nil, fmt.Errorf("model provider %q: base_url: %w", o.Name, err)
	}
	if o.MaxTokens < 0 || o.Silence < 0 {
		return nil, fmt.Errorf("model provider %q: a limit is below zero", o.Name)
	}
	base.Path, base.RawPath = strings.TrimSuffix(strings.TrimRight(base.Path, "/"), "/v1")+"/v1", ""
	o.Log = cmp.Or(o.Log, hclog.NewNullLogger())
	silence := cmp.Or(o.Silence, DefaultMaxSilence)
	p := &Provider{base: base, maxTokens: int64(cmp.Or(o.MaxTokens, DefaultMaxTokens)), Endpoint: &remote.Endpoint{
		Name: o.Name, Host: base.Host, Key: remote.NewKey(o.APIKey), KeyAdvice: o.KeyAdvice, URLVariable: o.URLVariable,
		Header: http.Header{"Anthropic-Version": {version}},
		Client: remote.NewHTTPClient(o.HTTPClient), Begin: silence, Stall: silence, Rules: errorRules, Log: o.Log,
		Refusal: readRefusal, RetryAfter: retryAfter, RequestID: requestID, TypedLists: true,
	}}
	p.Authorize = func(h http.Header, key string) { h.Set("X-Api-Key", key) }
	return p, nil
}

func requestID(h http.Header) string { return cmp.Or(h.Get("Request-Id"), h.Get("X-Request-Id")) }

// Stream calls the model, see modelcall.Provider. If the endpoint refuses pictures, thinking or
// deferred tools, Stream repeats the request without them.
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
	answer.Blind = p.noPictures.Get(req.Model) && slices.ContainsFunc(req.Messages, protocol.Message.HasImage)
	return p.FinishCall(ctx, req.Model, answer, err)
}

// maxOutput returns the output limit in tokens, including thinking.
func (p *Provider) maxOutput(req modelcall.Request) int64 {
	return cmp.Or(req.Output, p.maxTokens)
}

// exchange sends one request and reads its answer, see remote.Endpoint.Stream.
func (p *Provider) exchange(ctx context.Context, req modelcall.Request, form thinkingForm,
	say func(string)) (modelcall.Answer, error) {
	if !p.takesDeferredTools(req.Model) {
		req.Tools = withoutFamilies(req.Tools)
	}
	form.origin = p.ThinkingOrigin(req.Model)
	body, err := encode(req, form, p.maxOutput(req))
	if err != nil {
		return modelcall.Answer{}, fmt.Errorf("%w: %w", remote.ErrUnsendableRequest, err)
	}
	endpoint := *p.Endpoint
	endpoint.OnEvent = req.OnEvent
	return endpoint.Stream(ctx, p.base.JoinPath("messages").String(), body,
		&answerBuilder{endpoint: p.Endpoint, say: say, origin: form.origin})
}

// Limits for the list of models.
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

// Models returns the names of the endpoint's models, newest first. It returns the same errors as
// Stream.
func (p *Provider) Models(ctx context.Context) (names []string, err error) {
	at := p.base.JoinPath("models")
	query := at.Query()
	query.Set("limit", strconv.Itoa(pageSize))
	for range maxPages {
		var found modelPage
		at.RawQuery = query.Encode()
		if err := p.ReadModelList(ctx, at.String(), &found); err != nil {
			_, err = p.FinishCall(ctx, "", modelcall.Answer{}, err)
			return nil, err
		}
		for _, m := range found.Data {
			if remote.IsValidModelName(m.ID) {
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
