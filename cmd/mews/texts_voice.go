package main

// Texts of `mews voice`.
const (
	textVoiceEngines = "recordings are transcribed by %s (speech.in, language %s); answers are spoken by %s " +
		"(speech.out)\n"
	textVoiceRow      = "  %-12s %s\n"
	textNotInstalled  = "not installed in a folder that workers see: %s"
	textFromFFmpeg    = "apt-get install ffmpeg, on Debian"
	textFromManual    = "`mews help voice-setup` says how to get it"
	textFromEspeak    = "apt-get install espeak-ng, on Debian"
	textFromPiper     = "it is only needed for speech.out.engine: piper"
	textModel         = "model"
	textNoSpeechModel = "none: name one in speech.in.model; `mews help voice-setup` says how to get one"
	textSpeechServer  = "%s, on a server, which gets the recordings"
	textSpeechModel   = "%s, which takes %s of memory"
)

// Texts of `mews voice test`.
const (
	textHeard        = "heard: %s\nlanguage: %s · length %d:%02d · took %.1f s (%.2f times its length)\n"
	textHeardNothing = "nothing: nobody speaks in it, or it is too quiet"
	textNoLanguage   = "not known"
)
