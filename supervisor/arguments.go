package supervisor

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// maxArgumentDepth is how deep arguments may be nested. It keeps the message below the wire's own limit of 64.
const maxArgumentDepth = 32

// ParseArguments makes the text of a call's arguments into a JSON object. Nothing at all is the empty object. Text that
// is no object, or one that two readers could understand differently, is kept as {"_malformed": text}: no tool takes
// that, and the model is told what it wrote.
func ParseArguments(text string) json.RawMessage {
	text = strings.TrimSpace(text)
	if text == "" || text == "null" {
		return json.RawMessage("{}")
	}
	var buf bytes.Buffer
	if CheckArguments(text) == nil && json.Compact(&buf, []byte(text)) == nil {
		return buf.Bytes()
	}
	kept, err := json.Marshal(map[string]string{"_malformed": text})
	if err != nil { // a map of strings has no way to fail
		return json.RawMessage("{}")
	}
	return kept
}

// CheckArguments accepts one JSON object whose keys are distinct in every case, as the wire to the worker wants them.
func CheckArguments(text string) error {
	if !strings.HasPrefix(text, "{") {
		return errors.New("not an object")
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	if err := checkArgument(dec, 0); err != nil {
		return err
	}
	if _, err := dec.Token(); err != io.EOF {
		return errors.New("more than one value")
	}
	return nil
}

func checkArgument(dec *json.Decoder, depth int) error {
	token, err := dec.Token()
	if err != nil {
		return err
	}
	open, nested := token.(json.Delim)
	if !nested {
		return nil
	}
	if depth >= maxArgumentDepth {
		return errors.New("nested too deep")
	}
	seen := map[string]bool{}
	for dec.More() {
		if open == '{' {
			if err := checkArgumentKey(dec, seen); err != nil {
				return err
			}
		}
		if err := checkArgument(dec, depth+1); err != nil {
			return err
		}
	}
	_, err = dec.Token() // the closing one
	return err
}

func checkArgumentKey(dec *json.Decoder, seen map[string]bool) error {
	token, err := dec.Token()
	if err != nil {
		return err
	}
	key, _ := token.(string) // between { and } the decoder gives nothing else here
	key = strings.ToLower(key)
	if seen[key] {
		return errors.New("a key twice")
	}
	seen[key] = true
	return nil
}
