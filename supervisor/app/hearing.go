package app

import (
	"context"

	"mews/config"
	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/attachment"
	"mews/supervisor/control"
	"mews/supervisor/transcription"
)

// openHearing makes the transcriber of recordings.
func (s *service) openHearing(context.Context) error {
	in := s.config.Speech.In
	var endpoint func(context.Context, transcription.Recording, string) (protocol.TranscribeResult, error)
	if in.Engine == config.SpeechEngineEndpoint {
		endpoint = transcription.Endpoint{Model: in.Model, Transcribe: s.models.Transcribe, Pay: s.payer().PayCall,
			Spool: s.spool, Uploads: s.operations.ManageUploads}.TranscribeRecording
	}
	s.transcriber = transcription.New(transcription.Options{
		Operations: s.operations, Engine: speechInput{s}.engine, Endpoint: endpoint, MaxLength: in.Longest,
		ShowText: in.Echo == config.OptionalTrue,
		Say: func(ctx context.Context, d supervisor.Delivery) error {
			said, err := s.db.Outbox().SendInboundNotice(ctx, d)
			if err == nil {
				s.feeds.NotifyDelivery(said.Conversation.ID)
			}
			return err
		},
		Show: speechInput{s}.showProgress, Begin: s.queue().QueueCommandText, Uploads: s.operations.ManageUploads,
		Now: s.now,
		Log: s.log.Named("transcription"),
	})
	return nil
}

// speechInput connects recordings with the transcriber.
type speechInput struct{ *service }

// showProgress shows a message's progress until its files have arrived. It does nothing if the
// channel can't edit messages.
func (h speechInput) showProgress(ctx context.Context, d supervisor.Delivery) error {
	if !d.Conversation.Channel.Capabilities().Edit || h.channel == nil {
		return nil
	}
	said, err := h.db.Outbox().SendInboundNotice(ctx, d)
	switch {
	case err != nil:
		return err
	case said.Text != d.Text:
		return h.channel.outbox.EditSentDelivery(ctx, said, d.Text)
	}
	h.feeds.NotifyDelivery(said.Conversation.ID)
	return nil
}

// transcribe returns a recording's text for the model, and the spoken words alone.
func (h speechInput) transcribe(ctx context.Context, r attachment.Recording) (text, words string) {
	return h.transcriber.Transcribe(ctx, transcription.Recording{Conversation: r.Inbound.Conversation, Inbound: r.Inbound.ID,
		Position: r.Position, Kind: r.Kind, Path: r.Path, Seconds: r.Seconds, Blob: r.Blob})
}

// engine returns the speech engine for a user. missing says why it can't run.
func (h speechInput) engine(ctx context.Context, user string) (engine protocol.SpeechEngine, missing string) {
	in := h.config.Speech.In
	engine = protocol.SpeechEngine{Engine: in.Engine, Program: in.Program, Model: in.Model,
		Language: h.settings.SpeechLanguage(ctx, user), Threads: in.Threads, Command: in.Command}
	return engine, transcription.EngineProblem(engine)
}

// transcribeUpload transcribes an uploaded file that belongs to no message.
func (h speechInput) transcribeUpload(
	ctx context.Context, c supervisor.Conversation, file supervisor.Attachment,
) (control.TranscribeResult, error) {
	heard, err := h.transcriber.TranscribeUploaded(ctx, c, file)
	return control.TranscribeResult(heard), err
}
