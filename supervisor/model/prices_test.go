package model

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor/modelcall"
)

func sellers(t *testing.T, prices map[string]Price) *Catalogue {
	t.Helper()
	c, err := NewCatalogue(Options{Default: "claude/claude-sonnet-4-5", Prices: prices, Providers: []ProviderOptions{
		{Name: "claude", Kind: "anthropic"}, {Name: "gpt", Kind: "openai", BaseURL: "https://h.example/v1"}, local,
		{Name: "lan", Kind: "openai", BaseURL: "http://192.168.1.9:4000/v1"}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func TestCost_FollowsPriceList(t *testing.T) {
	c := sellers(t, map[string]Price{"gpt/own": {Input: 1, Output: 2}, "local/rented": {Input: 0.5, Output: 0.5},
		"lan/gpt-5.4": {}})
	// 1,000 tokens of the input are not cached
	u := protocol.Usage{Input: 12_000, Output: 500, CacheRead: 8_000, CacheWrite: 3_000}
	cases := []struct {
		name, spec string
		usage      protocol.Usage
		kept       time.Duration
		want       int64 // the wanted cost; -1 means that the price is unknown
	}{
		{"Claude, kept an hour", "", u, time.Hour, 3000 + 7500 + 2400 + 18000},
		{"Claude, kept five minutes", "claude-sonnet-4-5", u, 5 * time.Minute, 3000 + 7500 + 2400 + 11250},
		{"a name with its date", "claude/claude-sonnet-4-5-20250929", u, time.Hour, 30900},
		{"a short prompt of a model in two bands", "claude/claude-haiku-5-5", protocol.Usage{Input: 100_000}, 0, 10_000},
		{"a long one", "claude/claude-haiku-5-5", protocol.Usage{Input: 100_001}, 0, 50_001},
		{"OpenAI", "gpt/gpt-5.4-mini", protocol.Usage{Input: 1000, Output: 10, CacheRead: 600}, 0, 300 + 45 + 45},
		{"a prompt beyond the list", "gpt/gpt-5.4", protocol.Usage{Input: 300_000}, 0, -1},
		{"one of ours, whose cache has no price of its own", "gpt/own", u, 0, 12_000 + 1000},
		{"an unknown model", "gpt/gpt-99", u, 0, -1},
		{"another that begins like a known one", "gpt/gpt-5-dream", u, 0, -1},
		{"one maker's model at another's", "gpt/claude-sonnet-4-5", u, 0, -1},
		{"this machine's", "local/qwen3", u, 0, 0},
		{"a paid model behind this machine's gateway", "local/claude-sonnet-4-5", u, time.Hour, 30_900},
		{"the same with its maker and its date", "local/anthropic/claude-sonnet-4-5-20250929", u, time.Hour, 30_900},
		{"another maker's", "local/openai/gpt-5.4-mini", protocol.Usage{Input: 1000, Output: 10, CacheRead: 600}, 0,
			300 + 45 + 45},
		{"a paid transcription there", "local/whisper-1", protocol.Usage{Input: 60}, 0, 6_000},
		{"a paid model behind a private address", "lan/claude-sonnet-4-5", u, time.Hour, 30_900},
		{"a paid model that the configuration makes free", "lan/gpt-5.4", u, 0, 0},
		{"an unknown model behind a private address", "lan/qwen3", u, 0, -1},
		{"a model of this machine that is named like a paid one", "local/gpt-5-dream", u, 0, 0},
		{"this machine's that costs", "local/rented", protocol.Usage{Input: 3}, 0, 2},
		{"offline", "offline", u, 0, 0},
		{"a provider that is gone", "gone/x", u, 0, -1},
		{"a count that is none", "", protocol.Usage{Input: math.MaxInt64}, 0, -1},
		{"a count below nothing", "", protocol.Usage{Output: -1}, 0, -1},
	}
	for _, k := range cases {
		t.Run(k.name, func(t *testing.T) {
			got, known := c.Cost(k.spec, k.usage, k.kept)
			if known != (k.want >= 0) || known && got != k.want {
				t.Errorf("got %d, %v; want %d", got, known, k.want)
			}
		})
	}
}

func TestIsFree_EachModel_IsCorrect(t *testing.T) {
	c := sellers(t, map[string]Price{"lan/gpt-5.4": {}, "local/rented": {Input: 0.5}})
	for spec, want := range map[string]bool{"local/qwen3": true, "offline": true, "lan/gpt-5.4": true,
		"lan/qwen3": false, "gpt/gpt-99": false,
		"local/rented": false, "local/whisper-1": false, "local/claude-sonnet-4-5": false,
		"claude/claude-sonnet-4-5": false, "gone/x": false} {
		if got := c.IsFree(spec); got != want {
			t.Errorf("%s counts as free: %v", spec, got)
		}
	}
}

func TestPricelist_IsConsistent(t *testing.T) {
	for kind, list := range pricelist {
		for i, row := range list {
			if row.check() != nil || row.Input == 0 || row.Output <= row.Input || row.CacheRead >= row.Input {
				t.Errorf("%s %s: %+v", kind, row.model, row.Price)
			}
			if at := slices.IndexFunc(list[:i], func(r priceRow) bool {
				return r.model == row.model && (r.upTo == 0 || row.upTo <= r.upTo)
			}); at >= 0 && row.upTo != 0 {
				t.Errorf("%s %s stands behind %+v", kind, row.model, list[at])
			}
			if versionSuffix.MatchString(row.model) {
				t.Errorf("%s %s is dated", kind, row.model)
			}
		}
	}
	if _, err := time.Parse(time.DateOnly, PricesDate); err != nil {
		t.Error(err)
	}
}

func TestOptions_WrongFallbackOrPrice_IsRefused(t *testing.T) {
	cases := map[string]Options{
		`small model "nobody/x"`:                  {Small: "nobody/x"},
		`fallback model "nobody/x"`:               {Fallback: []string{"nobody/x"}},
		`fallback model ""`:                       {Fallback: []string{""}},
		`fallback model "local/x" is empty`:       {Fallback: []string{"local/x", "local/x"}},
		`price of the model "nobody/x"`:           {Prices: map[string]Price{"nobody/x": {}}},
		`price of the model "local/x": want US`:   {Prices: map[string]Price{"local/x": {Input: -1}}},
		`price of the model "local/nan": want US`: {Prices: map[string]Price{"local/nan": {Output: math.NaN()}}},
	}
	for want, o := range cases {
		o.Providers = []ProviderOptions{local}
		if _, err := NewCatalogue(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	c, err := NewCatalogue(Options{Default: "local/big", Small: "tiny", Providers: []ProviderOptions{local}})
	if err != nil || c.SmallModel() != "local/tiny" || catalogue(t, "local/big", local).SmallModel() != "local/big" {
		t.Errorf("small: %v", err)
	}
	t.Cleanup(c.Close)
}

var _ modelcall.Provider = (*scriptedProvider)(nil)

func TestSetPrices_Error_ChangesNothing(t *testing.T) {
	c := sellers(t, map[string]Price{"gpt/own": {Input: 1, Output: 2}})
	cost := func(spec string) int64 {
		micro, known := c.Cost(spec, protocol.Usage{Input: 1_000_000}, 0)
		if !known {
			return -1
		}
		return micro
	}
	if err := c.SetPrices(map[string]Price{"gpt/other": {Input: 3}, "gpt/own": {Input: -1}}); err == nil || cost("gpt/own") != 1_000_000 || cost("gpt/other") != -1 {
		t.Errorf("a wrong one: error %v, gpt/own costs %d, gpt/other %d", err, cost("gpt/own"), cost("gpt/other"))
	}
	if err := c.SetPrices(map[string]Price{"gpt/other": {Input: 3}}); err != nil || cost("gpt/own") != -1 || cost("gpt/other") != 3_000_000 {
		t.Errorf("error %v, gpt/own costs %d, gpt/other %d", err, cost("gpt/own"), cost("gpt/other"))
	}
}
