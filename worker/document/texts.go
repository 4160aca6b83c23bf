package document

// Words between the contents of documents, for people and for models.
const (
	textFormulas     = "Formulas:"
	textMoreFormulas = "(%d more formulas)"
	textHiddenSheet  = "%s (hidden sheet)"
	textSlide        = "Slide %d:"
	textPicture      = "[picture: %s]"
	textOutput       = "Output:"
	textPictureOut   = "[a picture]"
	textAttachments  = "Attachments:"
	textTooLarge     = "%s (left out: it is too large)"
)
