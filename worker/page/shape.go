package page

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// shape makes paragraphs of text that stands in other elements, and removes empty elements.
func (f *finder) shape(n *html.Node) {
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		if c.Type == html.ElementNode {
			f.shape(c)
			switch m := f.measures[c]; {
			case isContainer(c.DataAtom) && m != nil && m.chars == 0 && m.elements == m.breaks:
				n.RemoveChild(c)
			case c.DataAtom == atom.Div:
				f.shapeDiv(c, m)
			}
		}
		c = next
	}
}

func isContainer(name atom.Atom) bool {
	switch name {
	case atom.Div, atom.Section, atom.Header, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return true
	}
	return false
}

// shapeDiv makes a division a paragraph if it is one, and otherwise wraps its loose text.
func (f *finder) shapeDiv(n *html.Node, m *measure) {
	wrapText(n)
	only := onlyElement(n)
	switch {
	case only != nil && only.DataAtom == atom.P && m != nil && m.linkDensity() < 0.25:
		n.RemoveChild(only)
		for c := only.FirstChild; c != nil; c = only.FirstChild {
			only.RemoveChild(c)
			n.AppendChild(c)
		}
		rename(n, atom.P)
	case m != nil && m.blocks == 0 && only == nil && !hasElement(n, atom.P):
		rename(n, atom.P)
	}
}

func rename(n *html.Node, name atom.Atom) { n.DataAtom, n.Data = name, name.String() }

// hasElement reports whether a node has a child element of a name.
func hasElement(n *html.Node, name atom.Atom) bool {
	for c := range n.ChildNodes() {
		if c.DataAtom == name {
			return true
		}
	}
	return false
}

// onlyElement returns the only child element of a node that has no text of its own; otherwise nil.
func onlyElement(n *html.Node) (only *html.Node) {
	for c := range n.ChildNodes() {
		switch {
		case c.Type == html.TextNode && strings.TrimSpace(c.Data) != "":
			return nil
		case c.Type == html.ElementNode && only != nil:
			return nil
		case c.Type == html.ElementNode:
			only = c
		}
	}
	return only
}

// wrapText puts each run of text and inline elements of a division into a paragraph.
func wrapText(n *html.Node) {
	var paragraph *html.Node
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		switch {
		case isInline(c) && paragraph != nil:
			n.RemoveChild(c)
			paragraph.AppendChild(c)
		case isInline(c) && !isSpace(c):
			paragraph = &html.Node{Type: html.ElementNode, DataAtom: atom.P, Data: "p"}
			n.InsertBefore(paragraph, c)
			n.RemoveChild(c)
			paragraph.AppendChild(c)
		case !isInline(c):
			paragraph = nil
		}
		c = next
	}
}

func isSpace(n *html.Node) bool {
	return n.Type == html.TextNode && strings.TrimSpace(n.Data) == "" || n.DataAtom == atom.Br
}

// isInline reports whether a node is text or an element within lines. (HTML, 3.2.5.2.5: phrasing)
func isInline(n *html.Node) bool {
	if n.Type == html.TextNode {
		return true
	}
	switch n.DataAtom {
	case atom.Abbr, atom.Audio, atom.B, atom.Bdo, atom.Br, atom.Button, atom.Cite, atom.Code, atom.Data, atom.Datalist,
		atom.Dfn, atom.Em, atom.Embed, atom.Font, atom.I, atom.Img, atom.Input, atom.Kbd, atom.Label, atom.Mark,
		atom.Math,
		atom.Meter, atom.Object, atom.Output, atom.Progress, atom.Q, atom.Ruby, atom.Samp, atom.Select, atom.Small,
		atom.Span, atom.Strong, atom.Sub, atom.Sup, atom.Textarea, atom.Time, atom.Var, atom.Wbr:
		return true
	case atom.A, atom.Del, atom.Ins:
		for c := range n.ChildNodes() {
			if !isInline(c) {
				return false
			}
		}
		return true
	}
	return false
}
