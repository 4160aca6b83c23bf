package command

import (
	"context"
	"path/filepath"
	"strconv"
	"strings"

	"mews/supervisor"
	"mews/supervisor/feature"
)

// Transcriber writes down what is said in recordings.
type Transcriber interface {
	// Again transcribes a recording of a person's home; seconds is how long it is, 0 where that is
	// not known. begin is given what a model reads of it, where something is said in it. It returns
	// what the person is told.
	Again(ctx context.Context, c supervisor.Conversation, inbound int64, path string, seconds int, begin func(text string) error) (
		supervisor.Delivery, error)
}

const transcribePrefix = "tr:"

var transcribeRows = []row{
	{SlashCommand: supervisor.SlashCommand{Name: "transcribe",
		Help: "listen to a recording among your files, and answer it; /transcribe PATH"},
		place: 88, run: transcribe, press: pressTranscribe, mayAsk: true, prefix: transcribePrefix},
}

// transcribe listens to the recording at a path.
func transcribe(ctx context.Context, c *Commands, r feature.Request) (supervisor.Delivery, error) {
	return c.transcribe(ctx, r, strings.Trim(strings.TrimSpace(r.Arguments), "`"), 0)
}

// pressTranscribe listens again to a recording: its seconds and its path stand in the button.
func pressTranscribe(ctx context.Context, c *Commands, r feature.Request) (supervisor.Delivery, error) {
	length, path, _ := strings.Cut(r.Arguments, ":")
	seconds, err := strconv.Atoi(length)
	if err != nil || seconds < 0 {
		return supervisor.Delivery{Text: feature.TextDeadButton}, nil
	}
	return c.transcribe(ctx, r, path, seconds)
}

func (c *Commands) transcribe(ctx context.Context, r feature.Request, path string, seconds int) (
	supervisor.Delivery, error) {
	if !filepath.IsLocal(path) {
		return supervisor.Delivery{}, supervisor.Errorf(supervisor.CodeInvalid, textTranscribeUsage)
	}
	r.Unblock() // it may take long
	return c.o.Transcriber.Again(ctx, r.Conversation, r.Inbound, path, seconds, func(text string) error {
		return c.o.Begin(ctx, r.Conversation, r.Inbound, text)
	})
}
