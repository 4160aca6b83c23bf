// Package remote is what the providers that are reached over HTTP share: one endpoint and the calls
// of it, the watch for an endpoint that falls silent, the stream of events, the reading of
// refusals, and the errors that a person gets of them. A provider brings what its API says: a table
// of error rules, and a builder of answers.
//
//	endpoint.go  one endpoint: a request, its answer event by event, a list of models
//	client.go    the HTTP client, and the types of what it gets
//	idle.go      one call, ended when nothing comes
//	events.go    a stream of server-sent events
//	refusal.go   the body and the headers of a response that is no answer
//	rules.go     the table from errors to classes and words
//	explain.go   an error as a person reads it, without the key
//	window.go    how long a request may be, in the words of a refusal
//	pictures.go  how endpoints refuse pictures
//	texts.go     the words that the tables of providers share
package remote

import (
	"errors"
	"net/url"
	"strings"
	"sync"
	"unicode"
)

// ParseBase checks a base URL; example is one that is right. Its errors do not repeat the URL,
// which may hold a password.
func ParseBase(base, example string) (*url.URL, error) {
	u, err := url.Parse(base)
	switch {
	case err != nil:
		return nil, errors.New("it is not a URL; write it like " + example)
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, errors.New("it must begin with http:// or https://, as in " + example)
	case u.Host == "":
		return nil, errors.New("it names no host; write it like " + example)
	case u.User != nil:
		return nil, errors.New("it must hold no user and password; the key goes into api_key")
	}
	return u, nil
}

const maxModel = 256 // bytes of a model's name

// ValidModelName tells whether a model's name is one that a person can write.
func ValidModelName(name string) bool {
	odd := func(r rune) bool { return !unicode.IsGraphic(r) || unicode.IsSpace(r) || r == unicode.ReplacementChar }
	return name != "" && len(name) <= maxModel && strings.IndexFunc(name, odd) < 0
}

// maxToolName is OpenAI's limit for a tool's name, and that of Anthropic's older releases and of
// proxies.
const maxToolName = 64

// ToolName makes a name fit for both APIs (letters, digits, _ and -). A model may have called a
// tool that does not exist, by a name that would be refused each time the conversation is sent
// again.
func ToolName(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, name)
	if name == "" {
		return "_"
	}
	return name[:min(len(name), maxToolName)]
}

// maxRemembered bounds the models of a Memory. Their names come from people.
const maxRemembered = 256

// Memory keeps a value for each model until the program ends. It forgets all of them when there are
// maxRemembered. Its zero value is empty. It may be used from several goroutines at once.
type Memory[V any] struct {
	mu      sync.Mutex // guards what follows
	byModel map[string]V
}

// Get is the value of a model, the zero value where there is none.
func (m *Memory[V]) Get(model string) V {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.byModel[model]
}

// Change replaces the value of a model. change must not alter what it gets: others may read it.
func (m *Memory[V]) Change(model string, change func(V) V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.byModel == nil || len(m.byModel) >= maxRemembered {
		m.byModel = map[string]V{}
	}
	m.byModel[model] = change(m.byModel[model])
}
