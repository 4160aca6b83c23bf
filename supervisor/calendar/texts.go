package calendar

import "mews/supervisor/egress"

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
	textOf       = " (calendar %s)\n"
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

// Texts about subscribed calendars.
const (
	// textHidden stands in a stored command for an address.
	textHidden = "(address hidden)"

	textSubscribeUsage = "Write “/calendar subscribe https://example.org/cal.ics work” in your private chat. The " +
		"name at the end is up to you."
	textUnsubscribeUsage = "Write “/calendar unsubscribe NAME”. “/calendar subscriptions” lists the names."
	textOnlyPrivate      = "I kept nothing, because others could read the address in the group. Make a new address " +
		"in your calendar, and send it in your private chat."
	textNoKey = "I kept nothing, because the key for secrets is missing. Tell an admin, and send the address " +
		"again later."
	textNotOpened = "Its address can't be opened with the key of this service. Send “/calendar subscribe” with " +
		"the address again."
	textTooMany = "You have %d calendars of others already. End one with “/calendar unsubscribe NAME” first."
	textBadName = "The name of a calendar may have letters, digits, spaces, dots and hyphens, at most %d bytes. Send " +
		"the command again with another name."
	textKnown      = "You subscribe to this calendar already. Its name is %s."
	textSubscribed = "Calendar %s from %s is now in /calendar and your digest. It is read-only. I delete your " +
		"message, because the address is a secret."
	textSubscribedUnread = "I kept calendar %s from %s, but could not read it yet. %s I will try again.\n\n" +
		"“/calendar unsubscribe %s” ends it."
	textUnsubscribed   = "Calendar %s is gone, with its address and its copy."
	textConfigured     = "An admin has set up the calendar %s. Only an admin can remove it."
	textNoSubscription = "There is no calendar %s. “/calendar subscriptions” lists the names."

	textSubscriptions   = "**Calendars of others**\n"
	textNoSubscriptions = "You subscribe to no calendar. " + textSubscribeUsage
	textSubscription    = "- %s: %s"
	textByAdmin         = "set up by an admin"
	textStateFetched    = ", fetched %s ago\n"
	textStateFailed     = ". %s\n"
	textStateNew        = ", not fetched yet\n"

	textNoCopy  = "The calendar %s is missing. %s"
	textOldCopy = "The calendar %s could not be fetched. %s This copy is %s old."

	textCalendar         = "the calendar %q"
	textConfiguredBroken = "Its configuration can't be used. Tell an admin."

	textRefusesUs    = "The server asks for a password, or no longer accepts the address."
	textAddressGone  = "The server knows no calendar at the address. Subscribe with a new one."
	textServerBusy   = "The server has a problem of its own."
	textOtherStatus  = "The server answered with status %d."
	textIsNoCalendar = "The server sent something that is no calendar."
	textNoRoom       = "There is no room left for a copy."
	textCouldNotKeep = "The copy could not be kept."
)

// fetchFailures say why a fetch failed, without the address.
var fetchFailures = map[egress.Kind]string{
	egress.KindAddress:     "Its address is not one that may be fetched.",
	egress.KindPrivate:     "Its name leads to an address that is not public.",
	egress.KindRedirect:    "The server sends on to an address that may not be fetched.",
	egress.KindLimit:       "You have fetched as many addresses as you may in an hour.",
	egress.KindUnreachable: "The server can't be reached.",
	egress.KindCertificate: "The server's certificate is not valid.",
	egress.KindTimeout:     "The server did not answer in time.",
	egress.KindTooLarge:    "The calendar is too large.",
	egress.KindAnswer:      "The server's answer can't be read.",
}
