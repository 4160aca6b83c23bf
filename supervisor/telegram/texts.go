package telegram

// textFileTooLarge takes the file's name, its size in bytes, and the limit.
const textFileTooLarge = "the file %q has %d bytes, and a bot can send at most %d"

// Reasons why a file can't be fetched.
const (
	textFileTooBig     = "Telegram gives me files of up to %s, and this one is larger."
	textFileGone       = "Telegram does not have this file any more. Send it again."
	textFileOutOfReach = "The Bot API server keeps this file where I can't read it. An admin should check telegram.files in the configuration; " +
		"the log has more."
)

// unreadable are attachments that Telegram does not give to bots, with their names in a sentence.
var unreadable = []struct{ field, name string }{
	{"story", "a story"},
	{"paid_media", "paid media"},
	{"game", "a game"},
	{"invoice", "an invoice"},
	{"giveaway", "a giveaway"},
	{"giveaway_winners", "the winners of a giveaway"},
}

// Descriptions of attachments for the model.
const (
	textLocation     = "Location: %s"
	textLiveLocation = "Live location, which began at: %s"
	textVenue        = "Place: %s (%s)"
	textContact      = "Contact: %s"
	textPoll         = "Poll: %s (options: %s)"
	textQuiz         = "Quiz: %s (options: %s)"
	textVotes        = " (%d)" // after an option of a poll: the number of its votes
	textCorrect      = " (correct)"
	textVoters       = "voters: %d"
	textClosed       = "closed"
	textVCard        = "(vCard: %s)"
	textChecklist    = "Checklist “%s”: %s"
	textDone         = "☑ %s"
	textDoneBy       = "☑ %s (by %s)"
	textToDo         = "☐ %s"
	textDice         = "Dice %s: %d"
	textSticker      = "Sticker %s"
	textTitled       = "%s “%s”" // the kind of thing, and the thing's name
	// textBesides follows words with an attachment that does not reach a bot.
	textBesides = "\n[With it came %s, which Telegram does not give to a bot.]"
)

// textYou tells the model that the bot is the author.
const textYou = "You"
