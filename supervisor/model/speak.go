package model

import (
	"context"

	"mews/supervisor"
)

// speaker is a provider that says texts aloud.
type speaker interface {
	Speak(ctx context.Context, model, voice, text string) ([]byte, error)
}

// Speak has a model say a text, and returns Ogg Opus. Its errors are for a person.
func (c *Catalogue) Speak(ctx context.Context, spec, voice, text string) ([]byte, error) {
	choice, err := c.Resolve(spec)
	if err != nil {
		return nil, err
	}
	s, can := choice.Provider.(speaker)
	if !can {
		return nil, supervisor.Errorf(supervisor.CodeInvalid, textDoesNotSpeak, choice.Spec)
	}
	return s.Speak(ctx, choice.Model, voice, text)
}
