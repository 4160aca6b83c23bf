package doctor

import (
	"cmp"
	"context"
	"fmt"

	"mews/config"
)

// examineVoice names the engine for spoken answers, and a missing program for transcription.
func examineVoice(_ context.Context, o Options) (string, error) {
	in := o.Config.Speech.In
	spoken, err := examineSpokenAnswers(o)
	needsWhisper := in.Engine != config.SpeechEngineOff && in.Engine != config.SpeechEngineEndpoint &&
		in.Engine != config.SpeechEngineCommand
	whisper := cmp.Or(in.Program, "whisper-cli")
	if _, lacks := FindWorkerProgram(whisper); err == nil && needsWhisper && lacks != nil {
		spoken += "\n" + fmt.Sprintf(textNoWhisper, whisper)
	}
	return spoken, err
}

// examineSpokenAnswers names the engine for spoken answers. A missing engine is no fault unless the
// configuration names it.
func examineSpokenAnswers(o Options) (string, error) {
	out := o.Config.Speech.Out
	programs := map[string]string{config.SpeechEngineAuto: "espeak-ng", config.SpeechEngineEspeak: cmp.Or(out.Program,
		"espeak-ng"),
		config.SpeechEnginePiper: cmp.Or(out.Program, "piper")}
	switch {
	case out.Engine == config.SpeechEngineOff:
		return textVoiceOff, nil
	case out.Engine == config.SpeechEngineEndpoint:
		return fmt.Sprintf(textVoiceServer, out.Model), nil
	case len(out.Command) > 0:
		programs[config.SpeechEngineCommand] = out.Command[0]
	}
	for _, name := range []string{programs[out.Engine], "ffmpeg"} {
		_, err := FindWorkerProgram(name)
		switch {
		case err != nil && out.Engine == config.SpeechEngineAuto:
			return fmt.Sprintf(textVoiceNone, name), nil
		case err != nil:
			return "", &warning{fmt.Sprintf(textVoiceLacks, out.Engine, name)}
		}
	}
	return fmt.Sprintf(textVoice, programs[out.Engine], out.Engine), nil
}
