package transcription

import (
	"context"
	"fmt"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/retry"
)

const (
	// progressInterval is the time between two updates of the progress message. Shorter
	// transcriptions show no progress.
	progressInterval = 5 * time.Second

	// groupProgressInterval is progressInterval in a group, where bots may send fewer messages a
	// minute. (Telegram's Bots FAQ: 20)
	groupProgressInterval = 15 * time.Second

	// progressLifetime is how long the progress message stays if the transcription never ends.
	progressLifetime = 24 * time.Hour
)

// showProgress shows how many seconds are transcribed, until ctx ends.
func (t *Transcriber) showProgress(ctx context.Context, r Recording, operation int64) {
	every := progressInterval
	if r.Conversation.IsInGroup() {
		every = groupProgressInterval
	}
	shown := ""
	for pause := progressInterval; retry.Sleep(ctx, pause); pause = every {
		text := fmt.Sprintf(textProgress, clock(t.o.Operations.TranscribedSeconds(operation)), clock(r.Seconds))
		if r.Seconds == 0 {
			text = fmt.Sprintf(textProgressOfUnknown, clock(t.o.Operations.TranscribedSeconds(operation)))
		}
		if text == shown {
			continue
		}
		shown = text
		err := t.o.Show(ctx, supervisor.Delivery{Conversation: r.Conversation, Inbound: r.Inbound, Text: text, DeleteAfter: progressLifetime})
		if err != nil && ctx.Err() == nil {
			t.o.Log.Warn("show how far a transcription has come", "operation", operation, "error", err)
		}
	}
}
