// Package model is the catalogue of the models that a person's turn may call: the providers of the
// configuration, and the offline model, which is always there. One streaming interface stands
// before all of them and copes with their failures.
//
//	catalogue.go  the providers, made from the configuration
//	choice.go     the model that a spec names
//	locality.go   how far a person's words go to a provider
//	failover.go   one call: the chosen model, then those of the fallback, each as often as its policy says
//	attempt.go    one attempt: the money set aside before it, and what it cost
//	costbound.go  the most that a request can cost
//	notice.go     what the person is told while nothing comes
//	policy.go     the table of what follows each class of failure
//	breaker.go    which models are left alone for a while, and when one call probes them
//	faults.go     what admins are told, and others are not
//	list.go       what the providers have
//	prices.go     what a call cost; pricelist.go has the prices
//	window.go     how long a request may be, and what is done about one that is longer
//	payloads.go   requests and answers in the log, for debugging
//	texts.go      what a person reads
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

// Options say which models there are. Specs are as Resolve takes them.
type Options struct {
	Default   string   // "" is the offline model
	Small     string   // for small work; "" is the default
	Fallback  []string // asked in this order when a model fails
	Providers []ProviderOptions
	Prices    map[string]Price // by spec; they replace the built-in ones
	// how many may run at once, for all people together; 0 is DefaultCalls
	Calls    int
	Payloads bool         // write requests and answers to the log, at debug
	Log      hclog.Logger // nil: nothing is logged
}

// DefaultCalls is how many calls run at once.
const DefaultCalls = 8

// ProviderOptions are one provider of the configuration.
type ProviderOptions struct {
	Name    string // unique, without a slash
	Kind    string // anthropic, openai or offline
	BaseURL string // "" is Anthropic's own, where the kind is anthropic
	APIKey  string
	Server  string // with kind openai: which program answers; "" is told from BaseURL
	Window  int64  // tokens that its models take, the answer with them; 0 is found out
	// a model that says nothing for so long has failed; 0 is the kind's own limit
	Silence time.Duration
}

// providerKinds makes each kind of provider.
var providerKinds = map[string]func(ProviderOptions, hclog.Logger) (modelcall.Provider, error){
	"anthropic": func(o ProviderOptions, log hclog.Logger) (modelcall.Provider, error) {
		return anthropic.New(anthropic.Options{Name: o.Name, BaseURL: o.BaseURL, APIKey: o.APIKey, Silence: o.Silence, Log: log})
	},
	"offline": func(ProviderOptions, hclog.Logger) (modelcall.Provider, error) { return offline.Provider{}, nil },
	"openai": func(o ProviderOptions, log hclog.Logger) (modelcall.Provider, error) {
		return openai.New(openai.Options{
			Name: o.Name, BaseURL: o.BaseURL, APIKey: o.APIKey, Server: o.Server, Stall: o.Silence, Log: log,
			Far: localityOf(o.BaseURL) == localityInternet,
		})
	},
}

// Catalogue holds the providers. Only SetPrices changes it. It remembers which models failed and
// what the providers offer. It may be used from several goroutines at once.
type Catalogue struct {
	providers    map[string]provider
	defaultModel Choice
	small        Choice
	fallback     []Choice
	prices       atomic.Pointer[map[string]Price] // by spec; never changed
	breakers     *breakers
	queue        *slots.Slots
	lists        sync.Map // cachedList by provider
	told         sync.Map // toldWindows by provider
	windows      lessons
	faults       faults
	payloads     *payloads // nil: they are not written
	log          hclog.Logger
}

type provider struct {
	modelcall.Provider
	kind     string
	single   bool // it is the only model of its provider, and named without one
	locality locality
	window   int64 // as configured
}

// NewCatalogue makes the providers and connects to none of them. The caller closes the catalogue.
func NewCatalogue(o Options) (*Catalogue, error) {
	if o.Calls < 0 {
		return nil, fmt.Errorf("%d calls at once; want 1 or more", o.Calls)
	}
	o.Log = cmp.Or(o.Log, hclog.NewNullLogger())
	c := &Catalogue{
		providers: map[string]provider{offline.Name: {offline.Provider{}, "offline", true, localityMachine, 0}},
		breakers:  newBreakers(o.Log),
		queue:     slots.New(cmp.Or(o.Calls, DefaultCalls)),
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

func (c *Catalogue) add(o ProviderOptions, log hclog.Logger) error {
	open, known := providerKinds[o.Kind]
	if !known {
		return fmt.Errorf("kind %q; there are %s", o.Kind, strings.Join(slices.Sorted(maps.Keys(providerKinds)), ", "))
	}
	if o.Name == "" || strings.Contains(o.Name, "/") {
		return fmt.Errorf("its name must not be empty and hold no slash")
	}
	bare := o.Kind == offline.Name
	if taken, exists := c.providers[o.Name]; exists && !(bare && taken.single) {
		return fmt.Errorf("there is one of that name already")
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
			return fmt.Errorf("fallback model %q: it is empty, or there already", spec)
		}
		c.fallback = append(c.fallback, choice)
	}
	return c.SetPrices(o.Prices)
}

// resolveDefault reads the configured default. A bare id belongs to the only provider, where there
// is one alone: there is no default provider yet.
func (c *Catalogue) resolveDefault(o Options) (Choice, error) {
	if o.Default == "" {
		return c.Resolve(offline.Name)
	}
	_, named := c.providers[o.Default]
	if len(o.Providers) == 1 && !named && !strings.Contains(o.Default, "/") {
		return c.choose(o.Providers[0].Name, o.Default)
	}
	return c.Resolve(o.Default)
}

// Close drops the providers' idle connections. Calls under way go on.
func (c *Catalogue) Close() {
	for _, p := range c.providers {
		if closer, ok := p.Provider.(interface{ Close() }); ok {
			closer.Close()
		}
	}
}

// Default is the default model's spec, written in full.
func (c *Catalogue) Default() string { return c.defaultModel.Spec }

// Small is the spec, written in full, of the model for small work: titles, categories, triage.
func (c *Catalogue) Small() string { return c.small.Spec }

// Stream calls the model that spec names; req.Model is overwritten. When the model fails, it is
// called again, or another one of the fallback is, as policies say. delta gets a Restart first
// where something had been said. The answer names the model that gave it, and the one that it
// replaces. req.Reserver pays for each attempt; the caller ends the leases of the answer and of
// req.OnFailure. When Stream fails, what was said since the last Restart is void. Its errors are as
// modelcall.Provider says, or one for a person where there is no such model.
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

// candidates are the models to ask: first, and then those of the fallback that may replace it.
func (c *Catalogue) candidates(first Choice) []Choice {
	chain := make([]Choice, 1, 1+len(c.fallback))
	chain[0] = first
	for _, other := range c.fallback {
		if c.mayReplace(first, other) {
			chain = append(chain, other)
		}
	}
	return chain
}

// mayReplace says whether another model may answer in the place of first. Any may replace the
// default model, as the operator has configured it. A model that somebody chose is replaced by
// those alone to which words go no farther.
func (c *Catalogue) mayReplace(first, other Choice) bool {
	return !other.same(first) && (first.same(c.defaultModel) || c.provider(other).locality >= c.provider(first).locality)
}
