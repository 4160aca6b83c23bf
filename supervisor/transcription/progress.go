package transcription

import (
	"context"
	"fmt"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/retry"
)

const (
	// showEvery is how often a person is shown how far their recording has come. What takes no
	// longer shows nothing.
	showEvery = 5 * time.Second

	// showEveryInGroup is showEvery in a group, where it uses up the messages of a minute.
	// (Telegram's Bots FAQ: 20)
	showEveryInGroup = 15 * time.Second

	// showAtMost is how long the message stands whose recording never ends.
	showAtMost = 24 * time.Hour
)

// show shows a person how far their recording has come, until ctx ends.
func (t *Transcriber) show(ctx context.Context, r Recording, operation int64) {
	every := showEvery
	if r.Conversation.InGroup() {
		every = showEveryInGroup
	}
	shown := ""
	for pause := showEvery; retry.Wait(ctx, pause); pause = every {
		text := fmt.Sprintf(textProgress, clock(t.o.Operations.Progress(operation)), clock(r.Seconds))
		if r.Seconds == 0 {
			text = fmt.Sprintf(textProgressOfUnknown, clock(t.o.Operations.Progress(operation)))
		}
		if text == shown {
			continue
		}
		shown = text
		err := t.o.Show(ctx, supervisor.Delivery{Conversation: r.Conversation, Inbound: r.Inbound, Text: text, DeleteAfter: showAtMost})
		if err != nil && ctx.Err() == nil {
			t.o.Log.Warn("show how far a transcription has come", "operation", operation, "error", err)
		}
	}
}
