package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mews/supervisor"
	"mews/supervisor/approval"
	"mews/supervisor/feature"
	"mews/supervisor/markdown"
)

// Settings are the users' settings. An error about a value is a text for the user.
type Settings interface {
	// ListSettings returns a user's settings in the order of display.
	ListSettings(ctx context.Context, user string) ([]Setting, error)
	// CheckSettingValue returns a value in its stored form. An error says why the value is not
	// allowed.
	CheckSettingValue(ctx context.Context, user, name, value string) (kept string, err error)
	// PutSetting stores a value that CheckSettingValue has returned; "" resets the setting.
	PutSetting(ctx context.Context, user, name, kept string) error
}

// Setting describes one setting for display.
type Setting struct {
	Name    string // name of the setting, as users type it: one or two words
	Value   string // the current value, for display
	Origin  SettingOrigin
	Example string   // example of a value; "" if users can't change the setting with /settings
	Presses []string // all possible values; if set, each value has a button
	Private bool     // groups never show the setting
	Note    string   // hint to show after a change; "" means no hint
}

// SettingOrigin says where a setting's value comes from.
type SettingOrigin string

const (
	SettingFromUser    SettingOrigin = "set by you"
	SettingFromConfig  SettingOrigin = "set by the configuration"
	SettingFromDefault SettingOrigin = "the default"
)

// resetWord is the word that users type as a value to reset a setting.
const resetWord = "default"

const settingPrefix = "s:"

// showsSettings reports whether /settings with these arguments only shows settings. For example,
// "/settings model" lists models.
func showsSettings(arguments string) bool {
	return arguments == "" || strings.EqualFold(arguments, "model")
}

var settingsRows = []row{
	{SlashCommand: supervisor.SlashCommand{Name: "settings",
		Help: "your settings; /settings NAME VALUE changes one, /settings NAME default takes that back"},
		group: feature.HelpGroupEveryday, run: settings, private: showsSettings, mayAsk: true, prefix: settingPrefix,
		keeps: feature.AlwaysPrivateAnswer},
}

// settings shows the user's settings, or changes one.
func settings(ctx context.Context, c *Commands, r feature.CommandRequest) (supervisor.Delivery, error) {
	list, err := c.o.Settings.ListSettings(ctx, r.Conversation.User)
	if err != nil {
		return supervisor.Delivery{}, fmt.Errorf("list the settings: %w", err)
	}
	if r.Arguments == "" {
		return listSettings(list), nil
	}
	for _, s := range list {
		value, ok := cutName(r.Arguments, s.Name)
		switch {
		case !ok:
		case s.Name == "model": // the possible values of the setting "model" are the offered models
			r.Arguments = value
			return model(ctx, c, r)
		case s.Example == "":
			return supervisor.Delivery{}, supervisor.Errorf(supervisor.CodeForbidden, textSettingConfigured, s.Name)
		case value == "":
			return supervisor.Delivery{}, supervisor.Errorf(supervisor.CodeInvalid, textSettingUsage, s.values(), s.Name, s.Example, s.Name)
		default:
			return c.set(ctx, r, s, value)
		}
	}
	var names []string
	for _, s := range list {
		if s.Example != "" {
			names = append(names, s.Name)
		}
	}
	return supervisor.Delivery{}, supervisor.Errorf(supervisor.CodeNotFound, textNoSetting,
		markdown.EscapeName(r.Arguments), strings.Join(names, ", "))
}

// values lists the possible values of a setting with a button for each value; otherwise "".
func (s Setting) values() string {
	if len(s.Presses) == 0 {
		return ""
	}
	last := len(s.Presses) - 1
	return fmt.Sprintf(textSettingOr, strings.Join(s.Presses[:last], ", "), s.Presses[last])
}

// cutName cuts a setting's name off the beginning of a text. It ignores case and extra spaces.
func cutName(text, name string) (rest string, ok bool) {
	words, named := strings.Fields(text), strings.Fields(name)
	if len(words) < len(named) || !strings.EqualFold(strings.Join(words[:len(named)], " "), name) {
		return "", false
	}
	return strings.Join(words[len(named):], " "), true
}

// set sets or resets one setting.
func (c *Commands) set(ctx context.Context, r feature.CommandRequest, s Setting, value string) (
	d supervisor.Delivery, err error) {
	kept := ""
	if !strings.EqualFold(value, resetWord) {
		if kept, err = c.o.Settings.CheckSettingValue(ctx, r.Conversation.User, s.Name, value); err != nil {
			return d, err
		}
	}
	text := fmt.Sprintf(textSettingQuestion, s.Name, s.Value, value)
	if err := c.allow(ctx, r, approval.EffectChangeSetting, text, s.Name, kept); err != nil {
		return d, err
	}
	if err := c.o.Settings.PutSetting(ctx, r.Conversation.User, s.Name, kept); err != nil {
		return d, fmt.Errorf("keep the setting %s: %w", s.Name, err)
	}
	list, err := c.o.Settings.ListSettings(ctx, r.Conversation.User)
	if i := slices.IndexFunc(list, func(now Setting) bool { return now.Name == s.Name }); err == nil && i >= 0 {
		s = list[i]
	}
	d.Text = strings.TrimSpace(fmt.Sprintf(textSettingSet, s.Name, s.Value, s.Origin, s.Note))
	if s.Private && r.Conversation.IsInGroup() {
		d.Text = fmt.Sprintf(textSettingSetInGroup, s.Name)
	}
	if s.Name == settingTimezone && !r.Conversation.IsInGroup() {
		return c.offerZone(ctx, r, d), nil
	}
	return d, nil
}

// settingTimezone is the name of the setting with the user's time zone, which their jobs use.
const settingTimezone = "timezone"

// offerZone adds to an answer the question whether to move jobs to the new time zone.
func (c *Commands) offerZone(ctx context.Context, r feature.CommandRequest, d supervisor.Delivery) supervisor.Delivery {
	// r.User still has the old time zone
	offer, err := c.o.OfferZone(ctx, c.userNamed(r.Conversation.User))
	if err != nil {
		c.o.Log.Warn("find jobs of another time zone", "user", r.Conversation.User, "error", err)
	}
	if offer.Text != "" {
		d.Text, d.Buttons = d.Text+"\n\n"+offer.Text, offer.Buttons
	}
	return d
}

// listSettings lists settings with their buttons.
func listSettings(list []Setting) (d supervisor.Delivery) {
	var examples strings.Builder
	d.Text = textSettings
	for _, s := range list {
		d.Text += fmt.Sprintf(textSetting, s.Name, s.Value, s.Origin)
		d.Buttons = append(d.Buttons, s.buttons()...)
		if s.Example != "" {
			fmt.Fprintf(&examples, "\n- `/settings %s %s`", s.Name, s.Example)
		}
	}
	d.Text += textSettingsEnd + examples.String()
	return d
}

// buttons returns the buttons of one setting, in a row.
func (s Setting) buttons() [][]supervisor.Button {
	var row []supervisor.Button
	if s.Name == "model" {
		row = append(row, supervisor.Button{Text: textChooseModel, Press: modelPrefix})
	}
	// the current value also has a button, because the buttons stay after a press
	for _, value := range s.Presses {
		row = append(row, supervisor.Button{Text: s.Name + ": " + value, Press: settingPrefix + s.Name + " " + value})
	}
	if s.Origin == SettingFromUser {
		row = append(row, supervisor.Button{Text: fmt.Sprintf(textSettingAsItWas, s.Name), Press: settingPrefix + s.Name + " " + resetWord})
	}
	if len(row) == 0 {
		return nil
	}
	return [][]supervisor.Button{row}
}
