package check

const (
	textOfChecks = "ask, auto-remove and notify-on-check are of a check: give it something to look at, with " +
		"--files PATTERN or --command COMMAND"
	textOneCheck      = "a check looks at files or runs a command, not both"
	textChecksFiles   = "It looks at the files %s."
	textChecksCommand = "It runs this, and it is so where that exits with 0: %s"
	textChecksAsk     = " Where they are not as they were, a model is asked: %s"
	answerNoCheck     = "a check needs check.files, a pattern, or check.command"
	answerBadCheck    = "check can't be: %v"

	promptCheck = "Judge by the material below whether this is so: %s\nEnd with job_result: met says whether it " +
		"is, and say what they should know of it. " +
		"Once it is so: %s"
)
