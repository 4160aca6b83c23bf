package check

const (
	textOfChecks = "ask, auto-remove and notify-on-check belong to a check: give it something to test, with " +
		"--files PATTERN or --command COMMAND"
	textOneTest      = "a check tests files or a command, not both"
	textTestsFiles   = "It tests the files %s."
	textTestsCommand = "It runs this command. Its condition is true if the command exits with 0: %s"
	textTestsAsk     = " If something changes, a model decides: %s"
	answerNoTest     = "a check needs check.files, a pattern, or check.command"
	answerBadTest    = "invalid check: %v"

	promptCheck = "Judge by the material below whether this is true: %s\nEnd with job_result: set met to true if it " +
		"is, and set say to what they should know about it. " +
		"If it is true: %s"
)
