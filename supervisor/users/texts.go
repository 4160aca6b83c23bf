package users

// Texts about settings, for their users.
const (
	textToday       = "today"
	textThisMonth   = "this month"
	textNoLimit     = "no limit"
	textKeptForEver = "messages are kept for ever"
	textKeptFor     = "messages are kept for %s"
	textMachineZone = "the machine's own ("

	textTimezoneNote = "/usage uses the new time zone at once, and your assistant from its next start. The days of your " +
		"budget still follow the configuration's time zone."
	textBusyNote = "This is for messages that you send while I answer. With steer I read them before my next step. With queue I answer " +
		"them afterwards. With restart I stop and answer all of them together. Your choice holds from your next " +
		"message on."

	textNoSetting   = "There is no setting %q."
	textNoQuiet     = "%q can't be read as quiet hours. Write them as 22:00-07:30, or off."
	textQuietNote   = "During quiet hours, proactive messages wait, and then come in one message. Reminders with their own time still come."
	textNoLanguage  = "%q is not a language code. Examples are en and de; auto detects the language."
	textNoTimezone  = "This machine knows no time zone %q. Europe/Madrid is one; capital letters count."
	textNearZone    = "This machine knows no time zone %q. Did you mean %[2]s? Then write /settings timezone %[2]s."
	textNoAmount    = "%q is no amount. Write US dollars, such as 1.50."
	textNoMoney     = "With a limit of 0, I could not ask any model. Write an amount, such as 1.50, or default."
	textTooLittle   = "%q is too little: no call of a model is that cheap. The least is %s."
	textOverCeiling = "The configuration allows you %s, and you can only set less. An admin can raise that limit."
	textNoStream    = "With on, answers grow before your eyes. With off, they come when they are whole. %q is neither."
	textNoLedger    = "With on, each answer ends with a list of what was done for it. With off, only /activity " +
		"shows that. %q is neither."
	textLedgerNote = "Either way, /activity lists what was done."
	textNoLog      = "With on, I add what you and I say to logs/ in your folder, a file a day. With off, I do " +
		"not. %q is neither."
	textLogNote = "Earlier messages are not added, and existing logs stay."
	textNoBusy  = "With steer, I take what you send into the answer that I am working on. With queue, I answer " +
		"it next. With restart, I begin " +
		"the answer again. %q is none of them."
)
