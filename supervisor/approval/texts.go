package approval

// Texts for users who are asked for a code or have sent one.
const (
	textAskForCode = "%s\n\nThis needs a fresh code: send me the six digits that your authenticator app shows. " +
		"Send nothing, and it is not done."
	textCodeElsewhere = "That code was not looked at: I have asked for one in another topic of this chat. Send it there."
	textCodeStale     = "That code is from before I asked. Send me the one that your app shows now."
	textCodeBusy      = "A code of %s is asked for here for something else, or was a moment ago. Ask for this again in a minute."
	textCodeNoFactor  = "This needs a code, and %s has no second factor that makes any. An admin can give them one with " +
		"`mews totp enroll %s`."
	textCodeInGroup = "This needs a code of %s, and codes are for our private chat alone. It can be asked for there."
)

// Reasons for a denial, for the user and the model.
const (
	textNobody       = "There is nobody of the name %s here any more."
	textDeniedRule   = "The rules of this Mews do not let %s do this (%s). Who runs it can change that under `approvals` in its configuration."
	textDenied       = "%s was asked and said no. Do not try it again unless they ask for it."
	textNoAnswer     = "%s was asked and did not answer in time, so it was not done."
	textNoLonger     = "%s may not speak here any more, so it was not done."
	textRuleDenies   = "%s said yes, and the rules of this Mews have changed since: they do not let %s do this any more (%s). It was not done."
	textRuleStricter = "%s said yes, and the rules of this Mews have changed since: they now ask for more (%s). It was not done; if it is " +
		"tried again, %s is asked as the rules are now."
)
