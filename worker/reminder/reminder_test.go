package reminder

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/worker/workspace"
)

// folder is a home with files of the test, at a time.
type folder struct {
	*testing.T
	*Home
	dir string
	now time.Time
}

func newFolder(t *testing.T) *folder {
	zone, err := time.LoadLocation("Europe/Madrid")
	if err != nil {
		t.Fatal(err)
	}
	f := &folder{T: t, dir: t.TempDir(), now: time.Date(2026, 11, 30, 11, 0, 0, 0, zone)}
	files, err := workspace.Open(f.dir, protocol.FilePolicy{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = files.Close() })
	f.Home = &Home{Files: files, Formats: []Format{CalendarFormat, TodoFormat}, Zone: zone,
		Now: func() time.Time { return f.now }}
	return f
}

func (f *folder) write(name string, lines ...string) {
	f.Helper()
	if err := os.WriteFile(filepath.Join(f.dir, name), []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		f.Fatal(err)
	}
}

// writeEvents writes a calendar. Each event is a list of lines.
func (f *folder) writeEvents(events ...string) {
	f.Helper()
	text := "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:test\n"
	for _, e := range events {
		text += "BEGIN:VEVENT\n" + e + "\nEND:VEVENT\n"
	}
	f.write(protocol.CalendarFile, text+"END:VCALENDAR")
}

// expect compares the reminders of the home, each as file, id, occurrence, trigger, time, lead and
// title.
func (f *folder) expect(want ...string) protocol.ReminderReport {
	f.Helper()
	r := f.Report()
	if err := r.Validate(); err != nil {
		f.Fatal(err)
	}
	var got []string
	for _, i := range r.Items {
		line := fmt.Sprintf("%s %s %s %s %s %d %s", i.File, i.ID, i.Occurrence, i.Trigger, i.At, i.Lead, i.Title)
		if i.DateOnly {
			line += " (date)"
		}
		if i.World {
			line += " (world)"
		}
		got = append(got, line)
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		f.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	return r
}

func TestReport_Todos_ListsDueItems(t *testing.T) {
	f := newFolder(t)
	f.write(protocol.TodoFile, "# To-dos", "",
		"- [ ] Buy milk due:2026-12-01", "  <!-- id:7 created:2026-11-30T10:00:00 -->",
		"- [~] Call Ann", "  due: 2026-12-01 15:00", "  <!-- id:8 created:2026-11-29T10:00:00 -->",
		"- [x] Done due:2026-12-01", "  <!-- id:9 created:2026-11-29T10:00:00 -->",
		"- [ ] Never", "- [ ] Far due:2027-02-01", "- [ ] Long ago due:2026-10-01", "- [ ] By hand due:2026-12-03")
	r := f.Report()
	if len(r.Items) != 3 || !strings.HasPrefix(r.Items[2].ID, "h") {
		t.Fatalf("%+v", r.Items)
	}
	milk, ann, hand := r.Items[0], r.Items[1], r.Items[2]
	if !strings.HasPrefix(milk.Occurrence, "2026-11-30T10:00:00") {
		t.Errorf("%+v", milk)
	}
	f.expect("todos.md 7 "+milk.Occurrence+" due 2026-12-01T09:00:00 0 Buy milk (date)",
		"todos.md 8 "+ann.Occurrence+" due 2026-12-01T15:00:00 0 Call Ann",
		fmt.Sprintf("todos.md %s %s due 2026-12-03T09:00:00 0 By hand (date)", hand.ID, hand.Occurrence))
}

func TestReport_Alarms_ListsEachOccurrence(t *testing.T) {
	f := newFolder(t)
	alarm := func(trigger string) string { return "BEGIN:VALARM\nACTION:DISPLAY\n" + trigger + "\nEND:VALARM" }
	f.writeEvents(
		"UID:dentist\nSUMMARY:Dentist\nDTSTART:20261203T100000\nDTEND:20261203T110000\n"+alarm("TRIGGER:-PT15M")+"\n"+
			alarm("TRIGGER;RELATED=END:PT5M"),
		"UID:choir\nSUMMARY:Choir\nDTSTART;TZID=Europe/London:20261201T190000\nRRULE:FREQ=WEEKLY;COUNT=2\n"+
			alarm("TRIGGER:-P1D"),
		"UID:choir\nRECURRENCE-ID;TZID=Europe/London:20261208T190000\nSUMMARY:Choir, moved\n"+
			"DTSTART;TZID=Europe/London:"+
			"20261209T200000\n"+alarm("TRIGGER:-P1D"),
		"UID:day\nSUMMARY:Birthday\nDTSTART;VALUE=DATE:20261205\n"+alarm("TRIGGER:-PT15H")+"\nX-MEWS-FROM-OTHERS:1",
		"UID:fixed\nSUMMARY:Fixed\nDTSTART:20261220T100000Z\n"+alarm("TRIGGER;VALUE=DATE-TIME:20261210T080000Z"),
		"UID:off\nSUMMARY:Off\nSTATUS:CANCELLED\nDTSTART:20261203T100000\n"+alarm("TRIGGER:-PT15M"),
		"UID:none\nSUMMARY:None\nDTSTART:20261203T100000\nBEGIN:VALARM\nACTION:NONE\nTRIGGER:-PT15M\nEND:VALARM",
		"UID:plain\nSUMMARY:Plain\nDTSTART:20261203T100000",
		"UID:odd\nSUMMARY:Odd\nDTSTART:20261203T100000\n"+alarm("TRIGGER:soon"))
	f.expect("calendar.ics choir 2026-12-01T19:00 -P1D 2026-12-01T19:00:00Z 86400 Choir",
		"calendar.ics dentist  -PT15M 2026-12-03T10:00:00 900 Dentist",
		"calendar.ics dentist  ENDPT5M 2026-12-03T11:00:00 -300 Dentist",
		"calendar.ics day  -PT15H 2026-12-05T00:00:00 54000 Birthday (date) (world)",
		"calendar.ics choir 2026-12-08T19:00 -P1D 2026-12-09T20:00:00Z 86400 Choir, moved",
		"calendar.ics fixed  20261210T080000Z 2026-12-10T08:00:00Z 0 Fixed")
}

// A day before an event is a day on the wall, also when the clocks change between.
func TestReport_ClockChange_KeepsAlarmsWallTime(t *testing.T) {
	f := newFolder(t)
	f.now = time.Date(2027, 3, 25, 0, 0, 0, 0, f.Zone)
	f.writeEvents("UID:a\nSUMMARY:A\nDTSTART:20270328T100000\nBEGIN:VALARM\nTRIGGER:-P1D\nEND:VALARM\n" +
		"BEGIN:VALARM\nTRIGGER:-PT9H\nEND:VALARM")
	f.expect("calendar.ics a  -P1D 2027-03-28T10:00:00 82800 A", "calendar.ics a  -PT9H 2027-03-28T10:00:00 32400 A")
}

// Texts from the files fit the wire, and no file makes an invalid report.
func TestReport_HostileFiles_StayValid(t *testing.T) {
	f := newFolder(t)
	var lines, events []string
	for i := range 1200 {
		lines = append(lines, fmt.Sprintf("- [ ] %s %d due:2026-12-01", strings.Repeat("\u00e9\x1b[31m\u202e", 100), i),
			fmt.Sprintf("  <!-- id:%d created:%s -->", i%50, strings.Repeat("2", i)))
		events = append(events,
			fmt.Sprintf("UID:%s%d\nSUMMARY:%s\nDTSTART:20261203T100000\nRRULE:FREQ=MINUTELY\n"+
				"BEGIN:VALARM\nTRIGGER:%s\nEND:VALARM",
				strings.Repeat("u", i), i%7, strings.Repeat("s", i), []string{"-PT99999H", "PT1M", "-P9999W", "P-1D",
					""}[i%5]))
	}
	f.write(protocol.TodoFile, lines...)
	f.writeEvents(events...)
	began := time.Now()
	r := f.Report()
	if err := r.Validate(); err != nil || len(r.Items) != protocol.MaxFileReminders || r.More == 0 {
		t.Errorf("%d items and %d more: %v", len(r.Items), r.More, err)
	}
	t.Logf("%s", time.Since(began))
	for _, i := range r.Items {
		if len(i.Title) > protocol.MaxReminderTitleBytes {
			t.Errorf("a title of %d bytes", len(i.Title))
		}
	}
}

func TestHasChanged_EachChange_IsSeenOnce(t *testing.T) {
	f := newFolder(t)
	expect := func(what string, want bool) {
		t.Helper()
		if got := f.HasChanged(); got != want {
			t.Errorf("%s: %t", what, got)
		}
	}
	expect("the first", true)
	expect("no change", false)
	f.write(protocol.TodoFile, "- [ ] a")
	expect("a new file", true)
	expect("no change", false)
	f.write(protocol.TodoFile, "- [ ] a", "- [ ] b")
	expect("a changed file", true)
	if err := os.Rename(filepath.Join(f.dir, protocol.TodoFile), filepath.Join(f.dir, "other.md")); err != nil {
		t.Fatal(err)
	}
	expect("a removed file", true)
	expect("no change", false)
	f.now = f.now.Add(24 * time.Hour)
	expect("a day later", true)
	expect("no change", false)
}

func TestAgenda_Day_ListsEventsAndDueItems(t *testing.T) {
	f := newFolder(t)
	f.write(protocol.TodoFile, "- [ ] Today due:2026-11-30", "- [ ] Late due:2026-11-02",
		"- [ ] Tomorrow due:2026-12-01")
	f.writeEvents("UID:a\nSUMMARY:Dentist\nDTSTART:20261130T150000",
		"UID:b\nSUMMARY:Past\nDTSTART:20261130T080000\nDTEND:20261130T090000",
		"UID:c\nSUMMARY:All day\nDTSTART;VALUE=DATE:20261130", "UID:d\nSUMMARY:Later\nDTSTART:20261201T080000")
	midnight := time.Date(2026, 12, 1, 0, 0, 0, 0, f.Zone)
	a := f.Agenda(protocol.AgendaParameters{From: f.now.Unix(), Until: midnight.Unix()}, nil)
	if err := a.Validate(); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range a.Entries {
		got = append(got, e.At+" "+e.Title)
	}
	want := "2026-11-02T09:00:00 Late\n2026-11-30T00:00:00 All day\n2026-11-30T09:00:00 Today\n" +
		"2026-11-30T14:00:00Z Dentist"
	if strings.Join(got, "\n") != want {
		t.Errorf("%q", got)
	}
}
