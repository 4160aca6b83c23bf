package markdown

// Spoken texts that replace parts which can't be spoken.
const (
	textCode      = "Code, "
	textChecked   = "done: "
	textUnchecked = "to do: "
	textRest      = "The rest is in the text."
)
