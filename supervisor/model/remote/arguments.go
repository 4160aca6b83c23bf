package remote

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"mews/protocol"
)

// ParseArguments turns the text of a call's arguments into a JSON object. Empty text gives an empty
// object. Text that is no object, or that two parsers could read differently, becomes
// {"_malformed": text}. No tool has such an argument, so the call fails with an error that shows
// the model its own text.
func ParseArguments(text string) json.RawMessage {
	text = strings.TrimSpace(text)
	if text == "" || text == "null" {
		return json.RawMessage("{}")
	}
	var buf bytes.Buffer
	if CheckArguments(text) == nil && json.Compact(&buf, []byte(text)) == nil {
		return buf.Bytes()
	}
	kept, _ := json.Marshal(map[string]string{"_malformed": text}) // a map of strings can always be encoded
	return kept
}

// CheckArguments returns nil if text is one JSON object that can be sent to the worker.
func CheckArguments(text string) error {
	if !strings.HasPrefix(text, "{") {
		return errors.New("not an object")
	}
	return protocol.ValidateRawJSON(json.RawMessage(text))
}
