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

// Facts are those of the configuration in force.
func (c *configuration) Facts() admin.Facts {
	cfg := c.Current()
	return admin.Facts{Users: usersOf(cfg), Homes: filepath.Join(cfg.State, "homes"), HasBot: cfg.Telegram.Token.Reveal() != "",
		Logins: gateLimits(cfg), Overlaps: cfg.OverlapsHome, ValidName: config.ValidName, File: cfg.File, Note: reloadNote(cfg)}
}

// reloadNote is what an admin reads after a reload: what it could not read again, and the warnings.
func reloadNote(cfg *config.Config) string {
	return strings.TrimPrefix(restartOnlySecrets(cfg)+warnings(cfg), "\n")
}

// warnings are lines about a configuration's warnings, a line break first; "" means there are none.
func warnings(cfg *config.Config) string {
	if cfg.Warnings == nil {
		return ""
	}
	return fmt.Sprintf(textWarnings, cfg.Warnings)
}

// CheckAdded says why somebody can't be added beside those who stand in the configuration.
func (c *configuration) CheckAdded(u supervisor.User) error {
	return c.Current().CheckAdded(config.User{Name: u.Name, Role: string(u.Role), Account: u.Account, Timezone: u.Timezone, Home: u.Home})
}

// Read reads the file again that the service was started with.
func (c *configuration) Read() (changes []admin.Change, use func(context.Context) error, err error) {
	was := c.Current()
	if was.File == "" {
		return nil, nil, supervisor.Errorf(supervisor.CodeInvalid, textNoFile)
	}
	env, err := config.OS(Effects())
	if err != nil {
		return nil, nil, err
	}
	is, err := config.Load(was.File, env)
	if err != nil {
		return nil, nil, supervisor.Errorf(supervisor.CodeInvalid, textNothingChanged, err)
	}
	changes = []admin.Change{}
	var fixed []string
	for _, d := range config.Diff(was, is) {
		changes = append(changes, admin.Change(d))
		if d.Restart {
			fixed = append(fixed, d.Key)
		}
	}
	if len(fixed) > 0 {
		return nil, nil, supervisor.Errorf(supervisor.CodeInvalid, textNeedsRestart, strings.Join(fixed, ", "), restartHint(was.State),
			warnings(is))
	}
	return changes, func(ctx context.Context) error { return c.apply(ctx, was, is) }, nil
}

// fixed says which secrets systemd has handed over. It does so once, when it starts the service
// (LoadCredential=).
func restartOnlySecrets(cfg *config.Config) string {
	folder, names := os.Getenv("CREDENTIALS_DIRECTORY"), []string{}
	for _, path := range cfg.Holds {
		if folder != "" && filepath.Dir(path) == folder {
			names = append(names, filepath.Base(path))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf(textFixed, strings.Join(names, ", "), unit.Command("restart", cfg.State, "systemctl restart"))
}

// restarted is how Mews is restarted, where a unit runs it.
func restartHint(state string) string {
	if command := unit.Command("restart", state, ""); command != "" {
		return " with `" + command + "`"
	}
	return ""
}

// apply puts a configuration into force in the place of another. What can fail goes first.
func (c *configuration) apply(ctx context.Context, was, is *config.Config) error {
	if err := c.setPrices(is); err != nil {
		return supervisor.Errorf(supervisor.CodeInvalid, textNothingChanged, err)
	}
	if err := c.Use(ctx, is); err != nil {
		return supervisor.Errorf(supervisor.CodeInvalid, textNothingChanged, errors.Join(err, c.setPrices(was)))
	}
	c.applyRest(is)
	return nil
}

// pricesOf are a configuration's as the catalogue has them.
func pricesOf(cfg *config.Config) map[string]model.Price {
	prices := map[string]model.Price{}
	for spec, p := range cfg.Models.Prices {
		prices[spec] = model.Price{Input: p.Input, Output: p.Output, CacheRead: p.CacheRead, CacheWrite5m: p.CacheWrite,
			CacheWrite1h: p.CacheWrite}
		if p.Minute > 0 {
			prices[spec] = model.Price{Input: model.PerMinute(p.Minute)}
		}
	}
	return prices
}

// applyConfiguration puts into force what of a configuration is not about people and can't fail.
func (s *service) applyConfiguration(cfg *config.Config) {
	s.gate.SetLimits(gateLimits(cfg))
	s.setRules(cfg)
}
