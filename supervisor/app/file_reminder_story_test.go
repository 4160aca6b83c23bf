package app_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mews/supervisor/app/apptest"
)

// newReminderDay starts a service whose clock begins with the machine's, because that is the clock of
// workers. It returns 9:00 of the next day for alice.
func newReminderDay(t *testing.T) (l *aliceService, nine time.Time) {
	m := &taskModel{}
	l = newAliceService(t, providerKinds["openai"], m.answer, "", aliceInMadrid, "bob, totp: 'off'")
	l.at = time.Now().UTC().Truncate(time.Second)
	l.open()
	zone, err := time.LoadLocation("Europe/Madrid")
	if err != nil {
		t.Fatal(err)
	}
	now := l.at.In(zone)
	return l, time.Date(now.Year(), now.Month(), now.Day()+1, 9, 0, 0, 0, zone)
}

// awaitReminders waits until the service has rows of reminders.
func (l *aliceService) awaitReminders(want string) {
	l.T.Helper()
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "reminders "+want, func() bool {
		l.moveTo(l.now().Add(3 * time.Second)) // reports are stored every 2 s
		return l.query(`SELECT coalesce(group_concat(file || ' ' || item || ' ' || state, ', '), '')
			FROM (SELECT * FROM file_reminder ORDER BY file, item)`) == want
	})
}

// A due to-do is said once at its time, also after restarts. Done and Tomorrow change only that item.
func TestFileReminder_Todo_IsSaidOnceAndMoved(t *testing.T) {
	t.Parallel()
	l, nine := newReminderDay(t)
	day := nine.Format(time.DateOnly)
	l.writeHomeFile("todos.md",
		"# Mine\n\n- [ ] Buy milk\n  due: "+day+"\n  <!-- id:7 created:2026-01-01T10:00:00 -->\n"+
			"- [ ] Call Ann\n  <!-- id:8 created:2026-01-01T10:00:00 -->\n")
	l.say("alice", "hello")
	l.awaitLastTold("alice", "Noted.")
	l.awaitReminders("todos.md 7 waiting")
	l.moveTo(nine.Add(-time.Minute))
	l.shut()
	l.open()
	l.moveTo(nine.Add(time.Second))
	l.awaitLastTold("alice", "Reminder: Buy milk, due today")
	l.shut()
	l.open()
	l.say("alice", "hello")
	l.awaitLastTold("alice", "Noted.")
	if got := l.query("SELECT count(*) FROM message WHERE parts LIKE '%you reminded them%Buy milk (to-do " +
		"7)%'"); got != "1" {
		t.Errorf("the model was told %s times", got)
	}
	l.pressButton("Reminder: Buy milk", "Tomorrow")
	l.awaitLastTold("alice", "Buy milk")
	l.awaitReminders("todos.md 7 waiting")
	l.moveTo(nine.AddDate(0, 0, 1).Add(time.Second))
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "the moved reminder", func() bool {
		return l.countTold("alice", "Reminder: Buy milk, due today") == 2
	})
	l.pressButton("Reminder: Buy milk", "Done")
	text := []byte(nil)
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "the to-do to be done", func() (done bool) {
		text, _ = os.ReadFile(filepath.Join(l.UserHome("alice"), "todos.md")) // a missing file has no to-do
		return strings.Contains(string(text), "- [x] Buy milk")
	})
	if !strings.Contains(string(text), "- [ ] Call Ann\n  <!-- id:8 created:2026-01-01T10:00:00 -->\n") {
		t.Errorf("%s", text)
	}
	l.moveTo(nine.AddDate(0, 0, 3))
	if n := l.countTold("alice", "Reminder: "); n != 2 {
		t.Errorf("%d reminders: %q", n, l.told("alice"))
	}
}

// A moved event is said at its new time, a removed one is not said, and the digest has the day's
// events and to-dos.
func TestFileReminder_Event_MovesAndDigests(t *testing.T) {
	t.Parallel()
	l, nine := newReminderDay(t)
	event := func(uid string, at time.Time) string {
		return fmt.Sprintf("BEGIN:VEVENT\r\nUID:%s\r\nSUMMARY:%s\r\nDTSTART;TZID=Europe/Madrid:%s\r\nBEGIN:VALARM\r\n"+
			"ACTION:DISPLAY\r\nTRIGGER:-PT15M\r\nEND:VALARM\r\nEND:VEVENT\r\n", uid, uid, at.Format("20060102T150405"))
	}
	write := func(events ...string) {
		l.writeHomeFile("calendar.ics", "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\n"+strings.Join(events,
			"")+"END:VCALENDAR\r\n")
		l.say("alice", "hello")
		l.awaitLastTold("alice", "Noted.")
	}
	l.say("alice", "/digest 7:30")
	l.awaitLastTold("alice", "Digest is on.")
	l.writeHomeFile("todos.md", "- [ ] Pay rent due:"+nine.Format(time.DateOnly)+"\n")
	write(event("Dentist", nine.Add(time.Hour)), event("Choir", nine.Add(time.Hour)))
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "three reminders", func() bool {
		l.moveTo(l.now().Add(3 * time.Second))
		return l.query("SELECT count(*) FROM file_reminder") == "3"
	})
	write(event("Dentist", nine.Add(2*time.Hour)))
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "two reminders", func() bool {
		l.moveTo(l.now().Add(3 * time.Second))
		return l.query("SELECT count(*) FROM file_reminder") == "2"
	})
	l.moveTo(nine.Add(-90*time.Minute + time.Second))
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "the digest", func() bool {
		return l.countTold("alice",
			"Events") == 1
	})
	digest := lastOf(l.told("alice"))
	if !strings.Contains(digest, "Events\n\n• 11:00: Dentist") || !strings.Contains(digest, "Due\n\n• Pay rent") {
		t.Errorf("the digest: %q", digest)
	}
	l.moveTo(nine.Add(time.Second))
	l.awaitLastTold("alice", "Reminder: Pay rent, due today")
	l.moveTo(nine.Add(105*time.Minute + time.Second))
	l.awaitLastTold("alice", "Reminder: Dentist, 11:00")
	if n := l.countTold("alice", "Choir"); n != 0 {
		t.Errorf("%q", l.told("alice"))
	}
}
