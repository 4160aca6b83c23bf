package telegram

// textFileTooLarge is told with the file's name, its bytes, and the most there can be.
const textFileTooLarge = "the file %q has %d bytes, and a bot can send at most %d"

// Why a file can't be had.
const (
	textFileTooBig     = "Telegram gives me files of up to %s, and this one is larger."
	textFileGone       = "Telegram does not have this file any more. Send it again."
	textFileOutOfReach = "The Bot API server keeps this file where I can't read it. An admin should see to telegram.files in the configuration; " +
		"the log has more."
)

// unreadable are what Telegram can carry and does not give to bots, with its name in a sentence.
var unreadable = []struct{ field, name string }{
	{"checklist", "a checklist"},
	{"story", "a story"},
	{"paid_media", "paid media"},
	{"game", "a game"},
	{"invoice", "an invoice"},
	{"giveaway", "a giveaway"},
	{"giveaway_winners", "the winners of a giveaway"},
}

// What was sent, in words for the model.
const (
	textLocation     = "Location: %s"
	textLiveLocation = "Live location, which began at: %s"
	textVenue        = "Place: %s (%s)"
	textContact      = "Contact: %s"
	textPoll         = "Poll: %s (options: %s)"
	textQuiz         = "Quiz: %s (options: %s)"
	textDice         = "Dice %s: %d"
	textSticker      = "Sticker %s"
	textTitled       = "%s “%s”" // what it is, and its name
	// textBesides stands below words that came with something that does not reach a bot.
	textBesides = "\n[With it came %s, which Telegram does not give to a bot.]"
)

// textYou is for the model: who has said what the bot has.
const textYou = "You"
