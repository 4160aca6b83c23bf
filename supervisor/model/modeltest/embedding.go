package modeltest

import (
	"encoding/json"
	"hash/fnv"
	"io"
	"net/http"
	"slices"
	"strings"
	"unicode"
)

// embedKeys are the known parameters. (OpenAI's API reference, Create embeddings.)
var embedKeys = []string{"model", "input", "encoding_format", "dimensions", "user"}

const (
	maxInputs      = 2048
	maxInputTokens = 8192 // maximum tokens of one text
	maxBatchTokens = 300_000
	embeddingSize  = 256
)

// embed responds to POST /v1/embeddings, unless the script fails. The script gets the texts as
// Messages, and an empty Conversation.
func (s *Server) embed(w http.ResponseWriter, r *http.Request, id string) {
	e, tokens, refused := s.readInputs(r)
	if refused != nil {
		s.refuseChat(w, refused, id)
		return
	}
	e.ID = id
	s.record.keep(e.Request)
	answer := s.script(e.Request)
	if answer.Hang {
		<-r.Context().Done()
		return
	}
	if refused := answer.refusal(e); refused != nil {
		s.refuseChat(w, refused, id)
		return
	}
	of := s.Embedding
	if of == nil {
		of = EmbeddingOf
	}
	data := []any{}
	for i, m := range e.Messages { // in reverse order, because clients must sort by the index
		data = append([]any{map[string]any{"object": "embedding", "index": i, "embedding": of(m.Content)}}, data...)
	}
	w.Header().Set("X-Request-Id", id)
	w.Header().Set("Content-Type", "application/json")
	// an error means that the client has left
	_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": data, "model": e.Model,
		"usage": map[string]any{"prompt_tokens": tokens, "total_tokens": tokens}})
}

// readInputs reads a request for vectors and counts its tokens.
func (s *Server) readInputs(r *http.Request) (e *exchange, tokens int, refused *refusal) {
	if refused := s.checkKey(FormatOpenAI, r.Header); refused != nil {
		return nil, 0, refused
	}
	raw, err := io.ReadAll(io.LimitReader(r.Body, s.Limits.body()))
	var keys map[string]json.RawMessage
	if err != nil || json.Unmarshal(raw, &keys) != nil {
		return nil, 0, bad("We could not parse the JSON body of your request.")
	}
	for key := range keys {
		if !slices.Contains(embedKeys, key) {
			return nil, 0, bad("Unknown parameter: '%s'.", key)
		}
	}
	var model string
	var inputs []string
	if json.Unmarshal(keys["model"], &model) != nil || json.Unmarshal(keys["input"], &inputs) != nil || len(inputs) == 0 || len(inputs) > maxInputs {
		return nil, 0, bad("'$.input' is invalid. Please check the API reference: https://platform.openai.com/docs/api-reference.")
	}
	e = &exchange{Request: Request{Format: FormatOpenAI, Header: r.Header.Clone(), Raw: raw, Model: model}, server: s}
	longest := 0
	for _, text := range inputs {
		if text == "" {
			return nil, 0, bad("'$.input' is invalid. Please check the API reference: https://platform.openai.com/docs/api-reference.")
		}
		n := (len(text) + 3) / 4
		longest, tokens = max(longest, n), tokens+n
		e.Messages = append(e.Messages, Message{Role: "user", Content: text})
	}
	most := maxInputTokens
	if s.Limits.Context > 0 {
		most = s.Limits.Context
	}
	if !s.has(model) {
		return nil, 0, &refusal{status: http.StatusNotFound, code: "model_not_found", text: "The model `" + model + "` does not exist or you do not have access to it."}
	}
	return e, tokens, firstRefusal(
		badIf(longest > most, "This model's maximum context length is %d tokens, however you requested %d tokens (%[2]d in your prompt; 0 for the completion). Please reduce your prompt; or completion length.", most, longest),
		badIf(tokens > maxBatchTokens, "Invalid 'input': maximum request size is 300000 tokens per request."))
}

// EmbeddingOf returns a vector for a text, from its words and their runs of three letters. A hash
// maps each word and each run to an index of the vector. Texts with similar spelling have similar
// vectors; meaning does not matter.
func EmbeddingOf(text string) []float32 {
	v := make([]float32, embeddingSize)
	add := func(part string, weight float32) {
		h := fnv.New32a()
		_, _ = h.Write([]byte(part)) // writing to memory never fails
		v[h.Sum32()%embeddingSize] += weight
	}
	v[0] = 0.01 // a text without words needs a direction too
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		add(word, 1)
		letters := []rune(" " + word + " ")
		for i := 0; i+3 <= len(letters); i++ {
			add(string(letters[i:i+3]), 0.5)
		}
	}
	return v
}
