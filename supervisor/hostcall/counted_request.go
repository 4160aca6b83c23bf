package hostcall

import (
	"reflect"
	"slices"

	"mews/protocol"
	"mews/supervisor"
)

// countedRequest is the last request whose tokens a provider has counted, and their number.
type countedRequest struct {
	spec   string
	tokens int64
	req    supervisor.ModelRequest // its System, Tools and Messages
}

// of is what is known of the length of a request: something where it has messages of the counted one without a gap, from its first
// on.
func (m countedRequest) of(req supervisor.ModelRequest) (known supervisor.Measured) {
	if m.spec == "" || len(req.Messages) == 0 {
		return known
	}
	from := slices.IndexFunc(m.req.Messages, func(counted protocol.Message) bool { return sameMessage(counted, req.Messages[0]) })
	if from < 0 {
		return known
	}
	n := 1
	for counted := m.req.Messages[from:]; n < min(len(counted), len(req.Messages)) && sameMessage(counted[n], req.Messages[n]); n++ {
	}
	return supervisor.Measured{Spec: m.spec, Tokens: m.tokens, Messages: n,
		Other: req.System != m.req.System || !reflect.DeepEqual(req.Tools, m.req.Tools)}
}

// sameMessage is quick where both share the memory of their parts, as nearly all do.
func sameMessage(a, b protocol.Message) bool {
	shared := len(a.Parts) == len(b.Parts) && len(a.Parts) > 0 && &a.Parts[0] == &b.Parts[0]
	return a.ID == b.ID && a.Role == b.Role && (shared || reflect.DeepEqual(a.Parts, b.Parts))
}

// newCountedRequest is a request that was answered, with what its provider has counted; nothing where that is estimated.
func newCountedRequest(req supervisor.ModelRequest, said supervisor.ModelAnswer) countedRequest {
	if said.Usage.Estimated {
		return countedRequest{}
	}
	sent := req.Messages
	if said.Asked != nil {
		sent = said.Asked
	}
	return countedRequest{said.Spec, said.Usage.Input,
		supervisor.ModelRequest{System: req.System, Tools: req.Tools, Messages: sent}}
}
