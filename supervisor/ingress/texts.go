package ingress

// What people are told.
const (
	textUnreadable = "I can't take %s in this version. Write to me what it says, and I work with that."

	textAlbum        = "an album"
	textForeignPress = "This button is not for you: somebody else was asked."
	textAllowHint    = "You spoke to me in the group “%s”, where I answer nobody yet. Write /allow there, and I answer the people there whom I know."

	textFactorRequired = "Your chat is locked by a second factor."
	textFactorOptional = "Your chat can be locked by a second factor. It is not locked yet: it will be from the first code that you " +
		"send me. If you want no lock, ignore this message and go on writing."
	textFactor = "%s Scan the picture below with an authenticator app, or type this secret into it: `%s`\n\nKeep these recovery codes " +
		"where you do not lose them; each opens the chat once, without the app:\n```\n%s\n```\nThen send me the six digits that the " +
		"app shows. This message and the picture go away in ten minutes."
)
