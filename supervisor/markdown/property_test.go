package markdown_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf16"

	"github.com/rivo/uniseg"
	"pgregory.net/rapid"

	_ "mews/internal/fixedseed"
	"mews/supervisor"
	"mews/supervisor/markdown"
)

// solid returns s without white space and other invisible characters.
func solid(s string) string {
	return strings.Map(func(r rune) rune {
		if blank(r) {
			return -1
		}
		return r
	}, s)
}

func blank(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune("\u180E\u200B\u200C\u200D\u200E\u200F\u202E\u2800\uFEFF\uFFFC", r) ||
		r >= 0xE0000 && r <= 0xE007F
}

// coverage returns the marks on each visible UTF-16 unit.
func coverage(t supervisor.RichText) []string {
	all := utf16.Encode([]rune(t.Text))
	marks := make([][]string, len(all))
	for _, e := range t.Entities {
		for i := e.Offset; i < e.Offset+e.Length && i < len(all); i++ {
			marks[i] = append(marks[i], string(e.Type)+e.URL+e.Language)
		}
	}
	var visible []string
	for i, u := range all {
		if !blank(rune(u)) && (u < 0xD800 || u > 0xDFFF || !blank(pairAt(all, i))) {
			slices.Sort(marks[i])
			visible = append(visible, fmt.Sprint(u, marks[i]))
		}
	}
	return visible
}

// pairAt returns the character of the surrogate at i.
func pairAt(all []uint16, i int) rune {
	if all[i] >= 0xDC00 {
		i--
	}
	if i < 0 || i+1 >= len(all) {
		return unicode.ReplacementChar
	}
	return utf16.DecodeRune(rune(all[i]), rune(all[i+1]))
}

type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// checkSplit checks the promises of SplitMessage. If sound is true, whole keeps the rules for
// entities.
func checkSplit(t failer, whole supervisor.RichText, limit int, sound bool) {
	t.Helper()
	parts := slices.Clone(markdown.SplitMessage(whole, limit))
	// a message's leading indentation is made of no-break spaces
	whole.Text = plainSpaces(whole.Text)
	var text strings.Builder
	var covers []string
	for i, p := range parts {
		if n := supervisor.UTF16Length(p.Text); n > limit || n == 0 {
			t.Fatalf("part %d has %d units, at most %d", i, n, limit)
		}
		if len(p.Entities) > markdown.MaxEntities {
			t.Fatalf("part %d has %d entities", i, len(p.Entities))
		}
		if f := faults(p); sound && f != nil {
			t.Fatalf("part %d: %q", i, f)
		}
		p.Text = plainSpaces(p.Text)
		parts[i] = p
		text.WriteString(p.Text)
		covers = append(covers, coverage(p)...)
	}
	if got, want := solid(text.String()), solid(whole.Text); got != want {
		t.Fatalf("%q in parts is %q", want, got)
	}
	if sound && !slices.Equal(covers, coverage(whole)) {
		t.Fatalf("entities of %+v differ in parts %+v", whole, parts)
	}
	checkCharacters(t, whole.Text, parts, limit)
}

func plainSpaces(s string) string { return strings.ReplaceAll(s, "\u00a0", " ") }

// checkCharacters checks that no character is cut that fits into a message.
func checkCharacters(t failer, whole string, parts []supervisor.RichText, limit int) {
	t.Helper()
	at := 0
	bounds := map[int]bool{}
	for g := uniseg.NewGraphemes(whole); g.Next(); {
		from, to := g.Positions()
		bounds[from] = true
		if supervisor.UTF16Length(whole[from:to]) > limit {
			return
		}
	}
	for i, p := range parts {
		n := strings.Index(whole[at:], p.Text)
		if n < 0 {
			t.Fatalf("part %d, %q, is not in the rest of the text", i, p.Text)
		}
		if at += n; !bounds[at] && i > 0 {
			t.Fatalf("part %d begins within a character: %q", i, p.Text)
		}
		at += len(p.Text)
	}
}

// pieces are the parts of random documents; %s is replaced by a word.
var pieces = []string{
	"%s", "%s ", "**%s**", "*%s*", "_%s_", "~~%s~~", "||%s||", "`%s`", "``%s``", "[%s](https://x.org/a_b)", "[%s](./y)",
	"![%s](http://i.org/p.png)", "\n", "\n\n", "\n- %s", "\n  - %s", "\n1. %s", "\n- [ ] %s", "\n\n> %s\n", "\n\n> > %s\n",
	"\n> ```\n>   %s\n> %s\n> ```\n", "\n> |  | %s |\n> |---|---|\n> | %s | %s |\n", "\n\n>     %s\n", "\n- > ```\n  >   %s\n",
	"\n\n# %s\n", "\n\n## %s `%s`\n", "\n```go\n%s\n```\n", "\n\n    %s\n", "\n\n---\n", "\n%s\n===\n", " 日本語 ",
	"👩‍👩‍👧 ",
	"e\u0301", " \u0749", "**", "*", "_", "`", "~~", "||", "[", "](", ")", "\n\n| %s | %s |\n|---|:-:|\n| %s | **%s** |\n",
	"\n\n| %s | %s |\n|---|---|\n| %s%s%s%s%s%s | [%s](http://t.org) |\n", "<b>%s</b>", "<br>", "<%s>", "&amp;", "\\*",
	"$x_%s^2$", "[^1]", "\n\n[^1]: %s\n", "<!-- %s -->", "\t", "  \n", "$",
	"<details>\n<summary>%s</summary>\n\n%s\n\n</details>\n",
}

// document draws a document, and returns its words in order.
func document(t *rapid.T) (md string, words []string) {
	var b strings.Builder
	for _, piece := range rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 40).Draw(t, "pieces") {
		for strings.Contains(piece, "%s") {
			words = append(words, fmt.Sprintf("q%dz", len(words)))
			piece = strings.Replace(piece, "%s", words[len(words)-1], 1)
		}
		b.WriteString(piece)
	}
	return b.String(), words
}

// named reports whether md may use a word as the name of a language. Without code, that name is not
// shown.
func named(md, word string) bool {
	return regexp.MustCompile("(?:~~~|```)[ \t]*[0-9_a-z]*" + word).MatchString(md)
}

func TestRender_Property_ShowsEveryWord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		md, words := document(t)
		got := markdown.Render(md)
		if f := faults(got); f != nil {
			t.Fatalf("%q: %q", md, f)
		}
		for _, w := range words {
			if !strings.Contains(got.Text, w) && !named(md, w) {
				t.Fatalf("%q does not show %s: %q", md, w, got.Text)
			}
		}
	})
}

func TestRender_Property_KeepsWordOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		md, words := document(t)
		if strings.Contains(md, "[^1]:") { // footnotes are shown at the end
			return
		}
		rest := markdown.Render(md).Text
		for _, w := range words {
			if named(md, w) {
				continue
			}
			i := strings.Index(rest, w)
			if i < 0 {
				t.Fatalf("%q: %s is not behind the words before it", md, w)
			}
			rest = rest[i:]
		}
	})
}

func TestSplitMessage_Property_PartsAreValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		md, _ := document(t)
		checkSplit(t, markdown.Render(md), rapid.IntRange(12, 200).Draw(t, "limit"), true)
	})
}

func TestSplitMessage_Property_EarlierPartsStay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom([]rune("ab.é日😀 \n"))).Draw(t, "text")
		limit := rapid.IntRange(2, 30).Draw(t, "limit")
		whole := markdown.SplitMessage(supervisor.RichText{Text: text}, limit)
		for i := range text {
			if text[i] == ' ' || text[i] == '\n' || i > 0 && text[i-1] == '\n' {
				continue
			}
			parts := markdown.SplitMessage(supervisor.RichText{Text: text[:i] + "x"}, limit)
			for j := range len(parts) - 2 {
				if parts[j].Text != whole[j].Text {
					t.Fatalf("%q: part %d was %q and became %q", text, j, parts[j].Text, whole[j].Text)
				}
			}
		}
	})
}

func TestRenderGrowing_Property_AnyPrefixIsValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		md, _ := document(t)
		for i := range md {
			if f := faults(markdown.RenderGrowing(md[:i])); f != nil {
				t.Fatalf("%q: %q", md[:i], f)
			}
		}
	})
}
