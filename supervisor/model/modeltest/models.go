package modeltest

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// created is the creation date of all models.
const created = "2026-01-01T00:00:00Z"

// list responds to GET /v1/models in both formats, and to requests for local servers' own lists.
// list reports whether the request was of one of these kinds.
func (s *Server) list(w http.ResponseWriter, r *http.Request, id string) bool {
	models := s.Models
	if models == nil {
		models = []string{"m"}
	}
	path := r.URL.Path
	anthropic := r.Header.Get("Anthropic-Version") != "" || r.Header.Get("X-Api-Key") != ""
	switch {
	case strings.HasSuffix(path, "/models") && anthropic:
		s.listMessages(w, r, id, models)
	case strings.HasSuffix(path, "/models"):
		if refused := s.checkKey(FormatOpenAI, r.Header); refused != nil {
			s.refuseChat(w, refused, id)
			return true
		}
		give(w, idHeaders(FormatOpenAI, id), map[string]any{"object": "list", "data": s.chatModels(models)})
	case path == "/api/tags" && s.Dialect == DialectOllama:
		give(w, nil, map[string]any{"models": tags(models)})
	case path == "/props" && s.Dialect == DialectLlamaCpp:
		give(w, nil, map[string]any{"model_alias": models[0], "model_path": "/models/" + models[0] + ".gguf", "total_slots": 1,
			"default_generation_settings": map[string]any{"n_ctx": s.Limits.Context}, "modalities": map[string]any{"vision": false}})
	default:
		return false
	}
	return true
}

func give(w http.ResponseWriter, header map[string]string, v any) {
	(&refusal{status: http.StatusOK}).send(w, header, string(mustJSON(v)))
}

// windowKeys are the fields with a model's window in tokens, by dialect.
var windowKeys = map[Dialect]string{DialectVLLM: "max_model_len", DialectGroq: "context_window",
	DialectOpenRouter: "context_length"}

func (s *Server) chatModels(models []string) []any {
	out := []any{}
	for _, name := range models {
		one := map[string]any{"id": name, "object": "model", "created": 1767225600, "owned_by": s.Dialect.traits().ownModel}
		if key := windowKeys[s.Dialect]; key != "" && s.Limits.Context > 0 {
			one[key] = s.Limits.Context
		}
		out = append(out, one)
	}
	return out
}

// tags returns the list of models in Ollama's own API.
func tags(models []string) []any {
	out := []any{}
	for _, name := range models {
		out = append(out, map[string]any{"name": name, "model": name, "modified_at": created, "size": 1 << 30, "digest": "0",
			"details": map[string]any{"format": "gguf", "family": "modeltest", "parameter_size": "1B", "quantization_level": "Q4_0"}})
	}
	return out
}

const (
	defaultPage = 20
	maxPage     = 1000
)

// listMessages sends a page of models in Anthropic's format. limit, after_id and before_id choose
// the page.
func (s *Server) listMessages(w http.ResponseWriter, r *http.Request, id string, models []string) {
	if refused := s.checkKey(FormatAnthropic, r.Header); refused != nil {
		s.refuseMessages(w, refused, id)
		return
	}
	limit, refused := pageSize(r.URL.Query().Get("limit"))
	if refused != nil {
		s.refuseMessages(w, refused, id)
		return
	}
	page, more, known := pageOf(models, limit, r.URL.Query().Get("after_id"), r.URL.Query().Get("before_id"))
	if !known {
		s.refuseMessages(w, bad("after_id: no such model"), id)
		return
	}
	data := []any{}
	for _, name := range page {
		data = append(data, map[string]any{"type": "model", "id": name, "display_name": name, "created_at": created})
	}
	answer := map[string]any{"data": data, "has_more": more, "first_id": nil, "last_id": nil}
	if len(page) > 0 {
		answer["first_id"], answer["last_id"] = page[0], page[len(page)-1]
	}
	give(w, idHeaders(FormatAnthropic, id), answer)
}

func pageSize(text string) (int, *refusal) {
	if text == "" {
		return defaultPage, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxPage {
		return 0, bad("limit: Input should be between 1 and %d", maxPage)
	}
	return n, nil
}

func pageOf(models []string, limit int, after, before string) (page []string, more, known bool) {
	if before != "" {
		at := slices.Index(models, before)
		from := max(0, at-limit)
		return models[from:max(at, 0)], from > 0, at >= 0
	}
	at := 0
	if after != "" {
		if at = slices.Index(models, after) + 1; at == 0 {
			return nil, false, false
		}
	}
	end := min(at+limit, len(models))
	return models[at:end], end < len(models), true
}
