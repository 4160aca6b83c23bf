package remote

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"mews/protocol"
)

// ParseArguments makes a JSON object of the text of a call's arguments. No text is the empty
// object. Text that is no object, or that two readers could understand differently, is kept as
// {"_malformed": text}: no tool takes that, and the model is told what it wrote.
func ParseArguments(text string) json.RawMessage {
	text = strings.TrimSpace(text)
	if text == "" || text == "null" {
		return json.RawMessage("{}")
	}
	var buf bytes.Buffer
	if CheckArguments(text) == nil && json.Compact(&buf, []byte(text)) == nil {
		return buf.Bytes()
	}
	kept, _ := json.Marshal(map[string]string{"_malformed": text}) // strings always can be
	return kept
}

// CheckArguments accepts one JSON object that the wire to the worker takes.
func CheckArguments(text string) error {
	if !strings.HasPrefix(text, "{") {
		return errors.New("not an object")
	}
	return protocol.CheckRaw(json.RawMessage(text))
}
