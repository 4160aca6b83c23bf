package history

// Texts of a stamp, for the model.
const (
	stampTime      = "Mon 2 Jan 2006 15:04"
	stampGroup     = " group"
	stampWritten   = "written"
	stampVoice     = "voice"
	stampFile      = "file"
	stampForwarded = "forwarded"
	stampEdited    = "edited"
	stampPressed   = "a button"
	stampScheduled = "a job"
)

// Texts of a recap, for the model. The messages are between two lines of equal signs. Each message
// names its author.
const (
	recapHead = "The last messages between the two of you elsewhere stand between the lines of equal signs. " +
		"They are for " +
		"you to know, and ask for nothing:\n%s\n%s%s\n"
	recapThey = "they"
	recapYou  = "you"
)
