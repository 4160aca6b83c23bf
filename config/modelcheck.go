package config

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"
)

// modelChecker looks at what is about models.
type modelChecker struct{ *checker }

func (c modelChecker) checkModels() {
	m := c.cfg.Models
	c.checkProviders()
	if !c.unjudged() {
		if _, ok := m.full(m.Default, m.only()); !ok {
			c.wrong("models.default", quote(m.Default), c.wantModel())
		}
	}
	c.checkAnother("models.small", m.Small)
	c.checkFallback()
	c.checkChoices("models.allowed", m.Allowed)
	c.checkWord("models.thinking", m.Thinking, thinkings)
	c.checkWord("models.cache", m.Cache, caches)
	within(c.checker, "models.silence", m.Silence, time.Second, time.Hour)
	c.checkPrices()
}

func (c modelChecker) checkProviders() {
	for _, name := range slices.Sorted(maps.Keys(c.cfg.Models.Providers)) {
		field, p := join("models.providers", name), c.cfg.Models.Providers[name]
		if !validProvider(name) {
			c.add(field, quote(name)+" as a name", wantName+", and not "+Offline)
		}
		c.checkWord(field+".kind", p.Kind, providerKinds)
		if d, ok := dialects[p.Kind]; ok {
			c.checkProvider(field, p, d)
		}
	}
}

func (c modelChecker) checkProvider(field string, p Provider, d dialect) {
	right := c.checkURL(field+".base_url", p.BaseURL, d.wantURL, webAddress)
	if right && d.needsKey && sameHost(p.BaseURL, d.url) && p.APIKey.Reveal() == "" {
		c.checkSecret(field+".api_key", p.APIKey, nil, "the key, because "+d.url+" answers nobody without one")
	}
	switch {
	case p.Server == "":
	case d.servers == nil:
		c.wrong(field+".server", quote(p.Server), "none: it is for providers of kind "+kindOpenAI)
	default:
		c.checkWord(field+".server", p.Server, d.servers)
	}
}

// sameHost compares two URLs that are right.
func sameHost(a, b string) bool {
	one, err1 := url.Parse(a)
	other, err2 := url.Parse(b)
	return err1 == nil && err2 == nil && strings.EqualFold(one.Hostname(), other.Hostname())
}

func validProvider(name string) bool { return userNames.MatchString(name) && name != Offline }

// webAddress says whether a URL can be the address of an API.
func webAddress(u *url.URL) bool { return u.Scheme == "http" || u.Scheme == "https" }

// unjudged says whether the providers are not known, so that nothing can be said of whose a model is.
func (c modelChecker) unjudged() bool { return c.wrongBefore["models.providers"] }

// known is a model's name in full. What can't be judged, because something else is wrong that it depends on, is right.
func (c modelChecker) known(spec string) (full string, ok bool) {
	m := c.cfg.Models
	standard, right := m.full(m.Default, m.only())
	standard, _, _ = strings.Cut(standard, "/")
	if standard == Offline {
		standard = ""
	}
	full, ok = m.full(spec, standard)
	_, provider := m.Providers[spec]
	bare := spec != "" && !provider && !strings.Contains(spec, "/")
	if c.unjudged() || bare && (!right || c.wrongBefore["models.default"]) {
		return spec, true
	}
	return full, ok
}

// checkAnother notes a model that nobody provides; "" is the default.
func (c modelChecker) checkAnother(field, spec string) {
	if _, ok := c.known(spec); !ok && spec != "" {
		c.wrong(field, quote(spec), c.wantModel())
	}
}

// checkFallback holds that each model is asked once.
func (c modelChecker) checkFallback() {
	taken := map[string]string{}
	for i, spec := range c.cfg.Models.Fallback {
		field := fmt.Sprintf("models.fallback[%d]", i)
		full, ok := c.known(spec)
		switch other := taken[full]; {
		case !ok:
			c.wrong(field, quote(spec), c.wantModel())
		case other != "":
			c.wrong(field, quote(spec), "another model: it is "+other+" already")
		default:
			taken[full] = field
		}
	}
}

// mostDollars is more than any model costs for a million tokens. Beyond it a price is a slip, such as one per token.
const mostDollars = 10_000

func (c modelChecker) checkPrices() {
	taken := map[string]string{}
	for _, spec := range slices.Sorted(maps.Keys(c.cfg.Models.Prices)) {
		field, price := join("models.prices", spec), c.cfg.Models.Prices[spec]
		full, ok := c.known(spec)
		switch other := taken[full]; {
		case !ok:
			c.add(field, quote(spec)+" as a model", c.wantModel())
		case other != "":
			c.add(field, "the price of one model a second time", "it once: it stands at "+other)
		default:
			taken[full] = field
		}
		c.checkPrice(field, price)
	}
}

// checkPrice wants both sides of a price: one that was forgotten is not free.
func (c modelChecker) checkPrice(field string, p Price) {
	for _, side := range []struct {
		key     string
		dollars float64
		always  bool
	}{
		{"input", p.Input, true}, {"output", p.Output, true},
		{"cache_read", p.CacheRead, false}, {"cache_write", p.CacheWrite, false},
	} {
		at := field + "." + side.key
		if _, stands := c.places[at]; side.always && !stands && c.places != nil {
			c.add(at, "nothing", "US dollars for a million tokens, such as 3 or 0.25")
			continue
		}
		within(c.checker, at, side.dollars, 0, mostDollars)
	}
}

// wantModel says which models there are.
func (c modelChecker) wantModel() string {
	choices := []string{Offline}
	for _, p := range slices.Sorted(maps.Keys(c.cfg.Models.Providers)) {
		if validProvider(p) {
			choices = append(choices, p+"/MODEL")
		}
	}
	return oneOf(choices) + ": a provider of models.providers and its name of the model"
}
