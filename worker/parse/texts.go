package parse

// failureTexts explain to people and models why a file could not be read, in words for the middle
// of a sentence.
var failureTexts = map[Reason]string{
	ReasonDamaged:         "it is damaged, or of a kind that can't be opened",
	ReasonDamagedPicture:  "it begins as a %s image and is damaged, or of a kind that can't be opened",
	ReasonTooMuchContent:  "there is too much in it",
	ReasonOutOfMemory:     "it takes more memory than its reader may use",
	ReasonTimeout:         "its reader was stopped after 20 seconds",
	ReasonTooManyNames:    "its list of names is too long",
	ReasonUnpacksTooLarge: "it unpacks to over %d MiB",
	ReasonNoText:          "there is no text in it",
	ReasonNoPicture:       "it is no PNG, JPEG, GIF, WebP, BMP or TIFF image; convert it to one of these",
	ReasonFileTooLarge:    "the file is over %d MiB, the most that can be opened; make a smaller copy of it",
	ReasonZeroPixels:      "it is an image of %d x %d pixels, which is nothing",
	ReasonTooManyPixels:   "it has %d x %d pixels, and at most %d million can be opened; make a smaller copy of it",
	ReasonTooMuchPixelMemory: "its %d x %d pixels would take %d MB of memory, and at most %d can be used; make a" +
		" smaller copy of it",
}
