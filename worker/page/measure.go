package page

import (
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// measure counts the contents of an element. Runs of white space count as one character.
type measure struct {
	chars, linkChars, headingChars, listChars   int // linkChars are weighted: links within the page count 0.3
	commas, paragraphs, pictures, items, inputs int
	elements, blocks, breaks                    int
	children                                    int // number of child elements
}

// measures are the measures of all elements of a part.
type measures map[*html.Node]*measure

// measureAll measures an element and everything in it.
func measureAll(root *html.Node) measures {
	all := make(measures, 1024)
	all.add(root)
	return all
}

func (all measures) add(n *html.Node) *measure {
	m := &measure{}
	all[n] = m
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch c.Type {
		case html.TextNode:
			m.addText(c.Data)
		case html.ElementNode:
			m.children++
			m.addElement(c, all.add(c))
		}
	}
	m.endLink(n)
	return m
}

// endLink counts all text of a link as link text. A link within the page counts less.
func (m *measure) endLink(n *html.Node) {
	if n.DataAtom != atom.A {
		return
	}
	m.linkChars = m.chars
	if href := attribute(n, "href"); len(href) > 1 && href[0] == '#' {
		m.linkChars = m.chars * 3 / 10
	}
}

// addText counts the text of one node.
func (m *measure) addText(text string) {
	space := true // white space at the beginning does not count
	for _, r := range text {
		if unicode.IsSpace(r) {
			if !space {
				m.chars++
			}
			space = true
			continue
		}
		space = false
		m.chars++
		switch r {
		case ',', '،', '﹐', '︐', '︑', '⹁', '⸴', '⸲', '，', '、':
			m.commas++
		}
	}
}

// addElement adds the measure of a child.
func (m *measure) addElement(child *html.Node, inner *measure) {
	m.chars += inner.chars
	m.linkChars += inner.linkChars
	m.headingChars += inner.headingChars
	m.listChars += inner.listChars
	m.commas += inner.commas
	m.paragraphs += inner.paragraphs
	m.pictures += inner.pictures
	m.items += inner.items
	m.inputs += inner.inputs
	m.elements += inner.elements + 1
	m.blocks += inner.blocks
	m.breaks += inner.breaks
	switch child.DataAtom {
	case atom.P:
		m.paragraphs++
	case atom.Img:
		m.pictures++
	case atom.Li:
		m.items++
	case atom.Input:
		m.inputs++
	case atom.Br:
		m.breaks++
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		m.headingChars += inner.chars - inner.headingChars
	case atom.Ul, atom.Ol:
		m.listChars += inner.chars - inner.listChars
	}
	if isBlock(child.DataAtom) {
		m.blocks++
	}
}

// linkDensity returns the share of the text that is in links.
func (m *measure) linkDensity() float64 {
	if m.chars == 0 {
		return 0
	}
	return float64(m.linkChars) / float64(m.chars)
}

// isBlock reports whether an element keeps the element around it from being one paragraph.
func isBlock(name atom.Atom) bool {
	switch name {
	case atom.Blockquote, atom.Dl, atom.Div, atom.Img, atom.Ol, atom.P, atom.Pre, atom.Table, atom.Ul:
		return true
	}
	return false
}
