package model

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"mews/protocol"
)

// Price is the price of a model in US dollars for a million tokens. If a cache price is 0, Input
// holds for it.
type Price struct {
	Input        float64
	Output       float64
	CacheRead    float64
	CacheWrite5m float64 // price of a token written to a cache for at most five minutes
	CacheWrite1h float64 // price of a token written to a cache for a longer time
}

// PricePerMinute converts the price of a minute of recording to an Input price. The usage of a
// recording counts seconds.
func PricePerMinute(dollars float64) (input float64) { return dollars * 1_000_000 / 60 }

// priceRow is one row of a price list. It holds for requests of at most upTo input tokens; 0 means
// any length. If a model has several rows, the first row that fits a request counts. If no row
// fits, the price is unknown.
type priceRow struct {
	model string
	upTo  int64
	Price
}

// maxTokenCount is more than the tokens of any call. A larger count is an error.
const maxTokenCount = 1_000_000_000

// versionSuffix matches the version at the end of a model's name. Versions have the same price.
var versionSuffix = regexp.MustCompile(`-(?:latest|20\d{6}|20\d\d-\d\d-\d\d)$`)

// Cost returns the cost of a model's call in millionths of a US dollar. kept is how long the
// provider caches the request's prefix. If the model has no price, known is false. A model on this
// machine costs nothing unless the configuration or the list has its price, because a gateway on
// this machine may pass calls on to paid models.
func (c *Catalogue) Cost(spec string, u protocol.Usage, kept time.Duration) (micro int64, known bool) {
	choice, err := c.Resolve(spec)
	if err != nil {
		return 0, false
	}
	for _, row := range c.priceRows(choice) {
		if row.upTo == 0 || u.Input <= row.upTo {
			return row.cost(u, kept)
		}
	}
	return 0, false
}

// IsFree reports whether a model's calls count as free.
func (c *Catalogue) IsFree(spec string) bool {
	choice, err := c.Resolve(spec)
	return err == nil && slices.Equal(c.priceRows(choice), []priceRow{{}})
}

// priceRows returns a model's prices in order. They are the configured price, or the list's prices
// under the model's name, with or without its date. Other models on this machine cost nothing. It
// returns no rows if the price is unknown.
func (c *Catalogue) priceRows(m ResolvedModel) (rows []priceRow) {
	p := c.provider(m)
	if price, set := (*c.prices.Load())[m.Spec]; set {
		return []priceRow{{Price: price}}
	}
	kinds := []string{p.kind}
	if p.locality != localityInternet {
		kinds = slices.Sorted(maps.Keys(pricelist))
	}
	for _, kind := range kinds {
		if rows = listedRows(kind, p.modelName(m.Model)); len(rows) > 0 {
			return rows
		}
	}
	if p.locality == localityMachine {
		rows = []priceRow{{}}
	}
	return rows
}

// modelName returns the maker's name of a model. A gateway on this machine or network, such as
// LiteLLM, may put the maker before it: anthropic/claude-haiku-4-5.
func (p provider) modelName(model string) string {
	if p.locality == localityInternet {
		return model
	}
	return model[strings.LastIndex(model, "/")+1:]
}

// listedRows returns the list's prices of a model, with or without its date.
func listedRows(kind, model string) (rows []priceRow) {
	short := versionSuffix.ReplaceAllString(model, "")
	if dollars, known := inputPrices[short]; known && kind == "openai" {
		return []priceRow{{Price: Price{Input: dollars}}}
	}
	for _, row := range pricelist[kind] {
		if row.model == model || row.model == short {
			rows = append(rows, row)
		}
	}
	return rows
}

// cost multiplies tokens by prices. Dollars for a million tokens are millionths of a dollar for
// one.
func (p Price) cost(u protocol.Usage, kept time.Duration) (micro int64, known bool) {
	for _, n := range []int64{u.Input, u.Output, u.CacheRead, u.CacheWrite} {
		if n < 0 || n > maxTokenCount {
			return 0, false
		}
	}
	write := p.CacheWrite5m
	if kept > 5*time.Minute {
		write = p.CacheWrite1h
	}
	read := min(u.CacheRead, u.Input) // the cached tokens are a part of the input
	written := min(u.CacheWrite, u.Input-read)
	sum := float64(u.Input-read-written)*p.Input + float64(u.Output)*p.Output +
		float64(read)*cmp.Or(p.CacheRead, p.Input) + float64(written)*cmp.Or(write, p.Input)
	return int64(math.Round(sum)), true
}

// check refuses impossible prices. The most expensive model costs some hundred dollars for a
// million tokens.
func (p Price) check() error {
	for _, dollars := range []float64{p.Input, p.Output, p.CacheRead, p.CacheWrite5m, p.CacheWrite1h} {
		if !(dollars >= 0 && dollars <= 1e6) { // written so that NaN is refused too
			return errors.New("want US dollars for a million tokens, 0 or more")
		}
	}
	return nil
}

// SetPrices replaces the configured prices, by spec. If it returns an error, nothing changes.
func (c *Catalogue) SetPrices(prices map[string]Price) error {
	resolved := make(map[string]Price, len(prices))
	for spec, price := range prices {
		choice, err := c.Resolve(spec)
		if err == nil {
			err = price.check()
		}
		if err != nil {
			return fmt.Errorf("price of the model %q: %w", spec, err)
		}
		resolved[choice.Spec] = price
	}
	c.prices.Store(&resolved)
	return nil
}
