package app

// Why nobody speaks here.
const (
	textNoEspeak = "I can't speak: espeak-ng is not installed on this machine. An admin can install it (apt install espeak-ng), or name " +
		"another program in speech.out of the configuration."
	textNoFFmpeg = "I can't speak: ffmpeg, which makes voice messages, is not installed on this machine. An admin can install it (apt " +
		"install ffmpeg)."
	textNoSpeech = "I can't speak: speech.out in the configuration is off. An admin can change that."
)
