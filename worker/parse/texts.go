package parse

// failureTexts explain to people and models why a file could not be read, in words for the middle
// of a sentence.
var failureTexts = map[Reason]string{
	ReasonDamaged:         "it is damaged, or of a kind that can't be opened",
	ReasonDamagedPicture:  "it looks like a %s image, but it is damaged or of a kind that can't be opened",
	ReasonTooMuchContent:  "it has too much content",
	ReasonOutOfMemory:     "reading it takes more memory than allowed",
	ReasonTimeout:         "reading it took over 20 seconds",
	ReasonTooManyNames:    "its list of names is too long",
	ReasonUnpacksTooLarge: "it unpacks to over %d MiB",
	ReasonNoText:          "there is no text in it",
	ReasonNoPicture:       "it is no PNG, JPEG, GIF, WebP, BMP or TIFF image; convert it to one of these",
	ReasonFileTooLarge:    "the file is over %d MiB, the most that can be opened; make a smaller copy of it",
	ReasonZeroPixels:      "it is an image of %d x %d pixels, so there is nothing to see",
	ReasonTooManyPixels:   "it has %d x %d pixels, and at most %d million can be opened; make a smaller copy of it",
	ReasonTooMuchPixelMemory: "its %d x %d pixels would take %d MB of memory, and at most %d can be used; make a" +
		" smaller copy of it",
}
