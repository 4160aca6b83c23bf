package usage

import (
	"context"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/model"
	"mews/supervisor/modelcall"
	"mews/supervisor/sqlite"
)

// Embedder turns users' texts into vectors for the index. Each user pays for their own texts.
type Embedder struct {
	Payer
	Model         string // the model, as provider/model
	Transcript    sqlite.Transcript
	Conversations sqlite.Conversations
	Serves        func(supervisor.Conversation) bool
}

// Embed asks a provider for the vectors of texts. The user pays for each try in advance.
func (e Embedder) Embed(ctx context.Context, user string, texts []string) (vectors [][]float32, err error) {
	in, err := e.payingConversation(ctx, user)
	call := sqlite.ModelCall{Spec: e.Model, Purpose: modelcall.PurposeEmbed}
	for _, text := range texts {
		// a token has at least one byte; models add one token before a text and one after it
		call.Usage.Input += int64(len(text)) + 2
	}
	if err != nil {
		return nil, err
	}
	return vectors, model.RetryCall(ctx, func() error {
		return e.Payer.PayCall(ctx, supervisor.Turn{Conversation: in}, call, func() (protocol.Usage, error) {
			result, err := e.Models.Embed(ctx, call.Spec, texts)
			vectors = result.Vectors
			return result.Usage, err
		})
	})
}

// payingConversation returns the user's first conversation, whose budget pays for the call.
func (e Embedder) payingConversation(ctx context.Context, user string) (c supervisor.Conversation, err error) {
	ids, err := e.Transcript.ListConversations(ctx, user)
	if err != nil {
		return c, err
	}
	for _, id := range ids {
		if c, _, err = e.Conversations.FindConversation(ctx, id); err != nil || e.Serves(c) {
			return c, err
		}
	}
	return c, supervisor.Errorf(supervisor.CodeNotFound, textNoConversation, user)
}
