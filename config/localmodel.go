package config

import (
	"slices"
	"strings"
	"unicode"
)

// localProvider is a provider that the environment may name, in the variables that the programs of this field share.
// Its name is its kind's.
type localProvider struct {
	kind     string
	key, url string // names of variables
	prefix   string // of its models' names; "" is any other
	hint     string // what is said where there is a key and nothing else
}

var (
	localAnthropic = localProvider{
		kind: kindAnthropic, key: "ANTHROPIC_API_KEY", url: "ANTHROPIC_BASE_URL", prefix: "claude",
		hint: "ANTHROPIC_API_KEY is set; to talk with a model of Anthropic's set MEWS_MODEL too, such as " +
			"MEWS_MODEL=claude-sonnet-4-5.",
	}
	localOpenAI = localProvider{
		kind: kindOpenAI, key: "OPENAI_API_KEY", url: "OPENAI_BASE_URL",
		hint: "OPENAI_API_KEY is set; to talk with a model of OpenAI's set MEWS_MODEL too, such as " +
			"MEWS_MODEL=openai/gpt-5-mini.",
	}
	localProviders = []localProvider{localAnthropic, localOpenAI}
)

const wantLocalModel = "offline, anthropic/MODEL or openai/MODEL, or a model's name alone: one that begins with claude " +
	"is Anthropic's"

// modelsFrom takes what answers from the environment: what MEWS_MODEL names, where its provider's key is set; and the
// endpoint that OPENAI_BASE_URL and OPENAI_MODEL name, which is what answers where MEWS_MODEL is not set. A key alone
// sends nothing anywhere: many have it set for other programs.
func modelsFrom(env Env, cfg *Config) []Problem {
	spec, url, model := env.Getenv("MEWS_MODEL"), env.Getenv("OPENAI_BASE_URL"), env.Getenv("OPENAI_MODEL")
	var problems []Problem
	if url != "" && (model != "" || spec == "") {
		problems = endpointFrom(env, cfg, model)
	}
	switch {
	case spec != "" && len(problems) == 0:
		problems = modelFrom(env, cfg, spec)
	case spec == "" && url == "":
		for _, p := range localProviders {
			if env.Getenv(p.key) != "" {
				cfg.Hints = append(cfg.Hints, p.hint)
			}
		}
	}
	return problems
}

// endpointFrom takes the endpoint that OPENAI_BASE_URL names.
func endpointFrom(env Env, cfg *Config, model string) []Problem {
	endpoint := &checker{cfg: cfg}
	p := localOpenAI.read(endpoint, env)
	if model == "" {
		endpoint.wrong("OPENAI_MODEL", "nothing", "the endpoint's name of the model, because OPENAI_BASE_URL is set")
	}
	if len(endpoint.problems) == 0 {
		provide(cfg, p, kindOpenAI+"/"+model)
	}
	return endpoint.problems
}

// modelFrom takes the model that MEWS_MODEL names.
func modelFrom(env Env, cfg *Config, spec string) []Problem {
	if spec == Offline {
		cfg.Models.Default = Offline
		return nil
	}
	environment := &checker{cfg: cfg}
	local, model := localProviderOf(spec)
	if model == "" || strings.ContainsFunc(spec, unicode.IsControl) {
		environment.wrong("MEWS_MODEL", quote(spec), wantLocalModel)
		return environment.problems
	}
	p := local.read(environment, env)
	if p.BaseURL == "" && p.APIKey.Reveal() == "" {
		environment.wrong(local.key, "nothing", "the key, because MEWS_MODEL is "+quote(spec))
	}
	if len(environment.problems) == 0 {
		provide(cfg, p, local.kind+"/"+model)
	}
	return environment.problems
}

// localProviderOf is whose model a spec names, and that one's name of it; "" where the spec is none.
func localProviderOf(spec string) (localProvider, string) {
	name, model, slashed := strings.Cut(spec, "/")
	named := slices.IndexFunc(localProviders, func(p localProvider) bool { return p.kind == name })
	if named >= 0 {
		return localProviders[named], model
	}
	bare := slices.IndexFunc(localProviders, func(p localProvider) bool { return strings.HasPrefix(spec, p.prefix) })
	if slashed || bare < 0 {
		return localProvider{}, ""
	}
	return localProviders[bare], spec
}

// read is what the environment says of a provider. What is wrong in it is noted.
func (l localProvider) read(c *checker, env Env) Provider {
	url, key := env.Getenv(l.url), env.Getenv(l.key)
	if url != "" {
		c.checkURL(l.url, url, dialects[l.kind].wantURL, webAddress)
	}
	if strings.ContainsFunc(key, unicode.IsControl) {
		c.wrong(l.key, hidden, "one line, without control characters")
	}
	return Provider{Kind: l.kind, BaseURL: url, APIKey: NewSecret(key)}
}

// provide adds a provider, and has one of its models answer.
func provide(cfg *Config, p Provider, model string) {
	if cfg.Models.Providers == nil {
		cfg.Models.Providers = map[string]Provider{}
	}
	cfg.Models.Providers[p.Kind] = p
	cfg.Models.Default = model
}
