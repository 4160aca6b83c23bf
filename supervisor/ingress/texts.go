package ingress

// Texts for users.
const (
	// textUnreadable takes the kind of content.
	textUnreadable = "That is %s, and Telegram gives me only its name. Write to me what it says, or send me a picture of it, and I work with that."
	// textTooLarge takes a file's name, its size, and the largest size.
	textTooLarge = "I could not get %s: it has %s, and I can fetch at most %s from Telegram. Send it in smaller parts, if you can. An admin can raise this to 2 GB with their own Bot API " +
		"server, started with --local (telegram.api_url and telegram.files)."
	// textNotFetched is for the model. It takes the size of the largest file.
	textNotFetched = "At most %s can be fetched from Telegram, and the person was told so."
	// textFileLeftOut takes the name of a file that came with a command.
	textFileLeftOut = "I did not take %s that came with your command: send it by itself, or with words that are no command."

	// textSavedAs tells the model where the files of a replied message are.
	textSavedAs = "[Saved as %s.]"
	// textBot is the sender's name, for the model, if another bot wrote a message in a group.
	textBot = "Somebody else's assistant"

	textForeignPress = "This button is not for you: somebody else was asked."
	textAllowHint    = "You spoke to me in the group “%s”, where I answer nobody yet. Write /allow there, and I answer the people there whom I know."

	textFactorRequired = "Your chat is locked by a second factor."
	textFactorOptional = "Your chat can be locked by a second factor. It is not locked yet: it will be from the first code that you " +
		"send me. If you want no lock, ignore this message and go on writing."
	textFactor = "%s Scan the picture below with an authenticator app, or type this secret into it: `%s`\n\nKeep these recovery codes " +
		"where you do not lose them; each opens the chat once, without the app:\n```\n%s\n```\nThen send me the six digits that the " +
		"app shows. This message and the picture go away in ten minutes."
)
