package markdown

import (
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	extended "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"

	"mews/supervisor"
)

// Limits of a quote that is shown unfolded.
const (
	foldLines = 8
	foldUnits = 500
)

// rule is the text of a thematic break.
const rule = "———————"

// indentation precedes the further lines of a list's item.
const indentation = "   "

// page renders one document.
type page struct {
	src        []byte
	w          *writer
	footnotes  *footnotes
	usedLabels map[string]bool // labels of link definitions that a link uses
	depth      int             // number of quotes around the current block
	columns    RendererForWidth
}

func (c RendererForWidth) render(src []byte, root ast.Node) supervisor.RichText {
	p := &page{src: src, w: &writer{}, columns: c, footnotes: findFootnotes(src, root), usedLabels: usedDefinitions(root)}
	p.blocks(root, 2)
	p.listFootnotes()
	return p.w.finish()
}

// usedDefinitions returns the labels of link definitions whose address a link shows.
func usedDefinitions(root ast.Node) map[string]bool {
	used := map[string]bool{}
	walk(root, func(n ast.Node) {
		var reference *ast.ReferenceLink
		switch n := n.(type) {
		case *ast.Link:
			reference = n.Reference
		case *ast.Image:
			reference = n.Reference
		}
		if reference != nil {
			used[util.ToLinkReference(reference.Value)] = true
		}
	})
	return used
}

// children returns the direct children of n.
func children(n ast.Node) iter.Seq[ast.Node] {
	return func(yield func(ast.Node) bool) {
		for c := n.FirstChild(); c != nil && yield(c); c = c.NextSibling() {
		}
	}
}

func walk(n ast.Node, visit func(ast.Node)) {
	visit(n)
	for c := range children(n) {
		walk(c, visit)
	}
}

// blocks renders the blocks in n, with gap newlines between them.
func (p *page) blocks(n ast.Node, gap int) {
	for c := range children(n) {
		_, list := c.(*ast.List)
		switch {
		case c == n.FirstChild():
		case list && n.Kind() == ast.KindListItem, c.Kind() == ast.KindLinkReferenceDefinition && followsDefinition(c):
			p.w.gap(1)
		default:
			p.w.gap(gap)
		}
		p.block(c)
	}
}

// followsDefinition reports whether another link definition is right before this one.
func followsDefinition(n ast.Node) bool {
	return n.PreviousSibling() != nil && n.PreviousSibling().Kind() == ast.KindLinkReferenceDefinition
}

func (p *page) block(n ast.Node) {
	switch n := n.(type) {
	case *ast.Heading:
		p.marked(n, supervisor.EntityBold)
	case *ast.ThematicBreak:
		p.w.put(rule)
	case *ast.CodeBlock:
		p.w.pre(p.lines(n), "")
	case *ast.FencedCodeBlock:
		p.fence(n)
	case *ast.Blockquote:
		p.quote(n)
	case *ast.List:
		p.list(n)
	case *ast.HTMLBlock:
		p.htmlBlock(n)
	case *extended.Table:
		p.table(n)
	case *ast.LinkReferenceDefinition:
		p.definition(n)
	case *extended.FootnoteList: // the footnotes are listed at the end
	default:
		p.inlines(n)
	}
}

// lines returns a block's raw lines.
func (p *page) lines(n ast.Node) string {
	return string(n.Lines().Value(p.src))
}

// fence renders a fence. Text after the language in the fence's first line is put before the code.
// If the fence has no code, the whole first line may be words.
func (p *page) fence(n *ast.FencedCodeBlock) {
	var language string
	if n.Info != nil {
		info := unescape(string(n.Info.Value(p.src)))
		name := strings.TrimLeft(info, "+#-.0123456789_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
		language = strings.ToLower(info[:len(info)-len(name)])
		rest := strings.TrimLeft(name, " :,")
		if rest != "" && strings.TrimSpace(p.lines(n)) == "" {
			rest = info
		}
		p.w.put(rest)
	}
	p.w.pre(p.lines(n), language)
}

// quote renders a quote. A quote within another quote has marks before its lines, unless it is the
// other quote's only content.
func (p *page) quote(n *ast.Blockquote) {
	if parent := n.Parent(); parent.Kind() == ast.KindBlockquote && parent.ChildCount() == 1 {
		p.blocks(n, 2)
		return
	}
	p.w.sameLine = false
	p.w.gap(1)
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > 1 {
		p.indented("> ", func() { p.blocks(n, 2) })
		return
	}
	p.w.push(mark{kind: supervisor.EntityQuote})
	p.blocks(n, 2)
	if i := p.w.pop(); i >= 0 && p.folds(p.w.marks[i]) {
		p.w.marks[i].kind = supervisor.EntityLongQuote
	}
}

// folds reports whether a quote is shown folded. A quote is folded if it is long or contains a
// diff.
func (p *page) folds(quote mark) bool {
	text := string(p.w.text[quote.start:quote.end])
	isDiff := func(m mark) bool { return m.language == "diff" && m.start >= quote.start }
	return strings.Count(text, "\n") >= foldLines || supervisor.UTF16Length(text) > foldUnits ||
		slices.ContainsFunc(p.w.marks, isDiff)
}

// indented calls the function what with a longer prefix, which begins each line that what writes.
func (p *page) indented(prefix string, what func()) {
	outer := p.w.prefix
	p.w.prefix += prefix
	what()
	p.w.prefix = outer
}

func (p *page) list(n *ast.List) {
	gap := 2
	if n.IsTight {
		gap = 1
	}
	number := n.Start
	for c := range children(n) {
		p.w.gap(gap)
		p.w.put(marker(n, c, number))
		p.w.sameLine = true
		p.indented(indentation, func() { p.blocks(c, gap) })
		p.w.sameLine = false
		number++
	}
}

// marker returns the marker of a list's item.
func marker(list *ast.List, item ast.Node, number int) string {
	ordinal := "•"
	if list.IsOrdered() {
		ordinal = strconv.Itoa(number) + "."
	}
	if first := item.FirstChild(); first != nil {
		if check, ok := first.FirstChild().(*extended.TaskCheckBox); ok {
			box := map[bool]string{true: "☑", false: "☐"}[check.IsChecked]
			if list.IsOrdered() {
				return ordinal + " " + box
			}
			return box
		}
	}
	return ordinal
}

// definition shows a link definition that no link uses, so that no visible text is lost.
func (p *page) definition(n *ast.LinkReferenceDefinition) {
	if p.usedLabels[util.ToLinkReference(n.Label)] {
		return
	}
	p.w.put("[" + unescape(string(n.Label)) + "]: " + unescape(string(n.Destination)))
	p.title(n.Title)
}

// title shows the title of a link.
func (p *page) title(title []byte) {
	if t := strings.Join(strings.Fields(unescape(string(title))), " "); t != "" {
		p.w.put(" (" + t + ")")
	}
}
