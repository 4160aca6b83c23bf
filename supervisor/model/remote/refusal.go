package remote

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	maxRefusal = 64 << 10 // maximum number of bytes to read of a refusal's body
	maxCode    = 64       // maximum size of a code or another identifier, in bytes
	maxRetry   = 24 * time.Hour
)

// Refusal is an endpoint's refusal of a request. The text of the method Error is safe for the log.
type Refusal struct {
	Status  int           // HTTP status, or the status in an error within a stream; 0 if there is none
	Kind    string        // the endpoint's code or type: rate_limit_error, model_not_found
	Param   string        // name of the refused parameter
	Text    string        // the endpoint's message on one line; may contain the key and the user's words
	Request string        // the endpoint's id of the call
	Retry   time.Duration // pause before another try; 0 if unknown
	Moved   bool          // the response was a redirect
	Begun   bool          // the refusal came after an answer had begun
	Listing bool          // the refused request asked for the list of models
}

func (r *Refusal) Error() string { return refusalText(r.Status, r.Kind, r.Param) }

// TextContains reports whether the text contains one of the phrases. They are in lower case.
func (r *Refusal) TextContains(phrases ...string) bool { return ContainsAny(r.Text, phrases...) }

// IsWrongKey reports whether the endpoint rejected the key. Gemini and xAI do that with status 400.
// OpenAI's text repeats a part of the key.
func (r *Refusal) IsWrongKey() bool {
	return r.Status == http.StatusUnauthorized || r.Kind == "authentication_error" || r.Kind == "invalid_api_key" ||
		r.Status == http.StatusBadRequest && r.TextContains("api key not valid", "incorrect api key",
			"missing or invalid authorization header")
}

// free reports whether the call certainly cost nothing: an HTTP status refused it before an answer
// began. If a proxy gave up waiting for the model, the cost is unknown.
func (r *Refusal) free() bool {
	return r.Status >= http.StatusMultipleChoices && !r.Begun && !timeoutStatuses[r.Status]
}

// timeoutStatuses are the statuses of proxies that gave up waiting. Cloudflare uses 520 to 524.
var timeoutStatuses = map[int]bool{
	http.StatusRequestTimeout: true, http.StatusBadGateway: true, http.StatusGatewayTimeout: true,
	520: true, 521: true, 522: true, 523: true, 524: true,
}

// FindRefusal returns the Refusal that err wraps; nil if there is none.
func FindRefusal(err error) *Refusal {
	var r *Refusal
	errors.As(err, &r)
	return r
}

// readRefusal reads the body of a response that refuses the request.
func (e *Endpoint) readRefusal(resp *http.Response, body io.Reader) error {
	return readBody(body, func(data []byte) error {
		r := e.Refusal(resp.StatusCode, readErrorObject(data))
		r.Moved, r.Retry = isRedirect(resp), e.RetryAfter(resp.Header, time.Now())
		r.Listing = resp.Request != nil && resp.Request.Method == http.MethodGet
		return r
	})
}

// ParseStreamRefusal returns the refusal in an error event of a stream.
func (e *Endpoint) ParseStreamRefusal(data []byte) error {
	r := e.Refusal(0, readErrorObject(data))
	r.Begun = true
	return r
}

// readBody reads the body of a response that refuses the request. The function read turns the body
// into an error.
func readBody(body io.Reader, read func([]byte) error) error {
	data, err := io.ReadAll(io.LimitReader(body, maxRefusal))
	refused := read(data)
	if err != nil {
		return fmt.Errorf("%w: its body: %w", refused, err)
	}
	return refused
}

// isRedirect reports whether a response is a redirect.
func isRedirect(resp *http.Response) bool { return resp.StatusCode >= 300 && resp.StatusCode < 400 }

// ErrorObject is an endpoint's JSON error. Each of its texts is on one line, and may contain the
// key and the user's words.
type ErrorObject struct {
	Code    string // code of the error, such as model_not_found or 400
	Type    string // type of the error, such as rate_limit_error or exceed_context_size_error
	Param   string // name of the refused parameter
	Text    string
	Request string // the endpoint's id of the call
}

// object has the fields that the error objects of all endpoints may have. Codes are strings or
// numbers.
type object struct {
	Error    json.RawMessage `json:"error"`
	Code     any             `json:"code"`
	Type     any             `json:"type"`
	Param    any             `json:"param"`
	Message  any             `json:"message"`
	Detail   any             `json:"detail"`
	Metadata any             `json:"metadata"` // details from OpenRouter: the error of the server that it called
	Request  any             `json:"request_id"`
}

// readErrorObject reads an error object in any known form. OpenAI and Anthropic send {"error":
// {...}}, Ollama {"error": "..."}, and FastAPI {"detail": ...}. Others send {"message": ...,
// "code": ...}. Gemini puts its object into a list. Any other form gives the zero ErrorObject.
func readErrorObject(data []byte) ErrorObject {
	var outer object
	var list []json.RawMessage
	if json.Unmarshal(data, &list) == nil && len(list) == 1 {
		data = list[0]
	}
	if json.Unmarshal(data, &outer) != nil {
		return ErrorObject{}
	}
	if outer.Type == "error" {
		outer.Type = nil // Anthropic's outer type is always "error"
	}
	inner := outer
	if len(outer.Error) > 0 && json.Unmarshal(outer.Error, &inner) != nil {
		inner.Message = UnquoteJSON(outer.Error)
	}
	o := ErrorObject{
		Code: firstText(inner.Code), Type: firstText(inner.Type), Param: firstText(inner.Param),
		Text: firstText(inner.Message, inner.Detail), Request: firstText(outer.Request),
	}
	if behind := firstText(inner.Metadata); behind != "" {
		o.Text += " " + behind
	}
	return o
}

// firstText returns the first value that is not empty, as text on one line.
func firstText(values ...any) string {
	for _, v := range values {
		if v == nil || v == "" {
			continue
		}
		return oneLine(fmt.Sprint(v))
	}
	return ""
}

// UnquoteJSON returns the text of a JSON string, or any other value unchanged.
func UnquoteJSON(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || json.Unmarshal(raw, &s) == nil { // s stays "" for the JSON value null
		return s
	}
	return strings.ToValidUTF8(string(raw), "\uFFFD")
}

// oneLine returns an endpoint's text on one line, without control characters.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f }), " ")
}

// IsIdentifier reports whether a text of an endpoint is an identifier. Only such texts are logged.
func IsIdentifier(s string) bool {
	return s != "" && len(s) <= maxCode && strings.IndexFunc(s, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-[]", r)
	}) < 0
}

// ContainsAny reports whether text contains one of the phrases, which are in lower case.
func ContainsAny(text string, phrases ...string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc(phrases, func(p string) bool { return strings.Contains(text, p) })
}

// refusalText returns the text of a refusal for the log. The argument status is the HTTP status, or
// 0 for an error within a stream. A code or parameter that is no identifier is left out, because it
// may be the user's words.
func refusalText(status int, code, param string) string {
	text := "an error in the stream"
	if status != 0 {
		text = "HTTP " + strconv.Itoa(status)
	}
	if IsIdentifier(code) {
		text += ": " + code
	}
	if IsIdentifier(param) {
		text += ": parameter " + param
	}
	return text
}

// ParseRetryAfter returns the pause that the headers ask for. OpenAI's own header has milliseconds;
// the standard header has seconds or a date.
func ParseRetryAfter(h http.Header, now time.Time) time.Duration {
	value := strings.TrimSpace(h.Get("Retry-After"))
	wait := parseUnits(h.Get("Retry-After-Ms"), time.Millisecond)
	if wait == 0 {
		wait = parseUnits(value, time.Second)
	}
	if at, err := http.ParseTime(value); err == nil && wait == 0 {
		wait = DurationUntil(at, now)
	}
	return wait
}

// parseUnits returns a number of units as a duration. It is 0 if text is no number or the result
// exceeds maxRetry.
func parseUnits(text string, unit time.Duration) time.Duration {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n > 0 && n <= float64(maxRetry/unit)) {
		return 0
	}
	return time.Duration(n * float64(unit))
}

// DurationUntil returns the time from now until at, in whole seconds. It is 0 if at has passed or
// is more than a day away.
func DurationUntil(at, now time.Time) time.Duration {
	d := at.Sub(now)
	if d <= 0 || d > maxRetry {
		return 0
	}
	return (d + time.Second - 1).Truncate(time.Second)
}
