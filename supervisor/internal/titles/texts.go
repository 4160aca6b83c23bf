package titles

import "mews/protocol"

// attachmentNames maps kinds of files to their names within a sentence.
var attachmentNames = map[protocol.AttachmentKind]string{
	protocol.AttachmentVoice:     "a voice message",
	protocol.AttachmentPhoto:     "a photo",
	protocol.AttachmentAnimation: "an animation",
	protocol.AttachmentVideo:     "a video",
	protocol.AttachmentVideoNote: "a video message",
	protocol.AttachmentSticker:   "a sticker",
	protocol.AttachmentAudio:     "an audio file",
	protocol.AttachmentDocument:  "a file",
}

// textTitled joins the kind of a file with its name.
const textTitled = "%s “%s”"
