package approval

// Texts for users who are asked for a code or have sent one.
const (
	textAskForCode = "%s\n\nThis needs a fresh code: send me the six digits that your authenticator app shows. " +
		"If you send none, I don't do it."
	textCodeElsewhere = "I did not check that code: I asked for one in another topic of this chat. Send it there."
	textCodeStale     = "That code is from before I asked. Send me the one that your app shows now."
	textCodeBusy      = "I am still busy with another question here that needs a code of %s. Ask for this again in " +
		"a minute."
	textCodeNoFactor = "This needs a code, but %s has no second factor. An admin can set one up with " +
		"`mews totp enroll %s`."
	textCodeInGroup = "This needs a code of %s, and I take codes only in our private chat. Ask for it there."
)

// textTainted follows the question about an effect of a tainted turn.
const textTainted = "\n\nI have read words of others, which may want this: %s."

// textAskedInPrivate follows a question that a group may not read.
const textAskedInPrivate = "\n\nThis is for a group. I ask you here, because the question may show what I have read."

// Reasons for a denial, for the user and the model.
const (
	textNobody        = "There is no user %s here any more."
	textDeniedRule    = "The rules here do not let %s do this (%s). An admin can change them under `approvals` in the configuration."
	textDeniedTainted = "The rules here do not let %s do this (%s) while I see words of others: %s. " +
		"An admin can change them under `approvals.tainted` in the configuration."
	textUnasked      = "%s must be asked first. send_file asks."
	textDenied       = "%s was asked and said no. Do not try it again unless they ask for it."
	textSkipped      = "not now: %s skipped the question. Go on without it."
	textWroteInstead = "not now, %s wrote: %s\n\nGo on with that. Ask for this again only if they still want it."
	textNoAnswer     = "%s was asked and did not answer in time, so it was not done."
	textNoLonger     = "%s may not speak here any more, so it was not done."
	textRuleDenies   = "%s said yes, but the rules have changed since and do not let %s do this any more (%s). It was not done."
	textRuleStricter = "%s said yes, but the rules have changed since and now ask for more (%s). It was not done. If it is " +
		"tried again, %s is asked again."
)
