package inbox

const (
	textEmpty   = "The message is empty."
	textTooLong = "The message has %d KiB; at most %d KiB can be sent at once. Put it into a file in your folder and name the file."
	textNotUTF8 = "The message is not text in UTF-8."
	textKeySize = "The message's key has %d bytes; it must have 1 to %d."
	textKeyChar = "The message's key is not printable ASCII without spaces."

	// placeholderText takes the place of a text that cannot be taken.
	placeholderText = "(a message that could not be taken)"
)
