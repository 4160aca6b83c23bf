package app

import (
	"context"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/index"
	"mews/supervisor/model"
	"mews/supervisor/modelcall"
	"mews/supervisor/sqlite"
)

// embedding turns people's texts into vectors for the index.
type embedding struct{ *service }

// embedder is what turns texts into vectors; nil where the configuration names no model.
func (s *service) embedder() index.Embedder {
	if s.config.Models.Embed == "" {
		return nil
	}
	return embedding{s}
}

// Embed has a provider turn texts into vectors. Each try is paid by the person whose texts they
// are, before it is made.
func (e embedding) Embed(ctx context.Context, user string, texts []string) (vectors [][]float32, err error) {
	in, err := e.talksIn(ctx, user)
	call := sqlite.ModelCall{Spec: e.config.Models.Embed, Purpose: modelcall.PurposeEmbed}
	for _, text := range texts {
		// no token is shorter than a byte, and models put one before and one behind a text
		call.Usage.Input += int64(len(text)) + 2
	}
	if err != nil {
		return nil, err
	}
	return vectors, model.Retry(ctx, func() error {
		return e.payer().Pay(ctx, supervisor.Turn{Conversation: in}, call, func() (protocol.Usage, error) {
			result, err := e.models.Embed(ctx, call.Spec, texts)
			vectors = result.Vectors
			return result.Usage, err
		})
	})
}

// talksIn is the first conversation of a person's, for which their money is set aside.
func (e embedding) talksIn(ctx context.Context, user string) (c supervisor.Conversation, err error) {
	ids, err := e.db.Transcript().Conversations(ctx, user)
	if err != nil {
		return c, err
	}
	for _, id := range ids {
		if c, _, err = e.db.Conversations().FindByID(ctx, id); err != nil || e.serves(c) {
			return c, err
		}
	}
	return c, supervisor.Errorf(supervisor.CodeNotFound, textTalksNowhere, user)
}
