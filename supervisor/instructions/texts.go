package instructions

// What a person reads where their file can't be put back.
const textFailed = "%s could not be put back: %s"

// /instructions.
const (
	textNoInstructions = "None of your files tells me how to be yet. Write into AGENTS.md how you like things done, " +
		"into SOUL.md who I should be, " +
		"and into USER.md who you are; MEMORY.md has what I remember. I can write them for you: then they count once " +
		"you accept it."
	textInForce    = "%s is in force: %s, %s.\n"
	textOwn        = "as you have it since %s"
	textAccepted   = "accepted on %s"
	textWaits      = "%s waits since %s, %s.\n"
	textNowInForce = "%s counts from now on."
	textPutBack    = "%s is as it was before."
)

// outcomeTexts answer presses that did not do what their buttons say.
var outcomeTexts = map[Outcome]string{
	Already: "%s: this was already decided.",
	Changed: "%s has changed since. Look again:",
	Unseen:  "%s has changed since, and I left it alone. Ask me something, and I will look at it again.",
	Unknown: "This does not wait any more.%.0s",
}
