package document

import (
	"mews/worker/calendar"
	"mews/worker/parse"
)

// parseCalendar writes the events of a calendar in plain lines.
func parseCalendar(f source, out *output) error {
	raw, err := f.whole()
	if err != nil {
		return err
	}
	clean, n, err := calendar.Clean(string(raw))
	if err != nil {
		return parse.NewFailure(parse.ReasonTooMuchContent)
	}
	if n == 0 {
		return parse.NewFailure(parse.ReasonNoText)
	}
	text, err := out.text(parse.FormatCalendar)
	if err != nil {
		return err
	}
	text.add(clean)
	return text.err
}
