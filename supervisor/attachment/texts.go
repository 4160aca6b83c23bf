package attachment

// Descriptions of files that could not be fetched or read. The model reads a description and tells
// the user about the file.
const (
	textNotHad          = "[With this came %s, which could not be fetched: %s]"
	textNotRead         = "[With this came %s, which is saved as %s. It could not be read: %s]"
	textKept            = "[With this came %s, which is saved as %s.]"
	textNotFetched      = "It could not be fetched in three tries. Send it again later; the log says why."
	textSpoolFull       = "The disk of this Mews is nearly full. Ask an admin to free space."
	textUnknownResult   = "Reading the file gave an invalid result. An admin can see more in the log."
	textMoreInFile      = "; read_file reads the rest, by its path"
	textTooManyPictures = "only the first %d pictures of a message are shown; view_image shows the others, by the path above"
)
