package instructions

// textFailed says that a file could not be restored.
const textFailed = "%s could not be put back: %s"

// Answers of /instructions.
const (
	textNoInstructions = "None of your files has instructions for me yet. Write into AGENTS.md how you like " +
		"things done, " +
		"into SOUL.md who I should be, " +
		"and into USER.md who you are. MEMORY.md has what I remember. I can write them for you. Then they count once " +
		"you accept them."
	textInForce    = "%s is in force: %s, %s.\n"
	textOwn        = "your version since %s"
	textAccepted   = "accepted on %s"
	textWaits      = "%s has been waiting for you to accept it since %s (%s).\n"
	textNowInForce = "%s is in force from now on."
	textPutBack    = "%s is as it was before."
)

// outcomeTexts answer the press of a button if its action was not done.
var outcomeTexts = map[Outcome]string{
	OutcomeAlreadyDecided: "%s: you have already decided about this change.",
	OutcomeChangedSince:   "%s has changed since that message. Look at it again:",
	OutcomeNotYetReported: "%s has changed since that message, so I left it alone. Send me any message, and I will " +
		"read it again.",
	OutcomeNotFound: "No change waits for your decision here any more.%.0s",
}
