package openai

import (
	"encoding/json"
	"slices"
	"strings"

	"mews/supervisor/model/remote"
)

// call is a tool call, perhaps still incomplete.
type call struct {
	index     int
	id        string
	name      string
	arguments strings.Builder
	extra     json.RawMessage // the field extra_content; nil if there is none
}

func (b *answerBuilder) addCall(d callDelta) error {
	c := b.callFor(d)
	size := 0
	if c.id == "" {
		c.id, size = d.ID, len(d.ID)
	}
	if c.name == "" {
		c.name, size = d.Function.Name, size+len(d.Function.Name)
	}
	if isSet(d.Extra) {
		c.extra, size = d.Extra, size+len(d.Extra)
	}
	piece := remote.UnquoteJSON(d.Function.Arguments)
	c.arguments.WriteString(piece)
	if len(b.calls) > maxCalls {
		return remote.ErrAnswerTooLong
	}
	return b.grow(size + len(piece))
}

// callFor returns the call that a piece belongs to, or begins a new call.
func (b *answerBuilder) callFor(d callDelta) *call {
	if c := b.openCall(d); c != nil && !c.isFollowedBy(d) {
		return c
	}
	c := &call{index: len(b.calls)}
	if d.Index != nil {
		c.index = *d.Index
	}
	b.calls = append(b.calls, c)
	return c
}

// openCall returns the call that a piece may continue: the newest call with the piece's index. If
// the piece has no index, its id decides. If it has no id either, or no call has the id, the newest
// call is returned.
func (b *answerBuilder) openCall(d callDelta) *call {
	var newest *call
	for _, c := range slices.Backward(b.calls) {
		if newest == nil {
			newest = c
		}
		if d.Index != nil && c.index == *d.Index || d.Index == nil && d.ID != "" && c.id == d.ID {
			return c
		}
	}
	if d.Index != nil {
		return nil
	}
	return newest
}

// isFollowedBy reports whether a piece at c's position begins another call. A piece without a name
// never does, nor does a piece with c's id, or with an index but no new id. A new id is enough if
// the piece has no index. In all other cases the name must be new, or c must be complete. Ollama
// has sent several whole calls with the index 0. Other servers give each piece of a call a new id.
func (c *call) isFollowedBy(d callDelta) bool {
	name, sameID := d.Function.Name, d.ID == c.id
	newID := d.ID != "" && c.id != "" && !sameID
	switch {
	case name == "" || c.name == "" || sameID && d.ID != "" || d.Index != nil && !newID:
		return false
	case d.Index == nil && newID:
		return true
	}
	return name != c.name || len(d.Function.Arguments) > 0 && c.isComplete()
}

// isComplete reports whether the arguments so far are a whole object.
func (c *call) isComplete() bool {
	text := strings.TrimSpace(c.arguments.String())
	return strings.HasSuffix(text, "}") && remote.CheckArguments(text) == nil
}
