package markdown

import (
	"bytes"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// maxOpeners is how many blocks one line may open. The parser takes quadratic time over deeply nested ones, and nobody
// writes them.
const maxOpeners = 64

// theParser is made once: it keeps nothing of what it parses.
var theParser = sync.OnceValue(newParser)

func newParser() parser.Parser {
	blocks := append(parser.DefaultBlockParsers(),
		util.Prioritized(footnotes{extension.NewFootnoteBlockParser()}, 999))
	inlines := append(parser.DefaultInlineParsers(),
		util.Prioritized(extension.NewTaskCheckBoxParser(), 0),
		util.Prioritized(formulas{}, 50),
		util.Prioritized(references{}, 101),
		util.Prioritized(doubled{'~', newStrike}, 500),
		util.Prioritized(doubled{'|', newSpoiler}, 500),
		util.Prioritized(extension.NewLinkifyParser(), 999))
	paragraphs := append(parser.DefaultParagraphTransformers(),
		util.Prioritized(extension.NewTableParagraphTransformer(), 200))
	return parser.NewParser(
		parser.WithBlockParsers(blocks...),
		parser.WithInlineParsers(inlines...),
		parser.WithParagraphTransformers(paragraphs...),
		parser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0)),
	)
}

// parse is the tree of src. What would take too long to parse is one block of code.
func parse(src []byte) ast.Node {
	if excessive(src) {
		return verbatim(src)
	}
	return theParser().Parse(text.NewReader(src))
}

// verbatim is a tree that shows src as it is.
func verbatim(src []byte) ast.Node {
	root, block := ast.NewDocument(), ast.NewCodeBlock()
	block.Lines().Append(text.NewSegment(0, len(src)))
	root.AppendChild(root, block)
	return root
}

// most is how often a text may hold what the parser takes quadratic time over.
var most = []struct {
	what string
	n    int
}{{"[", 8192}, {"](<", 256}}

// mostTargets is how many links' addresses may begin in a stretch without white space, for the same reason.
const mostTargets = 256

// excessive says whether src holds more of something than anybody means, and would take too long to parse.
func excessive(src []byte) bool {
	for _, m := range most {
		if bytes.Count(src, []byte(m.what)) > m.n {
			return true
		}
	}
	if bytes.Count(src, []byte("](")) > mostTargets {
		for word := range bytes.FieldsSeq(src) {
			if bytes.Count(word, []byte("](")) > mostTargets {
				return true
			}
		}
	}
	for line := range bytes.Lines(src) {
		rest := bytes.TrimLeft(line, " \t>-*+0123456789.)[]^:")
		if n := len(line) - len(rest); n > maxOpeners && openers(line[:n]) > maxOpeners {
			return true
		}
	}
	return false
}

// openers is how many blocks a line's beginning may open.
func openers(line []byte) int {
	n := bytes.Count(line, []byte(">"))
	for i, c := range line {
		if (c == ' ' || c == '\t') && i > 0 && bytes.IndexByte([]byte("-*+.):"), line[i-1]) >= 0 {
			n++
		}
	}
	return n
}

// doubled parses what two of a character before and after it mark.
type doubled struct {
	char byte
	node func() ast.Node
}

func (d doubled) Trigger() []byte         { return []byte{d.char} }
func (d doubled) IsDelimiter(c byte) bool { return c == d.char }
func (d doubled) OnMatch(int) ast.Node    { return d.node() }
func (d doubled) CanOpenCloser(opener, closer *parser.Delimiter) bool {
	return opener.Char == closer.Char
}

// Parse takes exactly two. Bars within a word are no marks: that is how programmers write "or".
func (d doubled) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	before := block.PrecendingCharacter()
	line, segment := block.PeekLine()
	node := parser.ScanDelimiter(line, before, 2, d)
	if node == nil || before == rune(d.char) {
		return nil
	}
	if n := node.OriginalLength; n != 2 {
		block.Advance(n)
		return ast.NewTextSegment(segment.WithStop(segment.Start + n))
	}
	if d.char == '|' {
		node.CanOpen = node.CanOpen && !alphanumeric(before)
		node.CanClose = node.CanClose && (len(line) < 3 || !alphanumeric(util.ToRune(line, 2)))
	}
	node.Segment = segment.WithStop(segment.Start + node.OriginalLength)
	block.Advance(node.OriginalLength)
	pc.PushDelimiter(node)
	return node
}

var (
	kindStrike    = ast.NewNodeKind("Strike")
	kindSpoiler   = ast.NewNodeKind("Spoiler")
	kindFormula   = ast.NewNodeKind("Formula")
	kindReference = ast.NewNodeKind("Reference")
)

// inline is an inline node of our own.
type inline struct {
	ast.BaseInline
	kind     ast.NodeKind
	segments []text.Segment // a formula's, line by line
	label    string         // of the footnote that a reference names
}

func (n *inline) Kind() ast.NodeKind         { return n.kind }
func (n *inline) Dump(src []byte, level int) { ast.DumpHelper(n, src, level, nil, nil) }

func newStrike() ast.Node  { return &inline{kind: kindStrike} }
func newSpoiler() ast.Node { return &inline{kind: kindSpoiler} }

// labels are those of the footnotes that a document defines.
var labels = parser.NewContextKey()

// footnotes parses footnotes' definitions and notes their labels.
type footnotes struct{ parser.BlockParser }

func (f footnotes) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	node, state := f.BlockParser.Open(parent, reader, pc)
	if label, ok := footnoteLabel(node); ok {
		pc.ComputeIfAbsent(labels, func() any { return map[string]bool{} }).(map[string]bool)[label] = true
	}
	return node, state
}

// references parses [^label] where a footnote of that label is defined.
type references struct{}

func (references) Trigger() []byte { return []byte{'['} }

func (references) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	line, _ := block.PeekLine()
	defined, _ := pc.Get(labels).(map[string]bool)
	if len(defined) == 0 || len(line) < 4 || line[1] != '^' {
		return nil
	}
	end := bytes.IndexByte(line, ']')
	if end < 0 || !defined[string(line[2:end])] {
		return nil
	}
	block.Advance(end + 1)
	return &inline{kind: kindReference, label: string(line[2:end])}
}
