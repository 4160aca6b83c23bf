package protocol

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// checkSimply checks a JSON value by the same rules as DecodeStrict, but simply, with
// encoding/json's tokens.
func checkSimply(data []byte) error {
	if !json.Valid(data) || !utf8.Valid(data) {
		return errors.New("invalid JSON or UTF-8")
	}
	if loneSurrogate(data) {
		return errors.New("unpaired surrogate")
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := refuseValue(d, 1); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("more after the value")
	}
	return nil
}

func refuseValue(d *json.Decoder, depth int) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	switch token := token.(type) {
	case json.Number:
		_, err := strconv.ParseFloat(token.String(), 64)
		return err
	case json.Delim:
		if depth > 64 {
			return errors.New("too deep")
		}
		return refuseInside(d, token == '{', depth)
	}
	return nil
}

func refuseInside(d *json.Decoder, object bool, depth int) error {
	seen := make(map[string]bool)
	for d.More() {
		if object {
			key, err := d.Token()
			if err != nil {
				return err
			}
			if seen[key.(string)] {
				return errors.New("duplicate")
			}
			seen[key.(string)] = true
		}
		if err := refuseValue(d, depth+1); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}

// loneSurrogate reports whether valid JSON has a \u escape that is only half of a pair.
func loneSurrogate(data []byte) bool {
	text := strings.ReplaceAll(string(data), `\\`, "..")
	for {
		i := strings.Index(text, `\u`)
		if i < 0 {
			return false
		}
		unit, _ := strconv.ParseUint(text[i+2:i+6], 16, 32)
		text = text[i+6:]
		if unit < 0xD800 || unit > 0xDFFF {
			continue
		}
		if unit > 0xDBFF || !strings.HasPrefix(text, `\u`) {
			return true
		}
		low, _ := strconv.ParseUint(text[2:6], 16, 32)
		if low < 0xDC00 || low > 0xDFFF {
			return true
		}
		text = text[6:]
	}
}
