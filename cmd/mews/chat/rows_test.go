package chat

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rivo/uniseg"

	"mews/cmd/mews/chat/chattest"
	"mews/supervisor/markdown"
)

// inColour returns the style of a terminal with colours, with or without links.
func inColour(links bool) style {
	return styleFor(func(name string) string {
		return map[string]string{"TERM": map[bool]string{true: "alacritty", false: "xterm"}[links]}[name]
	})
}

// plain is no style.
var plain = style{}

// renderText renders Markdown for a screen of a given width, and returns all rows in one text.
func renderText(s style, md string, width int) string {
	var lines []string
	for _, r := range s.rows(markdown.RendererForWidth(width).Render(md), "", width) {
		lines = append(lines, r.text)
	}
	return strings.Join(lines, "\n")
}

func TestMarkdownRows_BreakAtWords(t *testing.T) {
	for name, c := range map[string]struct{ md, want string }{
		"words":             {"one two three four five six", "one two three four\nfive six"},
		"a full row":        {"one two three four. five", "one two three four.\nfive"},
		"an item":           {"- one two three four five six", "• one two three four\n  five six"},
		"a numbered one":    {"1. one two three four five", "1. one two three\n   four five"},
		"below an item":     {"- one\n  - two three four five six", "• one\n   • two three four\n     five six"},
		"a task":            {"- [x] one two three four five", "☑ one two three four\n  five"},
		"a quote":           {"> one two three four five", "│ one two three four\n│ five"},
		"an option":         {"call it with a --long-option", "call it with a\n--long-option"},
		"a path":            {"your folder is at /home/ann", "your folder is at\n/home/ann"},
		"numbered buttons":  {"a  1) Send it  2) Delete it", "a  1) Send it\n2) Delete it"},
		"an address":        {"at https://a.example/path/to/it", "at\nhttps://a.example/pa\nth/to/it"},
		"code":              {"```\nx := f(a, b, c, d, e, g)\n  y\n```", "x := f(a, b, c, d, e\n, g)\n  y"},
		"wide letters":      {"漢字漢字漢字漢字漢字漢字", "漢字漢字漢字漢字漢字\n漢字"},
		"wide and others":   {"sentences in 漢字漢字漢字", "sentences in 漢字漢\n字漢字"},
		"a wide full stop":  {"漢字漢字漢字漢字漢字。漢", "漢字漢字漢字漢字漢\n字。漢"},
		"composed letters":  {"e\u0301e\u0301e\u0301 👨‍👩‍👧 👨‍👩‍👧 👨‍👩‍👧", "e\u0301e\u0301e\u0301 👨‍👩‍👧 👨‍👩‍👧\n👨‍👩‍👧"},
		"a paragraph":       {"one\n\ntwo", "one\n\ntwo"},
		"a heading":         {"# One two three four five\n\nsix", "One two three four\nfive\n\nsix"},
		"a link":            {"[one two](https://a.example/x) three", "one two\n(https://a.example/x\n) three"},
		"code without look": {"use `go  test`, **now**", "use `go  test`, now"},
		"a table":           {"|a|b|\n|-|-:|\n|x|12|\n", "a |  b\n--+---\nx | 12"},
		"a wide table": {"|name|what it is|\n|-|-|\n|x|a letter that is long|\n",
			"name · what it is\n\nx\nwhat it is: a letter\nthat is long"},
	} {
		if d := cmp.Diff(c.want, renderText(plain, c.md, 20)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestMarkdownRows_Marks_HaveStyles(t *testing.T) {
	const reset = "\x1b[0m"
	for name, c := range map[string]struct{ md, want string }{
		"bold":      {"**a b**", "\x1b[1ma b" + reset},
		"a heading": {"## a", "\x1b[1ma" + reset},
		"both":      {"**a *b***", "\x1b[1ma " + reset + "\x1b[1m\x1b[3mb" + reset},
		"code":      {"`a`", "\x1b[36ma" + reset},
		"broken":    {"**aaaa aaaa**", "\x1b[1maaaa" + reset + "\n\x1b[1maaaa" + reset},
		"a quote":   {"> a", "\x1b[2m│ " + reset + "a"},
		"a link":    {"[a](https://a.example/ä\u009d)", "\x1b[4m\x1b]8;;https://a.example/%C3%A4%C2%9D\x1b\\a\x1b]8;;\x1b\\" + reset},
		"a difference": {"```diff\n@@ 1 @@\n-a\n+b **c d**\n same\n```", "\x1b[36m@@ 1 @@" + reset + "\n\x1b[31m-a" + reset +
			"\n\x1b[32m+b **c d" + reset + "\n\x1b[32m**" + reset + "\n same"},
		"struck through": {"~~a~~", "\x1b[9ma" + reset},
	} {
		if d := cmp.Diff(c.want, renderText(inColour(true), c.md, 8)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	if got := renderText(inColour(false), "[a](https://a.example)", 80); got != "\x1b[4ma"+reset+" (https://a.example)" {
		t.Errorf("where links are not known it is %q", got)
	}
}

func TestTerminalLinks_Environment_TellsSupport(t *testing.T) {
	for env, want := range map[string]bool{
		"": false, "TERM=xterm-256color": false, "TERM=xterm-kitty": true, "TERM=alacritty": true, "TERM=foot-extra": true,
		"TERM_PROGRAM=iTerm.app": true, "TERM_PROGRAM=Apple_Terminal": false, "VTE_VERSION=4999": false, "VTE_VERSION=5000": false,
		"VTE_VERSION=5001": true, "VTE_VERSION=7600": true, "VTE_VERSION=7600 TERM=tmux-256color": false, "WT_SESSION=x": true,
		"FORCE_HYPERLINK=1 TERM=xterm": true, "FORCE_HYPERLINK=0 TERM=xterm-kitty": false,
	} {
		set := map[string]string{}
		for _, word := range strings.Fields(env) {
			name, value, _ := strings.Cut(word, "=")
			set[name] = value
		}
		if got := knowsLinks(func(name string) string { return set[name] }); got != want {
			t.Errorf("%q: got %v", env, got)
		}
	}
}

// A named character reference must not become a command of the terminal.
func TestMarkdownRows_EncodedControls_AreHarmless(t *testing.T) {
	got := renderText(inColour(true), "&#x1b;[2J &#x9d;0;evil&#x90; `\u009b2J` <a href=\"https://a.example/\u009d\">x</a> &#27;]0;y&#7;", 80)
	for _, r := range readable(got) {
		if r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 {
			t.Errorf("%q holds %U", got, r)
		}
	}
}

// FuzzMarkdownRows: for any Markdown, the rows fit the screen and contain all of the text, but no
// terminal commands.
func FuzzMarkdownRows(f *testing.F) {
	for _, md := range []string{"# a\n\n- b *c* [d](https://e.example)\n\n> f\n\n```go\ng\n```\n", "|a|b|\n|-|-|\n|漢字|`x`|\n", "&#x9d;\u009b 👨‍👩‍👧 \x1b[2J",
		"> ```\n> a\n> ```\n> b **c\n\n\td"} {
		f.Add(md, uint8(20), true)
	}
	f.Fuzz(func(t *testing.T, md string, columns uint8, looks bool) {
		s, width := plain, max(minWidth+4, int(columns))
		if looks {
			s = inColour(true)
		}
		rich := markdown.RendererForWidth(width).Render(md)
		rows := s.rows(rich, "", width)
		screen := chattest.NewScreen(t, width, 4)
		for _, r := range rows {
			if n := uniseg.StringWidth(readable(r.text)); n > width {
				t.Errorf("%q takes %d columns of %d", r.text, n, width)
			}
			screen.Write([]byte(r.text + "\r\n"))
		}
		want := strings.TrimSpace(letters(row{text: stripControls(rich.Text)}))
		if got := strings.TrimSpace(appendLetters("", rows)); looks && got != want {
			t.Errorf("the rows hold %q, want %q", got, want)
		}
	})
}
