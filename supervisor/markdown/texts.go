package markdown

// What is said aloud in the place of what can't be.
const (
	textCode      = "Code, "
	textChecked   = "done: "
	textUnchecked = "to do: "
	textRest      = "The rest is in the text."
)
