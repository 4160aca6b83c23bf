package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/command"
	"mews/supervisor/sqlite"
)

const studyConfig = `state: %[1]s/state
models: {default: offline, allowed: [offline], providers: {far: {kind: openai, base_url: "http://127.0.0.1:1/v1"}}}
telegram: {groups: [-5]}
users:
  - {name: ann, role: admin, home: %[1]s/ann, timezone: Europe/Madrid, budget: {day: 2.50}, totp: required}
  - {name: ben, home: %[1]s/ben, models_allowed: ["far/*"]}
`

// newStudy has the parts of a service that people's own affairs are about: of ann, who has a budget, and of ben.
func newStudy(t *testing.T) *Service {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "mews.yaml")
	if err := os.WriteFile(file, fmt.Appendf(nil, studyConfig, dir), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ann", "ben"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	cfg, err := readConfig(file)
	if err != nil {
		t.Fatal(err)
	}
	s := &Service{Ground: Ground{Config: cfg, Log: Discard()}}
	for _, open := range []func(context.Context) error{s.openState, s.openStore, s.OpenModels, s.openPeople} {
		if err := open(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- s.db.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if err := s.close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// set sets a person's setting as the command does.
func set(t *testing.T, p preferences, user, name, value string) {
	t.Helper()
	kept, err := p.Check(t.Context(), user, name, value)
	must(t, err)
	must(t, p.Put(t.Context(), user, name, kept))
}

func TestWhatIsNoSettingIsRefused(t *testing.T) {
	p := newStudy(t).preferences()
	for _, c := range []struct {
		user, name, value, want string
	}{
		{"ann", setTimezone, "Europe/Nowhere", `This machine knows no time zone "Europe/Nowhere". One is Europe/Madrid; its letters count.`},
		{"ann", setTimezone, "Local", `This machine knows no time zone "Local". One is Europe/Madrid; its letters count.`},
		{"ann", setDay, "2.51", "The configuration allows you $2.50, and you can only set less. An admin can raise it."},
		{"ann", setDay, "-1", `"-1" is no amount. Write US dollars, such as 1.50.`},
		{"ann", setDay, "0", "With no money at all no model could be asked. Write how much it may be, such as 1.50, or default."},
		{"ann", setDay, "0.000001", `"0.000001" is less than any call of a model costs, and than is shown. The least is $0.0001.`},
		{"ben", setMonth, "much", `"much" is no amount. Write US dollars, such as 1.50.`},
		{"ben", setStream, "maybe", `It is on, and answers grow before your eyes, or off, and they come when they are whole. "maybe" is neither.`},
		{"ben", setBusy, "wait", `It is steer, and what you send while I answer is taken in on the way, queue, and it is answered next, ` +
			`or restart, and the answer begins anew. "wait" is none of them.`},
		{"ben", "colour", "red", `There is no setting "colour".`},
	} {
		if kept, err := p.Check(t.Context(), c.user, c.name, c.value); supervisor.ErrorMessage(err) != c.want {
			t.Errorf("%s %s: %q, %v", c.name, c.value, kept, err)
		}
	}
}

func TestSettingsAct(t *testing.T) {
	s := newStudy(t)
	p := s.preferences()
	set(t, p, "ann", setTimezone, "Asia/Tokyo")
	set(t, p, "ann", setDay, "$1.25")
	set(t, p, "ben", setMonth, "20")
	set(t, p, "ann", setStream, "OFF")
	ann, _, err := p.effective(t.Context(), "ann")
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
	set(t, p, "ann", setBusy, "Restart")
	if ann, ben := p.whenBusy(t.Context(), "ann"), p.whenBusy(t.Context(), "ben"); ann != supervisor.BusyRestart || ben != supervisor.BusySteer {
		t.Errorf("what is sent meanwhile: ann wants %s, ben %s", ann, ben)
	}
	if p.grows(supervisor.Conversation{User: "ann"}) || !p.grows(supervisor.Conversation{User: "ben"}) {
		t.Error("answers do not come as they were set")
	}
	must(t, s.db.Settings().Put(t.Context(), "ann", setDay, "100")) // as the configuration allowed once
	if ann, _ := p.Find("ann"); ann.Budget.Day != 2_500_000 {
		t.Errorf("ann may spend %d", ann.Budget.Day)
	}
	for _, row := range preferenceTable {
		must(t, p.Put(t.Context(), "ann", row.name, ""))
	}
	without, _ := s.people.Find("ann")
	if ann, _ := p.Find("ann"); !cmp.Equal(ann, without) {
		t.Errorf("ann is %+v", ann)
	}
}

func TestSettingsAreListed(t *testing.T) {
	s := newStudy(t)
	p := s.preferences()
	set(t, p, "ann", setStream, "off")
	set(t, p, "ann", setDay, "1")
	list, err := p.List(t.Context(), "ann")
	must(t, err)
	want := [][3]string{{"model", "`offline`", "the default"}, {"thinking", "off", "the default"},
		{"timezone", "Europe/Madrid", "the configuration's"}, {"budget day", "$1.00 ($1.00 of $1.00 is left today)", "your own"}, {"budget month", "no limit", "the default"},
		{"stream", "off", "your own"}, {"busy", "steer", "the default"}}
	var got [][3]string
	for _, one := range list {
		got = append(got, [3]string{one.Name, one.Value, string(one.Source)})
		if _, err := p.Check(t.Context(), "ann", one.Name, one.Example); one.Example != "" && one.Name != chosenModel && err != nil {
			t.Errorf("the example of %s: %v", one.Name, err)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAModelThatMayNotBeChosenAnyMoreAnswersNobody(t *testing.T) {
	v := newStudy(t).voices()
	for _, c := range []struct {
		user, spec string
		may        bool
	}{{"ann", "offline", true}, {"ann", "far/m", false}, {"ben", "far/m", true}, {"ben", "offline", false}, {"added", "offline", true},
		{"added", "far/m", false}} {
		if v.May(c.user, c.spec) != c.may {
			t.Errorf("%s may choose %s: %v", c.user, c.spec, !c.may)
		}
		must(t, v.Choose(t.Context(), c.user, c.spec))
		if spec, own, err := v.Choice(t.Context(), c.user); err != nil || own != c.may || own && spec != c.spec || !own && spec != "offline" {
			t.Errorf("%s is answered by %s, %v, %v", c.user, spec, own, err)
		}
	}
}

// spend keeps that a person's call of a model cost something, and returns where.
func spend(t *testing.T, s *Service, user string, cost int64) supervisor.Conversation {
	t.Helper()
	c, err := s.db.Conversations().Find(t.Context(), user, supervisor.ChannelTelegram, "-7", "3")
	must(t, err)
	must(t, s.db.Usage().Put(t.Context(), sqlite.ModelCall{User: user, Conversation: c.ID, Spec: "far/m", Cost: &cost,
		Usage: protocol.Usage{Input: 10, Output: 1}}))
	return c
}

func TestWhatIsLeftOfABudget(t *testing.T) {
	s := newStudy(t)
	p := s.preferences()
	spend(t, s, "ann", 300_000)
	spend(t, s, "ben", 1)
	set(t, p, "ann", setMonth, "10")
	got, err := p.Left(t.Context(), "ann")
	must(t, err)
	want := []command.Allowance{{When: "today", Max: 2_500_000, Left: 2_200_000}, {When: "this month", Max: 10_000_000, Left: 9_700_000}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got, err := p.Left(t.Context(), "ben"); err != nil || len(got) != 0 {
		t.Errorf("who has no limit has %v, %v", got, err)
	}
}

func TestUsageIsToldApart(t *testing.T) {
	s := newStudy(t)
	spend(t, s, "ann", 300_000)
	v := s.voices()
	from := time.Now().Add(-time.Hour)
	for by, want := range map[string]string{"model": "far/m", "user": "ann", "conversation": "telegram group -7, topic 3"} {
		lines, err := v.Usage(t.Context(), "ann", from, by)
		must(t, err)
		if len(lines) != 1 || lines[0].Name != want || lines[0].Cost != 300_000 {
			t.Errorf("by %s it is %+v", by, lines)
		}
	}
	days, err := v.Daily(t.Context(), "ann", time.Now().AddDate(0, 0, -2), time.UTC)
	must(t, err)
	if len(days) != 3 || days[2].Name != time.Now().UTC().Format(time.DateOnly) || days[2].Cost != 300_000 || days[0].Calls != 0 {
		t.Errorf("by day it is %+v", days)
	}
}
