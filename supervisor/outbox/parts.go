package outbox

import (
	"slices"
	"strings"
	"unicode"

	"mews/supervisor"
	"mews/supervisor/effect"
)

const (
	// RepeatMarkLength is how many UTF-16 code units a part leaves free for a repeat's mark.
	RepeatMarkLength = 19

	// maxMessages is the maximum of messages of one answer. A longer answer is sent as its
	// beginning and a file with the whole text.
	maxMessages = 4
	wholeName   = "answer.md"

	// maxCaption is the longest caption of a file, in UTF-16 code units. (Bot API, sendDocument.)
	maxCaption = 1024

	// maxAlbum is the most pictures of an album. (Bot API, sendMediaGroup.)
	maxAlbum = 10

	// maxQuoted is the longest quote of a file's name or a channel's error, in UTF-16 code units.
	maxQuoted = 300
)

// contents returns the parts of a delivery: its text, and then its files. Its buttons are below the
// last part of the text. Without a text they are below the last file.
func (o *Options) contents(d supervisor.Delivery, apologetic bool) []supervisor.RichText {
	parts := o.parts(d.Text, false)
	if len(parts) > maxMessages && d.Kind == supervisor.DeliveryAnswer {
		parts, d.Files = o.withFullText(parts, d)
	}
	nothing := invisible(d.Text)
	switch {
	case len(parts) > 0 || nothing && len(d.Files) > 0:
	case nothing:
		parts = o.fit(supervisor.RichText{Text: textEmpty})
	default: // the text renders to nothing, so its Markdown is shown
		parts = o.fit(supervisor.RichText{Text: d.Text})
	}
	if !nothing {
		parts = o.withEffects(parts, d.Effects)
	}
	if apologetic {
		parts = o.apologize(parts)
	}
	bearer := len(parts) - 1
	if bearer >= 0 || len(d.Buttons) == 0 { // an album can't have buttons
		parts = append(parts, joinAlbums(fileContents(d.Files))...)
	} else {
		parts = append(parts, fileContents(d.Files)...)
		bearer = len(parts) - 1
	}
	// A recording comes first. If the channel refuses it, the text with the buttons replaces it.
	if nothing {
		parts = o.withEffects(parts, d.Effects)
	}
	if bearer >= 0 {
		parts[bearer].Buttons = d.Buttons
	}
	return parts
}

// withEffects adds the folded list of a turn's effects below its answer. The list goes into the
// last part if it fits there, otherwise into a new part.
func (o *Options) withEffects(parts []supervisor.RichText, effects []string) []supervisor.RichText {
	if len(effects) == 0 {
		return parts
	}
	quote := effect.TextEffectsHeading + "\n" + strings.Join(effects, "\n")
	parts = slices.Clone(parts)
	n, before := len(parts)-1, ""
	if n >= 0 && parts[n].File == nil {
		before = strings.TrimRight(parts[n].Text, "\n") + "\n\n"
	}
	if before == "" || supervisor.UTF16Length(before+quote) > o.Limit-RepeatMarkLength {
		parts, n, before = append(parts, supervisor.RichText{}), n+1, ""
	}
	at := supervisor.UTF16Length(before)
	parts[n].Text = before + quote
	parts[n].Entities = append(slices.Clone(parts[n].Entities),
		supervisor.RichTextEntity{Type: supervisor.EntityLongQuote, Offset: at, Length: supervisor.UTF16Length(quote)},
		supervisor.RichTextEntity{Type: supervisor.EntityBold, Offset: at,
			Length: supervisor.UTF16Length(effect.TextEffectsHeading)})
	return parts
}

// fileContents returns one message for each file.
func fileContents(files []supervisor.File) (list []supervisor.RichText) {
	for _, f := range files {
		list = append(list, supervisor.RichText{Text: caption(f), File: &f})
	}
	return list
}

// joinAlbums joins consecutive pictures into albums. An album is one post: the channel takes all of
// it or nothing.
func joinAlbums(files []supervisor.RichText) (list []supervisor.RichText) {
	for _, next := range files {
		n := len(list) - 1
		if n < 0 || !next.File.IsPicture() || !list[n].File.IsPicture() || len(list[n].Album) == maxAlbum-1 {
			list = append(list, next)
			continue
		}
		list[n].Album = append(list[n].Album, *next.File)
	}
	return list
}

// withFullText shortens an answer of too many messages to its beginning, and adds a file with the
// whole text. If the file can't be stored, the answer stays as it is.
func (o *Options) withFullText(parts []supervisor.RichText, d supervisor.Delivery) ([]supervisor.RichText, []supervisor.File) {
	if o.KeepText == nil {
		return parts, d.Files
	}
	file, err := o.KeepText(wholeName, d.Text)
	if err != nil {
		o.Log.Error("keep a long answer as a file; it is sent as messages", "delivery", d.ID, "error", err)
		return parts, d.Files
	}
	file.Caption = textWhole
	return parts[:maxMessages-1], append([]supervisor.File{file}, d.Files...)
}

// caption returns the caption of a file, cut to leave room for the mark of a repeat.
func caption(f supervisor.File) string {
	if invisible(f.Caption) {
		return ""
	}
	return clip(f.Caption, maxCaption-RepeatMarkLength)
}

// clip cuts a text to the maximum length most, in UTF-16 code units.
func clip(text string, most int) string { return supervisor.RichText{Text: text}.Truncate(most).Text }

// visible returns the content of a post, with its mark if the post is a repeat.
func visible(p supervisor.Post) supervisor.RichText {
	t := p.Content
	if !p.Repeat {
		return t
	}
	t.Text, t.Entities = repeatMark+t.Text, slices.Clone(t.Entities)
	for i := range t.Entities {
		t.Entities[i].Offset += RepeatMarkLength
	}
	return t
}

// parts splits a text into messages, each with room for the mark of a repeat.
func (o *Options) parts(markdown string, growing bool) []supervisor.RichText {
	return o.fit(o.Render(markdown, growing)...)
}

// fit cuts parts until each piece leaves room for the mark of a repeat. A piece that can't be cut
// stays as it is. Invisible pieces are left out.
func (o *Options) fit(parts ...supervisor.RichText) (list []supervisor.RichText) {
	for _, part := range parts {
		if invisible(part.Text) {
			continue
		}
		if supervisor.UTF16Length(part.Text) > o.Limit-RepeatMarkLength {
			if pieces := o.Halve(part); len(pieces) > 1 {
				list = append(list, o.fit(pieces...)...)
				continue
			}
		}
		list = append(list, part)
	}
	return list
}

// splitInHalves cuts a part in two or more. The part's buttons stay below the last piece.
func (o *Options) splitInHalves(part supervisor.RichText) []supervisor.RichText {
	buttons := part.Buttons
	part.Buttons = nil
	list := slices.Clone(o.Halve(part))
	if n := len(list) - 1; n >= 0 {
		list[n].Buttons = buttons
	}
	return list
}

// invisible reports whether a text shows nothing. A channel may refuse an invisible text as empty,
// or show an empty message.
func invisible(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return !blank(r) }) < 0
}

func blank(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || r == '\u2800' || r == '\uFFFC' ||
		unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// apologize adds the apology to the last part if it fits there, otherwise as a new part.
func (o *Options) apologize(parts []supervisor.RichText) []supervisor.RichText {
	parts = slices.Clone(parts)
	if n := len(parts) - 1; n >= 0 {
		if text := parts[n].Text + "\n\n" + textApology; supervisor.UTF16Length(text) <= o.Limit-RepeatMarkLength {
			parts[n].Text = text
			return parts
		}
	}
	return append(parts, supervisor.RichText{Text: textApology})
}

// apologizes reports whether one of the posts ends with the apology.
func apologizes(posts []supervisor.Post) bool {
	return slices.ContainsFunc(posts, func(p supervisor.Post) bool {
		return p.State != supervisor.PostSurplus && p.State != supervisor.PostDeleted && strings.HasSuffix(p.Content.Text, textApology)
	})
}

func same(a, b supervisor.RichText) bool {
	files := a.File == nil && b.File == nil || a.File != nil && b.File != nil && *a.File == *b.File && slices.Equal(a.Album, b.Album)
	return files && a.Text == b.Text && slices.Equal(a.Entities, b.Entities) && slices.EqualFunc(a.Buttons, b.Buttons, slices.Equal)
}
