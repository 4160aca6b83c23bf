package hostcall

import (
	"reflect"

	"mews/supervisor"
)

// countedRequest is the last request that a provider has counted, and its count.
type countedRequest struct {
	spec   string
	tokens int64
	req    supervisor.ModelRequest // its System, Tools and Messages
}

// of is what is known of the length of a request: something where it begins as the counted one, word for word. (Most of it
// shares its memory with that, which is seen at once.)
func (m countedRequest) of(req supervisor.ModelRequest) supervisor.Measured {
	known := len(m.req.Messages)
	if m.spec == "" || len(req.Messages) < known || req.System != m.req.System ||
		!reflect.DeepEqual(req.Tools, m.req.Tools) || !reflect.DeepEqual(req.Messages[:known], m.req.Messages) {
		return supervisor.Measured{}
	}
	return supervisor.Measured{Spec: m.spec, Tokens: m.tokens, Messages: known}
}

// newCountedRequest remembers what a provider has counted.
func newCountedRequest(req supervisor.ModelRequest, said supervisor.ModelAnswer) countedRequest {
	return countedRequest{said.Spec, said.Usage.Input,
		supervisor.ModelRequest{System: req.System, Tools: req.Tools, Messages: req.Messages}}
}
