package recurrence

import (
	"errors"
	"fmt"

	"mews/supervisor"
)

// Examples are three times that Parse reads, for help texts.
const Examples = "tomorrow at 9, weekdays 8:30, every 2 h until friday"

const (
	dayAndTime     = "Mon 2 Jan 2006 15:04"
	textUnreadable = "%q is no time that I can read. Write one such as: " + Examples + "."
	textNearest    = "%q is no time that I can read. Nearest is: %s. Or write one such as: " + Examples + "."
	textPast       = "That would have been %s, which is past. Write a time in the future."
	textNever      = "%q never comes. Write another time."
	textWhich      = "%q can mean two things. Write %s."
	textImpossible = "%s. Write another date."
	textNoSuchDay  = "%v has no %s"
	textTimes      = "%q can mean two things. Write %q, or the times of the day, such as %q."
	textPeriod     = "%q is more often than once a minute. Write one such as: every 5 min."

	textHasTime      = "The time of this reminder or task was changed meanwhile. Press Change to write another time."
	textOtherZone    = "That rule starts in the time zone %s, and yours is %s. Write it in your time zone."
	textOtherWeekday = "%s is a %s. Write the date, or the day of the week."
)

// ErrUnreadableTime is the cause of an error about a text that is no time.
var ErrUnreadableTime = errors.New("unreadable time")

// unreadable returns an error about a text that is no time.
func unreadable(text string) error {
	return &supervisor.Error{Code: supervisor.CodeInvalid, Err: ErrUnreadableTime,
		Message: fmt.Sprintf(textUnreadable, shorten(text))}
}

// withNearest is like unreadable, and names the nearest readable time if there is one.
func withNearest(text string) error {
	near := nearest(text)
	if near == "" {
		return unreadable(text)
	}
	return &supervisor.Error{Code: supervisor.CodeInvalid, Err: ErrUnreadableTime,
		Message: fmt.Sprintf(textNearest, shorten(text), near)}
}

// maxShown is how many characters of an unreadable text an error shows.
const maxShown = 100

func shorten(text string) string {
	if runes := []rune(text); len(runes) > maxShown {
		return string(runes[:maxShown]) + "…"
	}
	return text
}
