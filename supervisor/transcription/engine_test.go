package transcription

import (
	"testing"

	"mews/protocol"
)

func TestEngineProblem_WithoutModel_NamesProblem(t *testing.T) {
	for want, engines := range map[string][]protocol.SpeechEngine{
		textHearingOff: {{Engine: engineOff}, {Engine: engineOff, Model: "base.bin"}},
		textNoHearing:  {{Engine: engineWhisper}},
		"":             {{Engine: engineWhisper, Model: "base.bin"}, {Engine: "command"}, {Engine: "endpoint"}},
	} {
		for _, e := range engines {
			if got := EngineProblem(e); got != want {
				t.Errorf("%+v: got %q", e, got)
			}
		}
	}
}
