package calendar

import (
	"strings"
	"testing"
	"time"
)

// weekly is a calendar of another program: it folds after 60 bytes with tabs and has lines that
// are no iCalendar.
const weekly = "BEGIN:VCALENDAR\nVERSION:2.0\nX-WR-CALNAME:Home\n# a remark\n" +
	"BEGIN:VEVENT\nUID:w\nX-KEEP;X=1:yes\nDTSTART;TZID=\"W. Europe Standard Time\":20261201T100000\n" +
	"DTEND;TZID=\"W. Europe Standard Time\":20261201T110000\nRRULE:FREQ=WEEKLY;BYDAY=TU\n" +
	"SUMMARY:Team\nDESCRIPTION:A long line that another program has folded after\n\t 60 bytes\n" +
	"EXDATE;TZID=\"W. Europe Standard Time\":20261222T100000\n" +
	"BEGIN:VALARM\nTRIGGER:-PT5M\nACTION:DISPLAY\nEND:VALARM\nEND:VEVENT\n" +
	"BEGIN:VEVENT\nUID:w\nRECURRENCE-ID;TZID=\"W. Europe Standard Time\":20261215T100000\n" +
	"DTSTART;TZID=\"W. Europe Standard Time\":20261216T100000\nSUMMARY:Team\nEND:VEVENT\n" +
	"BEGIN:VEVENT\nUID:one\nDTSTART;VALUE=DATE:20261203\nSUMMARY:Holiday\nEND:VEVENT\nEND:VCALENDAR"

// of returns a pointer to a value.
func of[T any](v T) *T { return &v }

// changedLines returns the lines that an edit took away and added, in the order of the files.
func changedLines(before, after string) string {
	old, now := strings.SplitAfter(before, "\n"), strings.SplitAfter(after, "\n")
	left := map[string]int{}
	for _, line := range now {
		left[line]++
	}
	var b strings.Builder
	for _, line := range old {
		if left[line]--; left[line] < 0 {
			b.WriteString("-" + strings.TrimRight(line, "\n") + "\n")
		}
	}
	left = map[string]int{}
	for _, line := range old {
		left[line]++
	}
	for _, line := range now {
		if left[line]--; left[line] < 0 {
			b.WriteString("+" + strings.TrimRight(line, "\n") + "\n")
		}
	}
	return b.String()
}

var editNow = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

const touched = "+DTSTAMP:20261130T120000Z\n+LAST-MODIFIED:20261130T120000Z\n+SEQUENCE:1\n"

// TestEdit_EachScope_ChangesOnlyItsLines: an edit changes the lines that it means, in the style of
// the file, and no other line.
func TestEdit_EachScope_ChangesOnlyItsLines(t *testing.T) {
	zone := mustZone(t, "Europe/Berlin")
	for name, c := range map[string]struct {
		edit   Edit
		delete bool
		fields Fields
		want   string // changed lines
		fails  string
	}{
		"title of one event": {edit: Edit{UID: "one"}, fields: Fields{Title: of("Day off")},
			want: "-SUMMARY:Holiday\n+SUMMARY:Day off\n" + touched},
		"delete one event": {edit: Edit{UID: "one"}, delete: true,
			want: "-BEGIN:VEVENT\n-UID:one\n-DTSTART;VALUE=DATE:20261203\n-SUMMARY:Holiday\n-END:VEVENT\n"},
		"delete one date": {edit: Edit{UID: "w", Instance: "2026-12-08T10:00", Scope: ScopeThis}, delete: true,
			want: "+EXDATE;TZID=\"W. Europe Standard Time\":20261208T100000\n" + touched},
		"delete a moved date": {edit: Edit{UID: "w", Instance: "2026-12-15T10:00", Scope: ScopeThis}, delete: true,
			want: "-UID:w\n-RECURRENCE-ID;TZID=\"W. Europe Standard Time\":20261215T100000\n" +
				"-DTSTART;TZID=\"W. Europe Standard " +
				"Time\":20261216T100000\n-SUMMARY:Team\n-BEGIN:VEVENT\n-END:VEVENT\n" +
				"+EXDATE;TZID=\"W. Europe Standard Time\":20261215T100000\n" + touched},
		"end": {edit: Edit{UID: "w", Instance: "2026-12-08T10:00", Scope: ScopeFollowing}, delete: true,
			want: "-RRULE:FREQ=WEEKLY;BYDAY=TU\n-EXDATE;TZID=\"W. Europe Standard Time\":20261222T100000\n" +
				"-UID:w\n-RECURRENCE-ID;TZID=\"W. Europe Standard Time\":20261215T100000\n" +
				"-DTSTART;TZID=\"W. Europe Standard " +
				"Time\":20261216T100000\n-SUMMARY:Team\n-BEGIN:VEVENT\n-END:VEVENT\n" +
				"+RRULE:FREQ=WEEKLY;BYDAY=TU;UNTIL=20261208T085959Z\n" + touched},
		"which": {edit: Edit{UID: "w"}, delete: true, fails: ErrScope.Error()},
		"no such date": {edit: Edit{UID: "w", Instance: "2026-12-09T10:00", Scope: ScopeThis}, delete: true,
			fails: ErrNoInstance.Error()},
		"a deleted date": {edit: Edit{UID: "w", Instance: "2026-12-22T10:00", Scope: ScopeThis}, delete: true,
			fails: ErrNoInstance.Error()},
		"no such event": {edit: Edit{UID: "x"}, delete: true, fails: ErrNoEvent.Error()},
		"another time for all": {edit: Edit{UID: "w", Scope: ScopeAll}, fields: Fields{Start: of("2026-12-02T09:30")},
			want: "-DTSTART;TZID=\"W. Europe Standard Time\":20261201T100000\n" +
				"-DTEND;TZID=\"W. Europe Standard Time\":20261201T110000\n-RRULE:FREQ=WEEKLY;BYDAY=TU\n" +
				"-EXDATE;TZID=\"W. Europe Standard Time\":20261222T100000\n" +
				"-RECURRENCE-ID;TZID=\"W. Europe Standard Time\":20261215T100000\n" +
				"+DTSTART;TZID=\"W. Europe Standard Time\":20261202T093000\n" +
				"+DTEND;TZID=\"W. Europe Standard Time\":20261202T103000\n+RRULE:FREQ=WEEKLY;BYDAY=WE\n" +
				"+EXDATE;TZID=\"W. Europe Standard Time\":20261223T093000\n" + touched +
				"+RECURRENCE-ID;TZID=\"W. Europe Standard Time\":20261216T093000\n"},
		"another title for all": {edit: Edit{UID: "w", Scope: ScopeAll}, fields: Fields{Title: of("Crew")},
			want: "-SUMMARY:Team\n-SUMMARY:Team\n+SUMMARY:Crew\n" + touched + "+SUMMARY:Crew\n"},
		"another zone would lose dates": {edit: Edit{UID: "w", Scope: ScopeAll}, fails: errExceptions.Error(),
			fields: Fields{Start: of("2026-12-01T10:00"), Zone: mustZone(t, "Asia/Tokyo")}},
		"a long text is folded": {edit: Edit{UID: "one"},
			fields: Fields{Notes: of("It is ünusual, so that a fold may not cut the ü of a word üüüü in two halves")},
			want: "+DESCRIPTION:It is ünusual\\, so that a fold may not cut the \n" +
				"+\tü of a word üüüü in two halves\n" + touched},
		"an end before the start": {edit: Edit{UID: "one"}, fields: Fields{End: of("2026-12-02")},
			fails: errEndBefore.Error()},
		"a rule that is none": {edit: Edit{UID: "one"}, fields: Fields{Repeat: of("each day")}, fails: errRule.Error()},
		"an injected line": {edit: Edit{UID: "one"}, fields: Fields{Repeat: of("FREQ=DAILY\r\nX:1")},
			fails: errRule.Error()},
	} {
		f, err := Parse(weekly)
		if err != nil || f.String() != weekly {
			t.Fatal(err)
		}
		cal := New(f, zone)
		c.edit.Now, c.edit.NewUID = editNow, "new"
		if c.delete {
			err = cal.Delete(c.edit)
		} else {
			_, err = cal.Update(c.edit, c.fields)
		}
		if c.fails != "" {
			if err == nil || !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%s: got %v, want %s", name, err, c.fails)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := changedLines(weekly, f.String())
		if got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

// TestUpdate_OneAndFollowing_LeaveOtherDates: the dates after an edit are those that people expect.
func TestUpdate_OneAndFollowing_LeaveOtherDates(t *testing.T) {
	zone := mustZone(t, "Europe/Berlin")
	f, err := Parse(weekly)
	if err != nil {
		t.Fatal(err)
	}
	steps := []struct {
		edit   Edit
		fields Fields
	}{
		{Edit{UID: "w", Instance: "2026-12-08T10:00", Scope: ScopeThis}, Fields{Start: of("2026-12-08T15:00"),
			Title: of("Once")}},
		{Edit{UID: "w", Instance: "2026-12-29T10:00", Scope: ScopeFollowing}, Fields{Minutes: of(30),
			Title: of("Short")}},
		{Edit{UID: "new", Instance: "2027-01-12T10:00", Scope: ScopeThis}, Fields{Start: of("2027-01-13T10:00")}},
	}
	for _, s := range steps {
		s.edit.Now, s.edit.NewUID = editNow, "new"
		if _, err := New(f, zone).Update(s.edit, s.fields); err != nil {
			t.Fatalf("%+v: %v", s.edit, err)
		}
	}
	from := time.Date(2026, 12, 4, 0, 0, 0, 0, zone)
	got := listText(New(f, zone).Between(from, from.AddDate(0, 0, 46)), zone)
	want := `Tue 2026-12-08 15:00-16:00: Once [2026-12-08T10:00]
Wed 2026-12-16 10:00: Team [2026-12-15T10:00]
Tue 2026-12-29 10:00-10:30: Short [2026-12-29T10:00]
Tue 2027-01-05 10:00-10:30: Short [2027-01-05T10:00]
Wed 2027-01-13 10:00-10:30: Short [2027-01-12T10:00]`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s\n%s", got, want, f)
	}
}

// TestAdd_NewFile_HasZoneAndRule: a new event can be read by programs that do not know the zone.
func TestAdd_NewFile_HasZoneAndRule(t *testing.T) {
	for _, name := range []string{"Europe/Berlin", "America/New_York", "Asia/Kolkata", "Africa/Casablanca",
		"Australia/Lord_Howe", "America/Sao_Paulo"} {
		zone := mustZone(t, name)
		f, _ := Parse("")
		_, err := New(f, zone).Add("1@x", Fields{Title: of("Walk"), Start: of("2026-12-03T15:00"), Minutes: of(90),
			Repeat: of("FREQ=MONTHLY"), Remind: &[]int{15}}, editNow)
		if err != nil {
			t.Fatal(err)
		}
		// without its name, the zone's rules in the file must have the same dates
		text := strings.ReplaceAll(f.String(), name, "Nowhere")
		again, _ := Parse(text)
		from := time.Date(2026, 12, 1, 0, 0, 0, 0, zone)
		a, b := New(f, zone).Between(from, from.AddDate(4, 0, 0)), New(again, zone).Between(from, from.AddDate(4, 0, 0))
		if len(a.List) != 48 || len(b.List) != 48 || b.Zones != nil {
			t.Fatalf("%s: %d and %d dates\n%s", name, len(a.List), len(b.List), text)
		}
		for i := range a.List {
			if !a.List[i].Start.Equal(b.List[i].Start) || a.List[i].Start.In(zone).Hour() != 15 {
				t.Errorf("%s: %v, by the rules in the file %v", name, a.List[i].Start, b.List[i].Start)
				break
			}
		}
	}
}

// TestAdd_LeapDay_IsReported: a birthday on 29 February has a date in each year.
func TestAdd_LeapDay_IsReported(t *testing.T) {
	f, _ := Parse("")
	cal := New(f, time.UTC)
	said, err := cal.Add("1", Fields{Title: of("Ana"), Start: of("2024-02-29"), Repeat: of("FREQ=YEARLY")}, editNow)
	next := New(f, time.UTC).Next("1", editNow, 3)
	if err != nil || !said || len(next) != 3 || next[0].Day(time.UTC) != "2027-02-28" ||
		next[1].Day(time.UTC) != "2028-02-29" {
		t.Errorf("%t, %v, %v", said, err, next)
	}
}

// TestImport_Versions_FollowSequence: a sent event is added once, and only a newer version replaces
// it.
func TestImport_Versions_FollowSequence(t *testing.T) {
	sent := func(sequence, title, more string) string {
		clean, n, err := Clean("BEGIN:VCALENDAR\r\n" + more + "BEGIN:VEVENT\r\nUID:s\r\nSEQUENCE:" + sequence +
			"\r\nSUMMARY:" + title +
			"\r\nDTSTART:20261203T100000Z\r\nX-ALT-DESC:<b>\r\n" +
			"BEGIN:VALARM\r\nTRIGGER:-PT1H\r\nEND:VALARM\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n")
		if err != nil || n != 1 || strings.Contains(clean, "VALARM") || strings.Contains(clean, "ALT") {
			t.Fatalf("%d, %v, %s", n, err, clean)
		}
		return clean
	}
	f, _ := Parse("")
	for i, c := range []struct {
		clean                  string
		added, changed, cancel int
		title                  string
	}{
		{sent("1", "First", ""), 1, 0, 0, "First"}, {sent("1", "First", ""), 0, 0, 0, "First"},
		{sent("0", "Old", ""), 0, 0, 0, "First"}, {sent("2", "Second", ""), 0, 1, 0, "Second"},
		{sent("3", "Off", "METHOD:CANCEL\r\n"), 0, 0, 1, "Off"},
	} {
		r, err := New(f, time.UTC).Import(c.clean)
		now := New(f, time.UTC)
		if err != nil || r.Added != c.added || r.Changed != c.changed || r.Cancelled != c.cancel ||
			now.Title("s") != c.title {
			t.Errorf("%d: %+v, %v, %s", i, r, err, now.Title("s"))
		}
	}
	if o := New(f, time.UTC).Next("s", editNow, 1); len(o) != 1 || !o[0].Cancelled() || !o[0].Foreign() {
		t.Errorf("got %+v", o)
	}
}

// FuzzParse: every file is read back byte for byte, and computing its occurrences ends.
func FuzzParse(f *testing.F) {
	f.Add(weekly, "w", "2026-12-08T10:00")
	f.Add("BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTART:20260101T000000\r\n"+
		"RRULE:FREQ=SECONDLY;BYSETPOS=-1\r\n", "1", "")
	f.Add("\ufeffBEGIN:VCALENDAR\nBEGIN:VTIMEZONE\nTZID:x\nBEGIN:STANDARD\nDTSTART:16010101T000000\n"+
		"TZOFFSETFROM:+0000\n"+
		"TZOFFSETTO:-2359\nRRULE:FREQ=DAILY\nEND:STANDARD\nEND:VTIMEZONE\n"+
		"BEGIN:VEVENT\nUID:1\nDTSTART;TZID=x:20260101T000000\n", "1", "")
	f.Fuzz(func(t *testing.T, text, uid, instance string) {
		file, err := Parse(text)
		if err != nil {
			return
		}
		if file.String() != text {
			t.Fatal("the file is not read back")
		}
		c := New(file, time.UTC)
		found := c.Between(editNow, editNow.AddDate(1, 0, 0))
		for _, o := range found.List {
			_ = o.When(time.UTC) + o.Title() + o.ID()
		}
		c.Conflicts(uid, editNow, 3)
		clean, _, err := Clean(text)
		if err == nil {
			again, _, _ := Clean(clean)
			if again != clean {
				t.Errorf("a cleaned calendar changes again:\n%q\n%q", clean, again)
			}
			_, _ = New(file, time.UTC).Import(clean)
		}
		edit := Edit{UID: uid, Instance: instance, Scope: ScopeFollowing, Now: editNow, NewUID: "n"}
		if _, err := New(file, time.UTC).Update(edit, Fields{Start: of("2026-12-09T11:00"),
			Title: of(text)}); err == nil {
			_ = New(file, time.UTC).Delete(Edit{UID: "n", Scope: ScopeAll, Now: editNow})
		}
		if reread, err := Parse(file.String()); err == nil && reread.String() != file.String() {
			t.Error("an edited file is not read back")
		}
	})
}
