package config

import (
	"path/filepath"
	"strings"
)

// complete fills in what depends on the environment and on other keys. It may be called again and changes nothing then.
func complete(cfg *Config, env Env) {
	if cfg.State == "" {
		cfg.State = below(env.xdg("XDG_STATE_HOME", ".local/state"), "mews")
	}
	if filepath.IsAbs(cfg.State) {
		cfg.State = filepath.Clean(cfg.State)
	}
	cfg.Telegram.APIURL = strings.TrimRight(cfg.Telegram.APIURL, "/") // it names the source of what comes: one name for one place
	for name, p := range cfg.Models.Providers {
		if p.BaseURL == "" {
			p.BaseURL = dialects[p.Kind].url
			cfg.Models.Providers[name] = p
		}
	}
	if cfg.Users == nil {
		cfg.Users = []User{{Name: userName(env.Login), Role: roleAdmin, Account: env.Login}}
	}
	cleanAll(cfg.Worker.ReadOnly)
	for i := range cfg.Users {
		completeUser(&cfg.Users[i], cfg)
	}
}

func completeUser(u *User, cfg *Config) {
	if u.Role == "" {
		u.Role = roleUser
	}
	if u.Home == "" && filepath.IsAbs(cfg.State) && userNames.MatchString(u.Name) {
		u.Home = below(cfg.State, filepath.Join("homes", u.Name))
	}
	if filepath.IsAbs(u.Home) {
		u.Home = filepath.Clean(u.Home)
	}
	cleanAll(u.Workspaces)
	if u.TOTP == "" {
		u.TOTP = TOTPOptional
	}
	u.Budget = u.Budget.or(cfg.Budget.Users)
	u.ModelsAllowed = either(u.ModelsAllowed, cfg.Models.Allowed)
	u.Files.Include = either(u.Files.Include, cfg.Files.Include)
	u.Files.Exclude = either(u.Files.Exclude, cfg.Files.Exclude)
	u.Files.AppendOnly = either(u.Files.AppendOnly, cfg.Files.AppendOnly)
}

// cleanAll makes absolute paths what they say.
func cleanAll(paths []string) {
	for i, p := range paths {
		if filepath.IsAbs(p) {
			paths[i] = filepath.Clean(p)
		}
	}
}

// either is own where it was given, be it as an empty list, else the general one.
func either(own, general []string) []string {
	if own != nil {
		return own
	}
	return general
}
