package outbox

import (
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mews/supervisor"
)

func TestRepeatMark_MovesLaterFormatting(t *testing.T) {
	p := supervisor.Post{Repeat: true, Content: supervisor.RichText{Text: "a bold word",
		Entities: []supervisor.RichTextEntity{
			{Type: supervisor.EntityBold, Offset: 2, Length: 4}}}}
	got := visible(p)
	want := supervisor.RichText{Text: "↻ May be a repeat:\na bold word", Entities: []supervisor.RichTextEntity{
		{Type: supervisor.EntityBold, Offset: 21, Length: 4}}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if p.Content.Entities[0].Offset != 2 {
		t.Error("what is kept has changed too")
	}
	if supervisor.UTF16Length(repeatMark) != RepeatMarkLength {
		t.Errorf("the mark has %d units, and there is room for %d", supervisor.UTF16Length(repeatMark),
			RepeatMarkLength)
	}
}

// TestParts_RepeatMarkAndApology_FitLimit checks that the text is whole, and that no message is too
// long with a mark and an apology.
func TestParts_RepeatMarkAndApology_FitLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := &Options{Limit: rapid.IntRange(100, 300).Draw(t, "limit")}
		o.Halve = func(t supervisor.RichText) []supervisor.RichText {
			r := []rune(t.Text)
			return []supervisor.RichText{{Text: string(r[:len(r)/2])}, {Text: string(r[len(r)/2:])}}
		}
		o.Render = func(text string, _ bool) []supervisor.RichText { return []supervisor.RichText{{Text: text}} }
		text := rapid.StringN(0, 1000, -1).Draw(t, "text")
		parts := o.parts(text, false)
		var whole strings.Builder
		for _, p := range parts {
			whole.WriteString(p.Text)
		}
		if seen(whole.String()) != seen(text) {
			t.Fatalf("the parts are %q", whole.String())
		}
		for _, p := range o.apologize(parts) {
			shown := visible(supervisor.Post{Repeat: true, Content: p})
			if n := len(utf16.Encode([]rune(shown.Text))); n > o.Limit || n != supervisor.UTF16Length(shown.Text) {
				t.Fatalf("a message has %d units (counted %d), at most %d", n, supervisor.UTF16Length(shown.Text),
					o.Limit)
			}
		}
	})
}

func TestParts_WithoutBoundary_AreNotSplit(t *testing.T) {
	o := &Options{Limit: 20}
	o.Halve = func(t supervisor.RichText) []supervisor.RichText { return []supervisor.RichText{t} }
	o.Render = func(string, bool) []supervisor.RichText {
		return []supervisor.RichText{{Text: "longer than it may be"}, {}}
	}
	if got := o.parts("", false); len(got) != 1 {
		t.Errorf("got %v", got)
	}
}

// seen returns the visible characters of a text.
func seen(text string) string {
	return strings.Map(func(r rune) rune {
		if blank(r) {
			return -1
		}
		return r
	}, text)
}

func TestSameAppearance_ComparesOnlyVisibleParts(t *testing.T) {
	full := func() supervisor.RichText {
		return supervisor.RichText{Text: "a", Entities: []supervisor.RichTextEntity{{Type: supervisor.EntityBold,
			Length: 1}},
			Buttons: [][]supervisor.Button{{{Text: "yes", Press: "y"}}}, File: &supervisor.File{Name: "a.png"}}
	}
	if !same(full(), full()) || !same(supervisor.RichText{}, supervisor.RichText{Buttons: [][]supervisor.Button{}}) {
		t.Error("the same is taken to differ")
	}
	for name, change := range map[string]func(*supervisor.RichText){
		"text":         func(r *supervisor.RichText) { r.Text = "b" },
		"marks":        func(r *supervisor.RichText) { r.Entities[0].Type = supervisor.EntityItalic },
		"a button":     func(r *supervisor.RichText) { r.Buttons[0][0].Press = "n" },
		"no buttons":   func(r *supervisor.RichText) { r.Buttons = nil },
		"another file": func(r *supervisor.RichText) { r.File.Name = "b.png" },
		"no file":      func(r *supervisor.RichText) { r.File = nil },
	} {
		other := full()
		change(&other)
		if same(full(), other) || same(other, full()) {
			t.Errorf("with other %s it is taken to be the same", name)
		}
	}
	p := supervisor.Post{Repeat: true, Content: full()}
	if got := visible(p); got.File == nil || len(got.Buttons) != 1 {
		t.Errorf("a mark takes away what else there is: %+v", got)
	}
}
