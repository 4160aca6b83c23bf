package model

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"mews/supervisor"
)

const (
	listTimeout = 5 * time.Second // for all providers, which are asked at once
	listKept    = 5 * time.Minute
	listMost    = 1000 // models of one provider
)

// Offer is a model that can be had, or a provider that did not say what it has.
type Offer struct {
	Spec    string // as it is written in full; of a provider that did not say, its name
	Default bool
	Err     string // why it did not, for a person
}

// lister is a provider that can be asked what it has.
type lister interface {
	Models(context.Context) ([]string, error)
}

// offers keeps what providers said. It may be used from several goroutines at once.
type offers struct {
	mu   sync.Mutex // guards what follows
	kept map[string]offered
}

type offered struct {
	models []string
	until  time.Time
}

func newOffers() *offers { return &offers{kept: map[string]offered{}} }

func (o *offers) get(name string, now time.Time) ([]string, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	kept, ok := o.kept[name]
	return kept.models, ok && now.Before(kept.until)
}

func (o *offers) put(name string, models []string, until time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.kept[name] = offered{models, until}
}

// List is what there is, by spec: what the providers offer, and the models of the configuration whether or not they are
// offered. The providers are asked at once, and what they say is kept for a few minutes; what fails is not.
func (c *Catalogue) List(ctx context.Context) []Offer {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	lists := make(chan []Offer)
	for name := range c.providers {
		go func() { lists <- c.list(ctx, name) }()
	}
	known := map[string]Offer{}
	for range c.providers {
		for _, offer := range <-lists {
			known[offer.Spec] = offer
		}
	}
	for _, configured := range append([]Choice{c.standard, c.small}, c.fallback...) {
		known[configured.Spec] = Offer{Spec: configured.Spec}
	}
	known[c.standard.Spec] = Offer{Spec: c.standard.Spec, Default: true}
	return slices.SortedFunc(maps.Values(known), func(a, b Offer) int { return cmp.Compare(a.Spec, b.Spec) })
}

// list is what one provider offers.
func (c *Catalogue) list(ctx context.Context, name string) []Offer {
	p := c.providers[name]
	if p.bare {
		return []Offer{{Spec: name}}
	}
	models, ok := c.offers.get(name, time.Now())
	if asked, can := p.ModelProvider.(lister); !ok && can {
		var err error
		if models, err = asked.Models(ctx); err != nil {
			c.log.Info("model provider did not say what it offers", "provider", name, "error", err)
			return []Offer{{Spec: name, Err: silent(ctx, err)}}
		}
		models = models[:min(len(models), listMost)]
		c.offers.put(name, models, time.Now().Add(listKept))
	}
	list := make([]Offer, len(models))
	for i, m := range models {
		list[i] = Offer{Spec: name + "/" + m}
	}
	return list
}

// silent is why a provider did not say what it offers.
func silent(ctx context.Context, err error) string {
	if ctx.Err() != nil {
		return fmt.Sprintf("It did not say within %.0f seconds what it has.", listTimeout.Seconds())
	}
	return supervisor.ErrorMessage(err)
}
