package config

import (
	"strings"
	"unicode"
)

// Local is the configuration where there is no file: one user, who is the account that runs Mews, and the offline
// model, or an OpenAI-compatible endpoint where OPENAI_BASE_URL names one. (OPENAI_API_KEY alone sends nothing
// anywhere: many have it set for other programs.)
func Local(env Env) (*Config, error) {
	cfg := defaults()
	cfg.Log.Format = "text" // there is a person before it
	problems := fromEnvironment(cfg, env)
	complete(cfg, env)
	c := &checker{cfg: cfg, wrongBefore: fieldsOf(problems)}
	c.check()
	if err := errorList("without a configuration file", append(problems, c.problems...)); err != nil {
		return nil, err
	}
	return cfg, nil
}

// fromEnvironment takes the endpoint from the variables that the programs of this field share.
func fromEnvironment(cfg *Config, env Env) []Problem {
	url, model, key := env.Getenv("OPENAI_BASE_URL"), env.Getenv("OPENAI_MODEL"), env.Getenv("OPENAI_API_KEY")
	if url == "" {
		return nil
	}
	endpoint := &checker{cfg: cfg}
	endpoint.checkURL("OPENAI_BASE_URL", url)
	if strings.ContainsFunc(key, unicode.IsControl) {
		endpoint.wrong("OPENAI_API_KEY", hidden, "one line, without control characters")
	}
	if model == "" {
		endpoint.wrong("OPENAI_MODEL", "nothing", "the endpoint's name of the model, because OPENAI_BASE_URL is set")
	}
	if len(endpoint.problems) > 0 {
		return endpoint.problems
	}
	cfg.Models.Providers = map[string]Provider{
		"openai": {Kind: kindOpenAI, BaseURL: url, APIKey: NewSecret(key)},
	}
	cfg.Models.Default = "openai/" + model
	return nil
}

// userName makes a user's name of an OS login.
func userName(login string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9', r == '-', r == '_':
			return r
		}
		return '-'
	}, strings.ToLower(login))
	name = strings.TrimLeft(name, "-_")
	name = strings.TrimRight(name[:min(len(name), 32)], "-_")
	if name == "" {
		return "me"
	}
	return name
}
