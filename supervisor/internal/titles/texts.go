package titles

import "mews/protocol"

// attachmentNames are the kinds of files in a sentence.
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

// textTitled is told with what a file is, and its name.
const textTitled = "%s “%s”"
