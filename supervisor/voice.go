package supervisor

// VoiceMode says whether the answers of a conversation are said aloud. The zero value is VoiceOff.
type VoiceMode string

const (
	VoiceOff VoiceMode = "off"
	VoiceOn  VoiceMode = "on" // a voice message follows the text
	// a voice message takes the place of the text, where that can be
	VoiceOnly      VoiceMode = "only"
	VoiceForbidden VoiceMode = "forbidden" // off: the chat takes no voice messages
)
