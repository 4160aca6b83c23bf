package main

import (
	"context"
	"fmt"
	"mews/supervisor/app"
	"os"

	"mews/config"
	"mews/supervisor/approval"
)

// loadConfig reads the configuration that a verb runs on: explicit, else the first that is found, else none at all. It
// says which file it was, "" for none.
func loadConfig(explicit string) (cfg *config.Config, path string, err error) {
	env, err := config.OS(approval.Effects())
	if err != nil {
		return nil, "", err
	}
	return loadWith(explicit, env)
}

func loadWith(explicit string, env config.Env) (cfg *config.Config, path string, err error) {
	if path = config.Find(explicit, env); path == "" {
		cfg, err = config.Local(env)
		return cfg, "", err
	}
	cfg, err = config.Load(path, env)
	return cfg, path, err
}

// findService is where the service of a configuration listens, for a verb that only speaks to it: whoever has no account but
// their own may not read its keys, nor have them in their environment.
func findService(explicit string) (socket string, err error) {
	env, err := config.OS(approval.Effects())
	if err != nil {
		return "", err
	}
	env.Client = true
	cfg, _, err := loadWith(explicit, env)
	if err != nil {
		return "", err
	}
	return app.SocketPath(cfg), nil
}

// described names a configuration file for a person who looks whether it is the right one.
func described(path string) string {
	if path == "" {
		return "no configuration file; what holds without one"
	}
	if info, err := os.Stat(path); err == nil && info.Size() == 0 {
		return path + " is empty; what holds without it"
	}
	return path
}

// checkVerb is `mews check`.
func checkVerb(_ context.Context, con console, args []string) error {
	set := flags(con, "check")
	file := set.String("config", "", "the configuration `FILE`")
	if err := parse(set, args); err != nil {
		return err
	}
	cfg, path, err := loadConfig(*file)
	if err != nil {
		return err
	}
	fmt.Fprintf(con.out, "%s: in order\n  state  %s\n  model  %s\n", described(path), cfg.State, cfg.Models.Default)
	if cfg.Telegram.Token.Reveal() != "" {
		fmt.Fprintf(con.out, "  telegram, at %s\n", cfg.Telegram.APIURL)
	}
	for _, u := range cfg.Users {
		fmt.Fprintf(con.out, "  user   %s (%s), folder %s%s\n", u.Name, u.Role, u.Home, onTelegram(u)+bounds(u))
	}
	for _, hint := range cfg.Hints {
		fmt.Fprintln(con.out, "  note: "+hint)
	}
	return nil
}

// onTelegram says which id a user has there.
func onTelegram(u config.User) string {
	if u.Telegram == 0 {
		return ""
	}
	return fmt.Sprintf(", telegram %d", u.Telegram)
}

// bounds says what a user must prove and what they may spend, where that is not as it is for everybody without a word.
func bounds(u config.User) (text string) {
	if u.TOTP != config.TOTPOptional {
		text = fmt.Sprintf(", second factor %s", u.TOTP)
	}
	b := app.BudgetOf(u.Budget)
	if s := (app.Spendable{Turn: b.Turn, Day: b.Day, Month: b.Month}); s != (app.Spendable{}) {
		text += ", budget " + budgetText(s)
	}
	return text
}
