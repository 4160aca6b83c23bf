package markdown_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mews/supervisor"
	"mews/supervisor/markdown"
)

func texts(parts []supervisor.RichText) []string {
	var all []string
	for _, p := range parts {
		all = append(all, p.Text)
	}
	return all
}

func TestSplitMessage_LongText_IsCutAtGaps(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		limit int
		want  []string
	}{
		"it fits":                        {"ten letter", 10, []string{"ten letter"}},
		"a paragraph before a line":      {"aaaa aaaa\n\naaa\nb bbbb", 16, []string{"aaaa aaaa", "aaa\nb bbbb"}},
		"a line before a word":           {"aaaa aa\nbb cccc", 12, []string{"aaaa aa", "bb cccc"}},
		"a word":                         {"aaaa bbbb cccc", 10, []string{"aaaa bbbb", "cccc"}},
		"no paragraph in the first half": {"a\n\nbbbbbb cccc dddd", 16, []string{"a\n\nbbbbbb cccc", "dddd"}},
		"no word at all":                 {"aaaaaaaaaa", 4, []string{"aaaa", "aaaa", "aa"}},
		"a sentence without spaces":      {"日本語です。東京です。", 8, []string{"日本語です。", "東京です。"}},
		"no character in two":            {"aaa😀b", 4, []string{"aaa", "😀b"}},
		"no family in two":               {"aa👩‍👩‍👧b", 9, []string{"aa", "👩‍👩‍👧b"}},
		"a family that is too large":     {"👩‍👩‍👧", 4, []string{"👩‍", "👩‍", "👧"}},
		"a space that bears a mark":      {"aaaa \u0749bb", 4, []string{"aaaa", " \u0749bb"}},
		"white space at the cut":         {"aaaa   \n\n  bbbb", 6, []string{"aaaa", "bbbb"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := markdown.SplitMessage(supervisor.RichText{Text: c.text}, c.limit)
			if diff := cmp.Diff(c.want, texts(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSplitMessage_Fence_ContinuesInNextPart(t *testing.T) {
	got := markdown.SplitMessage(markdown.Render("```go\nif x {\n\ty()\n\n\tz()\n}\n```"), 13)
	want := []supervisor.RichText{pre("if x {"), pre("\u00a0\u00a0\u00a0\u00a0y()"), pre("\u00a0\u00a0\u00a0\u00a0z()\n}")}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func pre(text string) supervisor.RichText {
	return supervisor.RichText{Text: text, Entities: []supervisor.RichTextEntity{
		{Type: supervisor.EntityPre, Length: supervisor.UTF16Length(text), Language: "go"},
	}}
}

// TestSplitMessage_Code_IsCutBetweenBlocks checks that a cut before an unindented line is preferred
// even if more code would fit.
func TestSplitMessage_Code_IsCutBetweenBlocks(t *testing.T) {
	got := markdown.SplitMessage(markdown.Render("```go\nif x {\n\ty()\n}\nif z {\n\ta()\n\tb()\n}\n```"), 34)
	want := []supervisor.RichText{pre("if x {\n    y()\n}"), pre("if z {\n    a()\n    b()\n}")}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestSplitMessage_CodeInQuote_NestsEntities checks a quote that begins with code. If the quote
// began after the code's indentation, each entity would be within the other.
func TestSplitMessage_CodeInQuote_NestsEntities(t *testing.T) {
	got := markdown.SplitMessage(markdown.Render("> ```go\n>   if x {\n> \ty()\n>\n> \tz()\n> }\n> ```"), 13)
	want := []supervisor.RichText{quoted("\u00a0\u00a0if x {"), quoted("\u00a0\u00a0\u00a0\u00a0y()"), quoted("\u00a0\u00a0\u00a0\u00a0z()\n}")}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func quoted(code string) supervisor.RichText {
	t := pre(code)
	quote := supervisor.RichTextEntity{Type: supervisor.EntityQuote, Length: supervisor.UTF16Length(code)}
	t.Entities = append([]supervisor.RichTextEntity{quote}, t.Entities...)
	return t
}

// TestSplitMessage_ManyEntities_LosesNone checks that entities beyond the limit move to the next
// message.
func TestSplitMessage_ManyEntities_LosesNone(t *testing.T) {
	whole := markdown.Render(strings.Repeat("**b** ", 250))
	parts := markdown.SplitMessage(whole, markdown.MaxMessageUTF16Units)
	var counts []int
	for _, p := range parts {
		counts = append(counts, len(p.Entities))
	}
	if diff := cmp.Diff([]int{100, 100, 50}, counts); diff != "" {
		t.Error(diff)
	}
	checkSplit(t, whole, markdown.MaxMessageUTF16Units, true)
}

func TestSplitMessage_LongCodeLine_FillsParts(t *testing.T) {
	whole := supervisor.RichText{Text: strings.Repeat("x", 100_000), Entities: []supervisor.RichTextEntity{
		{Type: supervisor.EntityPre, Length: 100_000},
	}}
	checkSplit(t, whole, markdown.MaxMessageUTF16Units, true)
	if n := len(markdown.SplitMessage(whole, markdown.MaxMessageUTF16Units)); n != 25 {
		t.Errorf("%d messages", n)
	}
}
