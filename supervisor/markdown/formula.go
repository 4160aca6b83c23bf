package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// maxFormula is the longest formula, in bytes. A longer formula is ordinary text.
const maxFormula = 2000

// formulaParser parses formulas as models write them, so that their stars and underscores are no
// marks.
type formulaParser struct{}

func (formulaParser) Trigger() []byte { return []byte{'$', '\\'} }

func (formulaParser) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, position := block.Position()
	lengths, all := formulaLines(block)
	block.SetPosition(line, position)
	left := formulaEnd(all)
	if left == 0 {
		return nil
	}
	node := &inlineNode{kind: kindFormula, text: string(all[:left])}
	for i := 0; left > 0; i++ {
		n := min(left, lengths[i])
		block.Advance(n)
		left -= n
	}
	return node
}

// formulaLines returns the following lines that may belong to a formula, and their lengths.
func formulaLines(block text.Reader) (lengths []int, all []byte) {
	for len(all) < maxFormula {
		line, segment := block.PeekLine()
		if line == nil || segment.Padding != 0 {
			break
		}
		lengths, all = append(lengths, segment.Len()), append(all, line[:min(len(line), maxFormula)]...)
		if !mayHaveLines(all) || len(line) > maxFormula {
			break
		}
		block.AdvanceLine()
	}
	return lengths, all
}

// mayHaveLines reports whether a formula that begins like s may have several lines.
func mayHaveLines(s []byte) bool {
	return bytes.HasPrefix(s, []byte("$$")) || bytes.HasPrefix(s, []byte(`\[`))
}

// formulaBrackets are the beginnings and ends of formulas, longer ones first.
var formulaBrackets = []struct{ open, end string }{{"$$", "$$"}, {"$", "$"}, {`\(`, `\)`}, {`\[`, `\]`}}

// formulaEnd returns the length of the formula at the beginning of s; 0 if there is none.
func formulaEnd(s []byte) int {
	for _, b := range formulaBrackets {
		if !bytes.HasPrefix(s, []byte(b.open)) {
			continue
		}
		n := bytes.Index(s[len(b.open):], []byte(b.end))
		if n < 1 {
			return 0
		}
		body, after := s[len(b.open):][:n], s[len(b.open)+n+len(b.end):]
		if !mathematical(body) || b.open == "$" && !tightDollars(body, after) {
			return 0
		}
		return len(b.open) + n + len(b.end)
	}
	return 0
}

// tightDollars reports whether the dollars around body mark a formula, not prices. (Pandoc's rule.)
func tightDollars(body, after []byte) bool {
	first, last := body[0], body[len(body)-1]
	return first != ' ' && first != '\n' && last != ' ' && last != '\\' &&
		(len(after) == 0 || after[0] < '0' || after[0] > '9')
}

func mathematical(body []byte) bool {
	return bytes.ContainsAny(body, `\^_={`) && bytes.IndexByte(body, '`') < 0
}
