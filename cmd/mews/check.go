package main

import (
	"context"
	"fmt"
	"os"

	"mews/config"
	"mews/supervisor/app"
)

// described names a configuration file for a person who looks whether it is the right one.
func described(path string) string {
	if path == "" {
		return textNoConfigFile
	}
	if info, err := os.Stat(path); err == nil && info.Size() == 0 {
		return fmt.Sprintf(textEmptyConfig, path)
	}
	return path
}

// checkVerb is `mews check`.
func checkVerb(_ context.Context, con console, args []string) error {
	set := flags(con, "check")
	file := set.String("config", "", flagConfig)
	if err := parse(set, args); err != nil {
		return err
	}
	cfg, path, err := loadConfig(*file)
	if err != nil {
		return err
	}
	fmt.Fprintf(con.out, textChecked, described(path), cfg.State, cfg.Models.Default)
	if cfg.Telegram.Token.Reveal() != "" {
		fmt.Fprintf(con.out, textCheckedTelegram, cfg.Telegram.APIURL)
	}
	for _, u := range cfg.Users {
		fmt.Fprintf(con.out, textCheckedUser, u.Name, u.Role, u.Home, onTelegram(u)+bounds(u))
	}
	for _, hint := range cfg.Hints {
		fmt.Fprintf(con.out, textCheckedHint, hint)
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
