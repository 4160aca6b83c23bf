package markdown_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mews/supervisor"
	"mews/supervisor/markdown"
)

func addDocuments(f *testing.F, add func(md string)) {
	paths, err := filepath.Glob("testdata/*.md")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		md, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		add(string(md))
	}
}

func FuzzRender(f *testing.F) {
	addDocuments(f, func(md string) { f.Add(md) })
	f.Fuzz(func(t *testing.T, md string) {
		got := markdown.Render(md)
		for _, fault := range faults(got) {
			t.Errorf("%q: %s", md, fault)
		}
		checkSplit(t, got, 64, true)
	})
}

// FuzzSplit cuts any text, with entities that break the rules.
func FuzzSplit(f *testing.F) {
	types := []supervisor.RichTextEntityType{
		supervisor.EntityBold, supervisor.EntityPre, supervisor.EntityQuote, supervisor.EntityCode, supervisor.EntityLink,
	}
	f.Add("Hello, world.\n\nAgain", 8, []byte{0, 0, 5, 1, 7, 9})
	f.Add("👩‍👩‍👧 é\n  x", 3, []byte{2, 0, 90, 1, 2, 3})
	f.Fuzz(func(t *testing.T, text string, limit int, marks []byte) {
		whole := supervisor.RichText{Text: string([]rune(text))}
		for ; len(marks) >= 3; marks = marks[3:] {
			whole.Entities = append(whole.Entities, supervisor.RichTextEntity{
				Type: types[int(marks[0])%len(types)], Offset: int(int8(marks[1])), Length: int(int8(marks[2])),
			})
		}
		checkSplit(t, whole, max(2, limit%markdown.MaxMessageUTF16Units), false)
	})
}

// FuzzRenderGrowing renders every beginning of a document.
func FuzzRenderGrowing(f *testing.F) {
	addDocuments(f, func(md string) { f.Add(md[:min(len(md), 300)]) })
	f.Fuzz(func(t *testing.T, md string) {
		if len(md) > 300 {
			return
		}
		for i := range md {
			for _, fault := range faults(markdown.RenderGrowing(md[:i])) {
				t.Errorf("%q: %s", md[:i], fault)
			}
		}
		if got, want := shown(markdown.RenderGrowing(md+"\n\n")), shown(markdown.Render(md+"\n\n")); got != want &&
			!fenced(md) {
			t.Errorf("%q ends, and shows\n%s\nnot\n%s", md, got, want)
		}
	})
}

// fenced reports whether md may end in a fence, which an empty line does not close.
func fenced(md string) bool {
	return strings.Contains(md, "```") || strings.Contains(md, "~~~")
}
