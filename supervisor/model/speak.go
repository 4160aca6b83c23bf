package model

import (
	"context"

	"mews/supervisor"
)

// speaker is a provider that turns text into speech.
type speaker interface {
	Speak(ctx context.Context, model, voice, text string) ([]byte, error)
}

// Speak turns text into speech with the model spec. It returns Ogg Opus. Errors are for users.
func (c *Catalogue) Speak(ctx context.Context, spec, voice, text string) ([]byte, error) {
	choice, err := c.Resolve(spec)
	if err != nil {
		return nil, err
	}
	s, can := choice.Provider.(speaker)
	if !can {
		return nil, supervisor.Errorf(supervisor.CodeInvalid, textNoSpeech, choice.Spec)
	}
	return s.Speak(ctx, choice.Model, voice, text)
}
