package transcription

import "mews/protocol"

// Texts about a recording for the model.
const (
	textSilent         = "[%s, %s] Nothing is said in it. It lies in %s."
	textAlsoIn         = "\n[The text also lies in %s.]"
	textLongAudio      = "[audio, %s] It lies in %s and was not transcribed: it is long, and nobody has asked for it (/transcribe and its path do)."
	textNotTranscribed = "The person has sent a recording (%s, %s), which could not be transcribed; they were told why. It lies in %s. Do not " +
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
	textTranscribeHelp  = "answer a recording among your files: /transcribe PATH"
	textTranscribeUsage = "Name a recording among your files: " +
		"`/transcribe uploads/2026-11-20/131905-voice.ogg`. /files lists them."
	textProgress          = "I listen: %s of %s."
	textHeard             = "Heard:"
	textProgressOfUnknown = "I listen: %s so far."
	textHeardUnshown      = "I have heard it now."
	textHeardNothing      = "I hear nothing in the recording of %s that you sent: nobody speaks, or it is too low. You may say it again, closer " +
		"to the microphone."
	textFailed         = "I can't listen to what you sent: %s The recording is kept: `%s`."
	textNotHeard       = "the recording was not heard: %s"
	textNoAnswer       = "it came to nothing, and the log says why. Trying again may help."
	textHearingOff     = "nobody listens to recordings on this machine (speech.in.engine is off)."
	textEndpointFormat = "%s can't be sent to be written down: the server takes %s, and at most 25 MB."
	textNotReceived    = "the recording could not be put into your folder. %s"
	textEndpointGone   = "there is no such file among yours."
	textNoHearing      = "this machine has no model of speech. An admin may get one and name it in speech.in.model: " +
		"`mews help voice-setup` says how."
	textTryAgain = "Try again"
	textTooLong  = "it is %s long, and I listen to at most %s. Send it in parts, or ask an admin to raise speech.in.longest."
)

// textsFailure says for each failure what happened and what to do.
var textsFailure = map[protocol.SpeechFailure]string{
	protocol.SpeechNoProgram: "the program for it is not installed where my programs run. An admin may install it; `mews help voice-setup` says how, and " +
		"`mews check` names what is missing.",
	protocol.SpeechNoModel: "the model of speech is missing or was not loaded to its end. An admin may get it anew and name it in " +
		"speech.in.model; `mews check` looks at it.",
	protocol.SpeechExit:     "the program for it has failed. Trying again may help; the log says what it wrote last.",
	protocol.SpeechMemory:   "it takes more memory than I may have. An admin may choose a smaller model, or raise worker.memory.",
	protocol.SpeechTimeout:  "it takes too long on this machine. Try again when it has less to do, or ask an admin for a smaller model.",
	protocol.SpeechBroken:   "there is no sound in it that I can read. Record it again, and send that.",
	protocol.SpeechTooLong:  "it is longer than I listen to. Send it in parts, or ask an admin to raise speech.in.longest.",
	protocol.SpeechNoFFmpeg: "this machine has no ffmpeg, which reads recordings. An admin may install it (on Debian: apt-get install ffmpeg).",
}
