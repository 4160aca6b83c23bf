package markdown

import (
	"bytes"
	"slices"
	"sync"
	"unicode"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// maxOpeners is how many blocks one line may open. The parser needs quadratic time for deep
// nesting, which no real text has.
const maxOpeners = 64

// sharedParser is made once, because it keeps no state between parses.
var sharedParser = sync.OnceValue(newParser)

func newParser() parser.Parser {
	blocks := append(parser.DefaultBlockParsers(),
		util.Prioritized(footnoteParser{extension.NewFootnoteBlockParser()}, 999))
	inlines := slices.DeleteFunc(parser.DefaultInlineParsers(), func(p util.PrioritizedValue) bool {
		return p.Value == parser.NewEmphasisParser()
	})
	inlines = append(inlines,
		util.Prioritized(emphasisParser{}, 500),
		util.Prioritized(extension.NewTaskCheckBoxParser(), 0),
		util.Prioritized(formulaParser{}, 50),
		util.Prioritized(referenceParser{}, 101),
		util.Prioritized(doubledMarkParser{'~', newStrike}, 500),
		util.Prioritized(doubledMarkParser{'|', newSpoiler}, 500),
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

// parse returns the tree of src. A source that is too slow to parse becomes one block of code.
func parse(src []byte) ast.Node {
	if tooCostly(src) {
		return verbatim(src)
	}
	return sharedParser().Parse(text.NewReader(src))
}

// verbatim returns a tree that shows src unchanged.
func verbatim(src []byte) ast.Node {
	root, block := ast.NewDocument(), ast.NewCodeBlock()
	block.Lines().Append(text.NewSegment(0, len(src)))
	root.AppendChild(root, block)
	return root
}

// parseLimits limit constructs for which the parser needs quadratic time.
var parseLimits = []struct {
	what string
	n    int
}{{"[", 8192}, {"](<", 256}}

// maxTargets limits the addresses of links that begin in a run without white space. The parser
// needs quadratic time for these addresses too.
const maxTargets = 256

// tooCostly reports whether src is too slow to parse. No real text is too slow.
func tooCostly(src []byte) bool {
	for _, l := range parseLimits {
		if bytes.Count(src, []byte(l.what)) > l.n {
			return true
		}
	}
	targets := func(in []byte) bool { return bytes.Count(in, []byte("](")) > maxTargets }
	if targets(src) {
		for word := range bytes.FieldsSeq(src) {
			if targets(word) {
				return true
			}
		}
	}
	for line := range bytes.Lines(src) {
		rest := bytes.TrimLeft(line, " \t>-*+0123456789.)[]^:")
		if n := len(line) - len(rest); n > maxOpeners && countOpeners(line[:n]) > maxOpeners {
			return true
		}
	}
	return false
}

// countOpeners returns how many blocks a line's beginning may open.
func countOpeners(line []byte) int {
	n := bytes.Count(line, []byte(">"))
	for i, c := range line {
		if (c == ' ' || c == '\t') && i > 0 && bytes.IndexByte([]byte("-*+.):"), line[i-1]) >= 0 {
			n++
		}
	}
	return n
}

// doubledMarkParser parses text between pairs of a character.
type doubledMarkParser struct {
	char byte
	node func() ast.Node
}

func (d doubledMarkParser) Trigger() []byte         { return []byte{d.char} }
func (d doubledMarkParser) IsDelimiter(c byte) bool { return c == d.char }
func (d doubledMarkParser) OnMatch(int) ast.Node    { return d.node() }
func (d doubledMarkParser) CanOpenCloser(opener, closer *parser.Delimiter) bool {
	return opener.Char == closer.Char
}

// Parse accepts exactly two characters. Bars within a word are no marks, because programmers write
// || for "or".
func (d doubledMarkParser) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
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

// emphasisParser parses marks of stars and underscores. It follows CommonMark, with one more rule
// for scripts without spaces between words. A star next to a CJK letter also opens and closes if
// punctuation is on its other side, as in **中文。**后面. (CommonMark's issue 650)
type emphasisParser struct{}

func (emphasisParser) Trigger() []byte         { return []byte{'*', '_'} }
func (emphasisParser) IsDelimiter(c byte) bool { return c == '*' || c == '_' }
func (emphasisParser) OnMatch(n int) ast.Node  { return ast.NewEmphasis(n) }
func (emphasisParser) CanOpenCloser(opener, closer *parser.Delimiter) bool {
	return opener.Char == closer.Char
}

func (e emphasisParser) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	before := block.PrecendingCharacter()
	line, segment := block.PeekLine()
	node := parser.ScanDelimiter(line, before, 1, e)
	if node == nil {
		return nil
	}
	after := ' '
	if node.OriginalLength < len(line) {
		after = util.ToRune(line, node.OriginalLength)
	}
	if node.Char == '*' {
		opens, closes := cjkFlanks(before, after)
		node.CanOpen, node.CanClose = node.CanOpen || opens, node.CanClose || closes
	}
	node.Segment = segment.WithStop(segment.Start + node.OriginalLength)
	block.Advance(node.OriginalLength)
	pc.PushDelimiter(node)
	return node
}

// cjkFlanks reports whether a star between two characters may open or close because one of them is
// a CJK letter.
func cjkFlanks(before, after rune) (opens, closes bool) {
	return cjk(before) && !unicode.IsSpace(after), cjk(after) && !unicode.IsSpace(before)
}

var (
	kindStrike    = ast.NewNodeKind("Strike")
	kindSpoiler   = ast.NewNodeKind("Spoiler")
	kindFormula   = ast.NewNodeKind("Formula")
	kindReference = ast.NewNodeKind("Reference")
)

// inlineNode is our own kind of inline node.
type inlineNode struct {
	ast.BaseInline
	kind ast.NodeKind
	text string // a formula, or the label of a footnote reference
}

func (n *inlineNode) Kind() ast.NodeKind         { return n.kind }
func (n *inlineNode) Dump(src []byte, level int) { ast.DumpHelper(n, src, level, nil, nil) }

func newStrike() ast.Node  { return &inlineNode{kind: kindStrike} }
func newSpoiler() ast.Node { return &inlineNode{kind: kindSpoiler} }

// labelsKey is the key of the labels of a document's footnotes.
var labelsKey = parser.NewContextKey()

// footnoteParser parses the definitions of footnotes and stores their labels.
type footnoteParser struct{ parser.BlockParser }

func (f footnoteParser) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	node, state := f.BlockParser.Open(parent, reader, pc)
	if label, ok := footnoteLabel(node); ok {
		pc.ComputeIfAbsent(labelsKey, func() any { return map[string]bool{} }).(map[string]bool)[label] = true
	}
	return node, state
}

// referenceParser parses [^label] if a footnote of that label is defined.
type referenceParser struct{}

func (referenceParser) Trigger() []byte { return []byte{'['} }

func (referenceParser) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	line, _ := block.PeekLine()
	defined, _ := pc.Get(labelsKey).(map[string]bool)
	if len(defined) == 0 || len(line) < 4 || line[1] != '^' {
		return nil
	}
	end := bytes.IndexByte(line, ']')
	if end < 0 || !defined[string(line[2:end])] {
		return nil
	}
	block.Advance(end + 1)
	return &inlineNode{kind: kindReference, text: string(line[2:end])}
}
