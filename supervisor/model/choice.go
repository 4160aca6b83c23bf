package model

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"mews/supervisor"
	"mews/supervisor/modelcall"
)

// ResolvedModel is a model that a spec names, with its provider.
type ResolvedModel struct {
	Spec     string // the model's full spec: provider/model, or offline
	Provider modelcall.Provider
	Model    string // the model's name at the provider
}

func (c ResolvedModel) same(other ResolvedModel) bool { return c.Spec == other.Spec }

// Resolve returns the model that spec names. A spec is "provider/model", "offline", a bare model id
// of the default provider, or "" for the default model. A model id may contain slashes. Resolve
// does not check whether the provider has the model. Its errors are for users.
func (c *Catalogue) Resolve(spec string) (ResolvedModel, error) {
	name, model, slashed := strings.Cut(spec, "/")
	p, exists := c.providers[name]
	switch {
	case spec == "":
		return c.defaultModel, nil
	case slashed && !exists:
		return ResolvedModel{}, c.unknown(name, spec)
	case exists && (slashed || p.single):
		return c.choose(name, model)
	case exists:
		return ResolvedModel{}, supervisor.Errorf(supervisor.CodeInvalid, textIsProvider, spec, name)
	}
	standard, _, _ := strings.Cut(c.defaultModel.Spec, "/")
	if standard == "" || c.providers[standard].single {
		return ResolvedModel{}, c.unknown("", spec)
	}
	return c.choose(standard, spec)
}

// choose returns a model by the names of its provider and of the model. The provider must exist.
func (c *Catalogue) choose(name, model string) (ResolvedModel, error) {
	p := c.providers[name]
	switch {
	case p.single && model != "":
		return ResolvedModel{}, supervisor.Errorf(supervisor.CodeInvalid, textOneModel, name, name)
	case p.single:
		return ResolvedModel{Spec: name, Provider: p.Provider, Model: name}, nil
	case model == "":
		return ResolvedModel{}, supervisor.Errorf(supervisor.CodeInvalid, textModelMissing, name+"/", name)
	}
	return ResolvedModel{Spec: name + "/" + model, Provider: p.Provider, Model: model}, nil
}

// provider returns the provider of a model.
func (c *Catalogue) provider(choice ResolvedModel) provider {
	name, _, _ := strings.Cut(choice.Spec, "/")
	return c.providers[name]
}

func (c *Catalogue) unknown(name, spec string) error {
	names, there := slices.Sorted(maps.Keys(c.providers)), textProviders
	if len(names) == 1 {
		there = textOneProvider
	}
	there = fmt.Sprintf(there, strings.Join(names, ", "))
	if name == "" {
		return supervisor.Errorf(supervisor.CodeNotFound, textNoModel, spec, there)
	}
	return supervisor.Errorf(supervisor.CodeNotFound, textNoProvider, name, spec, there)
}
