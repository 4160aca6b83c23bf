package users

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/budget"
	"mews/supervisor/feature"
	"mews/supervisor/internal/money"
	"mews/supervisor/internal/quiet"
	"mews/supervisor/internal/timezone"
	"mews/supervisor/sqlite"
)

// Names of stored settings. SettingModel is the name for the model.
const (
	SettingTimezone       = "timezone"
	SettingDailyLimit     = "budget day"
	SettingMonthlyLimit   = "budget month"
	SettingStreamReplies  = "stream"
	SettingBusyMode       = "busy"
	SettingSpeechLanguage = "speech language"
)

// settingTelegramLanguage is the name under which the language of a user's Telegram is stored. It
// is no setting to choose.
const settingTelegramLanguage = "telegram language"

// periods maps the setting of a limit to the limit's period.
var periods = map[string]string{SettingDailyLimit: textToday, SettingMonthlyLimit: textThisMonth}

const (
	on  = sqlite.ConversationLogOn
	off = sqlite.EffectLinesOff
)

var busyValues = map[supervisor.BusyMode]bool{supervisor.BusySteer: true, supervisor.BusyQueue: true, supervisor.BusyRestart: true}

// leastLimit is the smallest budget limit, in millionths of a US dollar. It is also the smallest
// amount that texts show.
const leastLimit = 100

// table lists all settings in the order of display: first the core's settings, then the features'.
func (s *Settings) table() []feature.Setting {
	return append([]feature.Setting{
		{Name: SettingTimezone, Example: "Europe/Madrid", Note: textTimezoneNote, Check: checkTimezone,
			Apply: func(u *supervisor.User, kept string) { u.Timezone = kept },
			Show: func(_ context.Context, with, without supervisor.User) (string, bool) {
				return cmp.Or(with.Timezone, textMachineZone+time.Local.String()+")"), without.Timezone != ""
			}},
		s.limitSetting(SettingDailyLimit, "1.50", func(b *supervisor.Budget) *int64 { return &b.Day }),
		s.limitSetting(SettingMonthlyLimit, "20", func(b *supervisor.Budget) *int64 { return &b.Month }),
		{Name: SettingStreamReplies, Example: off, Presses: []string{on, off}, Check: checkSwitch(textNoStream),
			Show: s.showStream},
		{Name: sqlite.SettingEffectLines, Example: off, Presses: []string{on, off}, Note: textLedgerNote,
			Check: checkSwitch(textNoLedger),
			Show:  s.showSwitch(sqlite.SettingEffectLines, on)},
		{Name: sqlite.SettingConversationLog, Example: on, Presses: []string{on, off}, Note: textLogNote,
			Check: checkSwitch(textNoLog),
			Show:  s.showSwitch(sqlite.SettingConversationLog, off)},
		{Name: sqlite.SettingQuietHours, Example: "22:00-07:30", Note: textQuietNote, Check: checkQuiet,
			Show: s.showSwitch(sqlite.SettingQuietHours, off)},
		{Name: SettingBusyMode, Example: string(supervisor.BusyQueue), Note: textBusyNote, Check: checkBusy,
			Presses: []string{string(supervisor.BusySteer), string(supervisor.BusyQueue),
				string(supervisor.BusyRestart)},
			Show: func(ctx context.Context, with, _ supervisor.User) (string, bool) {
				return string(s.BusyMode(ctx, with.Name)), s.Configuration().Defaults.Busy.Configured
			}},
		{Name: SettingSpeechLanguage, Example: "en", Check: checkLanguage,
			Show: func(ctx context.Context, with, _ supervisor.User) (string, bool) {
				return s.SpeechLanguage(ctx, with.Name), s.Configuration().Defaults.Language.Configured
			}},
	}, s.Features...)
}

// limitSetting returns the setting of a budget limit. A user may only lower the limit.
func (s *Settings) limitSetting(name, example string, of func(*supervisor.Budget) *int64) feature.Setting {
	return feature.Setting{
		Name: name, Example: example, Private: true,
		Check: func(u supervisor.User, value string) (string, error) { return s.checkLimit(*of(&u.Budget), value) },
		Apply: func(u *supervisor.User, kept string) {
			limit := of(&u.Budget)
			if own, _, err := s.ParseDollars(kept); err == nil && own > 0 && (*limit == 0 || own < *limit) {
				*limit = own
			}
		},
		Show: func(_ context.Context, with, without supervisor.User) (string, bool) {
			if limit := *of(&with.Budget); limit != 0 {
				return money.FormatDollars(limit), *of(&without.Budget) != 0
			}
			return textNoLimit, *of(&without.Budget) != 0
		},
	}
}

func (s *Settings) checkLimit(ceiling int64, value string) (string, error) {
	limit, kept, err := s.ParseDollars(strings.TrimPrefix(value, "$"))
	switch {
	case err != nil:
		return "", invalid(textNoAmount, value)
	case limit == 0:
		return "", invalid(textNoMoney)
	case limit < leastLimit:
		return "", invalid(textTooLittle, value, money.FormatDollars(leastLimit))
	case ceiling > 0 && limit > ceiling:
		return "", supervisor.Errorf(supervisor.CodeForbidden, textOverCeiling, money.FormatDollars(ceiling))
	}
	return kept, nil
}

func checkTimezone(_ supervisor.User, value string) (string, error) {
	if _, err := time.LoadLocation(value); err != nil || value == "Local" {
		if near := timezone.Suggest(value); near != "" {
			return "", invalid(textNearZone, value, near)
		}
		return "", invalid(textNoTimezone, value)
	}
	return value, nil
}

// checkQuiet accepts quiet hours, and "off".
func checkQuiet(_ supervisor.User, value string) (string, error) {
	if strings.EqualFold(value, off) {
		return off, nil
	}
	q, ok := quiet.Parse(strings.ToLower(value))
	if !ok {
		return "", invalid(textNoQuiet, value)
	}
	return q.String(), nil
}

func checkLanguage(_ supervisor.User, value string) (string, error) {
	value = strings.ToLower(value)
	if !language.MatchString(value) {
		return "", invalid(textNoLanguage, value)
	}
	return value, nil
}

// language matches whisper.cpp's name of a language, and "auto".
var language = regexp.MustCompile(`^(auto|[a-z]{2,3})$`)

// checkSwitch accepts "on" and "off"; wrong is the error for any other value.
func checkSwitch(wrong string) func(supervisor.User, string) (string, error) {
	return func(_ supervisor.User, value string) (string, error) {
		if value = strings.ToLower(value); value != on && value != off {
			return "", invalid(wrong, value)
		}
		return value, nil
	}
}

// showSwitch returns the Show function of an on-off setting that no configuration sets. The
// argument or is the default value.
func (s *Settings) showSwitch(name, or string) func(context.Context, supervisor.User, supervisor.User) (string, bool) {
	return func(ctx context.Context, with, _ supervisor.User) (string, bool) {
		ctx, cancel := context.WithTimeout(ctx, queryTimeout)
		defer cancel()
		// If Find fails, the default value is shown. List reports the failure itself.
		kept, _, _ := s.Store.Find(ctx, with.Name, name)
		return cmp.Or(kept, or), false
	}
}

func checkBusy(_ supervisor.User, value string) (string, error) {
	value = strings.ToLower(value)
	if !busyValues[supervisor.BusyMode(value)] {
		return "", invalid(textNoBusy, value)
	}
	return value, nil
}

func (s *Settings) showStream(_ context.Context, with, _ supervisor.User) (string, bool) {
	configured := s.Configuration().Defaults.StreamReplies.Configured
	if s.StreamsReplies(with.Name) {
		return on, configured
	}
	return off, configured
}

// Setting is a setting of a user, for display.
type Setting struct {
	Name       string
	Value      string
	Own        bool // the user has set this setting
	Configured bool // the configuration sets this setting, and the user does not
	Example    string
	Presses    []string
	Private    bool
	Note       string
}

// List returns a user's settings for display.
func (s *Settings) List(ctx context.Context, user string) ([]Setting, error) {
	spec, own, err := s.Models.CurrentModel(ctx, user)
	if err != nil {
		return nil, err
	}
	without, _ := s.People.Find(user)
	defaults := s.Configuration().Defaults
	list := []Setting{
		{Name: SettingModel, Value: "`" + spec + "`", Own: own, Configured: defaults.Model.Configured || without.Model != "", Example: "offline"},
		{Name: "thinking", Value: defaults.Thinking.Value, Configured: defaults.Thinking.Configured},
		{Name: "history", Value: textKeptForEver, Configured: without.History != 0},
	}
	if without.History != 0 {
		list[len(list)-1].Value = fmt.Sprintf(textKeptFor, amount.Plural(without.History, "day", "days"))
	}
	with, _, err := s.EffectiveUser(ctx, user)
	if err != nil {
		return nil, err
	}
	left, err := s.ListRemainingBudgets(ctx, user)
	if err != nil {
		return nil, err
	}
	for _, row := range s.table() {
		_, own, err := s.Store.Find(ctx, user, row.Name)
		if err != nil {
			return nil, err
		}
		value, configured := row.Show(ctx, with, without)
		if i := slices.IndexFunc(left, func(a budget.Allowance) bool { return a.When == periods[row.Name] }); i >= 0 {
			value += " (" + left[i].String() + ")"
		}
		list = append(list, Setting{Name: row.Name, Value: value, Own: own, Configured: configured,
			Example: row.Example,
			Presses: row.Presses, Private: row.Private, Note: row.Note})
	}
	return list, nil
}

func invalid(format string, args ...any) error {
	return supervisor.Errorf(supervisor.CodeInvalid, format, args...)
}
