package recurrence

import "mews/supervisor"

// Examples are three times that Parse reads, for help texts.
const Examples = "tomorrow at 9, weekdays 8:30, every 2 h until friday"

const (
	dayAndTime     = "Mon 2 Jan 2006 15:04"
	textUnreadable = "%q is no time that I can read. Write one such as: " + Examples + "."
	textPast       = "That would have been %s, which is past. Write a time to come."
	textNever      = "%q never comes."
	textWhich      = "%q can mean two things. Write %s."
	textPeriod     = "%q is more often than once a minute."
)

func unreadable(text string) error {
	return supervisor.Errorf(supervisor.CodeInvalid, textUnreadable, text)
}
