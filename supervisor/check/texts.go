package check

const (
	textOfChecks = "ask, auto-remove and notify-on-check belong to a check: give it something to test, with " +
		"--files PATTERN, --command COMMAND or --url ADDRESS"
	textOneTest       = "a check tests files, a command or a page, not several of them"
	textTestsPage     = "It checks whether the page %s has changed."
	textTestsContains = "It checks whether the page %s has the words: %s"
	textContainsNoURL = "contains belongs to a check of a page: give it --url ADDRESS"
	textContainsLong  = "the words that a page must have are too long, or have a zero byte: at most %d bytes"
	textPageStatus    = "%s answered with the status %d. Look at the address in a browser."
	textTestsFiles    = "It tests the files %s."
	textTestsCommand  = "It runs this command. Its condition is true if the command exits with 0: %s"
	textTestsAsk      = " If something changes, a model decides: %s"
	answerNoTest      = "a check needs check.files, a pattern, check.command or check.url"
	answerBadTest     = "invalid check: %v"

	promptCheck = "Judge by the material below whether this is true: %s\nEnd with job_result: set met to true if it " +
		"is, and set say to what they should know about it. " +
		"If it is true: %s"
)
