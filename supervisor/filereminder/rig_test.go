package filereminder

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/job"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// rig runs reminders over a database and a clock of the test.
type rig struct {
	testing.TB
	*Reminders
	db     *sqlite.DB
	now    time.Time
	zone   string
	quiet  bool // the users have quiet hours now
	woken  int
	agenda func() (protocol.AgendaResult, error)
}

func newRig(t testing.TB) *rig {
	r := &rig{TB: t, now: time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC), zone: "Europe/Madrid"}
	r.db = sqlitetest.OpenPath(t, filepath.Join(t.TempDir(), "mews.db"), sqlite.Options{
		Now: func() time.Time { return r.now },
		Policies: sqlite.Policies{Notices: sqlite.NoticePolicy{IsHeld: job.IsHeldInQuietHours,
			QuietUntil: func(string, time.Time) (time.Time, bool) { return r.now.Add(time.Hour), r.quiet },
			Combine:    job.CombineNotices}}})
	r.restart()
	return r
}

// restart makes new reminders on the stored data, as after a crash.
func (r *rig) restart() {
	r.Reminders = New(Options{Store: r.db.FileReminders(), Users: func() []string { return []string{"ann"} },
		Person: func(name string) (supervisor.User, bool) {
			return supervisor.User{Name: name, Timezone: r.zone}, name != "bob"
		},
		Agenda: func(context.Context, string, protocol.AgendaParameters) (protocol.AgendaResult, error) {
			return r.agenda()
		},
		TodoButtons: func(id, created string, place int) []supervisor.Button {
			return []supervisor.Button{{Text: fmt.Sprintf("%d", place), Press: "todo:done " + id + " " + created}}
		},
		Commands: []string{"/todo"}, Queued: func(int64) {},
		Wake: func() { r.woken++ }, Now: func() time.Time { return r.now },
		Log: hclog.NewNullLogger()})
}

// location returns the time zone of the users.
func (r *rig) location() *time.Location {
	zone, err := time.LoadLocation(r.zone)
	if err != nil {
		r.Fatal(err)
	}
	return zone
}

// report stores a report of a user's worker.
func (r *rig) report(user string, items ...protocol.FileReminder) {
	r.Helper()
	p := protocol.ReminderReport{From: r.now.AddDate(0, 0, -7).Unix(), Until: r.now.AddDate(0, 0, 35).Unix(),
		Items: items,
		Files: []protocol.ReminderFile{{Path: protocol.TodoFile}, {Path: protocol.CalendarFile}}}
	if err := p.Validate(); err != nil {
		r.Fatal(err)
	}
	r.Receive(user, p)
	r.now = r.now.Add(reportGap)
	r.run()
}

// run runs the reminders once.
func (r *rig) run() {
	r.Helper()
	if err := r.SendDue(r.Context()); err != nil {
		r.Fatal(err)
	}
}

// passUntil lets time pass, as the loop of the schedule does.
func (r *rig) passUntil(end time.Time) {
	r.Helper()
	for r.now.Before(end) {
		next, any := r.NextDue()
		if !any || next.After(end) {
			next = end
		}
		if !next.After(r.now) {
			next = r.now.Add(time.Second)
		}
		r.now = next
		r.run()
	}
}

// said returns the texts that a user has got, the oldest first.
func (r *rig) said(user string) []string {
	return sqlitetest.QueryColumn(r, r.db, `SELECT o.text FROM outbox o JOIN conversation c ON c.id = o.conversation
		WHERE c.user = ? ORDER BY o.id`, user)
}

// due returns a to-do that is due at a wall time, or on a date.
func due(id, at, title string) protocol.FileReminder {
	day := len(at) == len(time.DateOnly)
	if day {
		at += "T09:00:00"
	}
	return protocol.FileReminder{File: protocol.TodoFile, ID: id, Occurrence: "2026-11-30T10:00:00",
		Trigger: protocol.TriggerDue,
		At:      at, DateOnly: day, Title: title}
}

// alarm returns an alarm of an event.
func alarm(uid, at string, lead time.Duration, title string) protocol.FileReminder {
	return protocol.FileReminder{File: protocol.CalendarFile, ID: uid, Trigger: "-PT15M", At: at,
		Lead:  int64(lead / time.Second),
		Title: title}
}

func (r *rig) same(name string, got, want any) {
	r.Helper()
	if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
		r.Errorf("%s:\ngot  %q\nwant %q", name, got, want)
	}
}

// count counts the texts that have a word.
func count(texts []string, word string) (n int) {
	for _, text := range texts {
		n += strings.Count(text, word)
	}
	return n
}
