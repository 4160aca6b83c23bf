package review

import (
	"bytes"
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"strings"

	"mews/protocol"
)

// fields are the fields of a JSON object of a model, by their names in lower case. A field of a
// wrong type is read if its meaning is clear; otherwise it counts as missing.
type fields map[string]json.RawMessage

// fieldsOf returns the fields of a JSON object; ok is false if raw is no object.
func fieldsOf(raw json.RawMessage) (f fields, ok bool) {
	var keys map[string]json.RawMessage
	if json.Unmarshal(raw, &keys) != nil || keys == nil {
		return nil, false
	}
	f = fields{}
	for key, value := range keys {
		f[strings.ToLower(key)] = value
	}
	return f, true
}

// text returns a text. Numbers and lists of texts are read as text.
func (f fields) text(name string) string {
	var list []json.RawMessage
	if json.Unmarshal(f[name], &list) != nil {
		return textOf(f[name])
	}
	var lines []string
	for _, one := range list {
		lines = append(lines, textOf(one))
	}
	return strings.Join(lines, "\n")
}

func textOf(raw json.RawMessage) string {
	var text string
	var number json.Number
	if json.Unmarshal(raw, &text) != nil && json.Unmarshal(raw, &number) == nil {
		return number.String()
	}
	return text
}

// numbers matches the numbers in a text such as "R10-R12".
var numbers = regexp.MustCompile(`[0-9]+`)

// lines returns the first and the last line that a field names; 0 means none. It reads 12, "12",
// 12.0, "R12", "10-12" and [10, 12].
func (f fields) lines(name string) (first, last int) {
	text := strings.TrimSpace(f.text(name))
	if number, err := strconv.ParseFloat(text, 64); err == nil {
		if number != math.Trunc(number) || number < 0 || number > protocol.MaxReviewLineNumber {
			return 0, 0
		}
		return int(number), int(number)
	}
	found := numbers.FindAllString(text, 3)
	if len(found) == 0 || len(found) > 2 {
		return 0, 0
	}
	first, _ = strconv.Atoi(found[0]) // Atoi fails only for a number that is too large for the wire too
	last, _ = strconv.Atoi(found[len(found)-1])
	return min(first, last), max(first, last)
}

// confidenceWords are words that models write instead of a number.
var confidenceWords = map[string]float64{"high": 0.9, "medium": 0.6, "low": 0.3}

// confidence returns a number from 0 to 1. It reads 0.9, "0.9", 90, "90%" and "high".
func (f fields) confidence(name string) float64 {
	text := strings.ToLower(strings.TrimSpace(f.text(name)))
	if sure, known := confidenceWords[text]; known {
		return sure
	}
	percent := strings.HasSuffix(text, "%")
	number, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(text, "%")), 64)
	if err != nil || math.IsNaN(number) {
		return 0
	}
	if percent || number > 10 {
		number /= 100
	}
	return min(max(number, 0), 1)
}

// truths are the words that models write instead of true and false.
var truths = map[string]bool{"true": true, "yes": true, "1": true, "false": false, "no": false, "0": false}

// truth returns true or false. ok is false if the field is neither.
func (f fields) truth(name string) (value, ok bool) {
	raw := f[name]
	if json.Unmarshal(raw, &value) == nil && len(raw) > 0 && !bytes.Equal(bytes.TrimSpace(raw), []byte("null")) {
		return value, true
	}
	value, ok = truths[strings.ToLower(strings.TrimSpace(f.text(name)))]
	return value, ok
}
