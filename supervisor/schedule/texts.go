package schedule

import "mews/supervisor/schedule/recurrence"

// How times stand in texts.
const (
	timeLayout = "Mon 2 Jan 2006 15:04 MST (-07:00)"
	dayLayout  = "Mon 2 Jan 15:04"
)

const (
	textReminder   = "Reminder: %s"
	textWasDue     = "It was due at %s."
	textWereDue    = "These reminders were due while I was away:\n%s"
	textUsage      = "Write when, a colon, and what: /remind tomorrow at 9: call the plumber\n\nOther times: " + recurrence.Examples + "."
	textTooLong    = "A reminder has at most %d bytes; this has %d."
	textTooMany    = "You have %d reminders, which is all there is room for. /jobs lists them; /canceljob takes one away."
	textMade       = "Reminder %d: %s"
	textTimes      = "\n\n%s\nNext: %s"
	textNoJobs     = "You have no reminders. Set one: /remind tomorrow at 9: call the plumber"
	textJobs       = "Your reminders:\n"
	textPaused     = "paused"
	textBroken     = "paused: I can't read any more when it is due"
	textWhichJob   = "Which one? /canceljob 3. /jobs lists them with their numbers."
	textNoJob      = "You have no reminder %s. /jobs lists them."
	textDeleted    = "Reminder %d is deleted: %s"
	textPausedIt   = "Reminder %d is paused. /jobs has a button to go on with it."
	textResumed    = "Reminder %d goes on. Next: %s"
	textOver       = "Reminder %d has no time left to come."
	textDone       = "Done."
	textAgain      = "I will remind you again on %s."
	textChanged    = "It was changed a moment ago. Look at /jobs, and try again."
	textNothing    = "That button does nothing any more."
	textUnreadable = "I can't read any more when reminder %d is due, so it is paused: %s"
)
