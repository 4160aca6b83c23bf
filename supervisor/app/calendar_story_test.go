package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mews/supervisor/app/apptest"
)

// sentCalendar is a calendar that somebody has sent to alice.
const sentCalendar = "BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nBEGIN:VEVENT\r\nUID:party@example.org\r\nSUMMARY:Party " +
	"*tonight*\r\n" +
	"DTSTART;TZID=Romance Standard Time:20301203T190000\r\nDURATION:PT3H\r\nLOCATION:Ana's\r\n" +
	"BEGIN:VALARM\r\nTRIGGER:-PT1H\r\nACTION:DISPLAY\r\nEND:VALARM\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"

// A turn adds an event, /undo takes it back, and a sent calendar is added only after the question.
func TestCalendar_TurnUndoImport_ChangeFile(t *testing.T) {
	t.Parallel()
	m := &taskModel{chat: scriptedModel{
		{words: "dentist", calls: calls("find_tools", `{"words":"calendar"}`, "calendar_add",
			`{"title":"Dentist","start":"2030-12-03T15:00","minutes":60,"location":"Main St"}`), answer: "Added."},
	}}
	l := newTaskService(t, m, "")
	file := filepath.Join(l.UserHome("alice"), "calendar.ics")
	read := func() string {
		text, err := os.ReadFile(file)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return string(text)
	}
	l.say("alice", "dentist on 3 December 2030")
	l.awaitLastTold("alice", "Added.")
	if got := l.query("SELECT count(*) FROM message WHERE source = 'world'"); got != "0" {
		t.Errorf("without a subscription %s messages count as words of others", got)
	}
	l.say("alice", "/calendar 2030-12-03")
	l.awaitLastTold("alice", "15:00-16:00 Dentist, Main St")
	if !strings.Contains(read(), "DTSTART;TZID=Europe/Madrid:20301203T150000\r\n") {
		t.Errorf("got %s", read())
	}
	l.say("alice", "/undo")
	l.awaitLastTold("alice", "calendar.ics")
	l.say("alice", "/calendar 2030-12-03")
	l.awaitLastTold("alice", "No events.")

	l.writeHomeFile("uploads/party.ics", sentCalendar)
	l.say("alice", "/calendar import uploads/party.ics")
	l.awaitLastTold("alice", "has 1 new event:")
	if strings.Contains(read(), "Party") {
		t.Error("the event was added before the question was answered")
	}
	l.pressButton("has 1 new event:", "Add to my calendar")
	l.awaitLastTold("alice", "Your calendar now has 1 new event.")
	l.say("alice", "/calendar 2030-12-03")
	l.awaitLastTold("alice", "19:00-22:00 Party *tonight*, Ana's")
	if got := read(); strings.Contains(got, "VALARM") || !strings.Contains(got, "UID:party@example.org") {
		t.Errorf("got %s", got)
	}
	l.say("alice", "/calendar send party@example.org")
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "the event as a file", func() bool {
		return l.countTold("alice", "Other calendars can open this file.") == 1
	})
	l.say("alice", "/calendar import uploads/party.ics")
	l.awaitLastTold("alice", "no event that your calendar lacks")
	l.say("alice", "/calendar import nowhere.ics")
	l.awaitLastTold("alice", "I could not do that: nowhere.ics")
	if got := l.query("SELECT group_concat(kind || ' ' || target || ' ' || detail) FROM effect WHERE kind LIKE " +
		"'calendar%'"); got != "calendar.imported calendar.ics 1 new event" {
		t.Errorf("the ledger has %q", got)
	}
	got := l.query("SELECT path || ' ' || origins FROM marked_file")
	if got != `calendar.ics ["file:uploads/party.ics"]` {
		t.Errorf("the marked files are %q", got)
	}
	if got := l.query("SELECT count(*) FROM operation WHERE kind = 'calendar'"); got != "0" {
		t.Errorf("%s operations with a calendar's words are kept", got)
	}
}
