package calendar

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Fields are the parts of an event that a user may set. nil means that a part stays as it is.
type Fields struct {
	Title    *string
	Location *string
	Notes    *string
	Start    *string        // 2026-12-03T15:00, or 2026-12-03 for whole days
	End      *string        // as Start; the last day of whole days is the last day of the event
	Minutes  *int           // length instead of End
	Zone     *time.Location // zone of Start and End; nil means the event's zone, or the reader's
	Repeat   *string        // value of RRULE; "" means that the event does not repeat
	Remind   *[]int         // minutes before the start; negative ones are after it
	Foreign  bool           // mark the event as from somebody else
}

// Errors for people, in words for the middle of a sentence.
var (
	errWhen      = errors.New("a time is written as 2026-12-03T15:00, or 2026-12-03 for a whole day")
	errEndBefore = errors.New("it would end before it begins")
	errEndKind   = errors.New("its start and its end must both be days, or both be times")
	errTitle     = errors.New("it needs a title")
)

// parseWall reads a time or a date as a user or a model writes it.
func parseWall(text string) (m moment, err error) {
	text = strings.TrimSpace(text)
	for _, layout := range []string{instanceTime, instanceTime + ":05", "2006-01-02 15:04", instanceDate} {
		if wall, err := time.Parse(layout, text); err == nil && wall.Year() > 0 {
			return moment{wall: wall, date: layout == instanceDate}, nil
		}
	}
	return m, errWhen
}

// begins returns the start that the fields set; ok is false if they set none.
func (f Fields) begins(old moment, reader *time.Location) (m moment, ok bool, err error) {
	if f.Start == nil {
		m = old
		if f.Zone != nil && !m.date {
			m.zone = f.Zone
		}
		return m, f.Zone != nil && !m.date, nil
	}
	if m, err = parseWall(*f.Start); err != nil || m.date {
		return m, err == nil, err
	}
	if m.zone = f.Zone; m.zone == nil {
		if m.zone = reader; !old.wall.IsZero() && !old.date {
			m.zone = old.zone
		}
	}
	return m, true, nil
}

// ends returns the end that the fields set for a start; ok is false if they set none.
func (f Fields) ends(start moment) (m moment, ok bool, err error) {
	switch {
	case f.Minutes != nil && *f.Minutes >= 0 && *f.Minutes <= int(maxLength/time.Minute):
		m = start
		if start.date {
			return m, false, errEndKind
		}
		m.wall = m.wall.Add(time.Duration(*f.Minutes) * time.Minute)
		return m, true, nil
	case f.Minutes != nil:
		return m, false, errEndBefore
	case f.End == nil:
		return m, false, nil
	}
	if m, err = parseWall(*f.End); err != nil {
		return m, false, err
	}
	if m.date != start.date {
		return m, false, errEndKind
	}
	if m.zone = start.zone; m.date {
		m.wall = m.wall.AddDate(0, 0, 1) // DTEND is the first day after the event
	}
	if m.wall.Before(start.wall) || m.date && !m.wall.After(start.wall) {
		return m, false, errEndBefore
	}
	return m, true, nil
}

// line returns the content line of a moment.
func (m moment) line(name string) string {
	switch {
	case m.date:
		return name + ";VALUE=DATE:" + m.value()
	case m.zone == nil || m.zone == time.UTC:
		return name + ":" + m.value()
	}
	return name + ";TZID=" + quoteParameter(m.zone.String()) + ":" + m.value()
}

// quoteParameter quotes the value of a parameter if it needs that.
func quoteParameter(value string) string {
	if strings.ContainsAny(value, ":;,") {
		return `"` + strings.ReplaceAll(value, `"`, "'") + `"`
	}
	return value
}

// replaceValue returns a content line with another value, and its own parameters.
func replaceValue(line, value string) string {
	p := property(line)
	return strings.TrimSuffix(line, p.Value) + value
}

// lineLike returns the content line of a moment with the parameters of another line, which is of a
// moment of the same kind.
func (m moment) lineLike(line, name string) string {
	old := property(line).Name
	return name + replaceValue(line, m.value())[len(old):]
}

// checkRepeat returns the value of a rule, in capital letters.
func checkRepeat(value string, start moment) (string, error) {
	value = strings.ToUpper(strings.TrimSpace(value))
	value = strings.TrimPrefix(value, "RRULE:")
	if value == "" {
		return "", nil
	}
	if strings.ContainsAny(value, "\r\n:") {
		return "", errRule
	}
	r, err := parseRule(value, start.wall, start.zone)
	if err != nil {
		return "", fmt.Errorf("%w: %.80q is no RRULE such as FREQ=WEEKLY;BYDAY=TU", err, value)
	}
	if list, _ := r.between(start.wall.Add(time.Second), start.wall.Add(MaxSpan), 1); len(list) == 0 && r.Count != 1 {
		return "", fmt.Errorf("%.80q has no second date within 5 years", value)
	}
	return value, nil
}

// birthday changes a yearly rule for 29 February: in other years the event is on 28 February.
// Without that, the rule would have one date in four years.
func birthday(value string, start moment) (string, bool) {
	_, month, day := start.wall.Date()
	if value != "FREQ=YEARLY" || month != time.February || day != 29 {
		return value, false
	}
	return "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-1", true
}
