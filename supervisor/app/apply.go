package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"mews/config"
	"mews/supervisor"
	"mews/supervisor/admin"
	"mews/supervisor/model"
	"mews/supervisor/unit"
)

// Summary returns what admin commands need to know of the current configuration.
func (c *configuration) Summary() admin.ConfigurationSummary {
	cfg := c.Current()
	return admin.ConfigurationSummary{Users: usersOf(cfg), Homes: filepath.Join(cfg.State, "homes"),
		Histories: historyDir(cfg),
		HasBot:    cfg.Telegram.Token.Reveal() != "",
		Logins:    gateLimits(cfg), Overlaps: cfg.OverlapsHome, ValidName: config.IsValidUserName, File: cfg.File,
		Note: c.reloadNote(cfg)}
}

// reloadNote returns the note after a reload. It names a bot that waits for a restart, secrets that
// were not read again, warnings, and services that are off.
func (c *configuration) reloadNote(cfg *config.Config) string {
	var notes []string
	if note := c.tokenNote.Load(); note != nil && *note != "" {
		notes = append(notes, *note)
	}
	for _, note := range []string{restartOnlySecrets(cfg), strings.TrimPrefix(warnings(cfg), "\n")} {
		if note != "" {
			notes = append(notes, note)
		}
	}
	return strings.Join(append(notes, ServiceHints(cfg)...), "\n")
}

// warnings lists a configuration's warnings after a line break; "" means no warnings.
func warnings(cfg *config.Config) string {
	if cfg.Warnings == nil {
		return ""
	}
	return fmt.Sprintf(textWarnings, cfg.Warnings)
}

// CheckNewUser returns an error if a user can't be added to the configured users.
func (c *configuration) CheckNewUser(u supervisor.User) error {
	return c.Current().ValidateNewUser(config.User{Name: u.Name, Role: string(u.Role), Account: u.Account, Timezone: u.Timezone, Home: u.Home})
}

// ReadChanges reads the configuration file again. It returns the changes, and a function that puts
// the new configuration into force.
func (c *configuration) ReadChanges(ctx context.Context) (changes []admin.ConfigurationChange,
	use func(context.Context) error, err error) {
	was := c.Current()
	if was.File == "" {
		return nil, nil, supervisor.Errorf(supervisor.CodeInvalid, textNoFile)
	}
	env, err := config.ReadMachineEnv(DefaultEffectRules(), TaintedEffectRules())
	if err != nil {
		return nil, nil, err
	}
	is, err := config.Load(was.File, env)
	if err != nil {
		return nil, nil, supervisor.Errorf(supervisor.CodeInvalid, textNothingChanged, err)
	}
	changes = []admin.ConfigurationChange{}
	var fixed []string
	tokenNote := ""
	for _, d := range config.Diff(was, is) {
		if d.Key == config.TelegramTokenKey && !d.Restart {
			if note, err := c.checkToken(ctx, is.Telegram.Token.Reveal()); err != nil {
				return nil, nil, err
			} else if note != "" {
				tokenNote = note
				continue
			}
		}
		changes = append(changes, admin.ConfigurationChange(d))
		switch {
		case d.Restart && d.Key == config.TelegramTokenKey:
			tokenNote = fmt.Sprintf(textOtherBot, restartHint(was.State))
		case d.Restart:
			fixed = append(fixed, d.Key)
		}
	}
	if len(fixed) > 0 {
		return nil, nil, supervisor.Errorf(supervisor.CodeInvalid, textNeedsRestart, strings.Join(fixed, ", "), restartHint(was.State),
			warnings(is))
	}
	if tokenNote != "" { // messages, chats and the offset of updates belong to a bot
		is.Telegram.Token = was.Telegram.Token
	}
	return changes, func(ctx context.Context) error {
		err := c.apply(ctx, was, is)
		if err == nil {
			c.tokenNote.Store(&tokenNote)
		}
		return err
	}, nil
}

// checkToken returns a note if Telegram refuses another token of the bot, or does not answer. Then the
// old token stays in use. "" means that the token is good.
func (c *configuration) checkToken(ctx context.Context, token string) (note string, err error) {
	if c.refusesToken == nil || token == "" {
		return "", nil
	}
	refused, err := c.refusesToken(ctx, token)
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case refused:
		return textTokenRefused, nil
	case err != nil:
		return fmt.Sprintf(textTokenUnchecked, err), nil
	}
	return "", nil
}

// restartOnlySecrets names the secrets that systemd handed over (LoadCredential=). systemd hands
// secrets over only at the service's start, so a reload can't read them again.
func restartOnlySecrets(cfg *config.Config) string {
	folder, names := os.Getenv("CREDENTIALS_DIRECTORY"), []string{}
	for _, path := range cfg.SecretFiles {
		if folder != "" && filepath.Dir(path) == folder {
			names = append(names, filepath.Base(path))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf(textRestartOnly, strings.Join(names, ", "), unit.ServiceCommand("restart", cfg.State,
		"systemctl restart"))
}

// restartHint returns the command that restarts Mews if a systemd unit runs it, otherwise "".
func restartHint(state string) string {
	if command := unit.ServiceCommand("restart", state, ""); command != "" {
		return " with `" + command + "`"
	}
	return ""
}

// apply replaces the configuration: was is the old one, and is the new one. The steps that can fail
// run first, so an error changes nothing.
func (c *configuration) apply(ctx context.Context, was, is *config.Config) error {
	if err := c.setPrices(is); err != nil {
		return supervisor.Errorf(supervisor.CodeInvalid, textNothingChanged, err)
	}
	if err := c.Apply(ctx, is); err != nil {
		return supervisor.Errorf(supervisor.CodeInvalid, textNothingChanged, errors.Join(err, c.setPrices(was)))
	}
	c.applyRest(was, is)
	return nil
}

// pricesOf converts the configured prices for the catalogue of models.
func pricesOf(cfg *config.Config) map[string]model.Price {
	prices := map[string]model.Price{}
	for spec, p := range cfg.Models.Prices {
		prices[spec] = model.Price{Input: p.Input, Output: p.Output, CacheRead: p.CacheRead, CacheWrite5m: p.CacheWrite,
			CacheWrite1h: p.CacheWrite}
		if p.Minute > 0 {
			prices[spec] = model.Price{Input: model.PricePerMinute(p.Minute)}
		}
	}
	return prices
}

// applyConfiguration applies keys of models, the tokens of Telegram and GitHub, the gate's limits, the
// effect rules, the services and the calendars. It can't fail.
func (s *service) applyConfiguration(was, cfg *config.Config) {
	if was.GitHub.Token.Reveal() != cfg.GitHub.Token.Reveal() {
		s.gitHub.RefreshLogin()
	}
	keys := map[string]string{}
	for name, p := range cfg.Models.Providers {
		keys[name] = p.APIKey.Reveal()
	}
	s.models.SetKeys(keys)
	if s.channel != nil {
		s.channel.client.SetToken(cfg.Telegram.Token.Reveal())
		if secret := s.channel.webhookSecret; secret != nil {
			secret.Set(cfg.Telegram.Webhook.Secret.Reveal())
		}
	}
	s.gate.SetLimits(gateLimits(cfg))
	s.setRules(cfg)
	s.setServices(cfg)
	s.setCalendars(s.calendar, cfg)
}
