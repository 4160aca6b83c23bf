// Package markdown turns what a model writes into what a channel takes: Render and Growing make text with marks on it out
// of Markdown, Split cuts that into messages. It does no I/O, keeps nothing between calls, and takes every input.
//
// What comes out keeps the rules that Telegram has for entities: none is empty, none begins or ends in white space, they
// nest or are apart, none is within another of its type, code stands in nothing but quotes and holds nothing, and quotes
// do not nest. Two kinds may begin in white space: a pre may begin in the indentation of its first line, and a quote that
// begins with a pre then begins there too. Telegram keeps it because it trims a message only up to its first entity.
package markdown

import (
	"unicode/utf8"

	"mews/supervisor"
)

// What one message takes, in UTF-16 units after the entities have been taken out (Bot API: sendMessage's text, and the
// caption of a photo or a document), and how many entities a message may have (Telegram's servers drop those after it).
const (
	MaxMessage  = 4096
	MaxCaption  = 1024
	MaxEntities = 100
)

// Render renders Markdown. Every input renders, and nothing that a person could read is lost.
func Render(md string) supervisor.RichText {
	src := source(md)
	return render(src, parse(src))
}

// Length is how long s is in UTF-16 units.
func Length(s string) int {
	n := 0
	for _, r := range s {
		n += units(r)
	}
	return n
}

// units is how many UTF-16 units a rune takes.
func units(r rune) int {
	if r > 0xFFFF {
		return 2
	}
	return 1
}

// source is Markdown as the parser takes it: valid UTF-8 whose lines end in \n, with no NUL.
func source(md string) []byte {
	src := make([]byte, 0, len(md)+1)
	for i := 0; i < len(md); i++ {
		switch c := md[i]; {
		case c == 0:
			src = append(src, "\uFFFD"...)
		case c == '\r':
			src = append(src, '\n')
			if i+1 < len(md) && md[i+1] == '\n' {
				i++
			}
		case c < utf8.RuneSelf:
			src = append(src, c)
		default:
			r, n := utf8.DecodeRuneInString(md[i:])
			src = utf8.AppendRune(src, r)
			i += n - 1
		}
	}
	return src
}
