package app

const (
	textTalksNowhere     = "%s talks nowhere, so nothing can be paid for them."
	textBudgetDenied     = "You may not speak here any more, so no model was asked."
	textBudgetUnreadable = "What you may spend could not be read, so %s was not asked. %s"
)
