package template_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	texttemplate "text/template"
	"unicode"

	"mews/protocol/template"
)

// FuzzParse compares any template with text/template. A template that Parse accepts must be valid
// for text/template. For a template that is valid there, Parse may refuse an action but must not
// report a syntax error.
func FuzzParse(f *testing.F) {
	for _, text := range templates {
		f.Add(text)
	}
	for _, text := range []string{
		`{{printf "}}" .a}}`, "{{if .a}}{{with .b}}{{end}}", "{{- /* a */ -}} {{end}}", "{{else if .a}}",
		"{{.a.\u0661}}",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, err := template.Parse(text)
		_, wantErr := texttemplate.New("").Parse(text)
		refused := new(template.UnsupportedError)
		switch {
		case err == nil && wantErr != nil:
			t.Errorf("taken, but text/template has %v", wantErr)
		case errors.As(err, &refused):
			if refused.Name == "" || strings.ContainsFunc(refused.Error(), unicode.IsControl) {
				t.Errorf("refused: %q", refused)
			}
		case err != nil && wantErr == nil:
			t.Errorf("a slip, but text/template takes it: %v", err)
		}
	})
}

// FuzzExecute compares the output for any template and JSON with the output of text/template. It
// leaves out JSON with numbers that the two packages print differently.
func FuzzExecute(f *testing.F) {
	for i, text := range templates {
		f.Add(text, data[i%len(data)])
		f.Add(text, data[(i+11)%len(data)])
	}
	f.Fuzz(func(t *testing.T, text, data string) {
		parsed, err := template.Parse(text)
		if err != nil || len(text)+len(data) > 1<<12 || !json.Valid([]byte(data)) || !printsAlike(decode(t, data)) {
			return
		}
		want, wantErr := textTemplateOutput(text, data)
		got, err := parsed.Execute(decode(t, data), enough)
		if errors.Is(err, template.ErrOutputTooLong) {
			return
		}
		if got != want || (err != nil) != (wantErr != nil) {
			t.Errorf("got %q, %v; want %q, %v", got, err, want, wantErr)
		}
		if short, err := parsed.Execute(decode(t, data), 10); len(short) > 10 || err == nil && short != got {
			t.Errorf("within 10 bytes: got %q, %v", short, err)
		}
	})
}

// printsAlike reports whether text/template prints each number of a value as the JSON has it.
func printsAlike(value any) bool {
	switch v := value.(type) {
	case json.Number:
		f, err := v.Float64()
		return err == nil && fmt.Sprint(f) == v.String()
	case []any:
		for _, e := range v {
			if !printsAlike(e) {
				return false
			}
		}
	case map[string]any:
		for _, e := range v {
			if !printsAlike(e) {
				return false
			}
		}
	}
	return true
}
