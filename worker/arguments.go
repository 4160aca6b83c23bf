package worker

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
)

// DecodeArguments reads a call's arguments into the struct that args points to. An unknown name or
// a value of the wrong type is an error that names the argument for the model.
func DecodeArguments(call Call, args any) error {
	raw := call.Arguments
	if len(bytes.TrimSpace(raw)) == 0 {
		raw = json.RawMessage("{}")
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(args); err != nil {
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) {
			want := wrong.Type.String()
			if kind := wrong.Type.Kind(); kind == reflect.Struct || kind == reflect.Map {
				want = "object"
			}
			return fmt.Errorf("argument %q: got a %s, want a %s", wrong.Field, wrong.Value, want)
		}
		return fmt.Errorf("arguments: %w", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return errors.New("arguments: more than one JSON value")
	}
	return nil
}
