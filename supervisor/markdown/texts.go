package markdown

// Spoken texts that replace unspeakable parts.
const (
	textCode      = "Code, "
	textChecked   = "done: "
	textUnchecked = "to do: "
	textRest      = "The rest is in the text."
)
