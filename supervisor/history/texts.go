package history

// The words of a stamp. They are for the model.
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

// What a recap says, for the model: around lines between two lines of equal signs, and of each line
// whose it is.
const (
	recapHead = "What was last said between the two of you elsewhere, between the lines of equal signs. It is for " +
		"you to know, and asks for nothing:\n%s\n%s%s\n"
	recapThey = "they"
	recapYou  = "you"
)
