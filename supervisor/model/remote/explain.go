package remote

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/modelcall"
)

// ExplainError returns the error for users. The cause is stored only as a text without URL and key,
// because a wrapped error could be printed with both. The argument model is "" if no model was
// called. The argument answer has the known parts of the call.
func (e *Endpoint) ExplainError(err error, model string, answer modelcall.Answer) *modelcall.Error {
	rule := e.Rules[slices.IndexFunc(e.Rules, func(r ErrorRule) bool { return r.matches(err) })]
	refusal, cause := cmp.Or(FindRefusal(err), &Refusal{}), e.shorten(withoutURL(err))
	request := cmp.Or(answer.Request, e.clean(refusal.Request))
	e.Log.Warn("a model did not answer", "provider", e.Name, "model", model, "class", rule.class, "request", request,
		"cause", cause)
	if !refusal.IsWrongKey() {
		e.Log.Debug("what the provider said of it", "provider", e.Name, "text", e.shorten(refusal.Text))
	}
	window, counted := windowIn(rule.class, refusal.Text)
	return &modelcall.Error{
		Window: window, Counted: counted,
		Class: rule.class, RetryAfter: refusal.Retry, Request: request, Usage: answer.Usage, Free: refusal.free(),
		Err: &supervisor.Error{Code: rule.code(), Message: e.message(rule.message, err, refusal, model), Err: errors.New(cause)},
	}
}

// message replaces the words in braces of a rule's message.
func (e *Endpoint) message(text string, err error, r *Refusal, model string) string {
	idle, wait := new(idleTimeout), textInMinute
	errors.As(err, &idle)
	if r.Retry > 0 {
		wait = max(r.Retry.Round(time.Second), time.Second).String()
	}
	name := `"` + e.Name + `"`
	words := []string{
		"{model}", `the model "` + model + `"`, "{name}", `"` + model + `"`, "{provider}", name, "{host}", e.Host,
		"{status}", strconv.Itoa(r.Status), "{wait}", amount.Plural(int(idle.Limit.Seconds()), "second", "seconds"),
		"{again}", fmt.Sprintf(textAgain, wait), "{key}", cmp.Or(e.KeyAdvice, textCheckKey),
		"{url}", cmp.Or(e.URLVariable, fmt.Sprintf(textBaseURL, name)),
	}
	if model == "" {
		words = append([]string{"{model} of {provider}", name, "{model}", "its models"}, words...)
	}
	text = fill(text, words...)
	return strings.ToUpper(text[:1]) + text[1:]
}

func fill(text string, words ...string) string { return strings.NewReplacer(words...).Replace(text) }

// withoutURL returns an error's text without the URL that net/http adds.
func withoutURL(err error) string {
	if wrapped := new(url.Error); errors.As(err, &wrapped) {
		return wrapped.Err.Error()
	}
	return err.Error()
}

// RedactKey removes the key from a text of the endpoint.
func (e *Endpoint) RedactKey(text string) string { return e.Key.redact(text) }

// maxQuote is the maximum size of a quoted text of the endpoint, in bytes.
const maxQuote = 300

// shorten cuts a text of the endpoint. First it removes the key, because half a key could not be
// found.
func (e *Endpoint) shorten(text string) string {
	if text = e.RedactKey(text); len(text) > maxQuote {
		text = text[:maxQuote] + "..."
	}
	return strings.ToValidUTF8(text, "")
}
