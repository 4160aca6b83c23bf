// Package model is the catalogue of the models that a user's turn may call: the providers of the
// configuration, and the offline model, which is always there. Its one streaming interface handles
// their failures.
//
//	catalogue.go  the providers, made from the configuration
//	choice.go     the model that a spec names
//	locality.go   how far a user's words travel to a provider
//	failover.go   one call: the chosen model, then the fallback, each as often as its policy says
//	attempt.go    one attempt: the money set aside before it, and its cost
//	costbound.go  the most that a request can cost
//	notice.go     messages to the user while no answer comes
//	policy.go     the table of retries and fallbacks by class of failure
//	breaker.go    circuit breakers: models that are skipped for a while, and their probes
//	faults.go     failures that only admins read about
//	list.go       the providers' lists of models
//	prices.go     the cost of a call; pricelist.go has the prices
//	window.go     how long a request may be, and how a longer one is shortened
//	payloads.go   requests and answers in the log, for debugging
//	texts.go      texts for users
package model

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor/internal/slots"
	"mews/supervisor/model/anthropic"
	"mews/supervisor/model/offline"
	"mews/supervisor/model/openai"
	"mews/supervisor/modelcall"
)

// Options configure the models. Models are named by specs, see Catalogue.Resolve.
type Options struct {
	Default   string   // spec of the default model; "" means the offline model
	Small     string   // model for small tasks; "" means the default model
	Fallback  []string // models to ask in this order when a model fails
	Providers []ProviderOptions
	Prices    map[string]Price // configured prices by spec, in place of the built-in ones
	// maximum number of calls at once, for all users together; 0 means DefaultMaxCalls
	Calls    int
	Payloads bool         // log requests and answers at level debug
	Log      hclog.Logger // log of the catalogue; nil means no log
}

// DefaultMaxCalls is the default maximum number of calls at once.
const DefaultMaxCalls = 8

// ProviderOptions configure one provider.
type ProviderOptions struct {
	Name    string // unique name of the provider, without a slash
	Kind    string // kind of API: anthropic, openai or offline
	BaseURL string // base URL of the API; "" means Anthropic's own address, for the kind anthropic
	APIKey  string
	// see the fields of the same names in remote.Endpoint
	KeyAdvice, URLVariable string
	Server                 string // for the kind openai: the server program; "" means that Mews derives it from BaseURL
	Window                 int64  // tokens of a request and its answer together; 0 means that Mews finds out
	// the longest allowed silence of a model; 0 means the default of the kind
	Silence time.Duration
}

// providerKinds has a constructor for each kind of provider.
var providerKinds = map[string]func(ProviderOptions, hclog.Logger) (modelcall.Provider, error){
	"anthropic": func(o ProviderOptions, log hclog.Logger) (modelcall.Provider, error) {
		return anthropic.New(anthropic.Options{Name: o.Name, BaseURL: o.BaseURL, APIKey: o.APIKey,
			KeyAdvice: o.KeyAdvice, URLVariable: o.URLVariable, Silence: o.Silence, Log: log})
	},
	"offline": func(ProviderOptions, hclog.Logger) (modelcall.Provider, error) { return offline.Provider{}, nil },
	"openai": func(o ProviderOptions, log hclog.Logger) (modelcall.Provider, error) {
		return openai.New(openai.Options{
			Name: o.Name, BaseURL: o.BaseURL, APIKey: o.APIKey, KeyAdvice: o.KeyAdvice,
			URLVariable: o.URLVariable, Server: o.Server, Stall: o.Silence, Log: log,
			Far: localityOf(o.BaseURL) == localityInternet,
		})
	},
}

// Catalogue holds the providers. Only SetPrices and SetKeys change its configuration. It remembers
// failed models and the providers' lists of models. Several goroutines may use it.
type Catalogue struct {
	providers    map[string]provider
	defaultModel ResolvedModel
	small        ResolvedModel
	fallback     []ResolvedModel
	prices       atomic.Pointer[map[string]Price] // prices by spec; SetPrices replaces the whole map
	breakers     *breakers
	queue        *slots.Slots
	lists        sync.Map // holds a cachedList for each provider
	told         sync.Map // holds toldWindows for each provider
	windows      lessons
	faults       faults
	payloads     *payloads // the log of payloads; nil means that payloads are not logged
	log          hclog.Logger
}

type provider struct {
	modelcall.Provider
	kind     string
	single   bool // the provider has only one model, so specs have no model id
	locality locality
	window   int64 // the configured window in tokens; 0 means none
}

// NewCatalogue creates the providers without connecting to them. The caller closes the catalogue.
func NewCatalogue(o Options) (*Catalogue, error) {
	if o.Calls < 0 {
		return nil, fmt.Errorf("%d calls at once; want 1 or more", o.Calls)
	}
	o.Log = cmp.Or(o.Log, hclog.NewNullLogger())
	c := &Catalogue{
		providers: map[string]provider{offline.Name: {offline.Provider{}, "offline", true, localityMachine, 0}},
		breakers:  newBreakers(o.Log),
		queue:     slots.New(cmp.Or(o.Calls, DefaultMaxCalls)),
		log:       o.Log,
	}
	for _, po := range o.Providers {
		if err := c.add(po, o.Log); err != nil {
			return nil, fmt.Errorf("model provider %q: %w", po.Name, err)
		}
	}
	if err := c.resolveOptions(o); err != nil {
		return nil, err
	}
	if o.Payloads {
		c.payloads = newPayloads(o)
	}
	return c, nil
}

// SetKeys changes the API keys of providers, by their names, for later calls. A provider that is
// not named keeps its key. Only one goroutine may call it at a time.
func (c *Catalogue) SetKeys(keys map[string]string) {
	for name, key := range keys {
		p, ok := c.providers[name].Provider.(interface {
			SetKey(key string) (changed bool)
		})
		if ok && p.SetKey(key) {
			c.payloads.addKey(key)
			c.breakers.newKey(name)
		}
	}
}

func (c *Catalogue) add(o ProviderOptions, log hclog.Logger) error {
	open, known := providerKinds[o.Kind]
	if !known {
		return fmt.Errorf("kind %q; there are %s", o.Kind, strings.Join(slices.Sorted(maps.Keys(providerKinds)), ", "))
	}
	if o.Name == "" || strings.Contains(o.Name, "/") {
		return fmt.Errorf("its name must not be empty, and must not contain a slash")
	}
	bare := o.Kind == offline.Name
	if taken, exists := c.providers[o.Name]; exists && !(bare && taken.single) {
		return fmt.Errorf("there is already a provider of that name")
	}
	p, err := open(o, log)
	if err != nil {
		return err
	}
	near := localityOf(o.BaseURL)
	if bare {
		near = localityMachine
	}
	c.providers[o.Name] = provider{p, o.Kind, bare, near, o.Window}
	return nil
}

func (c *Catalogue) resolveOptions(o Options) (err error) {
	if c.defaultModel, err = c.resolveDefault(o); err != nil {
		return fmt.Errorf("default model %q: %w", o.Default, err)
	}
	if c.small, err = c.Resolve(o.Small); err != nil {
		return fmt.Errorf("small model %q: %w", o.Small, err)
	}
	for _, spec := range o.Fallback {
		choice, err := c.Resolve(spec)
		if err != nil {
			return fmt.Errorf("fallback model %q: %w", spec, err)
		}
		if spec == "" || slices.ContainsFunc(c.fallback, choice.same) {
			return fmt.Errorf("fallback model %q is empty or listed twice", spec)
		}
		c.fallback = append(c.fallback, choice)
	}
	return c.SetPrices(o.Prices)
}

// resolveDefault resolves the configured default model. A bare model id is allowed if there is only
// one provider, because there is no default provider yet.
func (c *Catalogue) resolveDefault(o Options) (ResolvedModel, error) {
	if o.Default == "" {
		return c.Resolve(offline.Name)
	}
	_, named := c.providers[o.Default]
	if len(o.Providers) == 1 && !named && !strings.Contains(o.Default, "/") {
		return c.choose(o.Providers[0].Name, o.Default)
	}
	return c.Resolve(o.Default)
}

// Close closes the idle connections of the providers. Running calls continue.
func (c *Catalogue) Close() {
	for _, p := range c.providers {
		if closer, ok := p.Provider.(interface{ Close() }); ok {
			closer.Close()
		}
	}
}

// DefaultModel returns the full spec of the default model.
func (c *Catalogue) DefaultModel() string { return c.defaultModel.Spec }

// SmallModel returns the full spec of the model for small tasks: titles, categories, triage.
func (c *Catalogue) SmallModel() string { return c.small.Spec }

// Stream calls the model that spec names, and overwrites req.Model. If the model fails, Stream
// follows the policies: it calls the model again, or a fallback model. If text was already sent,
// delta first gets a Restart. The answer names its model, and the model that it replaces.
//
// req.Reserver pays for each attempt. The caller ends the leases of the answer and of the failures
// that req.OnFailure gets.
//
// If Stream fails, the text since the last Restart is void. Errors are those of modelcall.Provider,
// or an error for users if the model does not exist.
func (c *Catalogue) Stream(ctx context.Context, spec string, req modelcall.Request,
	delta func(modelcall.Delta)) (modelcall.Answer, error) {
	first, err := c.Resolve(spec)
	if err != nil {
		return modelcall.Answer{}, err
	}
	call := &call{Catalogue: c, req: req, candidates: c.candidates(first), deltas: deltaRelay{delta: delta}, endNotice: func() {}}
	answer, err := call.run(ctx)
	if err != nil && ctx.Err() != nil {
		return modelcall.Answer{}, context.Cause(ctx)
	}
	return answer, err
}

// candidates returns the models to ask: first, and then the fallback models that may replace it.
func (c *Catalogue) candidates(first ResolvedModel) []ResolvedModel {
	chain := make([]ResolvedModel, 1, 1+len(c.fallback))
	chain[0] = first
	for _, other := range c.fallback {
		if c.mayReplace(first, other) {
			chain = append(chain, other)
		}
	}
	return chain
}

// mayReplace reports whether the model other may answer instead of first. Any model may replace the
// default model, because the operator configured the fallback. A model that a user chose may only
// be replaced by a model that is no farther away.
func (c *Catalogue) mayReplace(first, other ResolvedModel) bool {
	return !other.same(first) && (first.same(c.defaultModel) || c.provider(other).locality >= c.provider(first).locality)
}
