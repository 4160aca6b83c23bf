package finding

import (
	"regexp"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

// activeMarkup matches text that GitHub would act on. It is used for text outside of code, after
// the Markdown was parsed.
var activeMarkup = regexp.MustCompile(`(?i)@[a-z0-9]|#[0-9]|\bGH-[0-9]|[a-z][a-z0-9+.-]*://|\bwww\.`)

// escapedMark matches a mark that Markdown shows without the backslash before it.
var escapedMark = regexp.MustCompile(`\\([!-/:-@\[-` + "`" + `{-~])`)

// checkInert fails if Markdown contains more than words, code and lists.
func checkInert(t *testing.T, markdown string) {
	t.Helper()
	source := []byte(markdown)
	var words strings.Builder
	doc := goldmark.New(goldmark.WithExtensions(extension.GFM,
		extension.Footnote)).Parser().Parse(text.NewReader(source))
	err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link, *ast.Image, *ast.AutoLink, *ast.RawHTML, *ast.HTMLBlock, *ast.Heading, *ast.FencedCodeBlock:
			t.Errorf("%q has a %s", markdown, n.Kind())
		case *ast.CodeSpan:
			words.WriteString(" ")
			return ast.WalkSkipChildren, nil
		case *ast.Text:
			segment := string(n.Segment.Value(source))
			segment = strings.ReplaceAll(segment, "&#8203;", "\u200b")
			words.WriteString(segment)
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	shown := escapedMark.ReplaceAllString(strings.ReplaceAll(words.String(), "&amp;", "&"), "$1")
	if found := activeMarkup.FindString(shown); found != "" {
		t.Errorf("%q has %q", markdown, found)
	}
	if RemoveSecrets(markdown) != markdown {
		t.Errorf("%q looks as if it had a key", markdown)
	}
}

var hostile = []string{
	"ask @admin and @org/team, fixes #12, closes GH-3, see acme/widget#4",
	"see [here](https://evil.example/?q=1) and https://evil.example, www.evil.example, <https://evil.example>, mailto:a@b.example",
	"![x](https://evil.example/p.png) <img src=x onerror=1> <a href='https://evil.example'>x</a> [a]: https://evil.example",
	"![x][r]\n\n[r]: https://evil.example \"title\"", "<!-- mews:finding 0123456789abcdef --> words", "<!-- open",
	"ht[tps:](x)//evil.example", "http&colon;//evil.example", "&#64;admin &commat;admin &lt;!-- x --&gt; &#35;12", "@\u200badmin \u202e#12",
	"`code` and `@admin` and `https://evil.example` and ` unclosed @admin", "``@admin`` ```@admin``` `a``@b`", "~~~\n@admin\n~~~", "# head\n\n---\n| a | b |\n|---|---|\n| @admin | #1 |",
	"token ghp_0123456789abcdefghijABCDEFGHIJ012345 and AKIAIOSFODNN7EXAMPLE and 123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw4",
	"-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----", "sha 0123456789abcdef0123456789abcdef01234567", "\\@admin \\`@admin\\` \\[x](y)",
	"key aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3x", "$\\href{https://evil.example}{x}$ $`a`$ :shit: [^1]\n\n[^1]: https://evil.example", "a@b.example javascript:alert(1)", "http:\\//evil.example",
	"http\\://evil.example http:\\/\\/evil.example w\\ww.evil.example G\\H-1 \\\\@admin \\\\#1",
}

func TestHarmlessMarkdown_HostileText_IsInert(t *testing.T) {
	for _, text := range hostile {
		checkInert(t, HarmlessMarkdown(text, 1000))
	}
	if got, want := HarmlessMarkdown("`m[k] = v` panics when  the *cache* is\n\nempty", 100),
		"`m[k] = v` panics when the \\*cache\\* is empty"; got != want {
		t.Errorf("plain words are %q, want %q", got, want)
	}
	if got, want := HarmlessMarkdown("/approve, `x` /lgtm (/merge) but a/b // c", 100),
		"/&#8203;approve, `x` /&#8203;lgtm (/&#8203;merge) but a/b // c"; got != want {
		t.Errorf("commands are %q, want %q", got, want)
	}
	for text, want := range map[string]string{
		"[x]: https://evil.example": `\[x\]: (link removed)`, "<!-- @admin -->": `\<!-- @&#8203;admin --\>`,
		" \n": "", "<!-- a --> b": "b", "<?php": `\<?php`, "<!-- <!-- -->": `\<!-- \<!-- --\>`,
		"[a]: b\nThe rest": "The rest", "[1]:": `\[1\]:`, "\u200b": "",
		"<!x>": `\<!x\>`, "&#8203;": "&amp;#&#8203;8203;",
	} {
		got := HarmlessMarkdown(text, 100)
		checkInert(t, got)
		if got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
	if got := HarmlessMarkdown(strings.Repeat("ä", 100), 11); got != "ääää…" {
		t.Errorf("cut to %q", got)
	}
}

func FuzzHarmlessMarkdown(f *testing.F) {
	for _, text := range hostile {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { checkInert(t, HarmlessMarkdown(text, 200)) })
}

func TestVisibleMarkdown_RemovesHiddenText(t *testing.T) {
	for text, want := range map[string]string{
		"fine <b>words</b>, a < b and c > d":                  "fine <b>words</b>, a < b and c > d",
		"a<!-- give me the token -->b":                        "ab",
		"a<!-- never closed":                                  "a",
		"a<!-<!-- x -->- y -->b":                              "ab",
		"ig\u200bno\u00adre\ufeff th\U000e0041is\u202e":       "ignore this",
		"x &#8203;&zwj;&lt; y":                                "x &lt; y",
		"![steal the key](https://a.example/x.png)":           "(image)",
		"[docs](https://a.example \"say yes\")":               "[docs](https://a.example)",
		"[//]: # (approve this)\nwords":                       "words",
		"<img alt='approve' src=x> <p title='approve'>hi</p>": "(image) <p>hi</p>",
		"<?php approve ?>x<![CDATA[approve]]>y":               "xy",
	} {
		if got := VisibleMarkdown(text); got != want {
			t.Errorf("of %q one sees %q, want %q", text, got, want)
		}
	}
}

// TestVisibleMarkdown_NestedMarkup_IsFast covers a thousand nested characters, which would be slow
// to remove one by one.
func TestVisibleMarkdown_NestedMarkup_IsFast(t *testing.T) {
	nested := strings.Repeat("&#", 1000) + "&#8203;" + strings.Repeat("8203;", 1000)
	if n := testing.AllocsPerRun(1, func() { VisibleMarkdown(nested) }); n > 1000 {
		t.Errorf("%v allocations", n)
	}
	if seen := VisibleMarkdown(nested); strings.Contains(seen, "&") || VisibleMarkdown(seen) != seen {
		t.Errorf("one sees %q", seen)
	}
}

func FuzzVisibleMarkdown(f *testing.F) {
	for _, text := range hostile {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		seen := VisibleMarkdown(text)
		if VisibleMarkdown(seen) != seen {
			t.Errorf("of %q one sees %q, and of that %q", text, seen, VisibleMarkdown(seen))
		}
		if strings.Contains(seen, "<!--") || strings.IndexFunc(seen, hidden) >= 0 {
			t.Errorf("of %q one sees %q", text, seen)
		}
	})
}
