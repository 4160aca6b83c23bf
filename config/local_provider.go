package config

import (
	"fmt"
	"strings"
)

// localProvider is a provider that the environment may name. Its key comes from the variable that
// other programs use too.
type localProvider struct {
	name string // name of the provider, as in PROVIDER/MODEL
	kind string
	key  string // environment variable with the API key
	url  string // environment variable with another address for the provider; "" means none
	base string // address of the API; "" means the address of its providerKind
	// prefixes of the names of the provider's models
	prefixes []string
	hint     string // hint for a person who has set only the key
}

var (
	localAnthropic = localProvider{"anthropic", kindAnthropic, "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "",
		[]string{"claude"}, hintAnthropic}
	localOpenAI = localProvider{"openai", kindOpenAI, "OPENAI_API_KEY", "OPENAI_BASE_URL", "",
		[]string{"gpt-", "chatgpt-", "o1", "o3", "o4"}, hintOpenAI}
	localProviders = []localProvider{
		localAnthropic, localOpenAI,
		known("gemini", "GEMINI_API_KEY", "https://generativelanguage.googleapis.com/v1beta/openai", "gemini-"),
		known("deepseek", "DEEPSEEK_API_KEY", "https://api.deepseek.com", "deepseek-"),
		known("mistral", "MISTRAL_API_KEY", "https://api.mistral.ai/v1", "mistral-", "ministral-", "magistral-",
			"codestral-", "devstral-", "pixtral-", "open-mistral-", "open-mixtral-"),
		known("qwen", "DASHSCOPE_API_KEY", "https://dashscope-intl.aliyuncs.com/compatible-mode/v1", "qwen", "qwq"),
		known("moonshot", "MOONSHOT_API_KEY", "https://api.moonshot.ai/v1", "kimi-", "moonshot-"),
		known("xai", "XAI_API_KEY", "https://api.x.ai/v1", "grok-"),
		known("zai", "ZAI_API_KEY", "https://api.z.ai/api/paas/v4", "glm-"),
		known("groq", "GROQ_API_KEY", "https://api.groq.com/openai/v1"),
		known("openrouter", "OPENROUTER_API_KEY", "https://openrouter.ai/api/v1"),
	}
)

// known returns a provider that has OpenAI's protocol at a known address.
func known(name, key, base string, prefixes ...string) localProvider {
	return localProvider{name: name, kind: kindOpenAI, key: key, base: base, prefixes: prefixes,
		hint: fmt.Sprintf(hintKey, key, name)}
}

// localProviderOf splits a spec into its provider and the provider's name of the model; "" if the
// spec is invalid. A bare name belongs to the provider with its prefix, and otherwise to OpenAI. A
// name with a tag, as in qwen3:8b, belongs to a local server.
func localProviderOf(spec string) (localProvider, string) {
	name, model, slashed := strings.Cut(spec, "/")
	if p := findLocalProvider(name); p.name != "" {
		return p, model
	}
	if slashed {
		return localProvider{}, ""
	}
	for _, p := range localProviders {
		if p.hasPrefix(spec) && !strings.Contains(spec, ":") {
			return p, spec
		}
	}
	return localOpenAI, spec
}

func (l localProvider) hasPrefix(model string) bool {
	for _, prefix := range l.prefixes {
		if strings.HasPrefix(strings.ToLower(model), prefix) {
			return true
		}
	}
	return false
}

// isSet reports whether the environment has the key or another address of the provider.
func (l localProvider) isSet(env Env) bool {
	return env.Getenv(l.key) != "" || l.url != "" && env.Getenv(l.url) != ""
}

// wantKey describes the missing key for a model. It also suggests another server, unless only the
// model's maker has the model.
func (l localProvider) wantKey(spec string) string {
	if l.url != "" && l.hasPrefix(spec[strings.Index(spec, "/")+1:]) {
		return fmt.Sprintf(wantKeyForModel, quote(spec))
	}
	return fmt.Sprintf(wantKeyOrServer, quote(spec), l.name)
}

// ProviderKeyVariable returns the environment variable of a provider's key; "" means none.
func (c *Config) ProviderKeyVariable(provider string) string {
	if !c.Local {
		return c.SecretVariables["models.providers."+provider+".api_key"]
	}
	return findLocalProvider(provider).key
}

// ProviderURLVariable returns the environment variable of a provider's URL; "" means none.
func (c *Config) ProviderURLVariable(provider string) string {
	if !c.Local {
		return ""
	}
	return findLocalProvider(provider).url
}

// findLocalProvider returns a provider by its name; the zero value means that there is none.
func findLocalProvider(name string) (found localProvider) {
	for _, p := range localProviders {
		if p.name == name {
			found = p
		}
	}
	return found
}

// KnownProvider returns the settings of a well-known provider by its name, without a key.
func KnownProvider(name string) (p Provider, known bool) {
	l := findLocalProvider(name)
	return Provider{Kind: l.kind, BaseURL: l.base}, l.name != ""
}
