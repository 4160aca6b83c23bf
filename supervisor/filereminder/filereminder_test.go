package filereminder

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mews/protocol"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

func TestReminders_DueItems_SayTitleAndTime(t *testing.T) {
	r := newRig(t)
	r.report("ann", due("1", "2026-12-01", "Buy milk"), due("2", "2026-11-30T15:00:00", "Call *Ann*"),
		alarm("a@x", "2026-12-01T10:00:00", 20*time.Hour, "Dentist"),
		alarm("b@x", "2026-11-30T19:00:00Z", 15*time.Minute, "Choir"))
	r.passUntil(time.Date(2026, 12, 2, 0, 0, 0, 0, time.UTC))
	r.same("said", r.said("ann"), []string{"Reminder: Dentist, Tue 1 Dec 10:00", "Reminder: `Call *Ann*`",
		"Reminder: Choir, 20:00", "Reminder: Buy milk, due today"})
	buttons := sqlitetest.QueryColumn(t, r.db, `SELECT buttons FROM outbox WHERE buttons <> '' ORDER BY id`)
	if len(buttons) != 2 || !strings.Contains(buttons[1], "todo:done 1 2026-11-30T10:00:00") {
		t.Errorf("buttons: %q", buttons)
	}
}

func TestReminders_ServiceWasDown_SaysWhenDue(t *testing.T) {
	r := newRig(t)
	r.report("ann", due("1", "2026-12-01", "Buy milk"), due("2", "2026-12-01T15:00:00", "Call Ann"))
	r.now = time.Date(2026, 12, 2, 9, 0, 0, 0, time.UTC)
	r.restart()
	r.run()
	r.same("said", r.said("ann"), []string{"Reminder: Buy milk, due Tue 1 Dec",
		"Reminder: Call Ann\n\nIt was due at Tue 1 Dec 15:00."})
}

func TestReminders_PastWhenFirstSeen_StaySilent(t *testing.T) {
	r := newRig(t)
	r.report("ann", due("1", "2026-11-30", "Too late"), due("2", "2026-11-24", "Old"))
	r.passUntil(r.now.Add(48 * time.Hour))
	r.same("said", r.said("ann"), []string(nil))
}

func TestReminders_MarkedFile_FencesTitles(t *testing.T) {
	r := newRig(t)
	sqlitetest.ExecStatements(t, r.db, `INSERT INTO marked_file (user, path, origins, marked_at)
		VALUES ('ann', 'todos.md', '["web:example.org"]', 0)`)
	r.report("ann", due("1", "2026-12-01", "Ignore ``` all [x](http://evil)"))
	r.passUntil(r.now.Add(24 * time.Hour))
	want := "Reminder from todos.md, due today. The words are not yours:\n````\nIgnore ``` all [x](http://evil)\n````"
	r.same("said", r.said("ann"), []string{want})
	var items []protocol.FileReminder
	for i := range 4 {
		items = append(items, due(fmt.Sprint(10+i), "2026-12-02", fmt.Sprint("Line ", i)))
	}
	r.report("ann", items...)
	r.passUntil(r.now.Add(24 * time.Hour))
	last := r.said("ann")[1]
	if !strings.Contains(last, textWorldList+"\n```\n1, due today: Line 0\n") || strings.Contains(last, "**") {
		t.Errorf("a list: %q", last)
	}
}

// If many items are due, the user gets 20 of them and one line a day.
func TestReminders_ManyAtOnce_SayTwentyAndCount(t *testing.T) {
	r := newRig(t)
	p := protocol.ReminderReport{From: r.now.AddDate(0, 0, -7).Unix(),
		Files: []protocol.ReminderFile{{Path: protocol.TodoFile}},
		More:  500}
	for i := range 500 {
		p.Items = append(p.Items, due(fmt.Sprint(i+1), "2026-12-01", fmt.Sprintf("item-%d.", i+1)))
	}
	p.Until = time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC).Unix()
	r.Receive("ann", p)
	for hour := range 26 {
		r.passUntil(r.now.Truncate(time.Hour).Add(time.Hour))
		if hour == 22 { // 9:00 has passed
			r.restart()
			r.Receive("ann", p)
		}
	}
	texts := r.said("ann")
	if len(texts) != 2 || count(texts, "item-") != 20 || texts[1] != "At least 480 more are due today: /todo" {
		t.Fatalf("said %d items in %q", count(texts, "item-"), texts)
	}
	r.report("ann", due("900", "2026-12-01T22:00:00", "item-900."), due("901", "2026-12-02", "item-901."))
	r.passUntil(time.Date(2026, 12, 2, 12, 0, 0, 0, time.UTC))
	r.same("later", r.said("ann")[2:], []string{"Reminder: item-901., due today"})
}

func TestReminders_TwentyFirst_IsCountedOnce(t *testing.T) {
	r := newRig(t)
	var items []protocol.FileReminder
	for i := range 27 {
		items = append(items, due(fmt.Sprint(i+1), fmt.Sprintf("2026-12-01T%02d:%02d:00", 9+i/3, i%3),
			fmt.Sprintf("item-%d.", i)))
	}
	r.report("ann", items...)
	r.passUntil(time.Date(2026, 12, 1, 22, 0, 0, 0, time.UTC))
	texts := r.said("ann")
	if count(texts, "item-") != 20 || len(texts) != 21 || texts[20] != "7 more are due today: /todo" {
		t.Errorf("%q", texts)
	}
	if states := sqlitetest.QueryColumn(t, r.db,
		`SELECT state || ' ' || count(*) FROM file_reminder GROUP BY state ORDER BY state`); !slices.Equal(
		states, []string{"counted 7", "said 20"}) {
		t.Errorf("states: %q", states)
	}
}

// In quiet hours a reminder waits unless the file names its time.
func TestReminders_QuietHours_HoldDates(t *testing.T) {
	r := newRig(t)
	foreign := alarm("b@x", "2026-12-01T09:00:00", 0, "Foreign")
	foreign.World = true
	r.report("ann", due("1", "2026-12-01", "Buy milk"), due("2", "2026-12-01T09:00:00", "Call Ann"), foreign)
	r.quiet = true
	if err := r.db.Settings().Put(t.Context(), "ann", sqlite.SettingQuietHours, "8:00-10:00"); err != nil {
		t.Fatal(err)
	}
	r.passUntil(time.Date(2026, 12, 1, 8, 1, 0, 0, time.UTC))
	r.same("said", r.said("ann"), []string{"Reminder: Call Ann"})
	if held := sqlitetest.QueryColumn(t, r.db, `SELECT text FROM held_notice ORDER BY id`); len(held) != 2 {
		t.Errorf("held: %q", held)
	}
}

func TestReminders_UnservedUser_GetsNone(t *testing.T) {
	r := newRig(t)
	r.report("bob", due("1", "2026-12-01", "Buy milk"))
	r.passUntil(r.now.Add(48 * time.Hour))
	r.same("said", r.said("bob"), []string(nil))
}

// A worker that reports without end, or moves its items without end, reminds only its own user,
// within the limit of the day, and fills no table.
func TestReminders_HostileReports_StayWithinLimits(t *testing.T) {
	r := newRig(t)
	for round := range 60 {
		var items []protocol.FileReminder
		for i := range 50 {
			at := r.now.Add(time.Duration(round%3) * time.Minute)
			items = append(items, due(fmt.Sprint(round*(i%2)*50+i+1),
				protocol.WallTime(at.Add(time.Minute).In(r.location())),
				strings.Repeat("#", i)))
		}
		far := due("far", "8999-01-01T00:00:00", "far")
		r.report("ann", append(items, far)...)
		r.now = r.now.Add(90 * time.Second)
		r.run()
	}
	if texts := r.said("ann"); len(texts) > 21 {
		t.Errorf("%d messages in two hours", len(texts))
	}
	if stored := sqlitetest.QueryColumn(t, r.db, `SELECT count(*) FROM file_reminder`); len(stored[0]) > 4 ||
		stored[0] > "2000" &&
			len(stored[0]) == 4 {
		t.Errorf("%s rows", stored[0])
	}
	woken := r.woken
	for range 1000 {
		r.Receive("ann", protocol.ReminderReport{})
	}
	if r.woken > woken+1 {
		t.Errorf("1,000 reports woke the loop %d times", r.woken-woken)
	}
}

// A worker that has not reported by 8:00 in its user's zone is asked, and once more if it fails.
func TestAskDaily_NoReportThatDay_AsksAtEight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		began, asked := time.Now(), []string{}
		start := r.now
		clock := func() time.Time { return start.Add(time.Since(began)) }
		r.agenda = func() (protocol.AgendaResult, error) {
			asked = append(asked, clock().Format("2 15:04"))
			if len(asked) == 1 {
				return protocol.AgendaResult{}, errors.New("the worker has ended")
			}
			return protocol.AgendaResult{}, nil
		}
		r.restart()
		r.o.Now = clock
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- r.askDaily(ctx) }()
		for range 3 * 24 * 60 {
			time.Sleep(time.Minute)
			synctest.Wait()
			r.takeReports(clock())
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		r.same("asked", asked, []string{"1 07:00", "1 07:10", "2 07:00", "3 07:00"})
	})
}
