package config

import (
	"maps"
	"path/filepath"
	"reflect"
	"strings"
)

// defaults returns the configuration of an empty file. Function complete adds the values that
// depend on the environment or on other keys.
func defaults() *Config {
	cfg := &Config{}
	rootKey(cfg).setDefaults()
	return cfg
}

// complete adds the values that depend on the environment and on other keys. A repeated call
// changes nothing.
func complete(cfg *Config, env Env) {
	if cfg.State == "" {
		cfg.State = below(env.xdg("XDG_STATE_HOME", ".local/state"), "mews")
	}
	cleanPath(&cfg.State)
	// the URL identifies the source of messages, so it must have only one spelling
	cfg.Telegram.APIURL = strings.TrimRight(cfg.Telegram.APIURL, "/")
	cfg.GitHub.APIURL = strings.TrimRight(cfg.GitHub.APIURL, "/")
	cleanPath(&cfg.Telegram.Files)
	for name, p := range cfg.Models.Providers {
		if p.BaseURL == "" {
			p.BaseURL = providerKinds[p.Kind].url
			cfg.Models.Providers[name] = p
		}
	}
	if cfg.Users == nil {
		cfg.Users = []User{{Name: userName(env.Login), Role: roleAdmin, Account: env.Login}}
	}
	cleanAll(cfg.Worker.ReadOnly)
	cleanPath(&cfg.Worker.HistoryDir)
	cfg.Approvals.All = withDefaults(cfg.Approvals.All, env.Effects)
	cfg.Approvals.Tainted = withDefaults(cfg.Approvals.Tainted, env.Tainted)
	for i := range cfg.Users {
		completeUser(&cfg.Users[i], cfg)
	}
}

// withDefaults returns rules and the default rules of other effects.
func withDefaults(rules, defaults EffectRules) EffectRules {
	all := EffectRules{}
	maps.Copy(all, defaults)
	maps.Copy(all, rules)
	return all
}

func completeUser(u *User, cfg *Config) {
	if u.Home == "" && filepath.IsAbs(cfg.State) && IsValidUserName(u.Name) {
		u.Home = below(cfg.State, filepath.Join("homes", u.Name))
	}
	cleanPath(&u.Home)
	cleanAll(u.Workspaces)
	inherit(reflect.ValueOf(&u.Budget).Elem(), reflect.ValueOf(cfg.Budget.Users))
	inherit(reflect.ValueOf(&u.Files).Elem(), reflect.ValueOf(cfg.Files))
	if u.ModelsAllowed == nil {
		u.ModelsAllowed = cfg.Models.Allowed
	}
	key{value: reflect.ValueOf(u).Elem()}.setDefaults()
}

// inherit copies the general value of a key to own, if the key is zero in own.
func inherit(own, general reflect.Value) {
	for i := range own.NumField() {
		switch field := own.Field(i); {
		case field.Kind() == reflect.Struct && !(key{value: field}).isLeaf():
			inherit(field, general.Field(i))
		case field.IsZero():
			field.Set(general.Field(i))
		}
	}
}

// cleanPath cleans an absolute path.
func cleanPath(path *string) {
	if filepath.IsAbs(*path) {
		*path = filepath.Clean(*path)
	}
}

func cleanAll(paths []string) {
	for i := range paths {
		cleanPath(&paths[i])
	}
}
