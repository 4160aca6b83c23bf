package model

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"mews/supervisor"
)

// Choice is one model of one provider.
type Choice struct {
	Spec     string // as it is written in full: provider/model, or offline
	Provider supervisor.ModelProvider
	Model    string // the provider's own name of it
}

func (c Choice) same(other Choice) bool { return c.Spec == other.Spec }

// Resolve finds the model that spec names: "provider/model", "offline", a bare id of the default provider's, or "" for
// the default. What follows the first slash is the provider's own and may hold more of them. It asks no provider
// whether it has the model. Its errors are for a person.
func (c *Catalogue) Resolve(spec string) (Choice, error) {
	name, model, slashed := strings.Cut(spec, "/")
	p, exists := c.providers[name]
	switch {
	case spec == "":
		return c.defaultModel, nil
	case slashed && !exists:
		return Choice{}, c.unknown(name, spec)
	case exists && (slashed || p.single):
		return c.choose(name, model)
	case exists:
		return Choice{}, invalid("%q is a provider and not a model; write %s/MODEL.", spec, name)
	}
	standard, _, _ := strings.Cut(c.defaultModel.Spec, "/")
	if standard == "" || c.providers[standard].single {
		return Choice{}, c.unknown("", spec)
	}
	return c.choose(standard, spec)
}

// choose is the model of a provider that exists.
func (c *Catalogue) choose(name, model string) (Choice, error) {
	p := c.providers[name]
	switch {
	case p.single && model != "":
		return Choice{}, invalid("The provider %q is one model without others; write %s alone.", name, name)
	case p.single:
		return Choice{Spec: name, Provider: p.ModelProvider, Model: name}, nil
	case model == "":
		return Choice{}, invalid("The model is missing after %q; write %s/MODEL.", name+"/", name)
	}
	return Choice{Spec: name + "/" + model, Provider: p.ModelProvider, Model: model}, nil
}

// provider is the one that a choice is of.
func (c *Catalogue) provider(choice Choice) provider {
	name, _, _ := strings.Cut(choice.Spec, "/")
	return c.providers[name]
}

func (c *Catalogue) unknown(name, spec string) error {
	names := slices.Sorted(maps.Keys(c.providers))
	there := "The providers are " + strings.Join(names, ", ")
	if len(names) == 1 {
		there = "There is one provider: " + names[0]
	}
	if name == "" {
		return notFound("There is no model %q: the default provider has no others. Write PROVIDER/MODEL. "+
			"%s.", spec, there)
	}
	return notFound("There is no model provider %q for the model %q. %s; they are set under models "+
		"in the configuration.", name, spec, there)
}

func invalid(format string, args ...any) error {
	return &supervisor.Error{Code: supervisor.CodeInvalid, Message: fmt.Sprintf(format, args...)}
}

func notFound(format string, args ...any) error {
	return &supervisor.Error{Code: supervisor.CodeNotFound, Message: fmt.Sprintf(format, args...)}
}
