package voice

import "mews/protocol"

const (
	textNoVoiceHere = "There are no voice messages in this chat. Write /voice to me on Telegram."
	textNoSuchVoice = "There is no voice of that name. /voices lists the voices."
	textForbidden   = "Your settings on Telegram forbid voice messages (Privacy and Security, Voice Messages), so I answer in " +
		"writing. Once you allow them, /voice on makes me speak again."
	textNoSample = "There is no sample of the voice %s: %s"
	textSample   = "Hello, this is %s."
	textNotSaid  = "(I could not say this aloud: %s I try again with the next answer. /voice off turns my voice off.)"
	textNotSpoke = "something went wrong; the log says what."
)

// failures are texts for the user, one for each cause.
var failures = map[protocol.SpeechFailure]string{
	protocol.SpeechFailureNoProgram: "the program that speaks is not installed where your assistant can run it. An admin can install " +
		"espeak-ng, or name another in speech.out of the configuration.",
	protocol.SpeechFailureNoModel:       "the voice's model is missing, or your assistant may not read its folder (worker.read_only).",
	protocol.SpeechFailureProgramFailed: "the program that speaks has failed.",
	protocol.SpeechFailureOutOfMemory:   "the program that speaks was ended; it probably took more memory than your assistant may have (worker.memory).",
	protocol.SpeechFailureTimeout:       "speaking took longer than two minutes.",
	protocol.SpeechFailureNoSound:       "the program that speaks has made no sound that ffmpeg can read.",
	protocol.SpeechFailureNoFFmpeg:      "ffmpeg is not installed. An admin can install it.",
}

// Reasons why an answer comes in writing, for a user who wants only voice messages.
const (
	textWrittenBecauseSilent    = "(In writing, because this answer has nothing to say aloud.)"
	textWrittenBecauseOfWarning = "(In writing too, so that you can read the warning in this answer.)"
	textWrittenBecauseOfCode    = "(In writing too, because this answer contains code.)"
	textWrittenBecauseTooLong   = "(In writing too, because this answer is too long to say all of it aloud.)"
	// TextWrittenBecauseOfFiles is for an answer with files, buttons or a part that is in the chat
	// already.
	TextWrittenBecauseOfFiles = "(In writing too, because this answer has files, buttons or an earlier part.)"
)

// Texts of /voice and /voices.
const (
	textVoiceHelp = "spoken answers in this chat: /voice on beside the text, " +
		"/voice only instead of it, /voice off"
	textVoicesHelp     = "which voices there are, with a sample of each; /voices NAME chooses one"
	textVoiceOff       = "Answers come in writing here."
	textVoiceOn        = "A voice message follows each answer here."
	textVoiceOnly      = "Answers come as voice messages here. Code, files and buttons still come as text."
	textVoiceForbidden = "Answers come in writing here: your settings on Telegram forbid " +
		"voice messages. /voice on tries again."
	textNotHere     = " There are no voice messages in this chat; write /voice to me on Telegram."
	textVoiceUsage  = "Write “/voice off”, “/voice on” or “/voice only”."
	textVoices      = "Choose a voice with its button or “/voices NAME”:\n"
	textVoiceYours  = " (yours)"
	textVoiceChosen = "From now on I speak as %s."
)

// Reasons why Mews can't speak.
const (
	textNoEspeak = "I can't speak: espeak-ng is not installed on this machine. An admin can install it " +
		"(apt install espeak-ng), or name another program in speech.out of the configuration."
	textNoFFmpeg = "I can't speak: ffmpeg, which makes voice messages, is not installed on this machine. " +
		"An admin can install it (apt install ffmpeg)."
	textNoSpeech = "I can't speak: speech.out in the configuration is off. An admin can change that."
)
