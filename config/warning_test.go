package config

import (
	"errors"
	"strings"
	"testing"
)

const oneHook = "webhooks: {listen: 127.0.0.1:8322}\nusers: [{name: ann}]\n" +
	"hooks:\n  ci: {user: ann, secret: \"${SECRET}\", template: TEMPLATE}\n"

func TestLoad_RefusedTemplate_IsWarning(t *testing.T) {
	for _, test := range []struct{ name, template, warning string }{
		{"taken", "'{{if .a}}{{.a.b}}{{else}}{{range .c}}{{.}}{{end}}{{end}}'", ""},
		{"refused", `'{{.a}} {{printf "%d" .b}}'`, `/etc/mews/mews.yaml:4: hooks.ci.template: ` +
			`got "{{.a}} {{printf \"%d\" .b}}", want a template with no other actions than {{.a.b}}, ` +
			"{{if .a}}, {{else if .b}}, {{else}}, {{range .a}} and {{end}}; " + `it has printf: {{printf "%d" .b}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			cfg, err := load(
				t,
				strings.Replace(oneHook, "TEMPLATE", test.template, 1),
				map[string]string{"SECRET": secret},
			)
			if err != nil {
				t.Fatal(err)
			}
			if cfg.Hooks["ci"].Template == "" {
				t.Error("the template is gone")
			}
			got := ""
			if cfg.Warnings != nil {
				got = cfg.Warnings.Error()
			}
			if got != test.warning {
				t.Errorf("got the warnings %q, want %q", got, test.warning)
			}
		})
	}
}

// text/template refuses this template too. So the template never worked, and the service refuses to
// start.
func TestLoad_BrokenTemplate_IsError(t *testing.T) {
	_, err := load(t, strings.Replace(oneHook, "TEMPLATE", "'{{if .a}}'", 1), map[string]string{"SECRET": secret})
	if list := new(ErrorList); !errors.As(err, &list) || len(list.Problems) != 1 || list.Problems[0].Warning {
		t.Errorf("got %v", err)
	}
}
