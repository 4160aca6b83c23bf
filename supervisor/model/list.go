package model

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"mews/protocol/amount"
	"mews/supervisor/problem"
)

const (
	listTimeout = 5 * time.Second // limit for all providers together, because they are asked at the same time
	listTTL     = 5 * time.Minute
	listMax     = 1000 // maximum number of models from one provider
)

// ListedModel is a model of a provider, or a provider whose list could not be read.
type ListedModel struct {
	Spec    string // provider/model; the provider's name if Err is set
	Default bool
	Err     string // why the list could not be read, in words for users
}

// lister is a provider that can list its models.
type lister interface {
	Models(context.Context) ([]string, error)
}

// cachedList is a provider's list of models.
type cachedList struct {
	models []string
	until  time.Time
}

// ListModels returns the models of all providers and of the configuration, sorted by spec. It
// includes configured models that no provider lists. All providers are asked at the same time.
// Lists are cached for a few minutes, failures are not.
func (c *Catalogue) ListModels(ctx context.Context) []ListedModel {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	lists := make(chan []ListedModel)
	for name := range c.providers {
		go func() { lists <- c.list(ctx, name) }()
	}
	known := map[string]ListedModel{}
	for range c.providers {
		for _, offer := range <-lists {
			known[offer.Spec] = offer
		}
	}
	for _, configured := range append([]ResolvedModel{c.defaultModel, c.small}, c.fallback...) {
		known[configured.Spec] = ListedModel{Spec: configured.Spec}
	}
	known[c.defaultModel.Spec] = ListedModel{Spec: c.defaultModel.Spec, Default: true}
	return slices.SortedFunc(maps.Values(known), func(a, b ListedModel) int { return cmp.Compare(a.Spec, b.Spec) })
}

// list returns the models of one provider.
func (c *Catalogue) list(ctx context.Context, name string) []ListedModel {
	p := c.providers[name]
	if p.single {
		return []ListedModel{{Spec: name}}
	}
	kept, _ := c.lists.Load(name)
	cached, ok := kept.(cachedList)
	if asked, can := p.Provider.(lister); can && (!ok || !time.Now().Before(cached.until)) {
		models, err := asked.Models(ctx)
		if err != nil {
			c.log.Info("model provider did not say what it offers", "provider", name, "error", err)
			return []ListedModel{{Spec: name, Err: listFailure(ctx, err)}}
		}
		cached = cachedList{models[:min(len(models), listMax)], time.Now().Add(listTTL)}
		c.lists.Store(name, cached)
	}
	list := make([]ListedModel, len(cached.models))
	for i, m := range cached.models {
		list[i] = ListedModel{Spec: name + "/" + m}
	}
	return list
}

// listFailure returns the reason why a provider's list could not be read, for users.
func listFailure(ctx context.Context, err error) string {
	if ctx.Err() != nil {
		return fmt.Sprintf(textListTimeout, amount.Plural(int(listTimeout.Seconds()), "second", "seconds"))
	}
	return problem.UserText(err)
}
