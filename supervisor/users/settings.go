package users

import (
	"context"
	"sync"
	"time"

	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/budget"
	"mews/supervisor/feature"
	"mews/supervisor/internal/timezone"
	"mews/supervisor/sqlite"
)

// Settings are the choices that users have made, on top of the configuration.
type Settings struct {
	People        *access.People
	Store         sqlite.Settings
	Usage         sqlite.Usage
	Leases        sqlite.Leases
	Models        ModelChoice
	Configuration func() *Configuration // returns the current configuration
	// ParseDollars parses an amount of US dollars as the configuration does. kept is the stored
	// form of the amount.
	ParseDollars func(text string) (micro int64, kept string, err error)
	Now          func() time.Time
	Features     []feature.Setting // the features' settings; must not change after the first call

	// last has the settings that were last read for each user: map[string]string by user.
	last sync.Map
	// languages has the stored language of each user's Telegram, by user.
	languages sync.Map
}

// queryTimeout is the time limit of a query for which only one answer waits.
const queryTimeout = 5 * time.Second

// EffectiveUser returns a user with their settings. known reports whether the user exists. If the
// settings can't be read, it returns the error and the user as configured.
func (s *Settings) EffectiveUser(ctx context.Context, name string) (u supervisor.User, known bool, err error) {
	u, known = s.People.Find(name)
	chosen, err := s.Store.List(ctx, name)
	if err != nil {
		return u, known, err
	}
	s.last.Store(name, chosen)
	return s.apply(u, chosen), known, nil
}

// apply returns a user with their settings.
func (s *Settings) apply(u supervisor.User, chosen map[string]string) supervisor.User {
	for _, row := range s.table() {
		if kept, own := chosen[row.Name]; own && row.Apply != nil {
			row.Apply(&u, kept)
		}
	}
	u.Language = chosen[settingTelegramLanguage]
	return u
}

// StoreTelegramLanguage stores the language of a user's Telegram if it has changed. The language is
// an IETF tag. The unknown language "" changes nothing.
func (s *Settings) StoreTelegramLanguage(ctx context.Context, user, language string) error {
	if known, _ := s.languages.Load(user); language == "" || known == language {
		return nil
	}
	kept, _, err := s.Store.Find(ctx, user, settingTelegramLanguage)
	if err == nil && kept != language {
		err = s.Store.Put(ctx, user, settingTelegramLanguage, language)
	}
	if err == nil {
		s.languages.Store(user, language)
	}
	return err
}

// Find returns a user with their settings. If the settings can't be read, it uses the settings that
// were read last. So Find must not be used for budgets: see BudgetLimits.
func (s *Settings) Find(name string) (supervisor.User, bool) {
	ctx, cancel := context.WithTimeout(context.Background(), queryTimeout)
	defer cancel()
	u, known, err := s.EffectiveUser(ctx, name)
	if err == nil {
		return u, known
	}
	if chosen, ok := s.last.Load(name); ok {
		u = s.apply(u, chosen.(map[string]string))
	}
	return u, known
}

// Zone returns a user's time zone.
func (s *Settings) Zone(user string) *time.Location {
	u, _ := s.Find(user)
	return timezone.ForUser(u)
}

// BudgetLimits returns a user's spending limits. The limits come from the configuration and the
// user's settings. If BudgetLimits returns an error, the limits are unknown.
func (s *Settings) BudgetLimits(name string) (supervisor.Budget, error) {
	ctx, cancel := context.WithTimeout(context.Background(), queryTimeout)
	defer cancel()
	u, _, err := s.EffectiveUser(ctx, name)
	return u.Budget, err
}

// StreamsReplies reports whether a user sees replies as they grow.
func (s *Settings) StreamsReplies(user string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), queryTimeout)
	defer cancel()
	kept, own, err := s.Store.Find(ctx, user, SettingStreamReplies)
	if err != nil || !own {
		return s.Configuration().Defaults.StreamReplies.Value
	}
	return kept == on
}

// BusyMode returns the setting for messages that a user sends while their turn runs. If the
// database fails, the configuration's value holds; no value loses a message.
func (s *Settings) BusyMode(ctx context.Context, user string) supervisor.BusyMode {
	kept, own, err := s.Store.Find(ctx, user, SettingBusyMode)
	if err != nil || !own || !busyValues[supervisor.BusyMode(kept)] {
		return s.Configuration().Defaults.Busy.Value
	}
	return supervisor.BusyMode(kept)
}

// SpeechLanguage returns the language of a user's recordings: auto, or a code such as en. If the
// database fails, it is the configuration's language.
func (s *Settings) SpeechLanguage(ctx context.Context, user string) string {
	kept, own, err := s.Store.Find(ctx, user, SettingSpeechLanguage)
	if err != nil || !own {
		return s.Configuration().Defaults.Language.Value
	}
	return kept
}

// CheckSettingValue returns a setting's value in the form in which Put stores it. Its errors are
// for the user.
func (s *Settings) CheckSettingValue(_ context.Context, user, name, value string) (kept string, err error) {
	u, _ := s.People.Find(user)
	for _, row := range s.table() {
		if row.Name == name {
			return row.Check(u, value)
		}
	}
	return "", invalid(textNoSetting, name)
}

// PutSetting stores a value that CheckSettingValue returned; "" removes the stored value.
func (s *Settings) PutSetting(ctx context.Context, user, name, kept string) error {
	if kept == "" {
		return s.Store.Delete(ctx, user, name)
	}
	return s.Store.Put(ctx, user, name, kept)
}

// IsSharedLimitReached reports whether the monthly limit of all users together is spent.
func (s *Settings) IsSharedLimitReached(ctx context.Context) (bool, error) {
	limit := s.Configuration().Month
	if limit == 0 {
		return false, nil
	}
	month, _ := budget.MonthBounds(s.Now(), time.Local)
	sums, err := s.Usage.Sum(ctx, sqlite.UsageQuery{From: month})
	spent := int64(0)
	for _, sum := range sums {
		spent += sum.Cost
	}
	return spent >= limit, err
}

// ListRemainingBudgets returns the money that a user may still spend, for each limit.
func (s *Settings) ListRemainingBudgets(ctx context.Context, user string) ([]budget.Allowance, error) {
	u, _, err := s.EffectiveUser(ctx, user)
	if err != nil {
		return nil, err
	}
	// The day begins in the configured zone: a user who sets another zone does not begin another
	// day.
	configured, _ := s.People.Find(user)
	zone, now := timezone.ForUser(configured), s.Now()
	day, _ := budget.DayBounds(now, zone)
	month, _ := budget.MonthBounds(now, zone)
	var list []budget.Allowance
	for _, limit := range []struct {
		when string
		max  int64
		from time.Time
		own  bool // whether the user may extend the limit
	}{{periods[SettingDailyLimit], u.Budget.Day, day, true},
		{periods[SettingMonthlyLimit], u.Budget.Month, month, false}} {
		if limit.max == 0 {
			continue
		}
		extended, err := int64(0), error(nil)
		if limit.own {
			extended, err = s.Leases.SumLimitExtensions(ctx, user, limit.from)
		}
		if err != nil {
			return nil, err
		}
		held, err := s.Leases.SumAmounts(ctx, user, limit.from)
		if err != nil {
			return nil, err
		}
		sums, err := s.Usage.Sum(ctx, sqlite.UsageQuery{User: user, From: limit.from})
		if err != nil {
			return nil, err
		}
		a := budget.Allowance{When: limit.when, Max: limit.max + extended, Left: limit.max + extended, Held: held}
		for _, sum := range sums {
			a.Left -= sum.Cost
		}
		list = append(list, a)
	}
	return list, nil
}
