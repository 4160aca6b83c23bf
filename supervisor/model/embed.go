package model

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/modelcall"
)

// embedder is a provider that turns texts into vectors.
type embedder interface {
	Embed(ctx context.Context, model string, texts []string) (modelcall.Embeddings, error)
}

// Embed turns texts into vectors with the model spec. Usage is empty if the provider does not count
// tokens. Errors are for users.
func (c *Catalogue) Embed(ctx context.Context, spec string, texts []string) (e modelcall.Embeddings, err error) {
	choice, err := c.Resolve(spec)
	if err != nil {
		return e, err
	}
	embeds, can := choice.Provider.(embedder)
	if !can {
		return e, supervisor.Errorf(supervisor.CodeInvalid, textNoEmbedding, choice.Spec)
	}
	return embeds.Embed(ctx, choice.Model, texts)
}
