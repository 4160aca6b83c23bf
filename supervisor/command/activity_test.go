package command_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/sqlite/sqlitetest"
)

// addEffect adds an effect to the ledger.
func (h *rig) addEffect(user, kind, target string, at time.Time) {
	h.Helper()
	sqlitetest.ExecStatements(h.T, h.db, fmt.Sprintf(`INSERT INTO effect (user, call, kind, target, detail, reported_by, created_at)
		VALUES ('%s', '', '%s', '%s', '1 byte', iif(instr('%[2]s', '.'), 'supervisor', 'worker'), %[4]d)`, user, kind, target, at.UnixMilli()))
}

func TestActivity_ListsOwnEffects(t *testing.T) {
	h := newRig(t)
	h.options.People = people{"ann": {Name: "ann", Timezone: "UTC"}}
	h.live()
	now := time.Now().UTC()
	h.addEffect("ann", "write", "old.md", now.AddDate(0, 0, -5))
	h.addEffect("bob", "write", "his.md", now)
	h.addEffect("ann", "edit", "a`b.md", now)
	h.addEffect("ann", "file.sent", "a.png", now)
	day := now.Format(time.DateOnly)
	for ask, want := range map[string]string{
		"/activity":            "- " + now.Format("2006-01-02 15:04") + " sent `a.png` (1 byte)\n- " + now.Format("2006-01-02 15:04") + " edited `ab.md` (1 byte)\n\nThe walled-off worker reported",
		"/activity today SENT": "- " + now.Format("2006-01-02 15:04") + " sent `a.png` (1 byte)",
		"/activity 7d changed": "edited `ab.md` (1 byte)\n- " + now.AddDate(0, 0, -5).Format("2006-01-02 15:04") + " wrote `old.md`",
		"/activity " + day:     "sent `a.png`",
		"/activity 2020-01-01": "Nothing was done in that time.",
		"/activity soon":       `"soon" is neither a time, such as today, 1h, 7d or 2026-11-20, nor a kind: changed, run, sent, called, asked, received.`,
		"/activity all":        "Only an admin can see everybody's activity.",
	} {
		got := h.ask(ask)
		if !strings.Contains(got, want) || strings.Contains(got, "his.md") || strings.Contains(ask, "SENT") && strings.Contains(got, "edited") {
			t.Errorf("%s: %q, want %q", ask, got, want)
		}
	}
}

func TestActivity_OlderButton_ShowsNextPage(t *testing.T) {
	h := newRig(t)
	h.options.People = people{"ann": {Name: "ann", Timezone: "UTC"}}
	h.live()
	now := time.Now().UTC()
	for i := range 45 {
		h.addEffect("ann", "edit", fmt.Sprintf("file%02d", i), now.AddDate(0, 0, -1))
		h.addEffect("ann", "run", "make", now)
	}
	d := h.answerOf(h.keep("/activity 7d changed"))
	seen := d.Text
	for range 2 {
		if len(d.Buttons) != 1 || d.Buttons[0][0].Text != "Older files" || len(d.Buttons[0][0].Press) > 64 {
			t.Fatalf("buttons %+v", d.Buttons)
		}
		h.addEffect("ann", "edit", "new", now) // newer effects must not shift the older pages
		d = h.pressAnswer(d.Buttons[0][0].Press)
		seen += "\n" + d.Text
	}
	if d.Buttons != nil {
		t.Errorf("the last page has %+v", d.Buttons)
	}
	for i := range 45 {
		if n := strings.Count(seen, fmt.Sprintf("file%02d", i)); n != 1 {
			t.Errorf("file%02d stands there %d times", i, n)
		}
	}
	if strings.Contains(seen, "make") || strings.Contains(seen, "new") {
		t.Error(seen)
	}
	if got := h.pressAnswer("a:nonsense").Text; !strings.HasPrefix(got, "This button does nothing any more.") {
		t.Error(got)
	}
}

// An admin sees how many effects all users had, but no details.
func TestActivityOfAll_Admin_ShowsOnlyCounts(t *testing.T) {
	h := newRig(t)
	h.setRole(supervisor.RoleAdmin)
	h.live()
	now := time.Now()
	for range 3 {
		h.addEffect("bob", "write", "his.md", now)
	}
	h.addEffect("bob", "file.sent", "his.png", now)
	h.addEffect("ann", "run", "make", now)
	h.addEffect("ann", "run", "make", now.AddDate(0, 0, -9))
	for ask, want := range map[string][]string{
		"/activity all":          {"- `ann`: run, 1", "- `bob`: changed, 3", "- `bob`: sent, 1"},
		"/activity ALL 30d run":  {"- `ann`: run, 2"},
		"/activity all sent 30d": {"- `bob`: sent, 1"},
	} {
		got := h.ask(ask)
		if _, lines, _ := strings.Cut(got, "\n\n"); lines != strings.Join(want, "\n") {
			t.Errorf("%s: %q, want %q", ask, got, want)
		}
	}
	if got := h.ask("/activity"); strings.Contains(got, "his") || !strings.Contains(got, "ran `make`") {
		t.Errorf("an admin's own: %q", got)
	}
}
