package app

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"mews/config"
	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/budget"
	"mews/supervisor/command"
	"mews/supervisor/sqlite"
)

// preferences are what people have set for themselves, laid over what the configuration has for them.
type preferences struct {
	people   *access.People
	settings sqlite.Settings
	usage    sqlite.Usage
	leases   sqlite.Leases
	voices   voices
	config   func() *config.Config // that is in force
	last     *sync.Map             // what of each person was read last: map[string]string by user
	now      func() time.Time
}

func (s *Service) preferences() preferences {
	return preferences{people: s.people, settings: s.db.Settings(), usage: s.db.Usage(), leases: s.db.Leases(), voices: s.voices(),
		config: s.roster.Config, last: &s.roster.chosen, now: s.moment}
}

// preference is a setting that is kept: a row of a table.
type preference struct {
	name    string
	example string
	presses []string
	private bool
	note    string
	// check is a value as it is kept, for a person as the configuration has them. Its errors are theirs to read.
	check func(u supervisor.User, value string) (kept string, err error)
	// lay puts what is kept over a person. What the configuration forbids since counts for nothing.
	lay func(u *supervisor.User, kept string)
}

// The settings that are kept under their names; the model's is chosenModel.
const (
	setTimezone = "timezone"
	setDay      = "budget day"
	setMonth    = "budget month"
	setStream   = "stream"
)

// whenOf is what of a person's allowances a setting is about.
var whenOf = map[string]string{setDay: "today", setMonth: "this month"}

// How an answer comes, as people set it.
const (
	streamOn  = "on"
	streamOff = "off"
)

// preferenceTable is all of them, in the order in which they are shown.
var preferenceTable = []preference{
	{name: setTimezone, example: "Europe/Madrid", check: checkZone,
		note: "/usage goes by it at once, your assistant from when it next starts. What you may spend in a day goes by the configuration's.",
		lay:  func(u *supervisor.User, kept string) { u.Timezone = kept }},
	{name: setDay, example: "1.50", private: true,
		check: checkAmount(func(u supervisor.User) int64 { return u.Budget.Day }),
		lay:   func(u *supervisor.User, kept string) { u.Budget.Day = lower(u.Budget.Day, kept) }},
	{name: setMonth, example: "20", private: true,
		check: checkAmount(func(u supervisor.User) int64 { return u.Budget.Month }),
		lay:   func(u *supervisor.User, kept string) { u.Budget.Month = lower(u.Budget.Month, kept) }},
	{name: setStream, example: streamOff, presses: []string{streamOn, streamOff}, check: checkStream,
		lay: func(*supervisor.User, string) {}},
	busyPreference,
}

func checkZone(_ supervisor.User, value string) (string, error) {
	if _, err := time.LoadLocation(value); err != nil || value == "Local" {
		return "", invalid("This machine knows no time zone %q. One is Europe/Madrid; its letters count.", value)
	}
	return value, nil
}

// leastLimit is the smallest limit, in millionths of a US dollar: the smallest amount that is shown.
const leastLimit = 100

// unthinking is what models do by default.
const unthinking = "off"

// checkAmount is a check of a limit, which a person may only lower.
func checkAmount(most func(supervisor.User) int64) func(supervisor.User, string) (string, error) {
	return func(u supervisor.User, value string) (string, error) {
		limit, err := config.ParseDollars(strings.TrimPrefix(value, "$"))
		switch ceiling := most(u); {
		case err != nil:
			return "", invalid("%q is no amount. Write US dollars, such as 1.50.", value)
		case limit.Micro == 0:
			return "", invalid("With no money at all no model could be asked. Write how much it may be, such as 1.50, or default.")
		case limit.Micro < leastLimit:
			return "", invalid("%q is less than any call of a model costs, and than is shown. The least is %s.", value, amount.Dollars(leastLimit))
		case ceiling > 0 && limit.Micro > ceiling:
			return "", &supervisor.Error{Code: supervisor.CodeForbidden, Message: fmt.Sprintf(
				"The configuration allows you %s, and you can only set less. An admin can raise it.", amount.Dollars(ceiling))}
		}
		return limit.String(), nil
	}
}

// lower is the lower of two limits, of which the configuration's may be none.
func lower(ceiling int64, kept string) int64 {
	own, err := config.ParseDollars(kept)
	if err != nil || own.Micro == 0 || ceiling > 0 && own.Micro > ceiling {
		return ceiling
	}
	return own.Micro
}

func checkStream(_ supervisor.User, value string) (string, error) {
	value = strings.ToLower(value)
	if value != streamOn && value != streamOff {
		return "", invalid("It is on, and answers grow before your eyes, or off, and they come when they are whole. %q is neither.", value)
	}
	return value, nil
}

func invalid(format string, args ...any) error {
	return &supervisor.Error{Code: supervisor.CodeInvalid, Message: fmt.Sprintf(format, args...)}
}

// effective is a person as they are with what they have set. That it can't be found is an error, with the person as the
// configuration has them.
func (p preferences) effective(ctx context.Context, name string) (u supervisor.User, known bool, err error) {
	u, known = p.people.Find(name)
	chosen := map[string]string{}
	for _, row := range preferenceTable {
		kept, own, err := p.settings.Get(ctx, name, row.name)
		if err != nil {
			return u, known, err
		}
		if own {
			chosen[row.name] = kept
		}
	}
	p.last.Store(name, chosen)
	return lay(u, chosen), known, nil
}

// lay is a person with what they have chosen.
func lay(u supervisor.User, chosen map[string]string) supervisor.User {
	for _, row := range preferenceTable {
		if kept, own := chosen[row.name]; own {
			row.lay(&u, kept)
		}
	}
	return u
}

// Find is the person with what they have set. Where that can't be found, it is what was found last: it is for what may be as
// it was a while ago, and that is no limit of what may be spent.
func (p preferences) Find(name string) (supervisor.User, bool) {
	ctx, cancel := context.WithTimeout(context.Background(), lookingUp)
	defer cancel()
	u, known, err := p.effective(ctx, name)
	if err == nil {
		return u, known
	}
	if chosen, ok := p.last.Load(name); ok {
		u = lay(u, chosen.(map[string]string))
	}
	return u, known
}

// limits are what a person may spend, by the configuration and by what they have set. That the latter can't be found is an
// error: nobody knows then what may be spent.
func (p preferences) limits(name string) (supervisor.Budget, error) {
	ctx, cancel := context.WithTimeout(context.Background(), lookingUp)
	defer cancel()
	u, _, err := p.effective(ctx, name)
	return u.Budget, err
}

// lookingUp is how long a look into the database may take that nothing waits for but somebody's answer.
const lookingUp = 5 * time.Second

// grows says whether the replies in a conversation are shown as they grow.
func (p preferences) grows(c supervisor.Conversation) bool {
	ctx, cancel := context.WithTimeout(context.Background(), lookingUp)
	defer cancel()
	stream, own, err := p.settings.Get(ctx, c.User, setStream)
	if err != nil || !own {
		return p.config().Chat.Stream == config.StreamEdit
	}
	return stream == streamOn
}

// Check is a value of a setting as it is kept.
func (p preferences) Check(_ context.Context, user, name, value string) (string, error) {
	u, _ := p.people.Find(user)
	for _, row := range preferenceTable {
		if row.name == name {
			return row.check(u, value)
		}
	}
	return "", invalid("There is no setting %q.", name)
}

// Put keeps what Check has given; "" takes back what was kept.
func (p preferences) Put(ctx context.Context, user, name, kept string) error {
	if kept == "" {
		return p.settings.Delete(ctx, user, name)
	}
	return p.settings.Put(ctx, user, name, kept)
}

// List is what is set for a person.
func (p preferences) List(ctx context.Context, user string) ([]command.Setting, error) {
	spec, own, err := p.voices.Choice(ctx, user)
	if err != nil {
		return nil, err
	}
	models := p.config().Models
	without, _ := p.people.Find(user)
	list := []command.Setting{
		{Name: chosenModel, Value: "`" + spec + "`", Source: sourceOf(own, models.Default != config.Offline || without.Model != ""), Example: "offline"},
		{Name: "thinking", Value: models.Thinking, Source: sourceOf(false, models.Thinking != unthinking)},
	}
	with, _, err := p.effective(ctx, user)
	if err != nil {
		return nil, err
	}
	left, err := p.Left(ctx, user)
	if err != nil {
		return nil, err
	}
	for _, row := range preferenceTable {
		_, own, err := p.settings.Get(ctx, user, row.name)
		if err != nil {
			return nil, err
		}
		value, configured := p.show(row.name, with, without)
		for _, a := range left {
			if a.When == whenOf[row.name] {
				value += " (" + a.String() + ")"
			}
		}
		list = append(list, command.Setting{Name: row.name, Value: value, Source: sourceOf(own, configured), Example: row.example,
			Presses: row.presses, Private: row.private, Note: row.note})
	}
	return list, nil
}

// show is the value of a setting for a person, and whether the configuration says what it is without them.
func (p preferences) show(name string, with, without supervisor.User) (value string, configured bool) {
	limit := func(most int64) string {
		if most == 0 {
			return "no limit"
		}
		return amount.Dollars(most)
	}
	switch name {
	case setTimezone:
		return cmp.Or(with.Timezone, "the machine's own ("+time.Local.String()+")"), without.Timezone != ""
	case setDay:
		return limit(with.Budget.Day), without.Budget.Day != 0
	case setMonth:
		return limit(with.Budget.Month), without.Budget.Month != 0
	case setBusy:
		return string(p.whenBusy(context.Background(), with.Name)), p.config().Chat.Busy != config.BusySteer
	}
	stream := streamOff
	if p.grows(supervisor.Conversation{User: with.Name}) {
		stream = streamOn
	}
	return stream, p.config().Chat.Stream != config.StreamEdit
}

func sourceOf(own, configured bool) command.Source {
	switch {
	case own:
		return command.SourceOwn
	case configured:
		return command.SourceConfig
	}
	return command.SourceDefault
}

// Left is what a person may still spend, of each limit that they have.
func (p preferences) Left(ctx context.Context, user string) ([]command.Allowance, error) {
	u, _, err := p.effective(ctx, user)
	if err != nil {
		return nil, err
	}
	configured, _ := p.people.Find(user) // a person who moves does not begin another day
	zone, now := zoneOf(configured), p.now()
	day, _ := budget.Day(now, zone)
	month, _ := budget.Month(now, zone)
	var list []command.Allowance
	for _, limit := range []struct {
		when string
		max  int64
		from time.Time
	}{{whenOf[setDay], u.Budget.Day, day}, {whenOf[setMonth], u.Budget.Month, month}} {
		if limit.max == 0 {
			continue
		}
		extended, err := p.leases.Extended(ctx, user, limit.from)
		if err != nil {
			return nil, err
		}
		sums, err := p.usage.Sum(ctx, sqlite.UsageQuery{User: user, From: limit.from})
		if err != nil {
			return nil, err
		}
		a := command.Allowance{When: limit.when, Max: limit.max + extended, Left: limit.max + extended}
		for _, sum := range sums {
			a.Left -= sum.Cost
		}
		list = append(list, a)
	}
	return list, nil
}

// zoneOf is where a person's days begin.
func zoneOf(u supervisor.User) *time.Location {
	zone, err := time.LoadLocation(u.Timezone)
	if err != nil || u.Timezone == "" {
		return time.Local
	}
	return zone
}
