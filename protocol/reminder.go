package protocol

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// MethodRemindersReport reports the due times of the home's to-dos, and the alarms of its calendar.
// It is a notification with a ReminderReport, at any time. The worker sends it at its start, after
// each change of the two files, and once a day. The report is complete: a reminder that it does not
// have is no longer wanted.
//
//	{"from":1795910400,"until":1798934400,"files":[{"path":"todos.md","state":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"}],"items":[{"file":"todos.md","id":"7","occurrence":"2026-11-30T10:00:00Z","trigger":"due","at":"2026-12-01T09:00:00","date_only":true,"title":"Buy milk"}]}
const MethodRemindersReport = "reminders.report"

// OperationKindAgenda lists the events of a time, and the to-dos that are due before its end. It
// takes AgendaParameters and returns AgendaResult. The operation is not recorded: after an
// interruption, a new operation starts from the beginning.
const OperationKindAgenda OperationKind = "agenda"

// Files of the home that have reminders.
const (
	TodoFile     = "todos.md"
	CalendarFile = "calendar.ics"
)

// Bounds of reminders from files.
const (
	ReminderDays           = 35      // days ahead that a report covers
	ReminderPastDays       = 7       // days before now that a report covers
	MaxFileReminders       = 500     // reminders in a report
	MaxReminderIDBytes     = 255     // bytes of FileReminder.ID
	MaxReminderKeyBytes    = 64      // bytes of FileReminder.Occurrence and of Trigger
	MaxReminderTitleBytes  = 200     // bytes of a title
	MaxReminderLeadSeconds = 5 << 25 // seconds between a reminder and its time, about 5 years
	MaxReminderReportBytes = 768 << 10
	MaxAgendaEntries       = 50
	MaxAgendaSeconds       = 8 * 24 * 60 * 60 // seconds that an agenda covers
)

// TriggerDue is the FileReminder.Trigger of a to-do.
const TriggerDue = "due"

// Layouts of FileReminder.At. A wall time counts in the user's time zone.
const (
	wallTimeLayout    = "2006-01-02T15:04:05"
	instantTimeLayout = "2006-01-02T15:04:05Z"
)

// DueHour is the hour of the day at which a to-do is due that has a date only.
const DueHour = 9

// ReminderReport lists the reminders of a home whose times lie between From and Until, in Unix
// seconds. It lists the earliest MaxFileReminders; Until is then the time of the last one, and More
// counts the others.
type ReminderReport struct {
	From  int64          `json:"from"`
	Until int64          `json:"until"`
	Files []ReminderFile `json:"files,omitempty"` // the existing files
	Items []FileReminder `json:"items,omitempty"` // sorted by time
	More  int            `json:"more,omitempty"`
}

// ReminderFile is a file in the state that a report is about.
type ReminderFile struct {
	Path  string    `json:"path"`
	State FileState `json:"state"`
}

// FileReminder is a reminder of a to-do or an event. File, ID, Occurrence and Trigger identify it.
type FileReminder struct {
	File string `json:"file"` // TodoFile or CalendarFile
	ID   string `json:"id"`   // number of the to-do, or UID of the event
	// Occurrence tells equal IDs apart: when a to-do was created, or which of the times of a
	// repeated event is meant; "" for a single event. It stays the same if that time is moved.
	Occurrence string `json:"occurrence,omitempty"`
	Trigger    string `json:"trigger"` // TriggerDue, or the alarm's trigger as in the file
	// At is the time of the to-do or event: a wall time, or an instant that ends with Z.
	At       string `json:"at"`
	Lead     int64  `json:"lead,omitempty"`      // seconds from the reminder to At; negative if it comes later
	DateOnly bool   `json:"date_only,omitempty"` // the file names a date, and no time of the day
	Title    string `json:"title"`
	World    bool   `json:"world,omitempty"` // the title may have words of others
}

// ReminderKey identifies a reminder within a home.
type ReminderKey struct{ File, ID, Occurrence, Trigger string }

// Key returns the identity of the reminder.
func (r FileReminder) Key() ReminderKey { return ReminderKey{r.File, r.ID, r.Occurrence, r.Trigger} }

// AgendaParameters select a time, in Unix seconds.
type AgendaParameters struct {
	From  int64 `json:"from"`
	Until int64 `json:"until"`
	// Subscribed are calendars whose events are listed too.
	Subscribed []SubscribedCalendar `json:"subscribed,omitempty"`
}

// AgendaResult lists the entries of an agenda, and reports the reminders of the home.
type AgendaResult struct {
	Entries []AgendaEntry  `json:"entries,omitempty"` // sorted by time
	More    int            `json:"more,omitempty"`    // number of entries beyond MaxAgendaEntries
	Report  ReminderReport `json:"report"`
}

// AgendaEntry is an event, or a to-do that is due or overdue.
type AgendaEntry struct {
	File     string `json:"file"`
	At       string `json:"at"` // as in FileReminder
	DateOnly bool   `json:"date_only,omitempty"`
	Title    string `json:"title"`
	World    bool   `json:"world,omitempty"`
	Calendar string `json:"calendar,omitempty"` // name of the subscribed calendar; "" means the file
	Meets    string `json:"meets,omitempty"`    // title of an own event at the same time; "" means none
}

// WallTime returns the form of FileReminder.At for a wall time. Only the date and time that t shows
// count, not its zone.
func WallTime(t time.Time) string { return t.Format(wallTimeLayout) }

// InstantTime returns the form of FileReminder.At for a moment.
func InstantTime(t time.Time) string { return t.UTC().Format(instantTimeLayout) }

// ParseReminderTime reads FileReminder.At. A wall time has the zone UTC.
func ParseReminderTime(at string) (t time.Time, wall bool, err error) {
	if strings.HasSuffix(at, "Z") {
		t, err = time.Parse(instantTimeLayout, at)
	} else {
		t, err = time.Parse(wallTimeLayout, at)
		wall = true
	}
	if err == nil && (t.Year() < 1970 || t.Year() > 9000) {
		err = fmt.Errorf("the year %d", t.Year())
	}
	return t, wall, err
}

// Validate returns an error for a report that no honest worker sends.
func (r ReminderReport) Validate() error {
	const longest = (ReminderDays + ReminderPastDays + 1) * 24 * 60 * 60
	switch {
	case r.From < 0 || r.Until < r.From || r.Until-r.From > longest:
		return fmt.Errorf("from %d until %d", r.From, r.Until)
	case len(r.Items) > MaxFileReminders || len(r.Files) > 2 || r.More < 0 || r.More > 1<<30:
		return fmt.Errorf("%d reminders and %d more of %d files", len(r.Items), r.More, len(r.Files))
	}
	files := map[string]bool{}
	for _, f := range r.Files {
		if err := cmp.Or(checkReminderFile(f.Path), f.State.check()); err != nil || files[f.Path] {
			return cmp.Or(err, errors.New("a file twice"))
		}
		files[f.Path] = true
	}
	keys := map[ReminderKey]bool{}
	for _, item := range r.Items {
		if err := item.check(); err != nil {
			return err
		}
		if keys[item.Key()] || !files[item.File] {
			return fmt.Errorf("the reminder %.80q of %s comes twice, or from no file", item.ID, item.File)
		}
		keys[item.Key()] = true
	}
	return nil
}

func (r FileReminder) check() error {
	switch err := cmp.Or(checkReminderFile(r.File), checkReminderTime(r.At), checkReminderText(r.Title,
		MaxReminderTitleBytes), checkReminderText(r.ID, MaxReminderIDBytes), checkReminderText(r.Trigger,
		MaxReminderKeyBytes), checkReminderText(r.Occurrence, MaxReminderKeyBytes)); {
	case err != nil:
		return err
	case r.ID == "" || r.Trigger == "" || (r.File == TodoFile) != (r.Trigger == TriggerDue):
		return fmt.Errorf("the reminder %.80q with the trigger %.80q", r.ID, r.Trigger)
	case r.Lead > MaxReminderLeadSeconds || r.Lead < -MaxReminderLeadSeconds || r.File == TodoFile && r.Lead != 0:
		return fmt.Errorf("a lead of %d s", r.Lead)
	}
	return nil
}

// Validate returns an error for an impossible time.
func (p AgendaParameters) Validate() error {
	if p.From < 0 || p.Until < p.From || p.Until-p.From > MaxAgendaSeconds {
		return fmt.Errorf("from %d until %d", p.From, p.Until)
	}
	return nil
}

// Validate returns an error for a result that no honest worker sends.
func (r AgendaResult) Validate() error {
	if len(r.Entries) > MaxAgendaEntries || r.More < 0 || r.More > 1<<30 {
		return fmt.Errorf("%d entries and %d more", len(r.Entries), r.More)
	}
	for _, e := range r.Entries {
		if err := cmp.Or(checkReminderFile(e.File), checkReminderTime(e.At), checkReminderText(e.Title,
			MaxReminderTitleBytes), checkReminderText(e.Calendar, MaxCalendarNameBytes),
			checkReminderText(e.Meets, MaxReminderTitleBytes)); err != nil {
			return err
		}
	}
	return r.Report.Validate()
}

func checkReminderFile(path string) error {
	if path != TodoFile && path != CalendarFile {
		return fmt.Errorf("the file %.80q", path)
	}
	return nil
}

func checkReminderTime(at string) error {
	if _, _, err := ParseReminderTime(at); err != nil {
		return fmt.Errorf("the time %.80q", at)
	}
	return nil
}

// checkReminderText refuses a text that is too long, or that has control characters.
func checkReminderText(text string, most int) error {
	control := strings.ContainsFunc(text, func(c rune) bool { return c < ' ' || c == 0x7f })
	if len(text) > most || control || !utf8.ValidString(text) {
		return fmt.Errorf("%d bytes of text, or a control character", len(text))
	}
	return nil
}

// CutReminderText returns the beginning of a text as reminders may have it. It has one line, no
// control characters, and at most that many bytes.
func CutReminderText(text string, most int) string {
	text = strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f {
			return ' '
		}
		return c
	}, strings.ToValidUTF8(text, ""))
	text = strings.TrimSpace(text)
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "")
	}
	return text
}
