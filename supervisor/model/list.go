package model

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"mews/protocol/amount"
	"mews/supervisor"
)

const (
	listTimeout = 5 * time.Second // for all providers, which are asked at once
	listTTL     = 5 * time.Minute
	listMax     = 1000 // models of one provider
)

// ListEntry is a model that can be had, or a provider that did not say what it has.
type ListEntry struct {
	Spec    string // as it is written in full; of a provider that did not say, its name
	Default bool
	Err     string // why it did not, for a person
}

// lister is a provider that can be asked what it has.
type lister interface {
	Models(context.Context) ([]string, error)
}

// cachedList is what a provider said that it has.
type cachedList struct {
	models []string
	until  time.Time
}

// List is what there is, by spec: what the providers offer, and the models of the configuration whether or not they are
// offered. The providers are asked at once, and what they say is kept for a few minutes; what fails is not.
func (c *Catalogue) List(ctx context.Context) []ListEntry {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	lists := make(chan []ListEntry)
	for name := range c.providers {
		go func() { lists <- c.list(ctx, name) }()
	}
	known := map[string]ListEntry{}
	for range c.providers {
		for _, offer := range <-lists {
			known[offer.Spec] = offer
		}
	}
	for _, configured := range append([]Choice{c.defaultModel, c.small}, c.fallback...) {
		known[configured.Spec] = ListEntry{Spec: configured.Spec}
	}
	known[c.defaultModel.Spec] = ListEntry{Spec: c.defaultModel.Spec, Default: true}
	return slices.SortedFunc(maps.Values(known), func(a, b ListEntry) int { return cmp.Compare(a.Spec, b.Spec) })
}

// list is what one provider offers.
func (c *Catalogue) list(ctx context.Context, name string) []ListEntry {
	p := c.providers[name]
	if p.single {
		return []ListEntry{{Spec: name}}
	}
	kept, _ := c.lists.Load(name)
	cached, ok := kept.(cachedList)
	if asked, can := p.ModelProvider.(lister); can && (!ok || !time.Now().Before(cached.until)) {
		models, err := asked.Models(ctx)
		if err != nil {
			c.log.Info("model provider did not say what it offers", "provider", name, "error", err)
			return []ListEntry{{Spec: name, Err: listFailure(ctx, err)}}
		}
		cached = cachedList{models[:min(len(models), listMax)], time.Now().Add(listTTL)}
		c.lists.Store(name, cached)
	}
	list := make([]ListEntry, len(cached.models))
	for i, m := range cached.models {
		list[i] = ListEntry{Spec: name + "/" + m}
	}
	return list
}

// listFailure is why a provider did not say what it offers.
func listFailure(ctx context.Context, err error) string {
	if ctx.Err() != nil {
		return fmt.Sprintf(textListTimeout, amount.Of(int(listTimeout.Seconds()), "second", "seconds"))
	}
	return supervisor.ErrorMessage(err)
}
