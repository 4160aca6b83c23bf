package calendar

import "mews/worker/calendar"

// Texts for the model, and errors, which the user may read too.
const (
	textAdded   = "Added %q. Next dates:"
	textChanged = "Changed %q. Next dates:"
	textPast    = " it is in the past."
	textDeleted = "Deleted %q%s."

	textLeapDay  = "It is on 29 February in leap years, and on 28 February in other years. Tell them.\n"
	textConflict = "Conflict on %s with %q, %s. Tell them.\n"

	textNotAdded   = "add an event: %w"
	textNotChanged = "change the event: %w"
	textNotDeleted = "delete the event: %w"
	textNotListed  = "list events: %w"

	textNewHasNoID = "id and scope are for calendar_update"
	textNoID       = "there is no event %.80q; calendar_list shows the ids"
	textNoZone     = "there is no time zone %.80q; it is written as Europe/Lisbon"
	textTooLong    = "a text is longer than %s"
	textNoDay      = "%.40q is not a date such as 2026-12-03"
	textBackwards  = "the last day %.40q is before the first day %.40q"

	textNone       = "No events.\n"
	textAt         = " at "
	textCancelled  = ", cancelled"
	textListedMore = "... and %d more; ask for fewer days.\n"
	textFirstOnly  = "Only the first %d events are listed; ask for fewer days."
	textCut        = "Not all dates were searched, because these events repeat too often: %s."
	textUnread     = "Their times or rules can't be read: %s."
	textZones      = "Unknown time zones, read as the user's own: %s."
	textAndMore    = " and %d more"
	textSaved      = "%s saved as %s.\n"
	textOtherFile  = "the file has changed since you were asked; send the command again"
	textNoParsers  = "this worker runs no programs"
	textNoEvent    = "there is no event %.80q; /calendar shows the ids"
	textOfCalendar = " (calendar %s)"
	textOverlap    = "Conflict on %s: %q is at the same time as %q (calendar %s)."
	textNotRead    = "The calendar %s can't be read: %v."
	textNotAsked   = "Subscribed calendars are left out: %s"
	textAskedOften = "Subscribed calendars are left out: they were read %d times in this turn."
	textNotSaved   = "save %.80q: its name must end in .ics"
)

// textScopes tell which dates of an event were deleted.
var textScopes = map[calendar.Scope]string{
	calendar.ScopeThis: " on this date", calendar.ScopeFollowing: " from this date on",
	calendar.ScopeAll: " with all dates",
}
