package openai

import (
	"context"
	"fmt"
	"slices"

	"mews/protocol"
	"mews/supervisor/model/remote"
	"mews/supervisor/modelcall"
)

const (
	// maxEmbedding is the maximum size of an answer in bytes. A number takes up to 25 bytes.
	maxEmbedding = 32 << 20
	// maxDimensions is the maximum length of a vector. No model has longer vectors.
	maxDimensions = 16_384
)

// embedRequest asks for the vectors of texts. (OpenAI's API reference, Create embeddings.) All
// servers know its fields.
type embedRequest struct {
	Model string   `json:"model"`
	Input []string `json:"input"`
}

// embedding is the response. Its vectors may be in any order.
type embedding struct {
	Data []struct {
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	} `json:"data"`
	Usage struct {
		Prompt int64 `json:"prompt_tokens"`
		Total  int64 `json:"total_tokens"` // some servers send only this count of tokens
	} `json:"usage"`
}

// Embed turns texts into vectors. It returns the same kinds of errors as Stream.
func (p *Provider) Embed(ctx context.Context, model string, texts []string) (e modelcall.Embeddings, err error) {
	body, err := remote.EncodeRequest(embedRequest{model, texts})
	var data []byte
	if err == nil {
		data, err = p.Post(ctx, p.embedURL, remote.JSONBody(body), remote.ContentTypeJSON, maxEmbedding)
	}
	var answer embedding
	if err == nil {
		err = remote.DecodeJSON(data, &answer)
	}
	if err == nil {
		e.Vectors, err = answer.vectors(len(texts))
	}
	switch {
	case err == nil:
		e.Usage = protocol.Usage{Input: max(answer.Usage.Prompt, answer.Usage.Total)}
		return e, nil
	case ctx.Err() != nil:
		return e, context.Cause(ctx)
	}
	return e, p.ExplainError(err, model, modelcall.Answer{})
}

// vectors returns the vectors of n texts in the order of the texts. It fails if a vector is
// missing, repeated, zero, or of another length.
func (a embedding) vectors(n int) ([][]float32, error) {
	list := make([][]float32, n)
	for _, d := range a.Data {
		if d.Index < 0 || d.Index >= n || list[d.Index] != nil {
			return nil, fmt.Errorf("%w: a vector of text %d", remote.ErrInvalidEvent, d.Index)
		}
		list[d.Index] = d.Embedding
	}
	for i, v := range list {
		none := !slices.ContainsFunc(v, func(x float32) bool { return x != 0 })
		if none || len(v) > maxDimensions || len(v) != len(list[0]) {
			return nil, fmt.Errorf("%w: text %d has a vector of %d numbers", remote.ErrInvalidEvent, i, len(v))
		}
	}
	return list, nil
}
