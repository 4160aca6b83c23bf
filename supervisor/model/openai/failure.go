package openai

import (
	"cmp"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"mews/supervisor/model/remote"
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
	errBroken   = errors.New("finish_reason error")
	errUnspoken = errors.New("the stream ended before the answer began")
)

// errUnsendable is a conversation that cannot be written in OpenAI's format.
var errUnsendable = errors.New("not to be sent")

// failure is an endpoint's own word that it will not answer.
type failure struct {
	status  int           // of HTTP, or as the error says it within a stream; 0 where it doesn't
	code    string        // the endpoint's code or type: model_not_found, exceed_context_size_error, 500
	param   string        // the parameter that it is about
	text    string        // its message on one line; it may repeat the key and the person's words
	retry   time.Duration // when to ask again; 0 where it did not say
	request string        // the endpoint's own name of the call
	moved   bool          // it was a redirect
	stream  bool          // it came within a stream
	listing bool          // its models were asked for
}

func (f *failure) Error() string { return remote.RefusalText(f.status, f.code, f.param) }

// Told leaves out a text that may repeat a part of a wrong key, as OpenAI's does.
func (f *failure) Told() remote.Told {
	told := remote.Told{Status: f.status, Text: f.text, Retry: f.retry, Begun: f.stream}
	if isKeyless(f) {
		told.Text = ""
	}
	return told
}

func (f *failure) saysAny(phrases ...string) bool { return remote.ContainsAny(f.text, phrases...) }

// readRefusal reads the body of a response that is no stream.
func readRefusal(resp *http.Response, body io.Reader) error {
	return remote.ReadRefusal(body, func(data []byte) error {
		f := readFailure(resp.StatusCode, data)
		f.moved, f.retry = remote.IsRedirect(resp), remote.RetryAfter(resp.Header, time.Now())
		return f
	})
}

// readFailure makes a failure of an error object; of anything else it keeps the status alone.
func readFailure(status int, data []byte) *failure {
	o := remote.ReadErrorObject(data)
	f := &failure{status: status, code: cmp.Or(o.Code, o.Type), param: o.Param, text: o.Text}
	number, err := strconv.Atoi(f.code)
	if err == nil && (status == 0 || status == http.StatusOK) && number >= 400 && number < 600 {
		f.status = number
	}
	if isNumber(f.code) {
		f.code = cmp.Or(o.Type, f.code) // llama.cpp repeats the status as the code and says what it is in the type
	}
	return f
}

// streamFailure is an error in the middle of an answer.
func streamFailure(data []byte) *failure {
	f := readFailure(0, data)
	f.stream = true
	return f
}

// failureIn is the endpoint's own word in an error, the zero failure where it has none.
func failureIn(err error) failure {
	if found := new(failure); errors.As(err, &found) {
		return *found
	}
	return failure{}
}

func isNumber(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil
}
