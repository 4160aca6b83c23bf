package doctor

import (
	"cmp"
	"context"
	"fmt"

	"mews/config"
)

// examineVoice names the engine for spoken answers. A missing engine is no fault unless the
// configuration names it.
func examineVoice(_ context.Context, o Options) (string, error) {
	out := o.Config.Speech.Out
	programs := map[string]string{config.SpeechAuto: "espeak-ng", config.SpeechEspeak: cmp.Or(out.Program, "espeak-ng"),
		config.SpeechPiper: cmp.Or(out.Program, "piper")}
	switch {
	case out.Engine == config.SpeechOff:
		return textVoiceOff, nil
	case out.Engine == config.SpeechEndpoint:
		return fmt.Sprintf(textVoiceServer, out.Model), nil
	case len(out.Command) > 0:
		programs[config.SpeechCommand] = out.Command[0]
	}
	for _, name := range []string{programs[out.Engine], "ffmpeg"} {
		_, err := FindWorkerProgram(name)
		switch {
		case err != nil && out.Engine == config.SpeechAuto:
			return fmt.Sprintf(textVoiceNone, name), nil
		case err != nil:
			return "", &warning{fmt.Sprintf(textVoiceLacks, out.Engine, name)}
		}
	}
	return fmt.Sprintf(textVoice, programs[out.Engine], out.Engine), nil
}
