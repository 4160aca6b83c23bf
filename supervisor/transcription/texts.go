package transcription

import "mews/protocol"

// Texts about a recording for the model.
const (
	textSilent         = "[%s, %s] Nobody speaks in it. It is kept as %s."
	textTaken          = "\n[No file has exactly that path. %s looks the same, so that file was used.]"
	textAlsoIn         = "\n[The text is also in %s.]"
	textLongAudio      = "[audio, %s] It is kept as %s. It was not transcribed, because it is long and nobody asked for it. /transcribe with its path transcribes it."
	textNotTranscribed = "The person sent a recording (%s, %s), which could not be transcribed; they were told why. It is kept as %s. Do not " +
		"guess what is said in it. %s"
	textRecording = "recording"
)

// textsKind names the kinds of recordings.
var textsKind = map[protocol.AttachmentKind]string{
	protocol.AttachmentVoice: "voice", protocol.AttachmentAudio: "audio", protocol.AttachmentVideo: "video",
	protocol.AttachmentVideoNote: "round video",
}

// Texts about a recording for the user.
const (
	textTranscribeHelp  = "transcribe and answer a recording of your files: /transcribe PATH"
	textTranscribeUsage = "Name a recording among your files: " +
		"`/transcribe uploads/2026-11-20/131905-voice.ogg`. /files lists them."
	textProgress          = "Transcribed: %s of %s."
	textHeard             = "Heard:"
	textProgressOfUnknown = "Transcribed so far: %s."
	textHeardUnshown      = "I have transcribed it now."
	textHeardNothing      = "I hear no words in your recording of %s. Say it again, closer " +
		"to the microphone."
	textNobodySpeaks   = "Nobody speaks in `%s` (%s)."
	textNoSound        = "the recording has no sound that I can read."
	textGone           = "There is no file `%s` in your folder. /files lists what you have sent."
	textFailed         = "I can't transcribe your recording: %s It is kept: `%s`."
	textNotHeard       = "the recording was not transcribed: %s"
	textNoAnswer       = "something went wrong; the log says what. Trying again may help."
	textHearingOff     = "this machine transcribes nothing (speech.in.engine is off). An admin can turn it on."
	textEndpointFormat = "the server can't transcribe %s: it takes %s, and at most 25 MB."
	textNotReceived    = "the recording could not be put into your folder. %s"
	textEndpointGone   = "you have no such file."
	textNoHearing      = "this machine has no speech model. An admin can download one and name it in speech.in.model: " +
		"`mews help voice-setup` says how."
	textTryAgain = "Try again"
	textTooLong  = "the recording is %s long, and I transcribe at most %s. Send it in parts, or ask an admin to " +
		"raise speech.in.longest."
)

// textsFailure says for each failure what happened and what to do.
var textsFailure = map[protocol.SpeechFailure]string{
	protocol.SpeechFailureNoProgram: "the program that transcribes is not installed where my programs run. " +
		"An admin may install it; `mews help voice-setup` says how, and " +
		"`mews check` names what is missing.",
	protocol.SpeechFailureNoModel: "the speech model is missing or damaged. An admin can download it again and name it in " +
		"speech.in.model; `mews check` checks it.",
	protocol.SpeechFailureProgramFailed: "the program that transcribes has failed. Trying again may help; the log " +
		"says what it wrote last.",
	protocol.SpeechFailureOutOfMemory: "transcribing takes more memory than I may use. " +
		"An admin may choose a smaller model, or raise worker.memory.",
	protocol.SpeechFailureTimeout: "transcribing takes too long on this machine. Try again when the machine has " +
		"less to do, or ask an admin for a smaller model.",
	protocol.SpeechFailureNoSound: "the recording has no sound that I can read. Record it again, and send that.",
	protocol.SpeechFailureNoFile:  "there is no such file.",
	protocol.SpeechFailureTooLong: "the recording is too long. Send it in parts, or ask an admin to raise " +
		"speech.in.longest.",
	protocol.SpeechFailureNoFFmpeg: "this machine has no ffmpeg, which reads recordings. " +
		"An admin may install it (on Debian: apt-get install ffmpeg).",
}
