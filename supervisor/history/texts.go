package history

import "mews/supervisor"

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

// Texts for the model that replace words of others of an earlier day.
const (
	textAged        = "[%s of %s, %s; %s %d]"
	dayAged         = "2 Jan"
	textAgedResult  = "a result"
	textAgedPicture = "a picture"
	textAgedRecap   = "messages from other chats"
	textAgedWords   = "words of others"
)

// Descriptions of words of others, for their user.
const (
	textForeign        = "%s (%s)"
	timeForeign        = "2 Jan 15:04"
	textForeignForward = "a forward from %s"
	textForeignFile    = "the file %s"
	textForeignResult  = "a result of %s"
	textMoreForeign    = "and %d more"
)

// agedNames describes words of others, by the beginning of their part.
var agedNames = []struct{ begins, name string }{
	{"[Forwarded", "a forward"}, {"[Made by the bot", "a forward"}, {"[File ", "a file"}, {"[voice", "a recording"},
	{supervisor.JobQuotePrefix, "messages of tasks"}, {">", "a quote"},
}
