package transcription

import (
	"context"
	"path/filepath"
	"strconv"
	"strings"

	"mews/supervisor"
	"mews/supervisor/feature"
)

const transcribePrefix = "tr:"

// Feature returns the command /transcribe and its button.
func (t *Transcriber) Feature() feature.Feature {
	return feature.Feature{Name: "transcription", Commands: []feature.Command{{
		SlashCommand: supervisor.SlashCommand{Name: "transcribe", Help: textTranscribeHelp},
		Group:        feature.HelpGroupVoice, Run: t.runTranscribe, Press: t.pressTranscribe, MayAsk: true,
		Prefix: transcribePrefix,
	}}}
}

// runTranscribe transcribes the recording at a path.
func (t *Transcriber) runTranscribe(ctx context.Context, r feature.CommandRequest) (supervisor.Delivery, error) {
	return t.listen(ctx, r, strings.Trim(strings.TrimSpace(r.Arguments), "`"), 0)
}

// pressTranscribe tries a recording again. The button's data has the recording's seconds and path.
func (t *Transcriber) pressTranscribe(ctx context.Context, r feature.CommandRequest) (supervisor.Delivery, error) {
	length, path, _ := strings.Cut(r.Arguments, ":")
	seconds, err := strconv.Atoi(length)
	if err != nil || seconds < 0 {
		return supervisor.Delivery{Text: feature.DeadButtonText}, nil
	}
	return t.listen(ctx, r, path, seconds)
}

// listen transcribes the recording at a path and begins a turn with its text.
func (t *Transcriber) listen(ctx context.Context, r feature.CommandRequest, path string, seconds int) (
	supervisor.Delivery, error) {
	if !filepath.IsLocal(path) {
		return supervisor.Delivery{}, supervisor.Errorf(supervisor.CodeInvalid, textTranscribeUsage)
	}
	r.Unblock() // so that later messages do not wait for a long transcription
	recording := Recording{Conversation: r.Conversation, Inbound: r.Inbound, Path: path, Seconds: seconds}
	return t.RetryTranscription(ctx, recording, func(text string) error {
		return t.o.Begin(ctx, r.Conversation,
			r.Inbound, text)
	})
}
