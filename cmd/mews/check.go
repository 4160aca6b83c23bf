package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"mews/cmd/mews/doctor"
	"mews/config"
	"mews/supervisor/admin"
	"mews/supervisor/app"
	"mews/supervisor/placement"
)

// configName names a configuration's file, or says that it is missing or empty.
func configName(path string) string {
	if path == "" {
		return textNoConfigFile
	}
	if info, err := os.Stat(path); err == nil && info.Size() == 0 {
		return fmt.Sprintf(textEmptyConfig, path)
	}
	return path
}

// checkVerb is `mews check`.
func checkVerb(ctx context.Context, con console, args []string) error {
	set := flags(con, "check")
	file := set.String("config", "", flagConfig)
	if err := parse(set, args); err != nil {
		return err
	}
	cfg, path, err := loadConfig(*file)
	if err != nil {
		return printServiceCheck(ctx, con, *file, admin.ExamineRequest{}, err)
	}
	if told, err := printRunning(ctx, con, cfg, path, admin.ExamineRequest{}); told {
		return err
	}
	if cfg.Warnings == nil {
		printChecked(con, cfg, path)
	}
	return errors.Join(cfg.Warnings, doctor.FindExposedSecrets(cfg), doctor.ValidateTelegramFiles(cfg), doctor.ValidateSpeechModel(cfg), doctor.FindServiceFaults(ctx, cfg))
}

// printChecked prints the outline of a valid configuration.
func printChecked(con console, cfg *config.Config, path string) {
	fmt.Fprintf(con.out, textChecked, configName(path), cfg.State, cfg.Models.Default)
	if cfg.Telegram.Token.Reveal() != "" {
		fmt.Fprintf(con.out, textCheckedTelegram, cfg.Telegram.APIURL)
	}
	if free, err := doctor.FreeModels(cfg); err == nil && len(free) > 0 { // FindServiceFaults reports the error
		fmt.Fprintf(con.out, textCheckedFree, strings.Join(free, ", "))
	}
	for _, u := range cfg.Users {
		fmt.Fprintf(con.out, textCheckedUser, u.Name, u.Role, u.Home, telegramText(u)+limitsText(u))
	}
	for _, name := range slices.Sorted(maps.Keys(cfg.GitHub.Repos)) {
		fmt.Fprint(con.out, repoText(cfg, name, cfg.GitHub.Repos[name]))
	}
	for _, hint := range cfg.Hints {
		fmt.Fprintf(con.out, textCheckedHint, hint)
	}
}

// printServiceCheck prints the running service's check of its own configuration. It is for an
// account that can't read the whole configuration. If no service of another account answers, it
// returns unread, the reason why the file could not be read.
func printServiceCheck(ctx context.Context, con console, file string, what admin.ExamineRequest, unread error) error {
	cfg, err := findConfig(file)
	if err != nil {
		return unread
	}
	info, err := os.Stat(app.SocketPath(cfg))
	if own := uint32(os.Getuid()); err != nil || own == 0 || own == placement.OwnerUID(info) {
		return unread // the service's account can read no more than this account
	}
	found, err := askFor[admin.ExamineResult](ctx, cfg, admin.MethodExamine, what)
	if err != nil {
		return errors.Join(unread, err)
	}
	return printExamined(con, textAsTheService, found)
}

// printExamined prints the service's check of itself.
func printExamined(con console, head string, found admin.ExamineResult) error {
	fmt.Fprint(con.out, head, found.Found)
	if found.Wrong != "" {
		return errors.New(found.Wrong)
	}
	return nil
}

// printRunning prints the check that the running service makes of itself. Without a configuration
// file the environment counts, and the service may have another one than this process. The result
// told is false if there is a file, or if no service can answer.
func printRunning(ctx context.Context, con console, cfg *config.Config, path string,
	what admin.ExamineRequest) (told bool, err error) {
	if path != "" || os.Getenv(admin.ExamineVariable) != "" {
		return false, nil
	}
	found, err := askFor[admin.ExamineResult](ctx, cfg, admin.MethodExamine, what)
	if err != nil {
		return false, nil
	}
	return true, printExamined(con, textOfTheRunning, found)
}

// telegramText shows a user's Telegram id, or "" if there is none.
func telegramText(u config.User) string {
	if u.Telegram == 0 {
		return ""
	}
	return fmt.Sprintf(", telegram %d", u.Telegram)
}

// limitsText shows a user's second factor and budget if they differ from the defaults.
func limitsText(u config.User) (text string) {
	if u.TOTP != config.TOTPOptional {
		text = fmt.Sprintf(", second factor %s", u.TOTP)
	}
	b := app.BudgetFromConfig(u.Budget)
	if s := (admin.SpendLimits{Turn: b.Turn, Day: b.Day, Month: b.Month}); s != (admin.SpendLimits{}) {
		text += ", budget " + s.Text()
	}
	return text
}
