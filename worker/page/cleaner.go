package page

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// cleaner removes parts of a main part that are not its text.
type cleaner struct {
	attempt
	title string
}

// run cleans a main part.
func (c cleaner) run(part *html.Node) {
	c.remove(part, isNoText)
	c.remove(part, isShare)
	c.removeDoubtful(part, atom.Form, atom.Fieldset)
	c.removeDoubtful(part, atom.Table)
	c.removeDoubtful(part, atom.Ul)
	c.removeDoubtful(part, atom.Div)
	c.remove(part, func(n *html.Node) bool { return c.isBadHeading(n) || isEmptyParagraph(n) })
}

// remove removes the elements that a function chooses.
func (c cleaner) remove(n *html.Node, chosen func(*html.Node) bool) {
	for child := n.FirstChild; child != nil; {
		next := child.NextSibling
		if child.Type == html.ElementNode {
			if chosen(child) {
				n.RemoveChild(child)
			} else {
				c.remove(child, chosen)
			}
		}
		child = next
	}
}

// isNoText reports whether an element never has text of the main part.
func isNoText(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Object, atom.Embed, atom.Footer, atom.Aside, atom.Iframe, atom.Input, atom.Textarea, atom.Select,
		atom.Button, atom.Applet, atom.Canvas, atom.Audio, atom.Video:
		return true
	}
	return false
}

// isShare reports whether an element has buttons that share a page.
func isShare(n *html.Node) bool {
	class, id := namesOf(n)
	for _, word := range strings.FieldsFunc(class+" "+id, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if word == "share" || word == "sharedaddy" {
			return len(textOf(n, enoughChars)) < enoughChars
		}
	}
	return false
}

// isBadHeading reports whether a heading is not one of the main part.
func (c cleaner) isBadHeading(n *html.Node) bool {
	return (n.DataAtom == atom.H1 || n.DataAtom == atom.H2) && c.weighNames && weightOf(n) < 0
}

// isEmptyParagraph reports whether a paragraph has neither text nor pictures.
func isEmptyParagraph(n *html.Node) bool {
	return n.DataAtom == atom.P && first(n, atom.Img) == nil && !hasText(n)
}

// removeDoubtful removes elements of these names that look like clutter: lists of links, forms and
// the like. Inner elements come first.
func (c cleaner) removeDoubtful(part *html.Node, names ...atom.Atom) {
	if !c.clean {
		return
	}
	d := &doubtful{cleaner: c, names: names}
	d.visit(part, surroundings{})
}

// doubtful removes doubtful elements of some names.
type doubtful struct {
	cleaner
	names []atom.Atom
}

// surroundings says which kinds of elements are around an element.
type surroundings struct{ code, data, figure bool }

func (s surroundings) in(n *html.Node) surroundings {
	switch n.DataAtom {
	case atom.Code, atom.Pre:
		s.code = true
	case atom.Figure:
		s.figure = true
	case atom.Table:
		s.data = s.data || isDataTable(n)
	}
	return s
}

// visit removes the doubtful elements in n, and then measures n without them.
func (d *doubtful) visit(n *html.Node, around surroundings) *measure {
	m := &measure{}
	inside := around.in(n)
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		switch c.Type {
		case html.TextNode:
			m.addText(c.Data)
		case html.ElementNode:
			inner := d.visit(c, inside)
			kept := inside.in(c)
			chosen := slices.Contains(d.names, c.DataAtom) && !kept.data && !inside.code
			if chosen && d.isDoubtful(c, inner, inside.figure) {
				n.RemoveChild(c)
			} else {
				m.addElement(c, inner)
			}
		}
		c = next
	}
	m.endLink(n)
	return m
}

// isDoubtful reports whether an element looks like no text. (The numbers: Mozilla, Readability:
// _cleanConditionally)
func (c cleaner) isDoubtful(n *html.Node, m *measure, inFigure bool) bool {
	weight := 0
	if c.weighNames {
		weight = weightOf(n)
	}
	if weight < 0 {
		return true
	}
	if m.commas >= 10 {
		return false
	}
	list := n.DataAtom == atom.Ul || n.DataAtom == atom.Ol || m.chars > 0 && float64(m.listChars)/float64(m.chars) > 0.9
	density := m.linkDensity()
	heading := 0.0
	if m.chars > 0 {
		heading = float64(m.headingChars) / float64(m.chars)
	}
	switch {
	case m.pictures > 1 && float64(m.paragraphs)/float64(m.pictures) < 0.5 && !inFigure:
		return !isPictureList(n, m, list)
	case !list && m.items-100 > m.paragraphs, m.inputs > m.paragraphs/3,
		!list && heading < 0.9 && m.chars < 25 && (m.pictures == 0 || m.pictures > 2) && !inFigure,
		!list && weight < 25 && density > 0.2, weight >= 25 && density > 0.5:
		return !isPictureList(n, m, list)
	}
	return false
}

// isPictureList reports whether each item of a list is a picture.
func isPictureList(n *html.Node, m *measure, list bool) bool {
	if !list || m.items == 0 || m.pictures != m.items {
		return false
	}
	for c := range n.ChildNodes() {
		elements := 0
		for range c.ChildNodes() {
			elements++
		}
		if elements > 1 {
			return false
		}
	}
	return true
}

// isDataTable reports whether a table has data, and is not there for the layout.
func isDataTable(n *html.Node) bool {
	if attribute(n, "role") == "presentation" || attribute(n, "datatable") == "0" {
		return false
	}
	if attribute(n, "summary") != "" {
		return true
	}
	rows, columns := 0, 0
	for d := range n.Descendants() {
		switch d.DataAtom {
		case atom.Caption, atom.Col, atom.Colgroup, atom.Tfoot, atom.Thead, atom.Th:
			return true
		case atom.Table:
			return false
		case atom.Tr:
			rows++
			cells := 0
			for c := range d.ChildNodes() {
				if c.DataAtom == atom.Td {
					cells++
				}
			}
			columns = max(columns, cells)
		}
	}
	if rows == 1 || columns == 1 {
		return false
	}
	return rows >= 10 || columns > 4 || rows*columns > 10
}

// isSimilar reports whether a heading repeats the title: at least three quarters of its words.
func isSimilar(title, heading string) bool {
	known := map[string]bool{}
	for _, word := range wordsOf(title) {
		known[word] = true
	}
	words := wordsOf(heading)
	if len(words) == 0 || len(known) == 0 {
		return false
	}
	all, other := 0, 0
	for _, word := range words {
		all += len(word)
		if !known[word] {
			other += len(word)
		}
	}
	return float64(other)/float64(all) < 0.25
}

// wordsOf returns the words of a text in lower case.
func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}
