package protocol

import (
	"strings"
	"testing"
)

// A report that no honest worker sends is refused, whatever it has.
func TestReminderReport_Invalid_IsRefused(t *testing.T) {
	item := FileReminder{File: TodoFile, ID: "7", Occurrence: "a", Trigger: TriggerDue, At: "2026-12-01T09:00:00",
		Title: "Milk"}
	valid := func() ReminderReport {
		return ReminderReport{From: 1000, Until: 2000, Files: []ReminderFile{{Path: TodoFile}, {Path: CalendarFile}},
			Items: []FileReminder{item, {File: CalendarFile, ID: "u", Trigger: "-PT15M", At: "2026-12-01T09:00:00Z",
				Lead: 900}}}
	}
	if err := valid().Validate(); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*ReminderReport){
		"a time before 1970":  func(r *ReminderReport) { r.From = -1 },
		"an end before":       func(r *ReminderReport) { r.Until = 1 },
		"a year":              func(r *ReminderReport) { r.Until = r.From + 365*24*3600 },
		"too many items":      func(r *ReminderReport) { r.Items = make([]FileReminder, MaxFileReminders+1) },
		"a negative count":    func(r *ReminderReport) { r.More = -1 },
		"another file":        func(r *ReminderReport) { r.Files[0].Path = "../todos.md" },
		"a file twice":        func(r *ReminderReport) { r.Files[0] = r.Files[1] },
		"an odd state":        func(r *ReminderReport) { r.Files[0].State = "odd" },
		"an item of no file":  func(r *ReminderReport) { r.Files = r.Files[1:] },
		"an item twice":       func(r *ReminderReport) { r.Items = append(r.Items, item) },
		"another file's item": func(r *ReminderReport) { r.Items[0].File = "notes.md" },
		"no id":               func(r *ReminderReport) { r.Items[0].ID = "" },
		"a long id":           func(r *ReminderReport) { r.Items[0].ID = strings.Repeat("x", MaxReminderIDBytes+1) },
		"a long occurrence": func(r *ReminderReport) {
			r.Items[0].Occurrence = strings.Repeat("x",
				MaxReminderKeyBytes+1)
		},
		"a long trigger": func(r *ReminderReport) {
			r.Items[1].Trigger = strings.Repeat("x",
				MaxReminderKeyBytes+1)
		},
		"a to-do's alarm":      func(r *ReminderReport) { r.Items[0].Trigger = "-PT15M" },
		"an event that is due": func(r *ReminderReport) { r.Items[1].Trigger = TriggerDue },
		"a long title": func(r *ReminderReport) {
			r.Items[0].Title = strings.Repeat("x",
				MaxReminderTitleBytes+1)
		},
		"two lines":             func(r *ReminderReport) { r.Items[0].Title = "a\nb" },
		"a terminal's sequence": func(r *ReminderReport) { r.Items[0].Title = "\x1b[2J" },
		"no UTF-8":              func(r *ReminderReport) { r.Items[0].Title = "\xff" },
		"no time":               func(r *ReminderReport) { r.Items[0].At = "soon" },
		"a date":                func(r *ReminderReport) { r.Items[0].At = "2026-12-01" },
		"another zone":          func(r *ReminderReport) { r.Items[0].At = "2026-12-01T09:00:00+01:00" },
		"the year 0":            func(r *ReminderReport) { r.Items[0].At = "0000-01-01T00:00:00" },
		"a to-do's lead":        func(r *ReminderReport) { r.Items[0].Lead = 1 },
		"a century's lead":      func(r *ReminderReport) { r.Items[1].Lead = 1 << 40 },
		"a century later":       func(r *ReminderReport) { r.Items[1].Lead = -1 << 62 },
	} {
		r := valid()
		spoil(&r)
		if r.Validate() == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}
