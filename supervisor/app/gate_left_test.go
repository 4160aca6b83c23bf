package app

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/budget"
	"mews/supervisor/spool"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
	"mews/supervisor/users"
)

// behind changes a service's database behind its back.
func behind(t *testing.T, s *Service, statements string) {
	t.Helper()
	sqlitetest.Change(t, s.db, statements)
}

// An invite's code that a person sends where it lets nobody in is as good as before, so no word of it is kept.
func TestAnInvitesCodeIsKeptNowhere(t *testing.T) {
	p := newPorch(t)
	code, _ := access.NewInvite()
	text := `,"text":"/start@mews_bot ` + code.Reveal() + `"`
	p.take(1, p.letter(-7, 101, text), p.letter(-9, 102, text), p.letter(101, 101, text))
	if want := []string{"alice@-7: /start", "alice@101: /start"}; !slices.Equal(p.texts(), want) {
		t.Errorf("accepted %q, want %q", p.texts(), want)
	}
	var all bytes.Buffer
	for _, user := range []string{"alice", "bob"} {
		must(t, p.db.Access().People.Export(t.Context(), user, &all))
	}
	if strings.Contains(all.String(), code.Reveal()) || !strings.Contains(all.String(), "/start") {
		t.Errorf("kept is %s", all.String())
	}
	if strings.Contains(strings.Join(p.audited, "\n"), code.Reveal()) {
		t.Errorf("audited %q", p.audited)
	}
}

// An update that comes again because what came of it could not be kept is one try.
func TestAStrangersTryCountsOnceHoweverOftenItComes(t *testing.T) {
	p := newPorch(t)
	start, wrong := p.invited(), p.letter(303, 303, `,"text":"/start WRONG"`)
	for range 9 { // more often than a stranger's codes are noted
		p.take(1, wrong)
	}
	p.take(2, start(303))
	if want := []string{"alice@303: /start"}; !slices.Equal(p.texts(), want) {
		t.Errorf("accepted %q, want %q; audited %q", p.texts(), want, p.audited)
	}
}

// What somebody has set lower for themselves is not exceeded because it can't be read.
func TestALimitThatCannotBeReadIsNoneThatIsExceeded(t *testing.T) {
	s := newStudy(t)
	p := s.settings
	set(t, p, "ann", users.SettingDay, "1.25")
	set(t, p, "ann", users.SettingTimezone, "Asia/Tokyo")
	turn := supervisor.Turn{ID: 1, Conversation: supervisor.Conversation{User: "ann", Channel: supervisor.ChannelTerminal}}
	if _, paid := s.purse(turn).(*budget.Reserver); !paid {
		t.Errorf("the purse is %T", s.purse(turn))
	}
	behind(t, s, "ALTER TABLE setting RENAME TO gone")
	purse := s.purse(turn)
	_, err := purse.Reserve(t.Context(), supervisor.Estimate{Spec: "far/m", Worst: 1, Priced: true})
	refused := new(supervisor.ModelError)
	if !errors.As(err, &refused) || refused.Class != supervisor.ModelBudget ||
		!strings.Contains(supervisor.ErrorMessage(err), "What you may spend could not be read, so far/m was not asked.") {
		t.Errorf("what costs something came to %v", err)
	}
	if _, err := purse.Reserve(t.Context(), supervisor.Estimate{Spec: "far/m"}); err == nil {
		t.Error("what nobody knows the price of was paid for")
	}
	if _, err := purse.Reserve(t.Context(), supervisor.Estimate{Spec: "offline", Priced: true}); err != nil {
		t.Errorf("what costs nothing came to %v", err)
	}
	if ann, _ := p.Find("ann"); ann.Timezone != "Asia/Tokyo" { // of which the last is good enough
		t.Errorf("ann lives in %q", ann.Timezone)
	}
	if ben, known := p.Find("ben"); !known || ben.Name != "ben" { // of whom nothing was read yet
		t.Errorf("ben is %+v", ben)
	}
	behind(t, s, "ALTER TABLE gone RENAME TO setting")
	if _, paid := s.purse(turn).(*budget.Reserver); !paid {
		t.Errorf("once it can be read again the purse is %T", s.purse(turn))
	}
}

// A picture that holds a secret does not outlast its message in a terminal either.
func TestAPictureThatVanishesInATerminalLeavesTheSpool(t *testing.T) {
	c := newCounter(t, true)
	outbox := c.s.db.Outbox()
	shown := func(name string, vanish time.Duration) string {
		file, err := pictures{c.s.spool}.Keep(name, []byte(name))
		must(t, err)
		d, err := outbox.Say(t.Context(), supervisor.Delivery{Text: name, Files: []supervisor.File{file}, DeleteAfter: vanish,
			Conversation: supervisor.Conversation{User: "ann", Channel: supervisor.ChannelTerminal}})
		must(t, err)
		must(t, outbox.Delivered(t.Context(), d.ID))
		return file.SHA256
	}
	secret, chart := shown("invite.png", secretStands), shown("chart.png", 0)
	there := func(sha string) bool {
		_, _, err := c.s.spool.ReadAt(sha, make([]byte, 1), 0)
		if err != nil && !errors.Is(err, spool.ErrGone) {
			t.Error(err)
		}
		return err == nil
	}
	for _, at := range []struct {
		after time.Duration
		there bool
	}{{secretStands / 2, true}, {secretStands + time.Second, false}, {secretStands + time.Minute, false}} {
		must(t, force{c.s}.clean(t.Context(), time.Now().Add(at.after)))
		if there(secret) != at.there || !there(chart) {
			t.Errorf("after %v the secret is there: %v, the other one: %v", at.after, there(secret), there(chart))
		}
	}
	if left, err := c.s.db.Cleanings().Due(t.Context(), supervisor.ChannelTerminal, time.Now().Add(time.Hour), 10); err != nil || len(left) != 0 {
		t.Errorf("left to be done are %v, %v", left, err)
	}
}

// Where the audit log takes no entry, nothing that an admin has done takes effect.
func TestNothingTakesEffectWithoutItsAuditEntry(t *testing.T) {
	c := newCounter(t, true)
	store := c.s.db.Access()
	c.does("user", "add", "dan")
	c.does("user", "add", "off")
	c.does("user", "disable", "off")
	c.does("user", "invite", "dan")
	must(t, store.Factors.Put(t.Context(), "dan", []byte("sealed"), nil))
	must(t, store.Bindings.Bind(t.Context(), sqlite.Binding{Channel: supervisor.ChannelTelegram, Account: "7", User: "dan"}))
	must(t, os.WriteFile(c.s.Config.State+"/homes/dan/diary", []byte("hello"), 0o600))
	behind(t, c.s, "UPDATE totp SET failures = 3; CREATE TRIGGER full BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'the log is full'); END")
	state := func() string {
		var all bytes.Buffer
		for _, user := range []string{"ann", "ben", "dan", "eve", "off"} {
			must(t, store.People.Export(t.Context(), user, &all))
		}
		return fmt.Sprint(all.String(), c.does("user", "list"))
	}
	before := state()
	c.configure(strings.Replace(fmt.Sprintf(counterConfig, c.dir), "2.50", "9.50", 1))
	for _, verb := range []string{"user add eve", "user disable dan", "user enable off", "user invite ann", "user invite dan --revoke",
		"totp enroll ben", "totp reset dan", "totp unlock dan", "user export ann", "user remove dan", "user delete dan --yes", "reload"} {
		if _, errs, code := c.types("", strings.Fields(verb)...); code == 0 {
			t.Errorf("mews %s was done, and said %q", verb, errs)
		}
		if now := state(); now != before {
			t.Fatalf("mews %s has made of\n%s\nthis:\n%s", verb, before, now)
		}
	}
	if _, err := os.Stat(c.s.Config.State + "/homes/dan/diary"); err != nil {
		t.Errorf("dan's folder: %v", err)
	}
	behind(t, c.s, "DROP TRIGGER full")
	c.does("user", "delete", "dan", "--yes")
}
