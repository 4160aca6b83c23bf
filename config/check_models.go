package config

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"
)

// OfflineModel is the model that needs no provider.
const OfflineModel = "offline"

const (
	kindAnthropic = "anthropic"
	kindOpenAI    = "openai"
)

// providerKind has the properties of a kind of provider.
type providerKind struct {
	url      string // address of the API if base_url is missing
	wantURL  string // description of a right base_url, for a problem's text
	needsKey bool   // a key is required at url; at another base_url a proxy may add the key
	// names of known servers that vary the protocol; nil if there are none
	servers []string
}

var providerKinds = map[string]providerKind{
	kindOpenAI: {
		url: "https://api.openai.com/v1", wantURL: wantURL,
		servers: []string{"openai", "ollama", "llama.cpp", "vllm", "gemini", "deepseek", "moonshot", "groq",
			"deepinfra", "openrouter", "lmstudio", "any"},
	},
	kindAnthropic: {url: "https://api.anthropic.com", wantURL: wantAnthropicURL, needsKey: true},
}

// OpenAIServers lists the servers that a provider of kind openai can name.
func OpenAIServers() []string { return providerKinds[kindOpenAI].servers }

// cacheTimes are the values of Models.Cache.
var cacheTimes = map[string]time.Duration{"1h": time.Hour, "5m": 5 * time.Minute, "none": 0}

// CacheDuration returns how long providers cache a request's beginning; 0 means no cache.
func (m Models) CacheDuration() time.Duration { return cacheTimes[m.Cache] }

// MayChooseModel reports whether the user may choose a model by its full name. The models
// configured for the user are always allowed.
func (u User) MayChooseModel(spec string) bool {
	return len(u.ModelsAllowed) == 0 ||
		slices.ContainsFunc(u.ModelsAllowed, func(glob string) bool { return doublestar.MatchUnvalidated(glob, spec) })
}

// fullName returns a model's name as PROVIDER/MODEL or OfflineModel. A bare name belongs to the
// default provider; "" means that there is none.
func (m Models) fullName(spec, defaultProvider string) (string, bool) {
	provider, model, slashed := strings.Cut(spec, "/")
	_, exists := m.Providers[provider]
	switch {
	case spec == OfflineModel, slashed && exists && model != "":
		return spec, true
	case slashed || exists || spec == "" || defaultProvider == "":
		return "", false
	}
	return defaultProvider + "/" + spec, true
}

// onlyProvider returns the only provider, to which a bare default model belongs. It returns "" if
// there are several providers.
func (m Models) onlyProvider() string {
	names := slices.Collect(maps.Keys(m.Providers))
	if len(names) == 1 {
		return names[0]
	}
	return ""
}

func (c *checker) checkProviders(path string, providers map[string]Provider) {
	for _, name := range slices.Sorted(maps.Keys(providers)) {
		at, p := join(path, name), providers[name]
		if !validProvider(name) {
			c.add(at, quote(name)+gotAsName, wantProviderName)
		}
		c.checkOneOf(at+".kind", p.Kind, []string{kindOpenAI, kindAnthropic})
		if kind, ok := providerKinds[p.Kind]; ok {
			c.checkProvider(at, p, kind)
		}
	}
}

func (c *checker) checkProvider(path string, p Provider, kind providerKind) {
	right := c.checkURL(path+".base_url", p.BaseURL, kind.wantURL, isWebAddress)
	if right && kind.needsKey && sameHost(p.BaseURL, kind.url) && p.APIKey.Reveal() == "" {
		c.checkSecret(path+".api_key", p.APIKey, nil, fmt.Sprintf(wantProviderKey, kind.url))
	}
	switch {
	case p.Server == "":
	case kind.servers == nil:
		c.wrong(path+".server", quote(p.Server), wantNoServer)
	default:
		c.checkOneOf(path+".server", p.Server, kind.servers)
	}
}

// sameHost reports whether two valid URLs have the same host.
func sameHost(a, b string) bool {
	one, err1 := url.Parse(a)
	other, err2 := url.Parse(b)
	return err1 == nil && err2 == nil && strings.EqualFold(one.Hostname(), other.Hostname())
}

func validProvider(name string) bool { return IsValidUserName(name) && name != OfflineModel }

// isWebAddress reports whether a URL can be the address of an API.
func isWebAddress(u *url.URL) bool { return u.Scheme == "http" || u.Scheme == "https" }

// unknownProviders reports whether models.providers is invalid, so that models can't be checked.
func (c *checker) unknownProviders() bool { return c.hasProblem["models.providers"] }

// fullName returns a model's full name. ok is also true if another problem makes it impossible to
// check the name.
func (c *checker) fullName(spec string) (full string, ok bool) {
	m := c.cfg.Models
	byDefault, right := m.fullName(m.Default, m.onlyProvider())
	defaultProvider, _, _ := strings.Cut(byDefault, "/")
	if defaultProvider == OfflineModel {
		defaultProvider = ""
	}
	full, ok = m.fullName(spec, defaultProvider)
	_, provider := m.Providers[spec]
	bare := spec != "" && !provider && !strings.Contains(spec, "/")
	if c.unknownProviders() || bare && (!right || c.hasProblem["models.default"]) {
		return spec, true
	}
	return full, ok
}

func (c *checker) checkDefault(path, spec string) {
	_, ok := c.cfg.Models.fullName(spec, c.cfg.Models.onlyProvider())
	if !ok && !c.unknownProviders() {
		c.wrong(path, quote(spec), c.wantModel())
	}
}

// checkModel notes the name of a model whose provider is not configured. "" means the default
// model.
func (c *checker) checkModel(path, spec string) {
	if _, ok := c.fullName(spec); !ok && spec != "" {
		c.wrong(path, quote(spec), c.wantModel())
	}
}

// checkEmbedModel notes a model that can't embed: only servers of OpenAI's API have a call for
// that.
func (c *checker) checkEmbedModel(path, spec string) {
	full, ok := c.fullName(spec)
	provider, _, _ := strings.Cut(full, "/")
	if p, known := c.cfg.Models.Providers[provider]; spec != "" && !c.unknownProviders() && (!ok || !known || p.Kind != kindOpenAI) {
		c.wrong(path, quote(spec), wantEmbedModel)
	}
}

// checkFallback notes a model that is listed twice.
func (c *checker) checkFallback(path string, specs []string) {
	taken := map[string]string{}
	for i, spec := range specs {
		at := elementPath(path, i)
		full, ok := c.fullName(spec)
		if !ok {
			c.wrong(at, quote(spec), c.wantModel())
			continue
		}
		c.checkUnique(at, full, quote(spec), wantAnotherModel, taken)
	}
}

// checkPrices notes a price without its input or output side, unless it is per minute. A forgotten
// side must not count as free.
func (c *checker) checkPrices(path string, prices map[string]Price) {
	taken := map[string]string{}
	for _, spec := range slices.Sorted(maps.Keys(prices)) {
		at := join(path, spec)
		full, ok := c.fullName(spec)
		if !ok {
			c.add(at, quote(spec)+gotAsModel, c.wantModel())
		} else if other := taken[full]; other != "" {
			c.add(at, gotPriceAgain, fmt.Sprintf(wantPriceOnce, other))
		} else {
			taken[full] = at
		}
		for _, side := range []string{".input", ".output"} {
			if c.locations != nil && !c.isSet(at+side) && !c.isSet(at+".minute") {
				c.add(at+side, gotNothing, wantPrice)
			}
		}
	}
}

// checkModelGlobs notes globs that no model can match.
func (c *checker) checkModelGlobs(path string, globs []string) {
	if !c.isSet(path) {
		return // the user has the globs of all users, which are checked at their own key
	}
	for i, glob := range globs {
		provider, _, slashed := strings.Cut(glob, "/")
		_, known := c.cfg.Models.Providers[provider]
		known = known || c.unknownProviders() || strings.ContainsAny(provider, "*?[{")
		if glob == OfflineModel || glob == "**" || slashed && known && validGlob(glob) {
			continue
		}
		c.wrong(elementPath(path, i), quote(glob), wantModelGlob)
	}
}

// wantModel lists the valid names of models, for the text of a problem.
func (c *checker) wantModel() string {
	choices := []string{OfflineModel}
	for _, name := range slices.Sorted(maps.Keys(c.cfg.Models.Providers)) {
		if validProvider(name) {
			choices = append(choices, name+"/MODEL")
		}
	}
	return oneOf(choices) + wantModelName
}
