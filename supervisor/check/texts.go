package check

const (
	textOfChecks = "ask, auto-remove and notify-on-check are of a check: give it something to look at, with " +
		"--files PATTERN or --command COMMAND"
	textOneLook      = "a check looks at files or runs a command, not both"
	textLooksFiles   = "It looks at the files %s."
	textLooksCommand = "It runs this, and it is so where that exits with 0: %s"
	textLooksAsk     = " Where they are not as they were, a model is asked: %s"
	answerNoLook     = "a check needs check.files, a pattern, or check.command"
	answerBadLook    = "check can't be: %v"

	promptCheck = "Judge by the material below whether this is so: %s\nEnd with job_result: met says whether it " +
		"is, and say what they should know of it. " +
		"Once it is so: %s"
)
