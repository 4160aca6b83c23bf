package app

import (
	"context"
	"path/filepath"
	"strconv"
	"sync/atomic"

	"mews/config"
	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/command"
	"mews/supervisor/users"
)

// configuration holds the current configuration and loads its users.
type configuration struct {
	*users.Loader
	setPrices func(*config.Config) error   // sets the prices of models; after an error the old prices stay
	applyRest func(was, is *config.Config) // applies the rest of a new configuration, which can't fail
	// asks Telegram whether it refuses another token of the bot; nil without Telegram
	refusesToken func(ctx context.Context, token string) (refused bool, err error)
	tokenNote    atomic.Pointer[string] // why the file's token of Telegram is not in force; nil or "" if it is
	current      atomic.Pointer[config.Config]
}

// Current returns the configuration that is in force.
func (c *configuration) Current() *config.Config { return c.current.Load() }

// Apply applies a configuration's users and makes it the current one. An error changes nothing.
func (c *configuration) Apply(ctx context.Context, cfg *config.Config) error {
	err := c.Loader.UseConfiguration(ctx, usersConfiguration(cfg))
	if err == nil {
		c.current.Store(cfg)
	}
	return err
}

// usersConfiguration returns the part of a configuration that package users needs.
func usersConfiguration(cfg *config.Config) *users.Configuration {
	u := &users.Configuration{Users: usersOf(cfg), Homes: filepath.Join(cfg.State, "homes"),
		Budget: BudgetFromConfig(cfg.Budget.Users), Month: cfg.Budget.Month.Micro}
	for _, id := range cfg.Telegram.Groups {
		u.Groups = append(u.Groups, access.Group{Channel: supervisor.ChannelTelegram, Chat: strconv.FormatInt(id, 10)})
	}
	u.MayChoose = func(user, spec string) bool {
		for _, one := range cfg.Users {
			if one.Name == user {
				return one.MayChooseModel(spec)
			}
		}
		return config.User{ModelsAllowed: cfg.Models.Allowed}.MayChooseModel(spec)
	}
	u.Defaults = users.DefaultSettings{
		Model: users.DefaultValue[string]{Value: cfg.Models.Default,
			Configured: cfg.Models.Default != config.OfflineModel},
		Thinking: users.DefaultValue[string]{Value: cfg.Models.Thinking,
			Configured: cfg.Models.Thinking != thinkingOff},
		Language: users.DefaultValue[string]{Value: cfg.Speech.In.Language,
			Configured: cfg.Speech.In.Language != "auto"},
		StreamReplies: users.DefaultValue[bool]{Value: cfg.Chat.Stream == config.StreamModeEdit,
			Configured: cfg.Chat.Stream != config.StreamModeEdit},
		Busy: users.DefaultValue[supervisor.BusyMode]{Value: supervisor.BusyMode(cfg.Chat.Busy),
			Configured: cfg.Chat.Busy != config.BusyModeSteer},
	}
	return u
}

// thinkingOff is the default thinking level of models.
const thinkingOff = "off"

// parseDollars adapts config.ParseDollars to users.Settings.
func parseDollars(text string) (micro int64, kept string, err error) {
	d, err := config.ParseDollars(text)
	return d.Micro, d.String(), err
}

// usersOf converts the configured users to supervisor.User.
func usersOf(cfg *config.Config) []supervisor.User {
	var list []supervisor.User
	for _, u := range cfg.Users {
		user := supervisor.User{
			Name: u.Name, Role: supervisor.Role(u.Role), Account: u.Account, Home: u.Home, Timezone: u.Timezone, Model: u.Model,
			Workspaces: u.Workspaces, Codes: supervisor.TOTPPolicy(u.TOTP), Budget: BudgetFromConfig(u.Budget),
			History: u.History,
			Files:   protocol.FilePolicy{Include: u.Files.Include, Exclude: u.Files.Exclude, AppendOnly: u.Files.AppendOnly},
		}
		if u.Telegram != 0 {
			user.Accounts = map[supervisor.Channel]string{supervisor.ChannelTelegram: strconv.FormatInt(u.Telegram, 10)}
		}
		list = append(list, user)
	}
	return list
}

// BudgetFromConfig converts configured spending limits to a budget.
func BudgetFromConfig(s config.SpendLimits) supervisor.Budget {
	return supervisor.Budget{Turn: s.Turn.Micro, Day: s.Day.Micro, Month: s.Month.Micro, Extend: s.Extend.Micro}
}

// chatSettings shows users' settings to the slash commands.
type chatSettings struct{ *users.Settings }

// ListSettings returns the settings of a user.
func (c chatSettings) ListSettings(ctx context.Context, user string) ([]command.Setting, error) {
	list, err := c.Settings.List(ctx, user)
	var shown []command.Setting
	for _, s := range list {
		shown = append(shown, command.Setting{Name: s.Name, Value: s.Value, Origin: sourceOf(s), Example: s.Example, Presses: s.Presses,
			Private: s.Private, Note: s.Note})
	}
	return shown, err
}

// sourceOf returns where a setting's value comes from.
func sourceOf(s users.Setting) command.SettingOrigin {
	switch {
	case s.Own:
		return command.SettingFromUser
	case s.Configured:
		return command.SettingFromConfig
	}
	return command.SettingFromDefault
}
