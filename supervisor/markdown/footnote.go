package markdown

import (
	"strconv"

	"github.com/yuin/goldmark/ast"
	extended "github.com/yuin/goldmark/extension/ast"

	"mews/supervisor"
)

// footnote is a footnote of a document.
type footnote struct {
	node   ast.Node
	number int    // position among the referenced footnotes; 0 if no reference names this footnote
	url    string // the address at the start of the footnote; "" if there is none
}

// footnotes are a document's footnotes.
type footnotes struct {
	all     []*footnote // all footnotes, in the order of definition
	byLabel map[string]*footnote
	ordered []*footnote // the referenced footnotes, by number
}

// footnoteLabel returns the label of a footnote's definition.
func footnoteLabel(n ast.Node) (string, bool) {
	if f, ok := n.(*extended.Footnote); ok && f != nil {
		return string(f.Ref), true
	}
	return "", false
}

func findFootnotes(src []byte, root ast.Node) *footnotes {
	found := &footnotes{byLabel: map[string]*footnote{}}
	walk(root, func(n ast.Node) {
		label, ok := footnoteLabel(n)
		if !ok {
			return
		}
		added := &footnote{node: n, url: footnoteAddress(src, n)}
		found.all = append(found.all, added)
		if found.byLabel[label] == nil {
			found.byLabel[label] = added
		}
	})
	return found
}

// footnoteAddress returns the address at the beginning of a footnote.
func footnoteAddress(src []byte, n ast.Node) string {
	for n != nil && n.Type() != ast.TypeInline {
		n = n.FirstChild()
	}
	var address string
	switch n := n.(type) {
	case *ast.AutoLink:
		address = string(n.URL(src))
	case *ast.Link:
		address = unescape(string(n.Destination))
	}
	to, ok := linkable(address)
	if !ok {
		return ""
	}
	return to
}

// number gives a footnote its number, unless the footnote has one.
func (n *footnotes) number(one *footnote) int {
	if one.number == 0 {
		n.ordered = append(n.ordered, one)
		one.number = len(n.ordered)
	}
	return one.number
}

// footnoteReference renders a reference as [1]. The reference is a link if the footnote has an
// address.
func (p *page) footnoteReference(label string) {
	one := p.footnotes.byLabel[label]
	if one == nil {
		p.w.put("[^" + label + "]")
		return
	}
	if one.url != "" {
		p.w.push(mark{kind: supervisor.EntityLink, url: one.url})
		defer p.w.pop()
	}
	p.w.put("[" + strconv.Itoa(p.footnotes.number(one)) + "]")
}

// listFootnotes lists the footnotes: first footnotes with references, in the order of the
// references, then the rest.
func (p *page) listFootnotes() {
	p.w.gap(2)
	for i := 0; i < len(p.footnotes.ordered); i++ {
		p.showFootnote(p.footnotes.ordered[i])
	}
	for _, one := range p.footnotes.all {
		if one.number == 0 {
			p.footnotes.number(one)
			p.showFootnote(one)
		}
	}
}

func (p *page) showFootnote(one *footnote) {
	p.w.gap(1)
	p.w.put("[" + strconv.Itoa(one.number) + "]")
	p.w.sameLine = true
	p.indented(indentation, func() { p.blocks(one.node, 1) })
	p.w.sameLine = false
}
