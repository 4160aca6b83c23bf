package modeltest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// FailureClass is a kind of failure, the same for all formats and dialects.
type FailureClass string

const (
	FailureRateLimited         FailureClass = "rate limited"
	FailureOverloaded          FailureClass = "overloaded"
	FailureInternalError       FailureClass = "internal"
	FailureModelLoading        FailureClass = "loading"
	FailureWrongKey            FailureClass = "auth"
	FailureForbidden           FailureClass = "forbidden"
	FailureNoCredit            FailureClass = "credit"
	FailureUnknownModel        FailureClass = "no model"
	FailurePromptTooLong       FailureClass = "too long"  // the prompt is too long for the model
	FailureBodyTooLarge        FailureClass = "too large" // the request has too many bytes for the server
	FailureToolsUnsupported    FailureClass = "no tools"
	FailurePicturesUnsupported FailureClass = "no pictures"
	FailureContentFiltered     FailureClass = "filtered"
	FailureInvalidRequest      FailureClass = "wrong" // an invalid request
)

// Failure is a failure in place of an answer.
type Failure struct {
	Class  FailureClass      // class of the failure; "" means that Status and Body describe the failure
	Status int               // HTTP status of the failure; 0 means the usual status of its class
	Text   string            // text of the error; "" means the usual text of the failure's class
	Header map[string]string // headers that are added to the class's headers, or replace them
	Body   string            // body of the response; "" means the usual body of the failure's class
	Late   bool              // the failure comes within the stream, after the deltas
}

// refusal is an error response to a request.
type refusal struct {
	status int
	code   string // error code in OpenAI's format
	param  string // name of the wrong parameter
	text   string
	body   string // body of the response; "" means the usual body of the format
	header map[string]string
}

// bad returns the response to an invalid request.
func bad(format string, args ...any) *refusal {
	return &refusal{status: http.StatusBadRequest, text: fmt.Sprintf(format, args...)}
}

// badIf returns bad's response if wrong is true, and nil otherwise.
func badIf(wrong bool, format string, args ...any) *refusal {
	if !wrong {
		return nil
	}
	return bad(format, args...)
}

// firstRefusal returns the first of refusals that is not nil; nil if all are nil.
func firstRefusal(refusals ...*refusal) *refusal {
	for _, r := range refusals {
		if r != nil {
			return r
		}
	}
	return nil
}

// errorSample is an error as a real server sends it. The words {model}, {wait}, {reset}, {key},
// {tokens}, {limit} and {id} are replaced.
type errorSample struct {
	status int
	text   string
	body   string // body of the response; "" means the usual form of the dialect
	kind   string // type of the error
	code   string
	header map[string]string
}

// openaiKind returns the usual type of an error with a status.
func openaiKind(status int) string {
	if status >= 500 {
		return "server_error"
	}
	return "invalid_request_error"
}

// refusal returns the script's failure before the answer; nil means none.
func (a Answer) refusal(e *exchange) *refusal {
	switch {
	case a.Fail != nil && a.Fail.Late:
		return nil
	case a.Fail != nil && e.Format == FormatAnthropic:
		return a.Fail.messagesOf(e)
	case a.Fail != nil:
		return a.Fail.chatOf(e.server, e)
	case a.Status == 0 || a.Status == http.StatusOK:
		return nil
	}
	r := &refusal{status: a.Status, code: a.Code, text: a.Error}
	if a.Retry > 0 {
		r.header = map[string]string{"Retry-After": strconv.Itoa(a.Retry)}
	}
	return r
}

// late returns the script's failure within the stream; nil means none.
func (a Answer) late(e *exchange) *refusal {
	switch {
	case a.Fail != nil && a.Fail.Late && e.Format == FormatAnthropic:
		return a.Fail.messagesOf(e)
	case a.Fail != nil && a.Fail.Late:
		return a.Fail.chatOf(e.server, e)
	case a.Error != "" && (a.Status == 0 || a.Status == http.StatusOK):
		return &refusal{status: http.StatusInternalServerError, code: a.Code, text: a.Error}
	}
	return nil
}

// chat returns a failure in the form of the imitated server.
func (f Failure) chat(s *Server, model string) *refusal {
	return f.chatOf(s, &exchange{Request: Request{Model: model}, server: s})
}

func (f Failure) chatOf(s *Server, e *exchange) *refusal {
	t := s.Dialect.traits()
	one, known := t.samples[f.Class]
	if !known {
		one = openaiSamples[f.Class]
	}
	r := f.filled(one, e)
	if r.body == "" {
		r.body = t.shape(r, one.kind)
	}
	return r
}

func (f Failure) messagesOf(e *exchange) *refusal {
	return f.filled(messagesSamples[f.Class], e)
}

// filled replaces the words in braces of a sample, and adds the script's own values.
func (f Failure) filled(one errorSample, e *exchange) *refusal {
	r := &refusal{status: one.status, code: one.code, header: maps.Clone(one.header), text: one.text, body: one.body}
	if f.Status != 0 {
		r.status = f.Status
	}
	if r.status == 0 {
		r.status = http.StatusInternalServerError
	}
	if f.Text != "" {
		r.text = f.Text
	}
	if r.header == nil {
		r.header = map[string]string{}
	}
	maps.Copy(r.header, f.Header)
	wait, _ := strconv.Atoi(r.header["Retry-After"])
	blanks := strings.NewReplacer("{model}", e.Model, "{wait}", r.header["Retry-After"], "{id}", e.ID,
		"{reset}", e.server.now().Add(time.Duration(wait)*time.Second).UTC().Format(time.RFC3339),
		"{key}", strings.TrimPrefix(e.Header.Get("Authorization"), "Bearer "),
		"{tokens}", fmt.Sprint(e.prompt.tokens()), "{limit}", fmt.Sprint(e.server.Limits.Context))
	r.text = blanks.Replace(r.text)
	r.body = blanks.Replace(r.body)
	for name, value := range r.header {
		r.header[name] = blanks.Replace(value)
	}
	if f.Body != "" {
		r.body = f.Body
	}
	return r
}

// send writes an error response.
func (r *refusal) send(w http.ResponseWriter, header map[string]string, body string) {
	kind := "application/json"
	if !json.Valid([]byte(body)) {
		kind = "text/html; charset=utf-8"
	}
	w.Header().Set("Content-Type", kind)
	for name, value := range header {
		w.Header().Set(name, value)
	}
	for name, value := range r.header {
		w.Header().Set(name, value)
	}
	w.WriteHeader(r.status)
	if _, err := fmt.Fprintln(w, body); err != nil {
		panic(http.ErrAbortHandler) // the client has left
	}
}

func (s *Server) refuseChat(w http.ResponseWriter, r *refusal, id string) {
	r.send(w, idHeaders(FormatOpenAI, id), r.chatBody(s))
}

func (r *refusal) chatBody(s *Server) string {
	if r.body != "" {
		return r.body
	}
	return s.Dialect.traits().shape(r, openaiKind(r.status))
}

func (s *Server) refuseMessages(w http.ResponseWriter, r *refusal, id string) {
	r.send(w, idHeaders(FormatAnthropic, id), r.messagesBody(id))
}

// messagesBody returns an error in Anthropic's format, for a response or a stream.
func (r *refusal) messagesBody(id string) string {
	if r.body != "" {
		return r.body
	}
	kind, known := messagesKinds[r.status]
	if !known {
		kind = "api_error"
	}
	return string(mustJSON(map[string]any{"type": "error", "request_id": id,
		"error": map[string]any{"type": kind, "message": r.text}}))
}

// messagesKinds has the type of Anthropic's error for each status.
var messagesKinds = map[int]string{400: "invalid_request_error", 401: "authentication_error", 402: "billing_error",
	403: "permission_error", 404: "not_found_error", 413: "request_too_large", 429: "rate_limit_error",
	500: "api_error", 504: "timeout_error", 529: "overloaded_error"}

// messagesSamples are Anthropic's errors.
var messagesSamples = map[FailureClass]errorSample{
	FailureRateLimited: {status: 429, text: "This request would exceed your organization's rate limit of 50 requests per minute.",
		header: map[string]string{
			"Retry-After":                             "7",
			"Anthropic-Ratelimit-Requests-Limit":      "50",
			"Anthropic-Ratelimit-Requests-Remaining":  "0",
			"Anthropic-Ratelimit-Requests-Reset":      "{reset}",
			"Anthropic-Ratelimit-Tokens-Limit":        "40000",
			"Anthropic-Ratelimit-Tokens-Remaining":    "0",
			"Anthropic-Ratelimit-Tokens-Reset":        "{reset}",
			"Anthropic-Organization-Id":               "00000000-0000-4000-8000-000000000000",
			"Anthropic-Ratelimit-Input-Tokens-Limit":  "40000",
			"Anthropic-Ratelimit-Output-Tokens-Limit": "8000",
		}},
	FailureOverloaded:    {status: 529, text: "Overloaded", header: map[string]string{"X-Should-Retry": "true"}},
	FailureModelLoading:  {status: 529, text: "Overloaded"},
	FailureInternalError: {status: 500, text: "Internal server error"},
	FailureWrongKey:      {status: 401, text: "invalid x-api-key"},
	FailureForbidden:     {status: 403, text: "Your API key does not have permission to use the specified resource."},
	FailureNoCredit: {status: 400, text: "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to " +
		"upgrade or purchase credits."},
	FailureUnknownModel:     {status: 404, text: "model: {model}"},
	FailurePromptTooLong:    {status: 400, text: "prompt is too long: {tokens} tokens > {limit} maximum"},
	FailureBodyTooLarge:     {status: 413, text: "Request exceeds the maximum size"},
	FailureToolsUnsupported: {status: 400, text: "tools: this model does not support tools"},
	// Ollama's text, because Anthropic's own models can see pictures.
	FailurePicturesUnsupported: {status: 400, text: "this model does not support image input (ref: {id})"},
	FailureContentFiltered:     {status: 400, text: "Output blocked by content filtering policy"},
	FailureInvalidRequest:      {status: 400, text: "messages.0: Input should be a valid dictionary"},
}
