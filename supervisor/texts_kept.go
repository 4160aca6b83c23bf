package supervisor

// What is said as something is kept, in the same transaction.
const (
	// TextNotKept stands for what a delivery said that is deleted from its chat.
	TextNotKept = "(This was for a moment, and is not kept.)"
)

// textQuoteOf stands in a quote between the part that was chosen and all of what it is of. It is
// for the model.
const textQuoteOf = "\n(in:)\n"
