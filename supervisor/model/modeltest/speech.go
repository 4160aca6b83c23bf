package modeltest

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"unicode/utf8"
)

// SpeechOGG is the speech that the server sends. It is the first page of an Ogg Opus file, without
// sound.
var SpeechOGG = append([]byte("OggS\x00\x06\x80\xbb\x00\x00\x00\x00\x00\x00mews\x00\x00\x00\x00\x00\x00\x00\x00\x01\x13"),
	"OpusHead\x01\x01\x38\x01\x80\xbb\x00\x00\x00\x00\x00"...)

// Known parameters. (OpenAI's API reference, Create speech.)
var (
	speechKeys    = []string{"model", "input", "voice", "response_format", "speed", "instructions", "stream_format"}
	speechFormats = []string{"mp3", "opus", "aac", "flac", "wav", "pcm"}
	speechVoices  = []string{"alloy", "ash", "ballad", "coral", "echo", "fable", "nova", "onyx", "sage", "shimmer",
		"verse"}
)

const maxSpeechInput = 4096 // maximum number of characters in a text to speak

// speak responds to POST /v1/audio/speech.
func (s *Server) speak(w http.ResponseWriter, r *http.Request, id string) {
	ogg, refused := s.readSpeech(r)
	if refused != nil {
		s.refuseChat(w, refused, id)
		return
	}
	w.Header().Set("X-Request-Id", id)
	w.Header().Set("Content-Type", "audio/opus")
	_, _ = w.Write(ogg) // an error means that the client has left
}

func (s *Server) readSpeech(r *http.Request) ([]byte, *refusal) {
	if refused := s.checkKey(FormatOpenAI, r.Header); refused != nil {
		return nil, refused
	}
	raw, err := io.ReadAll(io.LimitReader(r.Body, s.Limits.body()))
	var values map[string]any
	if err != nil || json.Unmarshal(raw, &values) != nil {
		return nil, bad("We could not parse the JSON body of your request.")
	}
	for key := range values {
		if !slices.Contains(speechKeys, key) {
			return nil, bad("Unknown parameter: '%s'.", key)
		}
	}
	text := func(key string) string { v, _ := values[key].(string); return v }
	n := utf8.RuneCountInString(text("input"))
	s.record.keep(Request{Format: FormatOpenAI, Header: r.Header.Clone(), Raw: raw, Model: text("model")})
	return SpeechOGG, firstRefusal(
		badIf(text("model") == "", "you must provide a model parameter"),
		badIf(!s.has(text("model")), "The model `%s` does not exist", text("model")),
		badIf(n == 0 || n > maxSpeechInput, "[{'type': 'string_too_long', 'loc': ('body', 'input'), 'msg': 'String should have at most 4096 characters'}]"),
		badIf(!slices.Contains(speechVoices, text("voice")), "[{'type': 'enum', 'loc': ('body', 'voice'), 'msg': 'Input should be one of the voices'}]"),
		badIf(text("response_format") != "" && !slices.Contains(speechFormats, text("response_format")), "invalid response_format"))
}
