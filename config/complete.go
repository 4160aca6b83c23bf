package config

import "path/filepath"

// complete fills in what depends on the environment and on other keys. It may be called again and changes nothing then.
func complete(cfg *Config, env Env) {
	if cfg.State == "" {
		cfg.State = below(env.xdg("XDG_STATE_HOME", ".local/state"), "mews")
	}
	if filepath.IsAbs(cfg.State) {
		cfg.State = filepath.Clean(cfg.State)
	}
	for name, p := range cfg.Models.Providers {
		if p.BaseURL == "" && p.Kind == kindOpenAI {
			p.BaseURL = openAIURL
			cfg.Models.Providers[name] = p
		}
	}
	if cfg.Users == nil {
		cfg.Users = []User{{Name: userName(env.Login), Role: roleAdmin, Account: env.Login}}
	}
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
	u.Files.Include = either(u.Files.Include, cfg.Files.Include)
	u.Files.Exclude = either(u.Files.Exclude, cfg.Files.Exclude)
	u.Files.AppendOnly = either(u.Files.AppendOnly, cfg.Files.AppendOnly)
}

// either is own where it was given, be it as an empty list, else the general one.
func either(own, general []string) []string {
	if own != nil {
		return own
	}
	return general
}
