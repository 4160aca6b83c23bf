package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"mews/protocol"
	"mews/supervisor/model/remote"
)

const (
	maxModels   = 2000 // OpenRouter has some hundreds
	maxListing  = 8 << 20
	listTimeout = 10 * time.Second
)

// Models are the models that the endpoint offers for chat, by name, as far as their names tell what they are for. Its
// errors are as Stream's.
func (p *Provider) Models(ctx context.Context) ([]string, error) {
	found, err := p.list(ctx)
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, p.at.Explain(err, "", failureIn(err).request, protocol.Usage{})
	}
	var models []string
	for _, m := range found {
		if p.server.isForChat(m.name) {
			models = append(models, m.name)
		}
	}
	return models, nil
}

func (p *Provider) list(ctx context.Context) ([]listedModel, error) {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	resp, err := p.send(ctx, http.MethodGet, p.listing, nil)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close() // of a body that was only read: its error says nothing
	if resp.StatusCode != http.StatusOK {
		err := named(readRefusal(resp, resp.Body), p.nameOf(resp))
		if f := new(failure); errors.As(err, &f) {
			f.listing = true
		}
		return nil, err
	}
	return readListing(resp.Body)
}

// listedModel is one model of a listing.
type listedModel struct {
	name  string
	owner string
}

// listing is OpenAI's, with data, or the models of Ollama's own API; some servers give both.
type listing struct {
	Data   []wireModel `json:"data"`
	Models []wireModel `json:"models"`
}

type wireModel struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Owner string `json:"owned_by"`
}

// readListing reads the answer of GET models; names that no person could write are left out.
func readListing(body io.Reader) ([]listedModel, error) {
	data, err := io.ReadAll(io.LimitReader(body, maxListing))
	if err != nil {
		return nil, err
	}
	var l listing
	if err := json.Unmarshal(data, &l); err != nil || (l.Data == nil && l.Models == nil) {
		return nil, fmt.Errorf("%w: a list of models", errNotChunk)
	}
	if l.Data == nil {
		l.Data = l.Models
	}
	var out []listedModel
	for _, m := range l.Data {
		if m.ID == "" {
			m.ID = m.Name
		}
		if remote.ValidModelName(m.ID) {
			out = append(out, listedModel{m.ID, m.Owner})
		}
	}
	slices.SortFunc(out, func(a, b listedModel) int { return strings.Compare(a.name, b.name) })
	out = slices.CompactFunc(out, func(a, b listedModel) bool { return a.name == b.name })
	return out[:min(len(out), maxModels)], nil
}
