package attachment

// What is said of a file that can't be had, or not read. The model reads it, and tells the person.
const (
	textNotHad          = "[With this came %s, which can't be had: %s]"
	textNotRead         = "[With this came %s, which is kept as %s. It could not be read: %s]"
	textKept            = "[With this came %s, which is kept as %s.]"
	textNotFetched      = "It could not be fetched in three tries. Send it again later; the log says why."
	textSpoolFull       = "The disk of this Mews is nearly full. An admin has to make room."
	textUnknownResult   = "What was read of it makes no sense. The log says more."
	textMoreInFile      = "; read_file reads it, by its path"
	textTooManyPictures = "only the first %d pictures of a message are shown; view_image shows the others, by the path above"
)
