package todo

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	_ "mews/internal/fixedseed"
)

// pieces are parts of lines from which lists are drawn.
var pieces = []string{"- [ ] ", "- [x] ", "* [~] ", "  - [X] ", "\t", "  ", " ", "milk", "Call mum", " +home", " +49",
	" due:2026-12-01", "due: 2026-12-24 10:30", "due: soon", "effort: small", "effort: medium", "```", "~~~",
	"<!--", "-->",
	"<!-- id:1 user:42 created:2026-02-19T10:00:00 updated:2026-02-19T10:00:00 -->", "<!-- id:2 x:y -->", "<!--id:1-->",
	"# Todos", "é", "\xe9", "\u00a0", "\r", "\x00", "id:3"}

// drawList draws the text of a list.
func drawList(t *rapid.T) string {
	var b strings.Builder
	for range rapid.IntRange(0, 14).Draw(t, "lines") {
		for _, piece := range rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 4).Draw(t, "line") {
			b.WriteString(piece)
		}
		b.WriteString(rapid.SampledFrom([]string{"\n", "\n", "\n", "\r\n"}).Draw(t, "ending"))
	}
	text := b.String()
	if rapid.Bool().Draw(t, "cut") {
		text = strings.TrimSuffix(text, "\n")
	}
	return text
}

func drawOptional[T any](t *rapid.T, name string, values ...T) *T {
	if rapid.Bool().Draw(t, name) {
		v := rapid.SampledFrom(values).Draw(t, name)
		return &v
	}
	return nil
}

func drawChange(t *rapid.T) Change {
	return Change{Title: drawOptional(t, "title", "Buy milk", "a +b due:2026-12-02", "- [ ] x", "é \x00"),
		Description: drawOptional(t, "description", "", "a\n\n  - [ ] b\n", "\n x\u00a0\n \u00a0\n\ty", "```\n# c"),
		Status:      drawOptional(t, "status", StatusTodo, StatusInProgress, StatusDone),
		Effort:      drawOptional(t, "effort", Efforts()...),
		Tags:        drawOptional(t, "tags", nil, []string{"a", "+b"}),
		Due:         drawOptional(t, "due", "", "2026-12-05", "2026-12-05 08:00")}
}

// Check an edit of any text: it changes the lines of its item only, and the item then has the
// wanted values.
func TestEdit_AnyText_KeepsOtherLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := drawList(t)
		checkEdit(t, text, rapid.IntRange(-1, 5).Draw(t, "item"), drawChange(t), rapid.Bool().Draw(t, "remove"))
	})
}

// tester is a test that can fail.
type tester interface {
	Fatalf(format string, args ...any)
}

// checkEdit edits item n of a list; -1 adds an item.
func checkEdit(t tester, text string, n int, c Change, remove bool) {
	f, at := Parse(text), time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)
	if f.String() != text {
		t.Fatalf("parsing changes the text to %q", f.String())
	}
	old := slices.Clone(f.items)
	switch {
	case n < 0:
		checkAdd(t, f, text, c, at)
	case n >= len(old):
		return
	case remove:
		if _, err := f.Remove(old[n].Key); err != nil && err.Error() == textSwallowed {
			return
		} else if err != nil {
			t.Fatalf("remove: %v", err)
		}
		checkAround(t, text, f, old, n, 1)
	default:
		item, changed, err := f.Update(old[n].Key, c, at)
		if err != nil {
			return
		}
		if !changed {
			if f.String() != text {
				t.Fatalf("nothing changed, but the text is %q", f.String())
			}
			return
		}
		if c.Due != nil && *c.Due != item.Due || c.Effort != nil && *c.Effort != item.Effort ||
			c.Status != nil && *c.Status != item.Status || (item.Status == StatusDone) != (item.Completed != "") &&
			c.Status != nil && old[n].Status != item.Status {
			t.Fatalf("got %+v", item)
		}
		if _, changed, err := f.Update(item.Key, c, at.Add(time.Hour)); err != nil || changed {
			t.Fatalf("the same edit again: %t, %v", changed, err)
		}
		checkAround(t, text, f, old, n, 0)
	}
}

func checkAdd(t tester, f *File, text string, c Change, at time.Time) {
	before := f.Items()
	item, added, err := f.Add(c, at)
	switch {
	case err != nil:
	case !added && f.String() != text:
		t.Fatalf("nothing added, but the text is %q", f.String())
	case added && !strings.HasPrefix(f.String(), text):
		t.Fatalf("the text begins otherwise: %q", f.String())
	case added && text != "" && strings.HasSuffix(f.String(), "\n") != strings.HasSuffix(text, "\n"):
		t.Fatalf("the last line ends otherwise: %q", f.String())
	case added && (len(f.items) != len(before)+1 || f.items[len(before)].Key != item.Key):
		t.Fatalf("got %+v", f.items)
	}
}

// checkAround fails if lines before or after item n differ. A removal may take one blank line.
func checkAround(t tester, text string, f *File, old []entry, n, blank int) {
	lines := slices.Collect(strings.Lines(text))
	before, after := strings.Join(lines[:old[n].from], ""), strings.Join(lines[old[n].to:], "")
	f.refresh()
	got := f.String()
	if blank > 0 {
		got, before, after = strings.TrimSpace(got), strings.TrimSpace(before), strings.TrimSpace(after)
	}
	if !strings.HasPrefix(got, before) || !strings.HasSuffix(got, after) {
		t.Fatalf("got %q, want %q around the item %q", got, []string{before, after}, old[n].Key)
	}
	if last := f.String(); strings.HasSuffix(last, "\n") != strings.HasSuffix(text, "\n") &&
		strings.TrimSpace(last[strings.LastIndex(strings.TrimSuffix(last, "\n"), "\n")+1:]) != "" {
		t.Fatalf("the last line ends otherwise: %q", last)
	}
	for i, e := range old {
		if at := i - min(blank, max(0, i-n)); i != n && (at >= len(f.items) || !f.items[at].sameWords(e.Item) ||
			f.items[at].Status != e.Status || f.items[at].Created != e.Created) {
			t.Fatalf("item %d was %+v, is %+v", i, e.Item, f.items)
		}
	}
}

func FuzzEdit(f *testing.F) {
	f.Add("- [ ] a\n  <!-- id:1 -->\n", "b +c", "x\ny", 0)
	f.Add("# Todos\r\n\r\n- [x] a\r\n  due: 2026-12-01", "b", "", 0)
	f.Add("", "a", "", -1)
	f.Fuzz(func(t *testing.T, text, title, description string, n int) {
		status := StatusDone
		checkEdit(t, text, n, Change{Title: &title, Description: &description}, false)
		checkEdit(t, text, n, Change{Status: &status}, false)
		checkEdit(t, text, n, Change{}, true)
		for _, item := range Parse(text).Items() {
			if !utf8.ValidString(item.Title + item.Description + item.Key + item.Mark() + strings.Join(item.Tags, "")) {
				t.Fatalf("not UTF-8: %+v", item)
			}
		}
	})
}
