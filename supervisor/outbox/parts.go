package outbox

import (
	"slices"
	"strings"
	"unicode"

	"mews/supervisor"
)

const (
	// repeatMark stands before what may have been sent before.
	repeatMark = "↻ May be a repeat:\n"

	// Room is how many UTF-16 code units of a message a part leaves free, so that it can be marked.
	Room = 19

	// textEmpty is said where a text shows nothing at all.
	textEmpty = "(The answer was empty.)"

	// textApology ends the delivery after one that did not arrive for certain.
	textApology = "(An earlier message of mine may not have reached you; /resend sends it again.)"
)

// visible is what a post shows.
func visible(p supervisor.Post) supervisor.RichText {
	if !p.Repeat {
		return p.Content
	}
	t := p.Content
	t.Text, t.Entities = repeatMark+t.Text, slices.Clone(t.Entities)
	for i := range t.Entities {
		t.Entities[i].Offset += Room
	}
	return t
}

// parts are a text's messages, each with room for a mark.
func (o *Options) parts(markdown string, growing bool) []supervisor.RichText {
	var list []supervisor.RichText
	for _, part := range o.Render(markdown, growing) {
		list = append(list, o.fit(part)...)
	}
	return list
}

// fit cuts a part until each piece leaves room for a mark. What can't be cut any further stays as it is.
func (o *Options) fit(part supervisor.RichText) []supervisor.RichText {
	if invisible(part.Text) {
		return nil
	}
	if units(part.Text) <= o.Limit-Room {
		return []supervisor.RichText{part}
	}
	pieces := o.Halve(part)
	if len(pieces) < 2 {
		return []supervisor.RichText{part}
	}
	var list []supervisor.RichText
	for _, piece := range pieces {
		list = append(list, o.fit(piece)...)
	}
	return list
}

// literally is what is shown of a text that renders to nothing: the text as it was written, where there is something to see
// in it.
func (o *Options) literally(text string) []supervisor.RichText {
	if invisible(text) {
		text = textEmpty
	}
	return o.fit(supervisor.RichText{Text: text})
}

// invisible says whether there is nothing to see in a text. A channel may refuse it as empty, or show an empty message.
func invisible(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return !blank(r) }) < 0
}

func blank(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || r == '\u2800' || r == '\uFFFC' ||
		unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// apologize ends the parts with the apology: within the last one where it has room, else as one more.
func (o *Options) apologize(parts []supervisor.RichText) []supervisor.RichText {
	if n := len(parts) - 1; n >= 0 {
		if text := parts[n].Text + "\n\n" + textApology; units(text) <= o.Limit-Room {
			last := parts[n]
			last.Text = text
			return append(slices.Clone(parts[:n]), last)
		}
	}
	return append(slices.Clone(parts), supervisor.RichText{Text: textApology})
}

// apologizes says whether one of the posts ends with the apology.
func apologizes(posts []supervisor.Post) bool {
	return slices.ContainsFunc(posts, func(p supervisor.Post) bool {
		return p.State != supervisor.PostSurplus && p.State != supervisor.PostDeleted && strings.HasSuffix(p.Content.Text, textApology)
	})
}

// units is a text's length in UTF-16 code units, which is how the Bot API counts.
func units(s string) (n int) {
	for _, r := range s {
		n++
		if r > 0xFFFF {
			n++
		}
	}
	return n
}

func same(a, b supervisor.RichText) bool {
	files := a.File == nil && b.File == nil || a.File != nil && b.File != nil && *a.File == *b.File
	return files && a.Text == b.Text && slices.Equal(a.Entities, b.Entities) && slices.EqualFunc(a.Buttons, b.Buttons, slices.Equal)
}
