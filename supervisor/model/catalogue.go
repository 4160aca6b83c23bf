// Package model is the catalogue of the models that a person's turn may call: the providers of the configuration and
// the offline model, which is always there, behind the one streaming interface of supervisor.ModelProvider.
package model

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor"
	"mews/supervisor/model/offline"
	"mews/supervisor/model/openai"
)

// Options say which models there are.
type Options struct {
	Default   string // a spec as Resolve takes it; "" is the offline model
	Providers []ProviderOptions
	Log       hclog.Logger // nil: nothing is logged
}

// ProviderOptions are one provider of the configuration.
type ProviderOptions struct {
	Name    string // unique, without a slash
	Kind    string // openai or offline
	BaseURL string
	APIKey  string
}

// kinds is how each kind of provider is made.
var kinds = map[string]func(ProviderOptions, hclog.Logger) (supervisor.ModelProvider, error){
	"offline": func(ProviderOptions, hclog.Logger) (supervisor.ModelProvider, error) { return offline.New(), nil },
	"openai": func(o ProviderOptions, log hclog.Logger) (supervisor.ModelProvider, error) {
		return openai.New(openai.Options{Name: o.Name, BaseURL: o.BaseURL, APIKey: o.APIKey, Log: log})
	},
}

// Catalogue holds the providers. It does not change once it is made and may be used from several goroutines at once.
type Catalogue struct {
	providers map[string]provider
	standard  Choice
}

type provider struct {
	supervisor.ModelProvider
	bare bool // it is the only model of its provider, and named without one
}

// Choice is one model of one provider.
type Choice struct {
	Spec     string // as it is written in full: provider/model, or offline
	Provider supervisor.ModelProvider
	Model    string // the provider's own name of it
}

// NewCatalogue makes the providers and connects to none of them. The caller closes the catalogue.
func NewCatalogue(o Options) (*Catalogue, error) {
	c := &Catalogue{providers: map[string]provider{offline.Name: {offline.New(), true}}}
	for _, po := range o.Providers {
		if err := c.add(po, o.Log); err != nil {
			return nil, fmt.Errorf("model provider %q: %w", po.Name, err)
		}
	}
	standard, err := c.resolveDefault(o)
	if err != nil {
		return nil, fmt.Errorf("default model %q: %w", o.Default, err)
	}
	c.standard = standard
	return c, nil
}

func (c *Catalogue) add(o ProviderOptions, log hclog.Logger) error {
	open, known := kinds[o.Kind]
	if !known {
		return fmt.Errorf("kind %q; there are %s", o.Kind, strings.Join(slices.Sorted(maps.Keys(kinds)), ", "))
	}
	if o.Name == "" || strings.Contains(o.Name, "/") {
		return fmt.Errorf("its name must not be empty and hold no slash")
	}
	bare := o.Kind == offline.Name
	if taken, exists := c.providers[o.Name]; exists && !(bare && taken.bare) {
		return fmt.Errorf("there is one of that name already")
	}
	p, err := open(o, log)
	if err != nil {
		return err
	}
	c.providers[o.Name] = provider{p, bare}
	return nil
}

// resolveDefault reads the configured default. A bare id has no default provider to belong to yet; where there is only
// one provider with models of its own, it is that one's.
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
		if closer, ok := p.ModelProvider.(interface{ Close() }); ok {
			closer.Close()
		}
	}
}

// Default is the default model's spec, written in full.
func (c *Catalogue) Default() string { return c.standard.Spec }

// Resolve finds the model that spec names: "provider/model", "offline", a bare id of the default provider's, or "" for
// the default. What follows the first slash is the provider's own and may hold more of them. It asks no provider
// whether it has the model. Its errors are for a person.
func (c *Catalogue) Resolve(spec string) (Choice, error) {
	name, model, slashed := strings.Cut(spec, "/")
	p, exists := c.providers[name]
	switch {
	case spec == "":
		return c.standard, nil
	case slashed && !exists:
		return Choice{}, c.unknown(name, spec)
	case exists && (slashed || p.bare):
		return c.choose(name, model)
	case exists:
		return Choice{}, invalid("%q is a provider and not a model; write %s/MODEL.", spec, name)
	}
	standard, _, _ := strings.Cut(c.standard.Spec, "/")
	if standard == "" || c.providers[standard].bare {
		return Choice{}, c.unknown("", spec)
	}
	return c.choose(standard, spec)
}

// choose is the model of a provider that exists.
func (c *Catalogue) choose(name, model string) (Choice, error) {
	p := c.providers[name]
	switch {
	case p.bare && model != "":
		return Choice{}, invalid("The provider %q is one model without others; write %s alone.", name, name)
	case p.bare:
		return Choice{Spec: name, Provider: p.ModelProvider, Model: name}, nil
	case model == "":
		return Choice{}, invalid("The model is missing after %q; write %s/MODEL.", name+"/", name)
	}
	return Choice{Spec: name + "/" + model, Provider: p.ModelProvider, Model: model}, nil
}

// Stream calls the model that spec names with req, whose own Model is overwritten. It ends as
// supervisor.ModelProvider says.
func (c *Catalogue) Stream(ctx context.Context, spec string, req supervisor.ModelRequest,
	delta func(supervisor.ModelDelta)) (supervisor.ModelAnswer, error) {
	choice, err := c.Resolve(spec)
	if err != nil {
		return supervisor.ModelAnswer{}, err
	}
	req.Model = choice.Model
	return choice.Provider.Stream(ctx, req, delta)
}

func (c *Catalogue) unknown(name, spec string) error {
	there := strings.Join(slices.Sorted(maps.Keys(c.providers)), ", ")
	if name == "" {
		return notFound("There is no model %q: the default provider has no others. Write PROVIDER/MODEL; "+
			"the providers are %s.", spec, there)
	}
	return notFound("There is no model provider %q for the model %q. The providers are %s; they are set under models "+
		"in the configuration.", name, spec, there)
}

func invalid(format string, args ...any) error {
	return &supervisor.Error{Code: supervisor.CodeInvalid, Message: fmt.Sprintf(format, args...)}
}

func notFound(format string, args ...any) error {
	return &supervisor.Error{Code: supervisor.CodeNotFound, Message: fmt.Sprintf(format, args...)}
}
