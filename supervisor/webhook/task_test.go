package webhook_test

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"mews/protocol/template"
	"mews/supervisor/webhook"
)

// TestHook_TaskText_IsLimited checks that a task's text is at most as long as a call. Indented JSON
// or a rendered template could be longer.
func TestHook_TaskText_IsLimited(t *testing.T) {
	twice := parse(t, "{{range .}}{{.}}\n{{.}}\n{{end}}")
	deep := strings.Repeat("[", 14) + "0" + strings.Repeat(",0", 31<<10) + strings.Repeat("]", 14)
	exact := `"` + strings.Repeat("x", webhook.MaxTaskBodyBytes-2) + `"`
	many := `["` + strings.Repeat("y", 40<<10) + `"]`
	for _, c := range []struct {
		body     string
		template *template.Template
		want     string // the expected beginning of the task's text
		cut      string // the expected end of the task's text
	}{
		{`{ "a": [1, 2] }`, nil, "```json\n{\"a\":[1,2]}\n```", ""},
		{deep, nil, "```json\n" + deep + "\n```", ""},
		{exact, nil, "```json\n" + exact + "\n```", ""},
		{`["x"]`, twice, "x\nx\n", ""},
		{many, twice, strings.Repeat("y", 40<<10), "KB more)"},
		{`{"message":"a\nb"}`, twice, "a\nb", ""},
	} {
		got := make(chan string, 1)
		hook := webhook.Hook{Name: "ci", Sign: webhook.AuthBearer, Template: c.template, Run: func(_ context.Context,
			_ time.Time, text string) error {
			got <- text
			return nil
		}}
		inBubble(t, []webhook.Hook{hook}, func(t *testing.T, r *rig) {
			w := httptest.NewRecorder()
			r.hooks["ci"].ServeHTTP(w, bearer(c.body))
			settle()
			if len(got) != 1 {
				t.Fatalf("of %.20s, which is answered with %d, %q, a task gets nothing", c.body, w.Code, w.Body)
			}
			text := <-got
			if len(text) > webhook.MaxTaskBodyBytes+100 || !strings.HasPrefix(text, c.want) || !strings.HasSuffix(text,
				c.cut) || c.cut == "" && text != c.want {
				t.Errorf("of %d bytes, %.20s, a task gets %d: %.100q", len(c.body), c.body, len(text), text)
			}
		})
	}
}
