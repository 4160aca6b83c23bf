package serve

import (
	"context"

	"mews/protocol"
	"mews/worker/host"
	"mews/worker/speech"
)

// speak makes a recording of a text.
func speak(ctx context.Context, u *userTools, h *host.Operation, p protocol.SpeakParameters) (any, error) {
	if n := len(p.Text); n == 0 || n > protocol.MaxSpokenTextBytes {
		return nil, invalidOperation("parameters: text: %d bytes, want 1 to %d", n, protocol.MaxSpokenTextBytes)
	}
	if u.programs == nil {
		return protocol.SpeakResult{Failure: protocol.SpeechFailureNoProgram, Detail: "this worker runs no programs"},
			nil
	}
	return speech.Speaker{Programs: u.programs, Blobs: h, Temp: u.options.Temp}.Speak(ctx, p)
}
