package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// What can be wrong with an answer that began.
var (
	errCutOff   = errors.New("the stream ended before the answer did")
	errTooLong  = errors.New("the answer is over the limit of bytes")
	errNotChunk = errors.New("an event of the stream is not a chat.completion.chunk")
	errFiltered = errors.New("finish_reason content_filter")
	errNoRoom   = errors.New("finish_reason length, and no text")
	errEmpty    = errors.New("an answer without text and calls")
	errNoName   = errors.New("a tool call without a name")
)

// silentError is an endpoint that kept silent for longer than limit.
type silentError struct{ limit time.Duration }

func (e *silentError) Error() string { return "nothing came for " + e.limit.String() }

// maxQuote is how much of an endpoint's own words is repeated, in bytes.
const maxQuote = 300

// failure is an endpoint's own word that it will not answer.
type failure struct {
	status int           // of HTTP; 0 within a stream
	code   string        // the endpoint's code or type: model_not_found, exceed_context_size_error, 500
	text   string        // its message on one line; it may repeat the key and the person's words
	retry  time.Duration // when to ask again; 0 where it did not say
	moved  bool          // it was a redirect
}

func (f *failure) Error() string {
	words := []string{"an error in the stream"}
	if f.status != 0 {
		words[0] = "HTTP " + strconv.Itoa(f.status)
	}
	if f.code != "" {
		words = append(words, f.code)
	}
	if f.text != "" && !isKeyless(f) { // OpenAI repeats parts of a wrong key
		words = append(words, f.text)
	}
	return strings.Join(words, ": ")
}

// readRefusal reads the body of a response that is no stream.
func readRefusal(resp *http.Response, body io.Reader) error {
	data, err := io.ReadAll(io.LimitReader(body, maxRefusal))
	f := readFailure(resp.StatusCode, data)
	f.moved = resp.StatusCode >= 300 && resp.StatusCode < 400
	if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && seconds > 0 && seconds <= 86400 {
		f.retry = time.Duration(seconds) * time.Second
	}
	if err != nil {
		return fmt.Errorf("%w: its body: %w", f, err)
	}
	return f
}

// apiError is an error object in the shapes that servers give it: OpenAI's {"error": {...}}, Ollama's {"error": "..."},
// FastAPI's {"detail": ...} and a bare {"message": ..., "code": ...}. Codes are strings or numbers.
type apiError struct {
	Error   json.RawMessage `json:"error"`
	Message any             `json:"message"`
	Detail  any             `json:"detail"`
	Code    any             `json:"code"`
	Type    any             `json:"type"`
}

// readFailure makes a failure of an error object; of anything else it keeps the status alone.
func readFailure(status int, data []byte) *failure {
	var outer, inner apiError
	if json.Unmarshal(data, &outer) != nil {
		return &failure{status: status}
	}
	f := &failure{status: status}
	inner = outer
	if len(outer.Error) > 0 && json.Unmarshal(outer.Error, &inner) != nil {
		inner.Message = unquote(outer.Error)
	}
	f.code = firstWord(inner.Code, inner.Type)
	if kind := firstWord(inner.Type); isNumber(f.code) && kind != "" {
		f.code = kind // llama.cpp repeats the status as the code and says what it is in the type
	}
	f.text = oneLine(firstWord(inner.Message, inner.Detail))
	return f
}

// firstWord is the first value that says something, as text.
func firstWord(values ...any) string {
	for _, v := range values {
		if v == nil || v == "" {
			continue
		}
		return fmt.Sprint(v)
	}
	return ""
}

func isNumber(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil
}

// oneLine is foreign text without line ends and control characters.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f }), " ")
}

// clip shortens foreign text. The key must be out of it by then: a cut through the key would leave a part that nobody
// finds any more.
func clip(text string) string {
	if len(text) > maxQuote {
		text = strings.ToValidUTF8(text[:maxQuote], "") + "..."
	}
	return text
}
