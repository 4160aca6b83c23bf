package markdown_test

import (
	"testing"

	"mews/supervisor/markdown"
)

func TestEscapeSentence_ForeignTexts_ShowUnchanged(t *testing.T) {
	for text, want := range map[string]string{
		"it has more than 64 MiB":     "it has more than 64 MiB",
		"":                            "",
		"open a/b: permission denied": "`open a/b: permission denied`",
		"[click](https://evil.org)":   "`[click](https://evil.org)`",
		"end`\x1b[2J\n# of code":      "`end[2J# of code`",
		"`\x1b":                       "",
	} {
		got := markdown.EscapeSentence(text)
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
		if shown := markdown.Render(got); len(shown.Entities) > 1 || len(shown.Entities) == 1 && got == text {
			t.Errorf("%q is shown as %+v", text, shown)
		}
	}
}
