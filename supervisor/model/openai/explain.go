package openai

import (
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"mews/supervisor"
)

// explain makes the error for a person, and keeps its cause for the log without URL and key. The cause is kept as text
// alone: what it wraps could be printed with both.
func (p *Provider) explain(err error, model string) error {
	i := slices.IndexFunc(troubles, func(t trouble) bool { return t.is(err) })
	message := p.fill(troubles[i].says, err, model)
	return &supervisor.Error{Code: troubles[i].code, Message: message, Err: errors.New(clip(p.redact(plain(err))))}
}

func (p *Provider) fill(says string, err error, model string) string {
	var f failure
	if found := new(failure); errors.As(err, &found) {
		f = *found
	}
	var silent silentError
	if found := new(silentError); errors.As(err, &found) {
		silent = *found
	}
	again := "Try again in a minute."
	if f.retry > 0 {
		again = "Try again in " + f.retry.String() + "."
	}
	if f.text == "" {
		f.text = "it did not say why."
	}
	return strings.NewReplacer(
		"{model}", `"`+model+`"`, "{provider}", `"`+p.name+`"`, "{host}", p.host, "{text}", clip(p.redact(f.text)),
		"{status}", strconv.Itoa(f.status), "{wait}", strconv.Itoa(int(silent.limit.Seconds()))+" seconds", "{again}", again,
	).Replace(says)
}

// plain is err's text without the URL that net/http puts before it.
func plain(err error) string {
	if wrapped := new(url.Error); errors.As(err, &wrapped) {
		return wrapped.Err.Error()
	}
	return err.Error()
}

// redact takes the key out of text that others wrote.
func (p *Provider) redact(text string) string {
	if p.key == "" {
		return text
	}
	return strings.ReplaceAll(text, p.key, "***")
}
