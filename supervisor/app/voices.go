package app

import (
	"context"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/voice"
)

// openVoices makes the speaker, which reads answers aloud.
func (s *service) openVoices(context.Context) error {
	s.voices = voice.New(voice.Options{
		Store: s.db.SpokenAnswers(), Settings: s.db.Settings(), Operations: s.operations, Engine: s.voiceEngine,
		ShowRecording: s.showRecording, Queued: s.deliveryQueued, IsServed: s.isUser, Log: s.log.Named("voice"),
		Say: func(ctx context.Context, d supervisor.Delivery) error {
			_, err := s.db.Outbox().SendNotice(ctx, d)
			return err
		},
	})
	return nil
}

// showRecording shows "recording a voice message" in the chat.
func (s *service) showRecording(ctx context.Context, c supervisor.Conversation) {
	if s.channel != nil {
		s.channel.outbox.ShowRecordingAction(ctx, c)
	}
}

// voiceEngine returns the configured engine that speaks answers.
func (s *service) voiceEngine() voice.Engine {
	out := s.config.Speech.Out
	return voice.NewEngine(voice.EngineConfig{Voice: out.Voice, Voices: out.Voices,
		VoiceEngine: protocol.VoiceEngine{Engine: out.Engine, Program: out.Program, Command: out.Command},
		Endpoint: voice.Endpoint{Model: out.Model, Speak: s.models.Speak, Pay: s.payer().PayCall,
			Keep: generatedFileStore{s.spool}.keep}})
}
