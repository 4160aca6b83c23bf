// Package anthropic speaks to Claude, and to whatever else answers at POST /v1/messages as Anthropic does, through
// Anthropic's own library.
//
// The library builds and sends the requests and cuts the stream into events. What is wrong with them is judged here: no
// half answer is returned as a whole one, nothing is tried again, nothing is read from the environment, and no error
// holds the key or the URL.
package anthropic

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/model/remote"
)

// Options say where the API is and how it is spoken to.
type Options struct {
	Name       string        // the provider's name in the configuration; it stands in what a person reads
	BaseURL    string        // with or without /v1 at its end; "" is DefaultBaseURL; no user and password in it
	APIKey     string        // "" where the endpoint wants none; it is kept out of every error and log line
	HTTPClient *http.Client  // nil: one of our own, with deadlines for connecting
	Silence    time.Duration // the longest wait for the next byte; 0 is DefaultSilence
	MaxTokens  int           // what an answer may be long, thinking included; 0 is DefaultMaxTokens
	Log        hclog.Logger  // nil: nothing is logged
}

const (
	// DefaultBaseURL is Anthropic itself.
	DefaultBaseURL = "https://api.anthropic.com"
	// DefaultSilence is enough, because the API sends a ping every few seconds while the model thinks.
	DefaultSilence = 60 * time.Second
	// DefaultMaxTokens is what every Claude since Opus 4 may say at once.
	DefaultMaxTokens = 32000
)

// Format is the name of this API's thinking blocks in the transcript.
const Format = "anthropic"

// Provider is one endpoint. It may be used from several goroutines at once.
type Provider struct {
	name      string
	at        remote.Endpoint
	client    sdk.Client
	http      *http.Client
	silence   time.Duration
	maxTokens int64
	blind     pictureless
	log       hclog.Logger
}

// New prepares an endpoint and connects to nothing. The caller closes the provider.
func New(o Options) (*Provider, error) {
	base, err := parseBase(o.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("model provider %q: base_url: %w", o.Name, err)
	}
	if o.MaxTokens < 0 || o.Silence < 0 {
		return nil, fmt.Errorf("model provider %q: a limit is below zero", o.Name)
	}
	p := &Provider{
		name: o.Name, http: remote.Client(o.HTTPClient), log: o.Log,
		silence: cmp.Or(o.Silence, DefaultSilence), maxTokens: int64(cmp.Or(o.MaxTokens, DefaultMaxTokens)),
	}
	if p.log == nil {
		p.log = hclog.NewNullLogger()
	}
	p.at = remote.Endpoint{Name: o.Name, Host: base.Host, Key: o.APIKey, Rules: errorRules, Log: p.log}
	p.client = sdk.NewClient(clientOptions(base, o.APIKey, p.http)...)
	return p, nil
}

// clientOptions turn off what the library does of its own accord: reading the environment, trying again, tracing, and
// telling about this machine.
func clientOptions(base *url.URL, key string, client *http.Client) []option.RequestOption {
	query := base.Query()
	root := *base
	root.RawQuery = ""
	opts := []option.RequestOption{
		option.WithoutEnvironmentDefaults(), option.WithoutOpenTelemetry(), option.WithMaxRetries(0),
		option.WithBaseURL(root.String()), option.WithHTTPClient(client), option.WithHeader("User-Agent", "mews"),
	}
	for name, values := range query {
		for _, value := range values {
			opts = append(opts, option.WithQueryAdd(name, value))
		}
	}
	for _, name := range []string{"Lang", "Package-Version", "OS", "Arch", "Runtime", "Runtime-Version",
		"Retry-Count", "Timeout"} {
		opts = append(opts, option.WithHeaderDel("X-Stainless-"+name))
	}
	if key != "" {
		opts = append(opts, option.WithAPIKey(key))
	}
	return opts
}

// parseBase checks a base URL and takes the version off it, which the library adds itself.
func parseBase(base string) (*url.URL, error) {
	u, err := remote.ParseBase(cmp.Or(base, DefaultBaseURL), DefaultBaseURL)
	if err != nil {
		return nil, err
	}
	u.Path = strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/v1") + "/"
	u.RawPath = ""
	return u, nil
}

// Close drops the idle connections. Calls under way go on.
func (p *Provider) Close() {
	p.http.CloseIdleConnections()
}

// Stream calls the model, as supervisor.ModelProvider says.
func (p *Provider) Stream(ctx context.Context, req supervisor.ModelRequest,
	delta func(supervisor.ModelDelta)) (supervisor.ModelAnswer, error) {
	say := func(text string) { delta(supervisor.ModelDelta{Text: text}) }
	how := thinkingFormOf(req.Model, req.Thinking, p.maxOutput(req))
	req = p.withoutPictures(req)
	answer, err := p.exchange(ctx, req, how, say)
	if other, better := p.retryWithoutPictures(req, err); better && ctx.Err() == nil {
		req = other
		answer, err = p.exchange(ctx, req, how, say)
	}
	if other, better := how.retryForm(err); better && ctx.Err() == nil {
		p.log.Debug("ask again with other thinking", "provider", p.name, "model", req.Model, "request", answer.Request)
		answer, err = p.exchange(ctx, req, other, say)
	}
	if err != nil && ctx.Err() != nil {
		return supervisor.ModelAnswer{}, context.Cause(ctx)
	}
	if err != nil {
		return supervisor.ModelAnswer{}, p.explain(err, req.Model, answer.Request, answer.Usage)
	}
	if answer.Model == "" {
		answer.Model = req.Model
	}
	p.log.Debug("model answered", "provider", p.name, "model", answer.Model, "request", answer.Request,
		"stop", answer.Stop, "input", answer.Usage.Input, "output", answer.Usage.Output,
		"cache_read", answer.Usage.CacheRead, "cache_write", answer.Usage.CacheWrite)
	return answer, nil
}

// maxOutput is how many tokens the answer may have, what is thought included.
func (p *Provider) maxOutput(req supervisor.ModelRequest) int64 {
	return cmp.Or(req.Output, p.maxTokens)
}

// explain makes the error for a person. A call that the head of its response gave no name has that of the refusal.
func (p *Provider) explain(err error, model, request string, used protocol.Usage) error {
	if f := new(failure); request == "" && errors.As(err, &f) {
		request = p.requestID(f.request)
	}
	return p.at.Explain(err, model, request, used)
}

// maxPages bounds the list of models, each page of which has up to pageSize of them.
const (
	maxPages = 10
	pageSize = 50
)

// Models lists the names of the models that the endpoint offers, newest first. Its errors are those of Stream.
func (p *Provider) Models(ctx context.Context) ([]string, error) {
	var names []string
	var name string
	err := remote.WatchIdle(ctx, p.silence, func(ctx context.Context, w *remote.WatchedBody) error {
		params := sdk.ModelListParams{Limit: sdk.Int(pageSize)}
		page, err := p.client.Models.List(ctx, params, option.WithMiddleware(checkResponse(w, &name, remote.TypeJSON)))
		for range maxPages {
			if err != nil || page == nil {
				return err
			}
			for _, m := range page.Data {
				if remote.ValidModelName(m.ID) {
					names = append(names, m.ID)
				}
			}
			page, err = page.GetNextPage()
		}
		return err
	})
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, p.explain(err, "", p.requestID(name), protocol.Usage{})
	}
	return names, nil
}
