package calendar

// Texts of /calendar.
const (
	textUsage   = "Write “/calendar”, a day such as “/calendar 2026-12-03”, or “/help calendar” for the rest."
	textFailed  = "I could not read your calendar: %s"
	textRefused = "I could not do that: %s."

	layoutDay     = "Monday, 2 January"
	layoutDayYear = "Monday, 2 January 2006"

	textHeading  = "**%s**\n"
	textWeek     = "%s to %s"
	textToday    = "Today, %s"
	textTomorrow = "Tomorrow, %s"
	textDay      = "\n**%s**\n"
	textEvent    = "- %s %s"
	textPlace    = ", %s"
	textID       = " (%s)\n"
	textNothing  = "No events.\n"
	textMore     = "\nAnd %d more. Ask for fewer days.\n"
	textWarning  = "\n%s\n"
	textBefore   = "Earlier"
	textAfter    = "Later"

	textMayImport   = "%s has %s:\n"
	textTitle       = "- %s\n"
	textMoreTitles  = "- and %d more\n"
	textAddButton   = "Add to my calendar"
	textLeaveButton = "Leave it"
	textLeft        = "I left your calendar as it is."
	textNothingNew  = "%s has no event that your calendar lacks."
	textImported    = "Your calendar now has %s. Reminders in the file were left out."
	textSent        = "Here is the event. Other calendars can open this file."
)

// viewNames are the buttons that lead to the views.
var viewNames = map[string]string{"today": "Day", "week": "Week", "month": "Month"}
