package markdown

import (
	"strconv"

	"github.com/yuin/goldmark/ast"
	extended "github.com/yuin/goldmark/extension/ast"

	"mews/supervisor"
)

// note is a footnote.
type note struct {
	node   ast.Node
	number int    // 0 while nothing refers to it
	url    string // that it is or begins with; "" for none
}

// notes are a document's footnotes.
type notes struct {
	all     []*note // as they are defined
	labels  map[string]*note
	ordered []*note // by number
}

// footnoteLabel is the label of a footnote's definition.
func footnoteLabel(n ast.Node) (string, bool) {
	if f, ok := n.(*extended.Footnote); ok && f != nil {
		return string(f.Ref), true
	}
	return "", false
}

func findNotes(src []byte, root ast.Node) *notes {
	found := &notes{labels: map[string]*note{}}
	walk(root, func(n ast.Node) {
		label, ok := footnoteLabel(n)
		if !ok {
			return
		}
		added := &note{node: n, url: noteAddress(src, n)}
		found.all = append(found.all, added)
		if found.labels[label] == nil {
			found.labels[label] = added
		}
	})
	return found
}

// noteAddress is the address that a footnote begins with.
func noteAddress(src []byte, n ast.Node) string {
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

// give numbers a footnote, once.
func (n *notes) give(one *note) int {
	if one.number == 0 {
		n.ordered = append(n.ordered, one)
		one.number = len(n.ordered)
	}
	return one.number
}

// notePage renders the page's footnotes.
type notePage struct{ *page }

// reference renders [1], as a link where the footnote has one.
func (p notePage) reference(label string) {
	one := p.notes.labels[label]
	if one == nil {
		p.w.put("[^" + label + "]")
		return
	}
	if one.url != "" {
		p.w.push(mark{kind: supervisor.EntityLink, url: one.url})
		defer p.w.pop()
	}
	p.w.put("[" + strconv.Itoa(p.notes.give(one)) + "]")
}

// footnotes lists the footnotes: in the order in which they are referred to, then those that nothing refers to.
func (p notePage) footnotes() {
	p.w.gap(2)
	for i := 0; i < len(p.notes.ordered); i++ {
		p.footnote(p.notes.ordered[i])
	}
	for _, one := range p.notes.all {
		if one.number == 0 {
			p.notes.give(one)
			p.footnote(one)
		}
	}
}

func (p notePage) footnote(one *note) {
	p.w.gap(1)
	p.w.put("[" + strconv.Itoa(one.number) + "]")
	p.w.glued = true
	p.indented(indentation, func() { p.blocks(one.node, 1) })
	p.w.glued = false
}
