package markdown

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	extended "github.com/yuin/goldmark/extension/ast"

	"mews/supervisor"
)

// RenderGrowing renders unfinished Markdown, with tables of at most c columns as grids.
func (c RendererForWidth) RenderGrowing(md string) supervisor.RichText {
	src := source(md)
	root := parse(src)
	if tooCostly(src) {
		return c.render(src, root)
	}
	if begun := settleLastLine(src, root); !bytes.Equal(begun, src) {
		src, root = begun, parse(begun)
	}
	if closed := closeInlines(src, root); !bytes.Equal(closed, src) {
		src, root = closed, parse(closed)
	}
	return c.render(src, root)
}

// FinalPrefixLength returns how many bytes of growing Markdown are final. Only the text's last
// block may still change. steady reports whether the lines of that block stay the same when more
// text comes. A table's lines may change. The text must be valid UTF-8 without \r and NUL, which
// Render would change.
func FinalPrefixLength(md string) (n int, steady bool) {
	src := []byte(md)
	last := parse(src).LastChild()
	if last == nil || last.Pos() < 0 {
		return 0, true
	}
	return bytes.LastIndexByte(src[:min(last.Pos(), len(src))], '\n') + 1, last.Kind() != extended.KindTable
}

// settleLastLine decides how the last line is shown. A marker alone is left out until text follows
// it. The beginning of a table becomes a table.
func settleLastLine(src []byte, root ast.Node) []byte {
	last := lastBlock(root)
	if fence, ok := last.(*ast.FencedCodeBlock); ok && reaches(fence, len(bytes.TrimRight(src, "\n"))) {
		return withoutPartialFence(src, fence)
	}
	if last != nil && last.IsRaw() && reaches(last, len(src)) {
		return src
	}
	if tabled, ok := asTable(src, last); ok {
		return tabled
	}
	start := bytes.LastIndexByte(src, '\n') + 1
	if markerLine.Match(src[start:]) {
		return src[:start]
	}
	return src
}

// markerLine matches a line that has only a marker: of a list's item, a heading, an underline, a
// quote or a fence.
var markerLine = regexp.MustCompile("^[ \t>]*" +
	"(?:(?:[-*+]|[0-9]{1,2}[.)])(?:[ \t]+(?:\\[[ xX]?\\]?)?)?|" +
	"#{1,6}|=+|-+|\\*{1,3}|_{1,3}|~{1,2}|`{1,2}|\\|{1,2}|!?\\[)?[ \t]*$")

// withoutPartialFence removes a partial end of a fence, and the beginning of a fence without code.
func withoutPartialFence(src []byte, fence *ast.FencedCodeBlock) []byte {
	if fence.Lines().Len() == 0 {
		return src[:bytes.LastIndexByte(src[:fence.Info.Segment.Start], '\n')+1]
	}
	start := bytes.LastIndexByte(src, '\n') + 1
	line := strings.Trim(string(src[start:]), " \t>")
	if strings.Trim(line, "`") != "" && strings.Trim(line, "~") != "" {
		return src
	}
	return src[:start]
}

// lastBlock returns the block of the tree that ends last.
func lastBlock(root ast.Node) ast.Node {
	var last ast.Node
	furthest := -1
	walk(root, func(n ast.Node) {
		if n.Type() == ast.TypeInline {
			return
		}
		if end := blockEnd(n); end > furthest {
			last, furthest = n, end
		}
	})
	return last
}

// blockEnd returns the end of a block's own lines; -1 if the block has no lines.
func blockEnd(n ast.Node) int {
	if f, ok := n.(*ast.FencedCodeBlock); ok && f.Lines().Len() == 0 && f.Info != nil {
		return f.Info.Segment.Stop
	}
	if lines := n.Lines(); lines != nil && lines.Len() > 0 {
		return lines.At(lines.Len() - 1).Stop
	}
	return -1
}

func reaches(n ast.Node, end int) bool { return blockEnd(n) >= end }

// delimiterPart matches a part of the line under a table's head.
var delimiterPart = regexp.MustCompile(`^[ \t>]*[|:-][|:\- \t]*$`)

// asTable completes a paragraph to a table if it ends in a table's head. A part of the line under
// the head may follow. For any other paragraph, ok is false.
func asTable(src []byte, last ast.Node) ([]byte, bool) {
	if last == nil || last.Kind() != ast.KindParagraph && last.Kind() != ast.KindHeading && last.Kind() != ast.KindTextBlock {
		return src, rowBegins(src, last)
	}
	body := bytes.TrimSuffix(src, []byte("\n"))
	if blockEnd(last) < len(bytes.TrimRight(src, " \t\n|:-=>"))-1 {
		return src, false
	}
	start := bytes.LastIndexByte(body, '\n') + 1
	line := body[start:]
	if delimiterPart.Match(line) && start > 0 {
		head := body[bytes.LastIndexByte(body[:start-1], '\n')+1 : start-1]
		if n := columns(head); n > 0 && bytes.IndexByte(head, '|') >= 0 {
			return append(bytes.Clone(src[:start]), delimiter(head, n)...), true
		}
	}
	if trimmed := bytes.TrimLeft(line, " \t>"); len(trimmed) < 3 || trimmed[0] != '|' || trimmed[1] == '|' {
		return src, false
	}
	return append(append(bytes.Clone(body), '\n'), delimiter(line, columns(line))...), true
}

// rowBegins reports whether a table's next row begins and is still empty.
func rowBegins(src []byte, last ast.Node) bool {
	return last != nil && last.Kind() == extended.KindTableCell &&
		!markerLine.Match(src[bytes.LastIndexByte(src, '\n')+1:])
}

// columns returns the number of cells in a row.
func columns(row []byte) int {
	n := 1
	row = bytes.Trim(row, " \t>")
	row = bytes.TrimSuffix(bytes.TrimPrefix(row, []byte("|")), []byte("|"))
	for i, c := range row {
		if c == '|' && (i == 0 || row[i-1] != '\\') {
			n++
		}
	}
	return n
}

// delimiter returns the line under a table's head, inside the quotes of the head.
func delimiter(head []byte, columns int) string {
	prefix := head[:len(head)-len(bytes.TrimLeft(head, " \t>"))]
	return string(prefix) + "|" + strings.Repeat("-|", columns) + "\n"
}
