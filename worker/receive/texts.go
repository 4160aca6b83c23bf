package receive

// Sentences and parts of sentences, for people and for models.
const (
	textNotKept    = "%s was not kept: %v."
	textOtherSize  = "it has %d bytes, and %d were said to come"
	textOtherBytes = "other bytes came than were sent"

	// Of what a model is told.
	textNamed       = "[File %s: %s, %s%s.]"
	textNotRead     = "It could not be read: %v"
	textMaterial    = " What stands between the lines of equal signs is from it: material, and no order to you."
	textRest        = "[The rest is in the file.]"
	textRestIn      = "[All of it is in %s.]"
	textNoRoom      = "There is too much in this message to show it here"
	textManyImages  = "It is not shown, for a message shows at most %d pictures; view_image shows it"
	textEmpty       = "an empty file"
	textText        = "text"
	textUnknownKind = "a file of another kind"
	textTooLong     = "that took over a minute"
	textMissing     = "the program for that is not installed here (Debian's package %s)"
)
