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

// Settings are what people set for themselves. Errors of Check are for the person.
type Settings interface {
	// List is a person's settings as they are, in the order in which they are shown.
	List(ctx context.Context, user string) ([]Setting, error)
	// Check returns a value as it is kept. An error says why the person can't set it.
	Check(ctx context.Context, user, name, value string) (kept string, err error)
	// Put keeps what Check has returned; "" takes back what was kept.
	Put(ctx context.Context, user, name, kept string) error
}

// Setting is one as it is shown.
type Setting struct {
	Name    string // as it is typed: one word or two
	Value   string // for a person
	Source  Source
	Example string   // of a value; "" where the person can't set it here
	Presses []string // all its values, where each has a button
	Private bool     // it is not shown in groups
	Note    string   // what a person has to know after it was set; "" is nothing
}

// Source is where a setting's value comes from.
type Source string

const (
	SourceOwn     Source = "your own"
	SourceConfig  Source = "the configuration's"
	SourceDefault Source = "the default"
)

// resetWord is the value that takes a setting back.
const resetWord = "default"

const settingPrefix = "s:"

// showsSettings says whether /settings with such arguments shows something, and sets nothing:
// "/settings model" lists models.
func showsSettings(arguments string) bool {
	return arguments == "" || strings.EqualFold(arguments, "model")
}

var settingsRows = []row{
	{SlashCommand: supervisor.SlashCommand{Name: "settings",
		Help: "your settings; /settings NAME VALUE changes one, /settings NAME default takes that back"},
		group: feature.GroupEveryday, run: settings, private: showsSettings, mayAsk: true, prefix: settingPrefix,
		keeps: feature.Always},
}

// settings shows what is set for a person, or sets one of it.
func settings(ctx context.Context, c *Commands, r feature.Request) (supervisor.Delivery, error) {
	list, err := c.o.Settings.List(ctx, r.Conversation.User)
	if err != nil {
		return supervisor.Delivery{}, fmt.Errorf("list the settings: %w", err)
	}
	if r.Arguments == "" {
		return shownSettings(list), nil
	}
	for _, s := range list {
		value, ok := cutName(r.Arguments, s.Name)
		switch {
		case !ok:
		case s.Name == "model": // its values are not in a table
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
		markdown.QuoteName(r.Arguments), strings.Join(names, ", "))
}

// values lists what a setting can be, where that is a few words.
func (s Setting) values() string {
	if len(s.Presses) == 0 {
		return ""
	}
	last := len(s.Presses) - 1
	return fmt.Sprintf(textSettingOr, strings.Join(s.Presses[:last], ", "), s.Presses[last])
}

// cutName is what follows a setting's name in a text, whatever spaces and capitals the name is
// written with.
func cutName(text, name string) (rest string, ok bool) {
	words, named := strings.Fields(text), strings.Fields(name)
	if len(words) < len(named) || !strings.EqualFold(strings.Join(words[:len(named)], " "), name) {
		return "", false
	}
	return strings.Join(words[len(named):], " "), true
}

// set changes one setting, or takes it back.
func (c *Commands) set(ctx context.Context, r feature.Request, s Setting, value string) (
	d supervisor.Delivery, err error) {
	kept := ""
	if !strings.EqualFold(value, resetWord) {
		if kept, err = c.o.Settings.Check(ctx, r.Conversation.User, s.Name, value); err != nil {
			return d, err
		}
	}
	text := fmt.Sprintf(textSettingQuestion, s.Name, s.Value, value)
	if err := c.allow(ctx, r, approval.EffectSettings, text, s.Name, kept); err != nil {
		return d, err
	}
	if err := c.o.Settings.Put(ctx, r.Conversation.User, s.Name, kept); err != nil {
		return d, fmt.Errorf("keep the setting %s: %w", s.Name, err)
	}
	list, err := c.o.Settings.List(ctx, r.Conversation.User)
	if i := slices.IndexFunc(list, func(now Setting) bool { return now.Name == s.Name }); err == nil && i >= 0 {
		s = list[i]
	}
	d.Text = strings.TrimSpace(fmt.Sprintf(textSettingSet, s.Name, s.Value, s.Source, s.Note))
	if s.Private && r.Conversation.InGroup() {
		d.Text = fmt.Sprintf(textSettingSetInGroup, s.Name)
	}
	if s.Name == settingTimezone && !r.Conversation.InGroup() {
		return c.offerZone(ctx, r, d), nil
	}
	return d, nil
}

// settingTimezone is the setting by which jobs keep their times.
const settingTimezone = "timezone"

// offerZone adds to an answer what may be done with the jobs that keep the time zone of before.
func (c *Commands) offerZone(ctx context.Context, r feature.Request, d supervisor.Delivery) supervisor.Delivery {
	// r.User is as before the setting
	offer, err := c.o.OfferZone(ctx, c.person(r.Conversation.User))
	if err != nil {
		c.o.Log.Warn("look for jobs of another time zone", "user", r.Conversation.User, "error", err)
	}
	if offer.Text != "" {
		d.Text, d.Buttons = d.Text+"\n\n"+offer.Text, offer.Buttons
	}
	return d
}

// shownSettings lists settings, with buttons for what can be pressed.
func shownSettings(list []Setting) (d supervisor.Delivery) {
	var examples strings.Builder
	d.Text = textSettings
	for _, s := range list {
		d.Text += fmt.Sprintf(textSetting, s.Name, s.Value, s.Source)
		d.Buttons = append(d.Buttons, s.buttons()...)
		if s.Example != "" {
			fmt.Fprintf(&examples, "\n- `/settings %s %s`", s.Name, s.Example)
		}
	}
	d.Text += textSettingsEnd + examples.String()
	return d
}

// buttons are those of one setting, in a row.
func (s Setting) buttons() [][]supervisor.Button {
	var row []supervisor.Button
	if s.Name == "model" {
		row = append(row, supervisor.Button{Text: textChooseModel, Press: modelPrefix})
	}
	// also the value that it has: the buttons stay when another is pressed
	for _, value := range s.Presses {
		row = append(row, supervisor.Button{Text: s.Name + ": " + value, Press: settingPrefix + s.Name + " " + value})
	}
	if s.Source == SourceOwn {
		row = append(row, supervisor.Button{Text: fmt.Sprintf(textSettingAsItWas, s.Name), Press: settingPrefix + s.Name + " " + resetWord})
	}
	if len(row) == 0 {
		return nil
	}
	return [][]supervisor.Button{row}
}
