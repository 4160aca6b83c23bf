package config

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// LocalConfig returns the configuration for a machine without a file. It has one user, the account
// that runs Mews. The model is offline, or the one that the environment names. TELEGRAM_TOKEN and
// MEWS_TELEGRAM_ID together turn on Telegram. (TELEGRAM_TOKEN alone does not: it may be the token
// of another program's bot, and Telegram lets only one program poll a bot.)
func LocalConfig(env Env) (*Config, error) {
	cfg := defaults()
	cfg.Local = true
	cfg.Log.Format = "text" // a person reads this log in a terminal
	cfg.Client = env.Client
	c := &checker{cfg: cfg, effects: env.Effects}
	if !env.Client { // a client only needs the state folder
		c.modelsFrom(env)
	}
	complete(cfg, env)
	if !env.Client {
		c.telegramFrom(env)
	}
	c.hasProblem = pathsOf(c.problems)
	c.check()
	if err := errorList("without a configuration file", c.problems); err != nil {
		return nil, err
	}
	return cfg, nil
}

// LocalVariables returns the names of the set environment variables that LocalConfig reads.
func LocalVariables(env Env) (names []string) {
	all := append(slices.Clone(purposefulVariables), "TELEGRAM_API_URL")
	for _, p := range localProviders {
		all = append(all, p.key, p.url)
	}
	for _, name := range all {
		if name != "" && env.Getenv(name) != "" {
			names = append(names, name)
		}
	}
	return names
}

// purposefulVariables are the variables among LocalVariables that people set for Mews alone. The
// other variables are often set for other programs.
var purposefulVariables = []string{"MEWS_MODEL", "OPENAI_MODEL", "TELEGRAM_TOKEN", "MEWS_TELEGRAM_ID"}

// unusedVariables returns a hint about set variables that the file makes useless. A variable that
// the file itself names has an effect, so it gets no hint.
func unusedVariables(file, text string, env Env) (hints []string) {
	isUsed := func(name string) bool { return strings.Contains(text, "${"+name+"}") }
	unused := slices.DeleteFunc(LocalVariables(env), isUsed)
	if !slices.ContainsFunc(unused, func(name string) bool { return slices.Contains(purposefulVariables, name) }) {
		return nil
	}
	return []string{fmt.Sprintf(hintUnused, file, strings.Join(unused, ", "))}
}

// telegramFrom turns on Telegram for the only user. If one of the two variables is missing, it adds
// a hint.
func (c *checker) telegramFrom(env Env) {
	token, id, api := env.Getenv("TELEGRAM_TOKEN"), env.Getenv("MEWS_TELEGRAM_ID"), env.Getenv("TELEGRAM_API_URL")
	before := len(c.problems)
	number, err := strconv.ParseInt(id, 10, 64)
	if id != "" && (err != nil || !isTelegramID(number)) {
		c.wrong("MEWS_TELEGRAM_ID", quote(id), wantTelegram)
	}
	switch {
	case token == "" && id == "":
		return
	case id == "":
		c.cfg.Hints = append(c.cfg.Hints, hintID)
		return
	case token == "":
		c.cfg.Hints = append(c.cfg.Hints, hintToken)
		return
	case !tokenShape.MatchString(token):
		c.wrong("TELEGRAM_TOKEN", hidden, wantToken)
	}
	if api != "" {
		c.checkBotAPI("TELEGRAM_API_URL", api)
	}
	if len(c.problems) > before {
		return
	}
	t := &c.cfg.Telegram
	t.Token, t.APIURL = NewSecret(token), strings.TrimRight(cmp.Or(api, t.APIURL), "/")
	c.cfg.Users[0].Telegram = number
}

// modelsFrom takes the model from the environment. MEWS_MODEL comes first, if its provider's key is
// set. OPENAI_BASE_URL with OPENAI_MODEL comes next. A key alone selects no model, because many
// people set such keys for other programs.
func (c *checker) modelsFrom(env Env) {
	spec, url, model := env.Getenv("MEWS_MODEL"), env.Getenv("OPENAI_BASE_URL"), env.Getenv("OPENAI_MODEL")
	if url != "" && (model != "" || spec == "") {
		c.endpointFrom(env, model)
	}
	switch {
	case spec != "" && len(c.problems) == 0:
		c.modelFrom(env, spec)
	case spec == "" && url == "":
		if model != "" {
			c.cfg.Hints = append(c.cfg.Hints, hintEndpoint)
		}
		for _, p := range localProviders {
			if env.Getenv(p.key) != "" {
				c.cfg.Hints = append(c.cfg.Hints, p.hint)
			}
		}
	}
}

// endpointFrom takes the endpoint from OPENAI_BASE_URL.
func (c *checker) endpointFrom(env Env, model string) {
	p := c.provider(localOpenAI, env)
	if model == "" {
		c.wrong("OPENAI_MODEL", gotNothing, wantEndpointModel)
	}
	c.addProvider(localOpenAI, p, model)
}

// modelFrom takes the model from MEWS_MODEL.
func (c *checker) modelFrom(env Env, spec string) {
	if spec == OfflineModel {
		c.cfg.Models.Default = OfflineModel
		return
	}
	local, model := localProviderOf(spec)
	if model == "" || strings.ContainsFunc(spec, unicode.IsControl) {
		c.wrong("MEWS_MODEL", quote(spec), wantLocalModel)
		return
	}
	if bare := model == spec; bare && !local.isSet(env) && env.Getenv(localOpenAI.url) != "" {
		local = localOpenAI // the user's own server has a model of that name
	}
	p := c.provider(local, env)
	if p.APIKey.Reveal() == "" && (p.BaseURL == "" || local.base != "") {
		c.wrong(local.key, gotNothing, local.wantKey(spec))
	}
	c.addProvider(local, p, model)
}

// provider reads a provider from the environment, and notes its problems.
func (c *checker) provider(l localProvider, env Env) Provider {
	url, key := l.base, env.Getenv(l.key)
	if l.url != "" {
		url = env.Getenv(l.url)
	}
	if url != "" && l.url != "" {
		c.checkURL(l.url, url, providerKinds[l.kind].wantURL, isWebAddress)
	}
	if strings.ContainsFunc(key, unicode.IsControl) {
		c.wrong(l.key, hidden, wantOneLine)
	}
	return Provider{Kind: l.kind, BaseURL: url, APIKey: NewSecret(key)}
}

// addProvider adds a provider with the default model, unless something is wrong.
func (c *checker) addProvider(l localProvider, p Provider, model string) {
	if len(c.problems) > 0 {
		return
	}
	if c.cfg.Models.Providers == nil {
		c.cfg.Models.Providers = map[string]Provider{}
	}
	c.cfg.Models.Providers[l.name] = p
	c.cfg.Models.Default = l.name + "/" + model
}

// userName makes a user's name from an OS login.
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
	return cmp.Or(name, "me")
}
