package markdown

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// ParagraphText returns the lines of the paragraphs outside of quotes and lists. Code and HTML in
// these paragraphs become blank. So the result has only what the author says in their own words.
func ParagraphText(md string) string {
	src := source(md)
	said := bytes.Clone(src)
	var b strings.Builder
	for n := parse(src).FirstChild(); n != nil; n = n.NextSibling() {
		if n.Kind() != ast.KindParagraph && n.Kind() != ast.KindHeading || n.Lines().Len() == 0 {
			continue
		}
		lines := n.Lines()
		// the marks before a heading belong to its line
		begin := bytes.LastIndexByte(src[:lines.At(0).Start], '\n') + 1
		end := lines.At(lines.Len() - 1).Stop
		_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function never fails
			if !entering {
				return ast.WalkContinue, nil
			}
			switch n := n.(type) {
			case *ast.RawHTML:
				for i := range n.Segments.Len() {
					blankSegment(said, n.Segments.At(i))
				}
			case *ast.Text:
				if n.Parent().Kind() == ast.KindCodeSpan {
					blankSegment(said, n.Segment)
				}
			}
			return ast.WalkContinue, nil
		})
		b.Write(said[begin:end])
		b.WriteByte('\n')
	}
	return b.String()
}

// blankSegment replaces a segment of a text by spaces. The ends of its lines stay.
func blankSegment(of []byte, s text.Segment) {
	for i := s.Start; i < s.Stop; i++ {
		if of[i] != '\n' {
			of[i] = ' '
		}
	}
}
