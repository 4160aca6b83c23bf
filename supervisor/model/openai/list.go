package openai

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"mews/supervisor/model/remote"
	"mews/supervisor/modelcall"
)

const maxModels = 2000 // maximum number of models; OpenRouter has some hundreds

// Models returns the endpoint's chat models, sorted. It recognizes chat models by their names, and
// returns the same kinds of errors as Stream.
func (p *Provider) Models(ctx context.Context) ([]string, error) {
	found, err := p.list(ctx)
	if err != nil {
		_, err = p.FinishCall(ctx, "", modelcall.Answer{}, err)
		return nil, err
	}
	var models []string
	for _, m := range found {
		if p.server.isForChat(m.ID) {
			models = append(models, m.ID)
		}
	}
	return models, nil
}

func (p *Provider) list(ctx context.Context) ([]listedModel, error) {
	var l listing
	if err := p.ReadModelList(ctx, p.modelsURL, &l); err != nil {
		return nil, err
	}
	return l.models()
}

// listing is a list of models. OpenAI has it in data, and Ollama's own API in models. Some servers
// send both.
type listing struct {
	Data   []listedModel `json:"data"`
	Models []listedModel `json:"models"`
}

type listedModel struct {
	ID    string `json:"id"`
	Name  string `json:"name"` // the model's id in Ollama's own API
	Owner string `json:"owned_by"`

	// The window in tokens, under the names of these servers: OpenRouter and Together, vLLM, Groq,
	// LM Studio.
	ContextLength int64 `json:"context_length"`
	MaxModelLen   int64 `json:"max_model_len"`
	ContextWindow int64 `json:"context_window"`
	LoadedLength  int64 `json:"loaded_context_length"`
}

// ContextWindows returns the context windows that the endpoint reports, in tokens by model. The
// server llama.cpp has one model, and reports its window at another URL.
func (p *Provider) ContextWindows(ctx context.Context) (map[string]int64, error) {
	found, err := p.list(ctx)
	windows := map[string]int64{}
	for _, m := range found {
		tokens := cmp.Or(m.LoadedLength, m.MaxModelLen, m.ContextWindow, m.ContextLength)
		if m.Owner == llamaOwner {
			var props struct {
				Defaults struct {
					Context int64 `json:"n_ctx"`
				} `json:"default_generation_settings"`
			}
			if err := p.ReadModelList(ctx, p.propsURL, &props); err == nil { // old versions of llama.cpp lack this URL
				tokens = props.Defaults.Context
			}
		}
		if tokens > 0 {
			windows[m.ID] = tokens
		}
	}
	return windows, err
}

// models returns the models of a listing, sorted and without duplicates. It drops names that users
// can't type.
func (l listing) models() (out []listedModel, err error) {
	if l.Data == nil && l.Models == nil {
		return nil, fmt.Errorf("%w: a list of models", remote.ErrInvalidEvent)
	}
	if l.Data == nil {
		l.Data = l.Models
	}
	for _, m := range l.Data {
		if m.ID = cmp.Or(m.ID, m.Name); remote.IsValidModelName(m.ID) {
			out = append(out, m)
		}
	}
	slices.SortFunc(out, func(a, b listedModel) int { return cmp.Compare(a.ID, b.ID) })
	out = slices.CompactFunc(out, func(a, b listedModel) bool { return a.ID == b.ID })
	return out[:min(len(out), maxModels)], nil
}
