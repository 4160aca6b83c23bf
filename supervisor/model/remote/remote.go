// Package remote is shared by the providers that are reached over HTTP. It makes the calls of an
// endpoint, and ends silent calls. It reads the stream of events and refusals, and returns errors
// for users. A provider adds a table of error rules and a builder of answers for its API.
//
//	endpoint.go     one endpoint: a request, its answer event by event, a list of models
//	http_client.go  the HTTP client, and the types of bodies
//	idle.go         one call, ended if nothing comes
//	events.go       a stream of server-sent events
//	refusal.go      the body and the headers of a refusing response
//	rules.go        the table from errors to classes and messages
//	explain.go      an error for users, without the key
//	window.go       the window that a refusal tells
//	pictures.go     the ways in which endpoints refuse pictures
//	texts.go        the messages that several providers share
package remote

import (
	"errors"
	"net/url"
	"strings"
	"sync"
	"unicode"
)

// ParseBaseURL parses a base URL. example is a valid URL for the error's text. Errors do not repeat
// the URL, which may contain a password.
func ParseBaseURL(base, example string) (*url.URL, error) {
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

const maxModel = 256 // maximum size of the name of a model, in bytes

// IsValidModelName reports whether users can type a model's name.
func IsValidModelName(name string) bool {
	odd := func(r rune) bool { return !unicode.IsGraphic(r) || unicode.IsSpace(r) || r == unicode.ReplacementChar }
	return name != "" && len(name) <= maxModel && strings.IndexFunc(name, odd) < 0
}

// maxToolName is the maximum length of the name of a tool. It comes from OpenAI, older releases of
// Anthropic, and proxies.
const maxToolName = 64

// ValidToolName returns a name that all APIs accept: letters, digits, _ and -. A model may call a
// tool that does not exist, by an invalid name. An API would then refuse the whole conversation.
func ValidToolName(name string) string {
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

// maxRemembered is the maximum number of models in a ValuePerModel. It needs a limit because users
// choose the names.
const maxRemembered = 256

// ValuePerModel keeps a value for each model, only in memory. When it is full, it forgets all
// values. The zero value is ready. Several goroutines may use it.
type ValuePerModel[V any] struct {
	mu      sync.Mutex // guards the field below
	byModel map[string]V
}

// Get returns the value of a model; the zero value if there is none.
func (m *ValuePerModel[V]) Get(model string) V {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.byModel[model]
}

// Update replaces the value of a model by the result of change. That function must not modify its
// argument, because other goroutines may read it.
func (m *ValuePerModel[V]) Update(model string, change func(V) V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.byModel == nil || len(m.byModel) >= maxRemembered {
		m.byModel = map[string]V{}
	}
	m.byModel[model] = change(m.byModel[model])
}
