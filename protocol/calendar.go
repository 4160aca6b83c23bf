package protocol

import "fmt"

// OperationKindCalendar lists, imports or sends events of the user's calendar.ics, at the user's
// wish. It takes CalendarParameters and returns CalendarResult. Repeated after a crash it has the
// same result, except that a repeated import counts its events as known.
const OperationKindCalendar OperationKind = "calendar"

// CalendarAction is the task of a calendar operation.
type CalendarAction string

const (
	CalendarActionList    CalendarAction = "list"    // list the events of some days
	CalendarActionPreview CalendarAction = "preview" // tell what CalendarActionImport would do
	CalendarActionImport  CalendarAction = "import"  // add the events of a file of the home
	CalendarActionSend    CalendarAction = "send"    // commit one event as the blob of an .ics file
)

// Bounds of a calendar operation.
const (
	MaxCalendarEvents   = 60  // events in one result
	MaxCalendarTitle    = 200 // bytes of an event's title, place or time
	MaxCalendarBlob     = 1 << 20
	MaxCalendarWarnings = 20
)

// MethodCalendarSubscribed returns the user's subscribed calendars, which others write. It is a
// call during a turn. The worker names the model's call of a calendar tool. The service fetches
// calendars that it has kept for too long. A repeated call gets the same answer.
//
//	{"turn":8,"call":"t8-2-1"}
//	{"calendars":[{"name":"work","body":{"sha256":"ab","size":70000}}]}
const MethodCalendarSubscribed = "calendar.subscribed"

// Bounds of subscribed calendars.
const (
	MaxCalendarCalls     = 300 // calls of MethodCalendarSubscribed in a turn
	MaxCalendarNameBytes = 40  // bytes of a subscribed calendar's name
)

// CalendarSubscribedParams names the model's call.
type CalendarSubscribedParams struct {
	Turn int64  `json:"turn"`
	Call string `json:"call"`
}

// CalendarSubscribedResult lists the calendars by name.
type CalendarSubscribedResult struct {
	Calendars []SubscribedCalendar `json:"calendars,omitempty"`
	World     bool                 `json:"world,omitempty"` // there is a copy, with words of others
}

// SubscribedCalendar is the last copy of a calendar that others write.
type SubscribedCalendar struct {
	Name string   `json:"name"`
	Body *BlobRef `json:"body,omitempty"` // what the server sent; nil means that there is no copy
	Note string   `json:"note,omitempty"` // a sentence about a copy that is old or missing
}

// CalendarParameters select the action and its events.
type CalendarParameters struct {
	Action CalendarAction `json:"action"`
	// the first and the last day, such as 2026-12-03; for CalendarActionList
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
	Path string `json:"path,omitempty"` // file to import, relative to the home
	// Digest is the CalendarImport.Digest that the user has seen. Another file is not imported.
	Digest string `json:"digest,omitempty"`
	ID     string `json:"id,omitempty"` // id of the event to send
	// Subscribed are calendars to list beside the user's own; for CalendarActionList
	Subscribed []SubscribedCalendar `json:"subscribed,omitempty"`
}

// CalendarResult is the result of a calendar operation.
type CalendarResult struct {
	Events   []CalendarEvent `json:"events,omitempty"`
	More     int             `json:"more,omitempty"`     // events that Events does not list
	Warnings []string        `json:"warnings,omitempty"` // sentences about events that can't be listed
	Import   *CalendarImport `json:"import,omitempty"`
	Blob     *BlobRef        `json:"blob,omitempty"`
	Refused  string          `json:"refused,omitempty"` // reason why nothing was done; "" means success
}

// CalendarEvent is an event as people see it.
type CalendarEvent struct {
	ID       string `json:"id,omitempty"`       // "" means an event of a subscribed calendar
	Calendar string `json:"calendar,omitempty"` // name of the subscribed calendar
	Day      string `json:"day"`                // day on which it begins, for the user: 2026-12-03
	When     string `json:"when"`               // its times on that day, for the user: 15:00-16:00
	Title    string `json:"title"`
	Location string `json:"location,omitempty"`
	Foreign  bool   `json:"foreign,omitempty"` // the words are somebody else's
}

// CalendarImport counts what an import does, in events.
type CalendarImport struct {
	Added     int      `json:"added"`
	Changed   int      `json:"changed"`
	Cancelled int      `json:"cancelled"`
	Known     int      `json:"known"` // the calendar has them, or a newer version
	Titles    []string `json:"titles,omitempty"`
	Digest    string   `json:"digest"` // begin of the SHA-256 of the imported events
}

// Validate refuses a result that no honest worker sends.
func (r CalendarResult) Validate() error {
	if len(r.Events) > MaxCalendarEvents || r.More < 0 || len(r.Warnings) > MaxCalendarWarnings ||
		len(r.Refused) > 2000 {
		return fmt.Errorf("%d events, %d more, %d warnings", len(r.Events), r.More, len(r.Warnings))
	}
	for _, e := range r.Events {
		if len(e.ID) > 40 || len(e.Calendar) > MaxCalendarNameBytes || len(e.Day) != len("2026-12-03") ||
			len(e.When) > MaxCalendarTitle || len(e.Title) > MaxCalendarTitle || len(e.Location) > MaxCalendarTitle {
			return fmt.Errorf("event %.40q on %.20q has a text that is too long", e.ID, e.Day)
		}
	}
	for _, w := range r.Warnings {
		if len(w) > 2000 {
			return fmt.Errorf("a warning of %d bytes", len(w))
		}
	}
	if i := r.Import; i != nil {
		if min(i.Added, i.Changed, i.Cancelled, i.Known) < 0 || len(i.Titles) > 10 || len(i.Digest) != 12 {
			return fmt.Errorf("an import of %d events, digest %.20q", i.Added, i.Digest)
		}
		for _, title := range i.Titles {
			if len(title) > MaxCalendarTitle {
				return fmt.Errorf("a title of %d bytes", len(title))
			}
		}
	}
	return nil
}
