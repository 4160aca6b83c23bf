package config

import (
	"cmp"
	"strconv"
	"strings"
)

// Local is the configuration where there is no file: one user, who is the account that runs Mews, and the offline model,
// or what localmodel.go finds. TELEGRAM_TOKEN and MEWS_TELEGRAM_ID together have the user talk on Telegram.
// (TELEGRAM_TOKEN alone polls nothing: it may be another program's bot, and a bot answers to one program.)
func Local(env Env) (*Config, error) {
	cfg := defaults()
	cfg.Local = true
	cfg.Log.Format = "text" // there is a person before it
	problems := modelsFrom(env, cfg)
	complete(cfg, env)
	problems = append(problems, telegramFrom(env, cfg)...)
	c := &checker{cfg: cfg, wrongBefore: fieldsOf(problems)}
	c.check()
	if err := errorList("without a configuration file", append(problems, c.problems...)); err != nil {
		return nil, err
	}
	return cfg, nil
}

// What is said where one of the two variables that turn Telegram on is set without the other.
const (
	hintID = "TELEGRAM_TOKEN is set; to talk on Telegram set MEWS_TELEGRAM_ID too: your numeric id, which @userinfobot " +
		"on Telegram tells you."
	hintToken = "MEWS_TELEGRAM_ID is set; to talk on Telegram set TELEGRAM_TOKEN too: a bot's token, which @BotFather on " +
		"Telegram gives you."
)

// telegramFrom turns Telegram on for the one user, or adds the hint of what that lacks.
func telegramFrom(env Env, cfg *Config) []Problem {
	token, id, api := env.Getenv("TELEGRAM_TOKEN"), env.Getenv("MEWS_TELEGRAM_ID"), env.Getenv("TELEGRAM_API_URL")
	bot := &checker{cfg: cfg}
	number, err := strconv.ParseInt(id, 10, 64)
	if id != "" && (err != nil || !validTelegram(number)) {
		bot.wrong("MEWS_TELEGRAM_ID", quote(id), wantTelegram)
	}
	switch {
	case token == "" && id == "":
		return nil
	case id == "":
		cfg.Hints = append(cfg.Hints, hintID)
		return nil
	case token == "":
		cfg.Hints = append(cfg.Hints, hintToken)
		return bot.problems
	case !tokenShape.MatchString(token):
		bot.wrong("TELEGRAM_TOKEN", hidden, wantToken)
	}
	if api != "" {
		bot.checkURL("TELEGRAM_API_URL", api, wantAPI, botAPI)
	}
	if len(bot.problems) > 0 {
		return bot.problems
	}
	cfg.Telegram.Token, cfg.Users[0].Telegram = NewSecret(token), number
	cfg.Telegram.APIURL = strings.TrimRight(cmp.Or(api, cfg.Telegram.APIURL), "/")
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
