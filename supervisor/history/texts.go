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

// Texts of a recap, for the model. Two lines of equal signs enclose the messages; each has its
// author.
const (
	recapHead = "What was last said between the two of you elsewhere, between the lines of equal signs. It is for " +
		"you to know, and asks for nothing:\n%s\n%s%s\n"
	recapThey = "they"
	recapYou  = "you"
)
