// Package markdown renders Markdown of models for channels. It renders whole and growing Markdown
// as text with marks, and cuts that text into messages. The package does no I/O, keeps no state,
// and accepts every input.
//
// The output keeps Telegram's rules for entities. No entity is empty, or begins or ends in white
// space. Entities nest or are separate, and none is within another of its type. Code may only be in
// quotes and contains no entity. Quotes do not nest. Two kinds of entities may begin in white
// space: a pre in the indentation of its first line, and a quote that begins with a pre. Telegram
// keeps that white space, because it trims a message only up to its first entity.
package markdown

import (
	"strings"
	"unicode/utf8"

	"mews/supervisor"
)

const (
	// MaxMessageUTF16Units is the longest message, in UTF-16 units without the entities. (Bot API,
	// sendMessage)
	MaxMessageUTF16Units = 4096
	// MaxEntities is the maximum of entities in a message. Telegram's servers drop further
	// entities.
	MaxEntities = 100
)

// RendererForWidth is the width up to which a table is shown as a grid. A wider table is shown row
// by row.
type RendererForWidth int

// phone is the width for channels whose width is unknown. A phone shows about so many columns of
// code without wrapping.
const phone RendererForWidth = 40

// Render renders Markdown. Every input renders, and no visible text is lost.
func Render(md string) supervisor.RichText { return phone.Render(md) }

// RenderGrowing renders unfinished Markdown. Open marks at the end are closed in the most probable
// way, and partial marks are hidden. A document that ends in an empty line outside a fence has no
// open marks, so Render gives the same text.
func RenderGrowing(md string) supervisor.RichText { return phone.RenderGrowing(md) }

// Render renders Markdown, with tables of at most c columns as grids.
func (c RendererForWidth) Render(md string) supervisor.RichText {
	src := source(md)
	return c.render(src, parse(src))
}

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// source returns Markdown as the parser needs it: valid UTF-8, lines that end in
// , and no NUL.
func source(md string) []byte {
	valid := strings.Map(func(r rune) rune { // each invalid byte becomes U+FFFD
		if r == 0 {
			return utf8.RuneError
		}
		return r
	}, md)
	return []byte(lineEnds.Replace(valid))
}
