package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/logging"
	"mews/supervisor/sqlite"
	"mews/supervisor/users"
)

const twoPersonConfig = `state: %[1]s/state
worker: {uids: ""} # homes are made at once, and not with the first worker
models: {default: offline, allowed: [offline], providers: {far: {kind: openai, base_url: "http://127.0.0.1:1/v1"}}}
telegram: {groups: [-5]}
users:
  - {name: ann, role: admin, home: %[1]s/ann, timezone: Europe/Madrid, budget: {day: 2.50}, totp: required}
  - {name: ben, home: %[1]s/ben, models_allowed: ["far/*"]}
`

// newTwoPersonService makes the parts of a service for users' settings and budgets. Its users are
// ann, who has a budget, and ben.
func newTwoPersonService(t *testing.T) *service {
	t.Helper()
	return newTwoPersonServiceIn(t, t.TempDir())
}

func newTwoPersonServiceIn(t *testing.T, dir string) *service {
	t.Helper()
	file := filepath.Join(dir, "mews.yaml")
	if err := os.WriteFile(file, fmt.Appendf(nil, twoPersonConfig, dir), 0o600); err != nil {
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
	s := &service{storage: storage{config: cfg, log: logging.Discard(), now: time.Now}}
	for _, open := range []func(context.Context) error{s.openState, s.openStore, s.openModels, s.openPeople} {
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

// set changes a user's setting, like /settings.
func set(t *testing.T, p *users.Settings, user, name, value string) {
	t.Helper()
	kept, err := p.CheckSettingValue(t.Context(), user, name, value)
	must(t, err)
	must(t, p.PutSetting(t.Context(), user, name, kept))
}

// spend records the cost of a user's model call, and returns its conversation.
func spend(t *testing.T, s *service, user string, cost int64) supervisor.Conversation {
	t.Helper()
	c, err := s.db.Conversations().FindOrCreate(t.Context(), user, supervisor.ChannelTelegram, "-7", "3")
	must(t, err)
	must(t, s.db.Usage().PutCall(t.Context(), sqlite.ModelCall{User: user, Conversation: c.ID, Spec: "far/m",
		Cost:  &cost,
		Usage: protocol.Usage{Input: 10, Output: 1}}))
	return c
}

func TestUsage_IsSplitByModelUserChatDay(t *testing.T) {
	s := newTwoPersonService(t)
	spend(t, s, "ann", 300_000)
	v := s.modelCommands()
	from := time.Now().Add(-time.Hour)
	for by, want := range map[string]string{"model": "far/m", "user": "ann", "conversation": "telegram group -7, topic 3"} {
		lines, err := v.SumUsage(t.Context(), "ann", supervisor.TimeSpan{From: from}, by)
		must(t, err)
		if len(lines) != 1 || lines[0].Name != want || lines[0].Cost != 300_000 {
			t.Errorf("by %s it is %+v", by, lines)
		}
	}
	days, err := v.SumDailyUsage(t.Context(), "ann", time.Now().AddDate(0, 0, -2), time.UTC)
	must(t, err)
	if len(days) != 3 || days[2].Name != time.Now().UTC().Format(time.DateOnly) || days[2].Cost != 300_000 || days[0].Calls != 0 {
		t.Errorf("by day it is %+v", days)
	}
}
