package telegram

// textFileTooLarge is told with the file's name, its bytes, and the most there can be.
const textFileTooLarge = "the file %q has %d bytes, and a bot can send at most %d"

// unreadableFields are what Telegram can carry and this version can't read, with its name in a sentence. The first that is
// there counts: an animation comes as a document too, a venue as a location.
var unreadableFields = []struct{ field, name string }{
	{"voice", "a voice message"},
	{"photo", "a photo"},
	{"animation", "an animation"},
	{"video", "a video"},
	{"video_note", "a video message"},
	{"sticker", "a sticker"},
	{"audio", "an audio file"},
	{"document", "a file"},
	{"venue", "a place"},
	{"location", "a location"},
	{"contact", "a contact"},
	{"poll", "a poll"},
	{"checklist", "a checklist"},
	{"dice", "a throw of dice"},
	{"story", "a story"},
	{"paid_media", "paid media"},
	{"game", "a game"},
	{"invoice", "an invoice"},
	{"giveaway", "a giveaway"},
}
