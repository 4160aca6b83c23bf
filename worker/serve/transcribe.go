package serve

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"

	"mews/protocol"
	"mews/worker/host"
	"mews/worker/speech"
)

// transcribe transcribes a recording of the home.
func transcribe(ctx context.Context, u *userTools, h *host.Operation, start protocol.OperationStart) (any, error) {
	return withParameters(func(ctx context.Context, u *userTools, h *host.Operation, p protocol.TranscribeParameters) (any, error) {
		if p.Seconds < 1 {
			return nil, invalidOperation("parameters: seconds: %d, want at least 1", p.Seconds)
		}
		if u.programs == nil {
			return protocol.TranscribeResult{Failure: protocol.SpeechFailureNoProgram,
				Detail: "this worker runs no programs"}, nil
		}
		t := speech.Transcriber{
			Programs: u.programs, Files: u.files, Home: u.hello.Home, Pieces: h, Done: start.Pieces,
			// The folder has the same name after a crash, so that a second attempt finds and
			// removes the leftovers.
			Temp: filepath.Join(cmp.Or(u.options.Temp, "/tmp"), fmt.Sprint("mews-transcribe-", start.Operation)),
		}
		return t.Transcribe(ctx, p)
	})(ctx, u, h, start)
}
