package template_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	texttemplate "text/template"

	"mews/protocol/template"
)

const enough = 1 << 20

// decode decodes JSON in the form that Execute needs.
func decode(t testing.TB, text string) (value any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		t.Fatal(err)
	}
	return value
}

// textTemplateOutput returns the output of text/template.
func textTemplateOutput(text, data string) (string, error) {
	t, err := texttemplate.New("").Parse(text)
	if err != nil {
		return "", err
	}
	var value any
	if err := json.Unmarshal([]byte(data), &value); err != nil {
		return "", err
	}
	var b strings.Builder
	if err := t.Execute(&b, value); err != nil {
		return "", err
	}
	return b.String(), nil
}

// templates has templates that are valid for this package and for text/template.
var templates = []string{
	"", "text", "Backup of {{.host}}: {{.state}}", "{{.}}", "{{ . }}", "{{.a}}{{.b}}", "{{.a.b.c}}", "{{\t.a\n}}",
	"{{.größe}} {{._x1}}", "}} {{.a}}}",
	"{{if .a}}yes{{end}}", "{{if .a}}yes{{else}}no{{end}}", "{{if.a}}1{{else  if\t.b}}2{{else if .c}}3{{else}}4{{end}}",
	"{{if .}}x{{end}}", "{{if .a}}{{end}}",
	"{{range .}}<{{.}}>{{end}}", "{{range .a}}{{.b}},{{else}}none of {{.b}}{{end}}",
	"{{range .a}}{{range .}}{{.}}{{end}};{{end}}",
	"{{range.}}{{end}}",
	"{{if .a}}{{range .a}}{{if .b}}{{.b}}{{else}}-{{end}}{{end}}{{end}}", "{{range .a.b}}{{if .}}{{.}}{{end}}{{end}}",
	"a \n {{- .a -}} \n b {{.b -}}\n\n{{- .c}}", "{{- .a}}\t{{.b -}}", " {{- if .a -}} x {{- else -}} y {{- end -}} ",
	"{{.a}} {{- /* why */ -}} {{.b}}",
	"x{{/* {{.a}} }} */}}y", "x {{- /**/}} y", "{{/* a\nb */ -}}\n z", "{{range .a}}\n{{- .}}\n{{- end}}",
}

// data is the JSON for each template. Both packages print its numbers in the same way.
var data = []string{
	`null`, `true`, `7`, `"text"`, `[]`, `{}`, `[1,"two",null,false,[3],{"a":4}]`, `["<b>","{{.a}}"]`,
	`{"host":"mars","state":"full"}`, `{"a":1,"b":0,"c":-2.5}`, `{"a":"","b":"x","c":null}`, `{"a":{"b":{"c":"deep"}}}`,
	`{"a":{"b":null}}`, `{"a":null,"b":true}`,
	`{"a":[{"b":1},{"b":""},{}],"b":"b"}`, `{"a":[[1,2],[],["x"]],"b":{"z":1,"y":2}}`, `{"a":{"b":[1,0,"x",null,""]}}`,
	`{"a":{"z":{"b":1},"a":{"b":2}}}`, `{"a":[]}`, `{"a":{}}`,
	`{"größe":"L","_x1":"_","a":false}`, `{"a":"line\n","b":" \t","c":"\u0000"}`,
	`[[[["deep"]]]]`, `{"a":[null]}`, `{"a":0,"b":-0,"c":[0]}`,
}

func TestExecute_SharedActions_MatchTextTemplate(t *testing.T) {
	made, failed := 0, 0
	for _, text := range templates {
		parsed, err := template.Parse(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		for _, d := range data {
			want, wantErr := textTemplateOutput(text, d)
			got, err := parsed.Execute(decode(t, d), enough)
			if got != want || (err != nil) != (wantErr != nil) {
				t.Errorf("%q of %s: got %q, %v; want %q, %v", text, d, got, err, want, wantErr)
			}
			made++
			if err != nil {
				failed++
			}
		}
	}
	if failed == 0 || failed > made/2 {
		t.Errorf("%d of %d failed", failed, made)
	}
}

func TestExecute_Numbers_KeepTheirJSONForm(t *testing.T) {
	parsed, err := template.Parse("{{range .}}{{.}} {{if .}}true{{else}}false{{end}}, {{end}}{{.}}")
	if err != nil {
		t.Fatal(err)
	}
	const want = "1000000 true, 12345678901234567890 true, 1e6 true, 0.10 true, -0 false, 0.0 false, 0e5 false, " +
		"1e999 true, 1e-999 false, " +
		"[1000000 12345678901234567890 1e6 0.10 -0 0.0 0e5 1e999 1e-999]"
	numbers := decode(t, `[1000000, 12345678901234567890, 1e6, 0.10, -0, 0.0, 0e5, 1e999, 1e-999]`)
	got, err := parsed.Execute(numbers, enough)
	if err != nil || got != want {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
}

func TestParse_UnsupportedAction_IsNamed(t *testing.T) {
	for text, want := range map[string]string{
		`{{printf "%.1f" .a}}`:                `printf: {{printf "%.1f" .a}}`,
		"a\n{{.a}}\n{{- with .b}}{{end}}":     "with: {{with .b}}",
		`{{define "x"}}{{end}}`:               `define: {{define "x"}}`,
		`{{template "x" .}}`:                  `template: {{template "x" .}}`,
		`{{block "x" .}}{{end}}`:              `block: {{block "x" .}}`,
		`{{range .a}}{{break}}{{end}}`:        "break: {{break}}",
		`{{if .a}}{{else if eq .a 1}}{{end}}`: "eq: {{else if eq .a 1}}",
		`{{if not .a}}{{end}}`:                "not: {{if not .a}}",
		`{{len .a}}`:                          "len: {{len .a}}",
		`{{index . "a-b"}}`:                   `index: {{index . "a-b"}}`,
		`{{.a | printf "%q"}}`:                `a pipeline: {{.a | printf "%q"}}`,
		`{{$x := .a}}`:                        "a variable: {{$x := .a}}",
		`{{$.a}}`:                             "a variable: {{$.a}}",
		`{{range $i, $e := .a}}{{end}}`:       "a variable: {{range $i, $e := .a}}",
		"{{\"{{\"}}":                          `quotes: {{"{{"}}`,
		"{{`a`}}":                             "quotes: {{`a`}}",
		`{{(.a).b}}`:                          "parentheses: {{(.a).b}}",
		"{{- -}}":                             "a number: {{-}}",
		`{{-1}}`:                              "a number: {{-1}}",
		`{{1.5}}`:                             "a number: {{1.5}}",
		`{{true}}`:                            "true: {{true}}",
		`{{.a .b}}`:                           "another form of a value: {{.a .b}}",
		`{{.a-b}}`:                            "another form of a value: {{.a-b}}",
		`{{.a.1}}`:                            "another form of a value: {{.a.1}}",
		`{{..}}`:                              "another form of a value: {{..}}",
		"{{print\n\x1b.a}}":                   "print: {{print  .a}}",
		"{{println " + strings.Repeat("é", 99) + "}}": "println: {{println " + strings.Repeat("é", 32) + "...}}",
	} {
		_, err := template.Parse(text)
		if refused := new(template.UnsupportedError); !errors.As(err, &refused) || err.Error() != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

// A syntax error must also be a syntax error for text/template. So a user's valid template is never
// refused as a syntax error.
func TestParse_SyntaxError_IsNoRefusedAction(t *testing.T) {
	for text, want := range map[string]string{
		"{{.a":                               "{{ without }}",
		"a\n{{":                              "{{ without }}",
		"{{}}":                               "{{}} without a value",
		"{{  -}}":                            "{{}} without a value",
		"{{/* a }}":                          "a comment without */}}",
		"{{/*/}}":                            "a comment without */}}",
		"\n{{/* a */ }}":                     "a comment without */}}",
		"{{if}}{{end}}":                      "{{if}} without a value",
		"{{if .a}}\n":                        "{{if .a}} without an {{end}}",
		"{{range .a}}{{else}}":               "{{range .a}} without an {{end}}",
		"{{end}}":                            "{{end}} without a block before it",
		"{{else}}":                           "{{else}} without a block before it",
		"{{if .a}}{{end .a}}":                "{{end .a}} where {{end}} is due",
		"{{if .a}}{{else}}\n{{else}}{{end}}": "{{else}} where {{end}} is due",
		"{{if .a}}{{else .a}}{{end}}":        "{{else .a}} where {{end}} is due",
		"{{range .a}}{{else if .b}}{{end}}":  "{{else if .b}} where {{end}} is due",
	} {
		_, err := template.Parse(text)
		if err == nil || errors.As(err, new(*template.UnsupportedError)) || err.Error() != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
		if _, err := textTemplateOutput(text, "1"); err == nil {
			t.Errorf("%q: text/template takes it", text)
		}
	}
}

func TestParse_DeepNesting_IsRefused(t *testing.T) {
	nested := func(depth int) string {
		return strings.Repeat("{{if .}}", depth) + "x" + strings.Repeat("{{end}}", depth)
	}
	if _, err := template.Parse(nested(template.MaxDepth)); err != nil {
		t.Error(err)
	}
	_, err := template.Parse(nested(template.MaxDepth + 1))
	if refused := new(template.UnsupportedError); !errors.As(err, &refused) ||
		refused.Name != "a block within 32 others" {
		t.Errorf("one more: got %v", err)
	}
	chain := "{{if .a}}1" + strings.Repeat("{{else if .b}}2", 10_000) + "{{else}}3{{end}}"
	parsed, err := template.Parse(chain)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := parsed.Execute(decode(t, "{}"), enough); got != "3" || err != nil {
		t.Errorf("a chain of conditions: got %q, %v", got, err)
	}
}

// The output ends at its limit, however large or deep the JSON is.
func TestExecute_LongOutput_IsRefused(t *testing.T) {
	deep := strings.Repeat("[", 9_999) + strings.Repeat("]", 9_999)
	wide := "[" + strings.Repeat("1,", 500_000) + "1]"
	for _, c := range []struct {
		text, data string
		most       int
		fails      bool
	}{
		{"1234", "1", 4, false},
		{"12345", "1", 4, true},
		{"{{.}}{{.}}", `"ab"`, 4, false},
		{"{{.}}{{.}}", `"abc"`, 4, true},
		{"{{.}}", deep, 2 * 9_999, false},
		{"{{.}}", deep, 2*9_999 - 1, true},
		{"{{range .}}" + strings.Repeat("x", 1000) + "{{end}}", wide, enough, true},
		{strings.Repeat("{{range .}}", 32) + "{{.}}" + strings.Repeat("{{end}}", 32), deep, enough, false},
	} {
		parsed, err := template.Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := parsed.Execute(decode(t, c.data), c.most)
		if errors.Is(err, template.ErrOutputTooLong) != c.fails || len(got) > c.most || c.fails && got != "" {
			t.Errorf("%.20s of %.20s: got %d bytes, %v", c.text, c.data, len(got), err)
		}
	}
}
