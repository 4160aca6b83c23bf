package config

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"
)

// Models is who answers. A model is named as PROVIDER/MODEL, as Offline, or by its bare name where it is one of the
// default's provider; a bare default is of the only provider.
type Models struct {
	Default   string              `yaml:"default"`
	Small     string              `yaml:"small"`    // for small work; "" is Default
	Fallback  []string            `yaml:"fallback"` // ask these in their order when a model fails; each once
	Allowed   []string            `yaml:"allowed"`  // globs of the models that people may choose; empty is all. Already copied into each User
	Thinking  string              `yaml:"thinking"` // off, low, medium or high
	Cache     string              `yaml:"cache"`    // 1h, 5m or none; CacheFor reads it
	Silence   time.Duration       `yaml:"silence"`  // a model that says nothing for so long has failed
	Prices    map[string]Price    `yaml:"prices"`   // by model; they hold before those that are built in
	Providers map[string]Provider `yaml:"providers"`
}

// Offline is the model that needs no provider.
const Offline = "offline"

const thinkingOff = "off"

var thinkings = []string{thinkingOff, "low", "medium", "high"}

const (
	cacheLong  = "1h"
	cacheShort = "5m"
	cacheNone  = "none"
)

var caches = []string{cacheLong, cacheShort, cacheNone}

// cacheTimes are the lifetimes that the words of Models.Cache stand for.
var cacheTimes = map[string]time.Duration{cacheLong: time.Hour, cacheShort: 5 * time.Minute}

// CacheFor is how long providers are to keep what is the same in the next request; 0 is not at all.
func (m Models) CacheFor() time.Duration { return cacheTimes[m.Cache] }

// Price is what a model costs, in US dollars for a million tokens.
type Price struct {
	Input      float64 `yaml:"input"`
	Output     float64 `yaml:"output"`
	CacheRead  float64 `yaml:"cache_read"`  // 0 is as Input
	CacheWrite float64 `yaml:"cache_write"` // 0 is as Input
}

// Provider is one way to reach models.
type Provider struct {
	Kind       string `yaml:"kind"`         // openai or anthropic
	APIKey     Secret `yaml:"api_key"`      // as written, or what APIKeyFile holds; empty where the endpoint wants none
	APIKeyFile string `yaml:"api_key_file"` // as written
	BaseURL    string `yaml:"base_url"`     // absolute http or https URL
	Server     string `yaml:"server"`       // which program answers there, of openai's kind; "" is told from BaseURL
}

const (
	kindAnthropic = "anthropic"
	kindOpenAI    = "openai"
)

// wants of a base_url.
const (
	wantURL          = "a URL such as http://127.0.0.1:11434/v1, with no user, query or fragment"
	wantAnthropicURL = "a URL such as https://api.anthropic.com, with no user, query or fragment"
)

// dialect is what providers of one kind speak.
type dialect struct {
	url      string   // where it is spoken without a base_url
	wantURL  string   // what a base_url should be
	needsKey bool     // at url; elsewhere there may be a proxy that has the key
	servers  []string // the programs that speak it, each in its own way; nil where there are no such
}

var (
	providerKinds = []string{kindOpenAI, kindAnthropic}
	dialects      = map[string]dialect{
		kindOpenAI: {
			url: "https://api.openai.com/v1", wantURL: wantURL,
			servers: []string{"openai", "ollama", "llama.cpp", "vllm", "groq", "deepinfra", "openrouter", "lmstudio", "any"},
		},
		kindAnthropic: {url: "https://api.anthropic.com", wantURL: wantAnthropicURL, needsKey: true},
	}
)

// full is a model's name as PROVIDER/MODEL or Offline; a bare one is of the provider standard, where there is one.
func (m Models) full(spec, standard string) (string, bool) {
	provider, model, slashed := strings.Cut(spec, "/")
	_, exists := m.Providers[provider]
	switch {
	case spec == Offline, slashed && exists && model != "":
		return spec, true
	case slashed || exists || spec == "" || standard == "":
		return "", false
	}
	return standard + "/" + spec, true
}

// MayChoose says whether the person may choose a model, which is named in full. What is configured for them they need not
// choose.
func (u User) MayChoose(spec string) bool {
	return len(u.ModelsAllowed) == 0 ||
		slices.ContainsFunc(u.ModelsAllowed, func(glob string) bool { return doublestar.MatchUnvalidated(glob, spec) })
}

// only is the provider that a bare default is of: the only one. It is "" where there are more.
func (m Models) only() string {
	names := slices.Collect(maps.Keys(m.Providers))
	if len(names) == 1 {
		return names[0]
	}
	return ""
}

// Servers are the programs that a provider of kind openai can name.
func Servers() []string { return dialects[kindOpenAI].servers }
