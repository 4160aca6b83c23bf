package anthropic

import (
	"errors"
	"io"
	"net/http"
	"time"

	"mews/supervisor/model/remote"
)

// What can be wrong with a request that was not sent, or with an answer that began.
var (
	errUnfit    = errors.New("the conversation cannot be put into the API's form")
	errCutOff   = errors.New("the stream ended before the answer did")
	errTooBig   = errors.New("the answer is over the limit of bytes")
	errNotEvent = errors.New("the stream holds what is no event of the API")
	errFiltered = errors.New("stop_reason refusal")
	errNoRoom   = errors.New("stop_reason max_tokens, and no text")
	errFull     = errors.New("stop_reason model_context_window_exceeded, and no text")
	errEmpty    = errors.New("an answer without text and calls")
	errNoName   = errors.New("a tool call without a name")
)

// failure is an endpoint's own word that it will not answer.
type failure struct {
	status  int           // of HTTP; 0 within a stream
	kind    string        // the endpoint's type: rate_limit_error
	text    string        // its message on one line; it may repeat the key and the person's words
	request string        // its own name of the call
	retry   time.Duration // when to ask again; 0 where it did not say
	moved   bool          // it was a redirect
}

func (f *failure) Error() string { return remote.RefusalText(f.status, f.kind, "") }

// Told leaves out the text where some proxies repeat parts of a wrong key.
func (f *failure) Told() remote.Told {
	told := remote.Told{Status: f.status, Text: f.text, Retry: f.retry}
	if isKeyless(f) {
		told.Text = ""
	}
	return told
}

func (f *failure) saysAny(phrases ...string) bool { return remote.ContainsAny(f.text, phrases...) }

// readRefusal reads the body of a response that is no answer.
func readRefusal(resp *http.Response, body io.Reader) error {
	return remote.ReadRefusal(body, func(data []byte) error {
		f := readFailure(resp.StatusCode, data)
		f.moved, f.retry = remote.IsRedirect(resp), retryAfter(resp.Header, time.Now())
		return f
	})
}

// readFailure makes a failure of an error object; of anything else it keeps the status alone.
func readFailure(status int, data []byte) *failure {
	o := remote.ReadErrorObject(data)
	return &failure{status: status, kind: o.Type, text: o.Text, request: o.Request}
}

// rateLimits are the rate limits whose ends the API tells in its headers.
var rateLimits = []string{"Requests", "Tokens", "Input-Tokens", "Output-Tokens"}

// retryAfter is how long the endpoint asks to be left alone: by Retry-After, or else until the last of the limits that
// are used up begins anew.
func retryAfter(h http.Header, now time.Time) time.Duration {
	longest := remote.RetryAfter(h, now)
	if longest > 0 {
		return longest
	}
	for _, name := range rateLimits {
		left := h.Get("Anthropic-Ratelimit-" + name + "-Remaining")
		date, err := time.Parse(time.RFC3339, h.Get("Anthropic-Ratelimit-"+name+"-Reset"))
		if err == nil && (left == "" || left == "0") {
			longest = max(longest, remote.Until(date, now))
		}
	}
	return longest
}
