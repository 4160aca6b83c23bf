package remote

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/supervisor"
)

// Endpoint is what is told of one when it fails.
type Endpoint struct {
	Name  string // the provider's name in the configuration
	Host  string // what a person is told of the address: host and port
	Key   string // "" where there is none; it is kept out of all that is told
	Rules []ErrorRule
	Log   hclog.Logger
}

// Refusal is an endpoint's own word that it will not answer. Its Error holds nothing that may not stand in the log.
type Refusal interface {
	error
	Told() Told
}

// Told is what the endpoint said.
type Told struct {
	Status int           // of HTTP, or as the error says it within a stream; 0 where it doesn't
	Text   string        // its message; it may repeat the key and the person's words, so that it is for debugging alone
	Retry  time.Duration // when to ask again; 0 where it did not say
	Begun  bool          // it came within an answer
}

// free says whether a call that ended so cost nothing: it was refused with a status of HTTP's before an answer began.
// Where something between here and the model gave up waiting for it, nobody knows.
func (t Told) free() bool {
	return t.Status >= http.StatusMultipleChoices && !t.Begun && !timeoutStatuses[t.Status]
}

// timeoutStatuses are the statuses of proxies that no longer wait; Cloudflare has 520 to 524.
var timeoutStatuses = map[int]bool{
	http.StatusRequestTimeout: true, http.StatusBadGateway: true, http.StatusGatewayTimeout: true,
	520: true, 521: true, 522: true, 523: true, 524: true,
}

// toldIn is what the endpoint said of an error; the zero Told where it was not the endpoint's.
func toldIn(err error) Told {
	var r Refusal
	if errors.As(err, &r) {
		return r.Told()
	}
	return Told{}
}

// Explain makes the error for a person, and keeps its cause for the log without URL and key. The cause is kept as text
// alone: what it wraps could be printed with both. model is "" where none was called.
func (e *Endpoint) Explain(err error, model, request string, used protocol.Usage) *supervisor.ModelError {
	t := e.Rules[slices.IndexFunc(e.Rules, func(t ErrorRule) bool { return t.matches(err) })]
	told, cause := toldIn(err), e.shorten(withoutURL(err))
	e.Log.Warn("a model did not answer", "provider", e.Name, "model", model, "class", t.class, "request", request,
		"cause", cause)
	e.Log.Debug("what the provider said of it", "provider", e.Name, "text", e.shorten(told.Text))
	return &supervisor.ModelError{
		Class: t.class, RetryAfter: told.Retry, Request: request, Usage: used, Free: told.free(),
		Err: &supervisor.Error{Code: t.code(), Message: e.fillIn(t.message, err, model), Err: errors.New(cause)},
	}
}

func (e *Endpoint) fillIn(says string, err error, model string) string {
	told, silent := toldIn(err), new(IdleTimeout)
	errors.As(err, &silent)
	again := "Try again in a minute."
	if told.Retry > 0 {
		again = "Try again in " + max(told.Retry.Round(time.Second), time.Second).String() + "."
	}
	name := `"` + e.Name + `"`
	words := []string{
		"{model}", `the model "` + model + `"`, "{name}", `"` + model + `"`, "{provider}", name, "{host}", e.Host,
		"{status}", strconv.Itoa(told.Status), "{wait}", seconds(silent.Limit), "{again}", again,
	}
	if model == "" {
		words = append([]string{"{model} of {provider}", name, "{model}", "its models"}, words...)
	}
	says = strings.NewReplacer(words...).Replace(says)
	return strings.ToUpper(says[:1]) + says[1:]
}

func seconds(d time.Duration) string {
	if d == time.Second {
		return "1 second"
	}
	return strconv.Itoa(int(d.Seconds())) + " seconds"
}

// withoutURL is err's text without the URL that net/http puts before it.
func withoutURL(err error) string {
	if wrapped := new(url.Error); errors.As(err, &wrapped) {
		return wrapped.Err.Error()
	}
	return err.Error()
}

// Redact takes the key out of text that others wrote.
func (e *Endpoint) Redact(text string) string {
	if e.Key == "" {
		return text
	}
	return strings.ReplaceAll(text, e.Key, "***")
}

// maxQuote is how much of an endpoint's own words is repeated, in bytes.
const maxQuote = 300

// shorten shortens foreign text. The key must be out of it before: a cut through the key would leave a part that nobody
// finds any more.
func (e *Endpoint) shorten(text string) string {
	if text = e.Redact(text); len(text) > maxQuote {
		text = text[:maxQuote] + "..."
	}
	return strings.ToValidUTF8(text, "")
}
