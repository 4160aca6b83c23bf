// Package markdown turns what a model writes into what a channel takes. Render and Growing make
// text with marks of Markdown, and Split cuts that into messages. Settled says how much of a text
// that grows is done with. The package does no I/O, keeps nothing between calls, and takes every
// input.
//
// The output keeps Telegram's rules for entities: none is empty, none begins or ends in white
// space, they nest or are apart, none is within another of its type, code stands only in quotes and
// holds nothing, and quotes do not nest. Two kinds may begin in white space: a pre in the
// indentation of its first line, and a quote that begins with a pre. Telegram keeps that, because
// it trims a message only up to its first entity.
package markdown

import (
	"strings"
	"unicode/utf8"

	"mews/supervisor"
)

const (
	// MaxMessage is what one message takes, in UTF-16 units after the entities have been taken out.
	// (Bot API, sendMessage)
	MaxMessage = 4096
	// MaxEntities is how many entities a message may have: Telegram's servers drop those after it.
	MaxEntities = 100
)

// Columns are how wide a table may be and be shown as one. A wider one is shown row by row.
type Columns int

// phone is for a channel that doesn't say how wide it is: a phone shows about as much of a block of
// code without breaking its lines.
const phone Columns = 40

// Render renders Markdown. Every input renders, and nothing that a person could read is lost.
func Render(md string) supervisor.RichText { return phone.Render(md) }

// Growing renders Markdown whose end has not come yet: what is open at its end is closed as it will
// probably be, and a mark of which only a part is there is not shown. A document that ends in an
// empty line and in no fence has nothing open, and is rendered as by Render.
func Growing(md string) supervisor.RichText { return phone.Growing(md) }

// Render is the function Render where tables may be so wide.
func (c Columns) Render(md string) supervisor.RichText {
	src := source(md)
	return c.render(src, parse(src))
}

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// source is Markdown as the parser takes it: valid UTF-8 whose lines end in \n, with no NUL.
func source(md string) []byte {
	valid := strings.Map(func(r rune) rune { // each invalid byte becomes U+FFFD
		if r == 0 {
			return utf8.RuneError
		}
		return r
	}, md)
	return []byte(lineEnds.Replace(valid))
}
