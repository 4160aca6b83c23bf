package markdown_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"mews/supervisor/markdown"
)

func TestRenderSpeech_Markup_IsNotSpoken(t *testing.T) {
	for _, c := range []struct{ md, want string }{
		{"", ""},
		{"Hello, *big* **world**", "Hello, big world."},
		{"# Results\n\nAll is ~~bad~~ well!", "Results. All is bad well!"},
		{"See [the manual](https://example.org/a/b?c=d#e).", "See the manual."},
		{"See https://www.example.org/a/b?c=d for more", "See example.org for more."},
		{"[](https://example.org/x) and <https://example.org/y> and [https://example.org/z](https://example.org/z)",
			"example.org and example.org and example.org."},
		{"Write to <bob@example.org>", "Write to bob@example.org."},
		{"Run `go test ./...` or `read_file(path)`", "Run go test or read file path."},
		{"It is at `https://example.org/a`", "It is at example.org."},
		{"Do this:\n\n```go\nfunc main() {\n\n}\n```\n\nDone", "Do this: Code, 3 lines. Done."},
		{"    indented code", "Code, 1 line."},
		{"```\n```", ""},
		{"<pre><code>a\nb</code></pre>", "Code, 2 lines."},
		{"- milk\n- eggs;\n- bread", "milk. eggs; bread."},
		{"3. first\n4. second\n   - below", "3, first. 4, second. below."},
		{"- [x] paid\n- [ ] packed", "done: paid. to do: packed."},
		{"> quoted\n>\n> twice", "quoted. twice."},
		{"Name: Bob\nAge: 5", "Name: Bob, Age: 5."},
		{"| City | Temp | Sky |\n|---|---|---|\n| Oslo | 3 °C | |\n| **Rome** | 21 °C | clear |",
			"Oslo, Temp: 3 °C. Rome, Temp: 21 °C, Sky: clear."},
		{"| a | b |\n|---|---|", "a, b."},
		{"Well done 🎉👩‍👩‍👧! ⏰ 1️⃣ ☀️ 🇩🇪", "Well done ! 1."},
		{"🎉", ""},
		{"---\n\n***", ""},
		{"It costs 12,50 € (3.5 kg, 20 m², −4 °F) at 07:30.", "It costs 12,50 € (3.5 kg, 20 m², −4 °F) at 07:30."},
		{"![a cat](cat.png) and <b>bold</b>\n\n<div>in a block</div>", "a cat and bold. in a block."},
		{"So it is[^1].\n\n[^1]: https://example.org", "So it is."},
		{"phonemes [[h@l'oU]] and <ssml/>", "phonemes h@l'oU and."},
		{"नमस्ते दुनिया।", "नमस्ते दुनिया।"},
		{"你好。再见", "你好。 再见."},
	} {
		if got := strings.Join(markdown.RenderSpeech(c.md).Parts, "\n"); got != c.want {
			t.Errorf("%q\n got %q\nwant %q", c.md, got, c.want)
		}
	}
}

func TestRenderSpeech_Code_SaysItsLength(t *testing.T) {
	for md, want := range map[string]bool{"a `b` c": false, "a\n\n```\nb\n```": true, "> - x\n>\n>       y": true} {
		if got := markdown.RenderSpeech(md).Code; got != want {
			t.Errorf("%q: %v", md, got)
		}
	}
}

func TestRenderSpeech_LongText_IsCutAtSentences(t *testing.T) {
	var sentences []string
	for i := range 400 {
		sentences = append(sentences, fmt.Sprintf("This is sentence number %d.", i))
	}
	got := markdown.RenderSpeech(strings.Join(sentences, " "))
	if len(got.Parts) != 5 && len(got.Parts) != 4 || !got.Cut {
		t.Errorf("%d parts, cut %v", len(got.Parts), got.Cut)
	}
	all := strings.Join(got.Parts, " ")
	spoken, rest := strings.CutSuffix(all, " The rest is in the text.")
	if !rest || !strings.HasPrefix(strings.Join(sentences, " "), spoken) || !strings.HasSuffix(spoken, ".") || len(all) < 5900 {
		t.Errorf("it ends %q after %d characters", all[len(all)-60:], len(all))
	}
	for _, p := range got.Parts {
		if !strings.HasSuffix(p, ".") {
			t.Errorf("a part ends %q", p[len(p)-20:])
		}
	}
}

func TestRenderSpeech_LongSentence_IsCutAtWords(t *testing.T) {
	got := markdown.RenderSpeech(strings.Repeat("word ", 500))
	if len(got.Parts) != 2 || got.Cut || !strings.HasSuffix(got.Parts[0], "word") || strings.Count(strings.Join(got.Parts, " "), "word") != 500 {
		t.Errorf("%d parts, cut %v", len(got.Parts), got.Cut)
	}
	got = markdown.RenderSpeech(strings.Repeat("ä", 2000))
	if len(got.Parts) != 2 || utf8.RuneCountInString(got.Parts[0]) != 1500 {
		t.Errorf("%d parts of a text without a space", len(got.Parts))
	}
}

// FuzzRenderSpeech checks any text's speech. No part may be too long or empty, or have a character
// that an engine treats as a mark.
func FuzzRenderSpeech(f *testing.F) {
	addDocuments(f, func(md string) { f.Add(md) })
	f.Fuzz(func(t *testing.T, md string) {
		got := markdown.RenderSpeech(md)
		total := 0
		for _, p := range got.Parts {
			n := utf8.RuneCountInString(p)
			total += n
			if n > 1500 || n == 0 || !utf8.ValidString(p) || strings.TrimSpace(p) != p {
				t.Errorf("%q: a part of %d characters: %q", md, n, p)
			}
			if i := strings.IndexFunc(p, func(r rune) bool { return unicode.IsControl(r) || r == '[' || r == '`' }); i >= 0 {
				t.Errorf("%q: %q in a part", md, p[i:])
			}
		}
		if total > 6000 || slices.Contains(got.Parts, "") {
			t.Errorf("%q: %d characters in %d parts", md, total, len(got.Parts))
		}
	})
}
