package users

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/budget"
	"mews/supervisor/problem"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// fixture is a database with two users: ann, who has a budget, and ben.
type fixture struct {
	db       *sqlite.DB
	people   *access.People
	settings *Settings
}

// fakeFolderPreparer is a FolderPreparer that prepares no folders.
type fakeFolderPreparer struct{}

func (fakeFolderPreparer) SetUsers([]supervisor.User) (func(), error) { return func() {}, nil }

func newFixture(t *testing.T) *fixture {
	t.Helper()
	db := sqlitetest.Open(t)
	people, err := access.NewPeople(nil, 0, func(string) (uint32, error) { return 1, nil })
	must(t, err)
	loader := NewLoader(Options{People: people, Store: db.UserAccessStores(), FolderPreparer: fakeFolderPreparer{},
		Log: hclog.NewNullLogger()})
	must(t, loader.UseConfiguration(t.Context(), &Configuration{
		Users: []supervisor.User{
			{Name: "ann", Role: supervisor.RoleAdmin, Timezone: "Europe/Madrid", Budget: supervisor.Budget{Day: 2_500_000}},
			{Name: "ben", Role: supervisor.RoleUser},
		},
		MayChoose: func(user, spec string) bool { return (user == "ben") == (spec == "far/m") },
		Defaults: DefaultSettings{Model: DefaultValue[string]{Value: "offline"},
			Thinking:      DefaultValue[string]{Value: "off"},
			StreamReplies: DefaultValue[bool]{Value: true},
			Busy:          DefaultValue[supervisor.BusyMode]{Value: supervisor.BusySteer},
			Language:      DefaultValue[string]{Value: "auto"}},
	}))
	return &fixture{db, people, &Settings{
		People: people, Store: db.Settings(), Usage: db.Usage(), Leases: db.Leases(), Now: time.Now,
		Models:        ModelChoice{people, db.Settings(), loader.Configuration},
		Configuration: loader.Configuration, ParseDollars: parseDollars,
	}}
}

// parseDollars parses amounts as the configuration's ParseDollars does.
func parseDollars(text string) (int64, string, error) {
	whole, fraction, _ := strings.Cut(text, ".")
	micro, err := strconv.ParseUint(whole+(fraction + "000000")[:6], 10, 63)
	kept := strings.TrimRight(strings.TrimRight(fmt.Sprintf("%d.%06d", micro/1_000_000, micro%1_000_000), "0"), ".")
	return int64(micro), kept, err
}

func sourceOf(s Setting) string {
	switch {
	case s.Own:
		return "set by you"
	case s.Configured:
		return "set by the configuration"
	}
	return "the default"
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// set changes a user's setting as the command /settings does.
func set(t *testing.T, p *Settings, user, name, value string) {
	t.Helper()
	kept, err := p.CheckSettingValue(t.Context(), user, name, value)
	must(t, err)
	must(t, p.PutSetting(t.Context(), user, name, kept))
}

// spend stores the cost of a user's call of a model.
func spend(t *testing.T, s *fixture, user string, cost int64) {
	t.Helper()
	c, err := s.db.Conversations().FindOrCreate(t.Context(), user, supervisor.ChannelTelegram, "-7", "3")
	must(t, err)
	must(t, s.db.Usage().PutCall(t.Context(), sqlite.ModelCall{User: user, Conversation: c.ID, Spec: "far/m",
		Cost:  &cost,
		Usage: protocol.Usage{Input: 10, Output: 1}}))
}

// holdLease sets an amount aside for a turn of a user.
func holdLease(t *testing.T, s *fixture, user string, amount int64) supervisor.Turn {
	t.Helper()
	in, _, err := s.db.Inbox().StoreInbound(t.Context(), supervisor.Inbound{Source: "terminal", Key: user,
		Kind: supervisor.KindText, Text: "hi",
		Conversation: supervisor.Conversation{User: user, Channel: supervisor.ChannelTerminal}})
	must(t, err)
	turn, _, err := s.db.Turns().Start(t.Context(), in.ID, &supervisor.LeaseRequest{User: user,
		Conversation: in.Conversation.ID, Spec: "far/m", Amount: amount})
	must(t, err)
	return turn
}

func TestSettings_InvalidValue_IsRefused(t *testing.T) {
	p := newFixture(t).settings
	for _, c := range []struct {
		user, name, value, want string
	}{
		{"ann", SettingTimezone, "Europe/Nowhere", `This machine knows no time zone "Europe/Nowhere". Europe/Madrid is one; capital letters count.`},
		{"ann", SettingTimezone, "Local", `This machine knows no time zone "Local". Europe/Madrid is one; capital letters count.`},
		{"ann", SettingTimezone, "Berlin", fmt.Sprintf(textNearZone, "Berlin", "Europe/Berlin")},
		{"ann", SettingDailyLimit, "2.51", "The configuration allows you $2.50, and you can only set less. An admin can raise that limit."},
		{"ann", SettingDailyLimit, "-1", `"-1" is no amount. Write US dollars, such as 1.50.`},
		{"ann", SettingDailyLimit, "0", "With a limit of 0, I could not ask any model. Write an amount, such as 1.50, or default."},
		{"ann", SettingDailyLimit, "0.000001", `"0.000001" is too little: no call of a model is that cheap. The least is $0.0001.`},
		{"ben", SettingMonthlyLimit, "much", `"much" is no amount. Write US dollars, such as 1.50.`},
		{"ben", SettingStreamReplies, "maybe", `With on, answers grow before your eyes. With off, they come when they are whole. "maybe" is neither.`},
		{"ben", SettingBusyMode, "wait", `With steer, I take what you send into the answer that I am working on. With queue, I answer it next. With restart, I begin ` +
			`the answer again. "wait" is none of them.`},
		{"ben", "colour", "red", `There is no setting "colour".`},
	} {
		if kept, err := p.CheckSettingValue(t.Context(), c.user, c.name, c.value); problem.UserText(err) != c.want {
			t.Errorf("%s %s: %q, %v", c.name, c.value, kept, err)
		}
	}
}

func TestSettings_StoredValue_TakesEffect(t *testing.T) {
	s := newFixture(t)
	p := s.settings
	set(t, p, "ann", SettingTimezone, "Asia/Tokyo")
	set(t, p, "ann", SettingDailyLimit, "$1.25")
	set(t, p, "ben", SettingMonthlyLimit, "20")
	set(t, p, "ann", SettingStreamReplies, "OFF")
	ann, _, err := p.EffectiveUser(t.Context(), "ann")
	must(t, err)
	if ann.Timezone != "Asia/Tokyo" || ann.Budget.Day != 1_250_000 || ann.Budget.Month != 0 {
		t.Errorf("ann is %+v", ann)
	}
	if ben, known := p.Find("ben"); !known || ben.Budget.Month != 20_000_000 || ben.Timezone != "" {
		t.Errorf("ben is %+v", ben)
	}
	if _, known := p.Find("cleo"); known {
		t.Error("nobody is somebody")
	}
	set(t, p, "ann", SettingBusyMode, "Restart")
	if ann, ben := p.BusyMode(t.Context(), "ann"), p.BusyMode(t.Context(), "ben"); ann != supervisor.BusyRestart ||
		ben != supervisor.BusySteer {
		t.Errorf("what is sent meanwhile: ann wants %s, ben %s", ann, ben)
	}
	if p.StreamsReplies("ann") || !p.StreamsReplies("ben") {
		t.Error("answers do not come as they were set")
	}
	// the configuration allowed this value earlier
	must(t, s.db.Settings().Put(t.Context(), "ann", SettingDailyLimit, "100"))
	if ann, _ := p.Find("ann"); ann.Budget.Day != 2_500_000 {
		t.Errorf("ann may spend %d", ann.Budget.Day)
	}
	for _, row := range p.table() {
		must(t, p.PutSetting(t.Context(), "ann", row.Name, ""))
	}
	without, _ := s.people.Find("ann")
	if ann, _ := p.Find("ann"); !cmp.Equal(ann, without) {
		t.Errorf("ann is %+v", ann)
	}
}

func TestSettings_List_ShowsEachSetting(t *testing.T) {
	s := newFixture(t)
	p := s.settings
	set(t, p, "ann", SettingStreamReplies, "off")
	set(t, p, "ann", SettingDailyLimit, "1")
	list, err := p.List(t.Context(), "ann")
	must(t, err)
	want := [][3]string{{"model", "`offline`", "the default"}, {"thinking", "off", "the default"}, {"history",
		"messages are kept for ever", "the default"},
		{"timezone", "Europe/Madrid", "set by the configuration"}, {"budget day",
			"$1.00 ($1.00 of $1.00 is left today)", "set by you"}, {"budget month", "no limit", "the default"},
		{"stream", "off", "set by you"}, {"ledger", "on", "the default"}, {"log", "off", "the default"}, {"quiet",
			"off", "the default"}, {"busy", "steer", "the default"},
		{"speech language", "auto", "the default"}}
	var got [][3]string
	for _, one := range list {
		got = append(got, [3]string{one.Name, one.Value, sourceOf(one)})
		if _, err := p.CheckSettingValue(t.Context(), "ann", one.Name, one.Example); one.Example != "" &&
			one.Name != SettingModel && err != nil {
			t.Errorf("the example of %s: %v", one.Name, err)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestModelChoice_NoLongerAllowed_IsIgnored(t *testing.T) {
	v := newFixture(t).settings.Models
	for _, c := range []struct {
		user, spec string
		may        bool
	}{{"ann", "offline", true}, {"ann", "far/m", false}, {"ben", "far/m", true}, {"ben", "offline", false}, {"added", "offline", true},
		{"added", "far/m", false}} {
		if v.MayChoose(c.user, c.spec) != c.may {
			t.Errorf("%s may choose %s: %v", c.user, c.spec, !c.may)
		}
		must(t, v.Choose(t.Context(), c.user, c.spec))
		if spec, own, err := v.CurrentModel(t.Context(), c.user); err != nil || own != c.may || own && spec != c.spec ||
			!own && spec != "offline" {
			t.Errorf("%s is answered by %s, %v, %v", c.user, spec, own, err)
		}
	}
}

func TestRemainingBudgets_SpentOrHeld_IsSubtracted(t *testing.T) {
	s := newFixture(t)
	p := s.settings
	spend(t, s, "ann", 300_000)
	spend(t, s, "ben", 1)
	set(t, p, "ann", SettingMonthlyLimit, "10")
	got, err := p.ListRemainingBudgets(t.Context(), "ann")
	must(t, err)
	want := []budget.Allowance{{When: "today", Max: 2_500_000, Left: 2_200_000}, {When: "this month", Max: 10_000_000, Left: 9_700_000}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if text := got[0].String(); text != "$2.20 of $2.50 is left today" {
		t.Errorf("it reads %q", text)
	}
	turn := holdLease(t, s, "ann", 400_000)
	holdLease(t, s, "ben", 1)
	got, err = p.ListRemainingBudgets(t.Context(), "ann")
	must(t, err)
	if text := got[0].String(); text != "$2.20 of $2.50 is left today, of which $0.40 is set aside for answers under way" {
		t.Errorf("it reads %q", text)
	}
	// An extension raises the limit of the day, and not that of the month.
	_, err = s.db.Leases().ExtendLimits(t.Context(), supervisor.LimitExtension{User: "ann", Turn: turn.ID,
		Amount: 1_000_000, Max: 1_000_000, Since: turn.StartedAt})
	must(t, err)
	got, err = p.ListRemainingBudgets(t.Context(), "ann")
	must(t, err)
	want = []budget.Allowance{{When: "today", Max: 3_500_000, Left: 3_200_000, Held: 400_000},
		{When: "this month", Max: 10_000_000, Left: 9_700_000, Held: 400_000}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got, err := p.ListRemainingBudgets(t.Context(), "ben"); err != nil || len(got) != 0 {
		t.Errorf("who has no limit has %v, %v", got, err)
	}
}

// The language of a user's Telegram is stored once, and survives a restart.
func TestTelegramLanguage_Changed_IsStored(t *testing.T) {
	f := newFixture(t)
	for _, language := range []string{"en", "en", "de", ""} {
		must(t, f.settings.StoreTelegramLanguage(t.Context(), "ann", language))
	}
	again := &Settings{People: f.people, Store: f.db.Settings()}
	must(t, again.StoreTelegramLanguage(t.Context(), "ann", "de"))
	for name, want := range map[string]string{"ann": "de", "ben": ""} {
		if u, known := f.settings.Find(name); !known || u.Language != want {
			t.Errorf("%s speaks %q, want %q", name, u.Language, want)
		}
	}
}
