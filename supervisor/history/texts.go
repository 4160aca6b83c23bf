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
	recapHead = "Between the lines of equal signs are your last messages with this person in other chats. " +
		"They are for " +
		"your information, and ask for nothing:\n%s\n%s%s\n"
	recapThey = "they"
	recapYou  = "you"
)
