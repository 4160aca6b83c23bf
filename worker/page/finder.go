package page

import (
	"math"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// The finder follows the ideas of Mozilla's Readability: paragraphs with many words and commas
// speak for the elements around them, links speak against them. The best element is the main part,
// with those of its siblings that are alike.

// attempt says which rules are used. If too little text is found, the next attempt has fewer rules.
type attempt struct {
	dropUnlikely bool // drop elements whose names say that they are not in the main part
	weighNames   bool
	clean        bool // drop lists of links and the like from the main part
}

var attempts = []attempt{{true, true, true}, {false, true, true}, {false, false, true}, {false, false, false}}

// enoughChars is the length of a main part that needs no further attempt, in characters.
const enoughChars = 500

// findMainPart returns the main part of a document. It changes the document.
func findMainPart(document *html.Node, title string) *html.Node {
	body := first(document, atom.Body)
	if body == nil {
		return document // a document of frames
	}
	var best *html.Node
	most := -1
	for i, a := range attempts {
		part := clone(body)
		if i == len(attempts)-1 {
			part = markedPart(body)
		}
		f := &finder{attempt: a, body: part, title: title, scores: map[*html.Node]float64{}}
		found := f.find()
		chars := measureAll(found)[found].chars
		if chars >= enoughChars || part.DataAtom == atom.Main && 3*chars >= most {
			return found
		}
		if chars > most {
			best, most = found, chars
		}
	}
	return best
}

// markedPart returns the element main of a short page, if it has one with text; otherwise the body.
func markedPart(body *html.Node) *html.Node {
	if n := first(body, atom.Main); n != nil && hasText(n) {
		return n
	}
	return body
}

// clone returns a copy of a node and everything below it.
func clone(n *html.Node) *html.Node {
	c := &html.Node{Type: n.Type, DataAtom: n.DataAtom, Data: n.Data, Namespace: n.Namespace, Attr: n.Attr}
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		c.AppendChild(clone(child))
	}
	return c
}

// finder finds the main part in one attempt.
type finder struct {
	attempt
	body     *html.Node
	title    string
	byline   bool // the author's line was found
	measures measures
	scores   map[*html.Node]float64
	scored   []*html.Node // the keys of scores, in the order of the page
}

// find returns an element with the main part.
func (f *finder) find() *html.Node {
	f.prune(f.body)
	f.measures = measureAll(f.body)
	f.shape(f.body)
	f.measures = measureAll(f.body)
	f.score(f.body)
	top := f.top()
	part := f.collect(top)
	cleaner{f.attempt, f.title}.run(part)
	return part
}

// prune removes elements that are never in the text, and those whose names say that they are not.
func (f *finder) prune(n *html.Node) {
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		switch {
		case c.Type == html.CommentNode, c.Type == html.ElementNode && f.isPruned(c):
			n.RemoveChild(c)
		case c.Type == html.ElementNode:
			f.prune(c)
		}
		c = next
	}
}

func (f *finder) isPruned(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Template, atom.Noscript, atom.Link, atom.Meta, atom.Title, atom.Base:
		return true
	case atom.H1, atom.H2:
		if isSimilar(f.title, textOf(n, maxHeading)) {
			return true
		}
	}
	return isHidden(n) || f.isByline(n) || f.dropUnlikely && isUnlikely(n)
}

// Lengths that are read of a text, in bytes.
const (
	maxByline  = 100
	maxHeading = 1 << 10
)

// isByline reports whether an element is the first line with an author.
func (f *finder) isByline(n *html.Node) bool {
	if f.byline {
		return false
	}
	class, id := namesOf(n)
	if attribute(n, "rel") != "author" && !strings.Contains(attribute(n, "itemprop"), "author") &&
		!has(class+" "+id, authorNames) {
		return false
	}
	text := strings.TrimSpace(textOf(n, maxByline))
	f.byline = text != "" && len(text) < maxByline
	return f.byline
}

// collect returns a new element with the best element, and those siblings that are alike.
func (f *finder) collect(top *html.Node) *html.Node {
	part := &html.Node{Type: html.ElementNode, DataAtom: atom.Div, Data: "div"}
	if top == f.body || top.Parent == nil {
		moveChildren(top, part)
		return part
	}
	least := math.Max(10, f.scores[top]*0.2)
	class := attribute(top, "class")
	for c := top.Parent.FirstChild; c != nil; {
		next := c.NextSibling
		if c == top || c.Type == html.ElementNode && f.isAlike(c, class, f.scores[top], least) {
			c.Parent.RemoveChild(c)
			part.AppendChild(c)
		}
		c = next
	}
	return part
}

func moveChildren(from, to *html.Node) {
	for c := from.FirstChild; c != nil; c = from.FirstChild {
		from.RemoveChild(c)
		to.AppendChild(c)
	}
}

// isAlike reports whether a sibling of the best element belongs to the main part.
func (f *finder) isAlike(n *html.Node, class string, best, least float64) bool {
	bonus := 0.0
	if class != "" && attribute(n, "class") == class {
		bonus = best * 0.2
	}
	if score, known := f.scores[n]; known && score+bonus >= least {
		return true
	}
	m := f.measures[n]
	if n.DataAtom != atom.P || m == nil {
		return false
	}
	density := m.linkDensity()
	if m.chars > 80 {
		return density < 0.25
	}
	text := strings.TrimSpace(textOf(n, 4*80))
	return m.chars > 0 && density == 0 && (strings.Contains(text, ". ") || strings.HasSuffix(text, "."))
}
