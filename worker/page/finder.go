package page

import (
	"math"
	"slices"
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

// minParagraph is the length of a paragraph that counts, in characters.
const minParagraph = 25

// score adds the score of each paragraph to the elements around it.
func (f *finder) score(n *html.Node) {
	for c := range n.ChildNodes() {
		if c.Type != html.ElementNode {
			continue
		}
		if isScored(c.DataAtom) {
			f.scoreParagraph(c)
		}
		f.score(c)
	}
}

func isScored(name atom.Atom) bool {
	switch name {
	case atom.Section, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.P, atom.Td, atom.Pre:
		return true
	}
	return false
}

// maxAncestors is how far a paragraph's score reaches.
const maxAncestors = 5

func (f *finder) scoreParagraph(p *html.Node) {
	m := f.measures[p]
	if m == nil || m.chars < minParagraph {
		return
	}
	points := 2 + float64(m.commas) + math.Min(float64(m.chars/100), 3)
	parent := p.Parent
	for level := 0; level < maxAncestors && parent != nil && parent.Type == html.ElementNode; level++ {
		if _, known := f.scores[parent]; !known {
			f.scores[parent] = f.startScore(parent)
			f.scored = append(f.scored, parent)
		}
		f.scores[parent] += points / []float64{1, 2, 6, 9, 12}[level]
		if parent == f.body {
			break
		}
		parent = parent.Parent
	}
}

// startScore returns the score of an element before its paragraphs are counted.
func (f *finder) startScore(n *html.Node) float64 {
	score := 0
	switch n.DataAtom {
	case atom.Div:
		score = 5
	case atom.Pre, atom.Td, atom.Blockquote:
		score = 3
	case atom.Address, atom.Ol, atom.Ul, atom.Dl, atom.Dd, atom.Dt, atom.Li, atom.Form:
		score = -3
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Th:
		score = -5
	}
	if f.weighNames {
		score += weightOf(n)
	}
	return float64(score)
}

// top returns the element with the best score, or one around it.
func (f *finder) top() *html.Node {
	for n := range f.scores {
		f.scores[n] *= 1 - f.measures[n].linkDensity()
	}
	best := slices.Clone(f.scored)
	slices.SortStableFunc(best, func(a, b *html.Node) int {
		switch {
		case f.scores[a] > f.scores[b]:
			return -1
		case f.scores[a] < f.scores[b]:
			return 1
		}
		return 0
	})
	best = best[:min(len(best), 5)]
	if len(best) == 0 || best[0] == f.body {
		return f.body
	}
	top := f.commonAncestor(best)
	top = f.betterAncestor(top)
	for top.Parent != nil && top.Parent != f.body && f.measures[top.Parent].children == 1 {
		top = top.Parent
	}
	return top
}

// commonAncestor returns the element around the best candidate in which three others are, or else
// the best candidate.
func (f *finder) commonAncestor(best []*html.Node) *html.Node {
	top := best[0]
	var others []*html.Node
	for _, n := range best[1:] {
		if f.scores[n] >= 0.75*f.scores[top] {
			others = append(others, n)
		}
	}
	if len(others) < 3 {
		return top
	}
	for p := top.Parent; p != nil && p != f.body; p = p.Parent {
		inside := 0
		for _, n := range others {
			if isAncestor(p, n) {
				inside++
			}
		}
		if inside >= 3 {
			return p
		}
	}
	return top
}

func isAncestor(a, n *html.Node) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		if p == a {
			return true
		}
	}
	return false
}

// betterAncestor climbs from an element as long as the scores around it do not fall far.
func (f *finder) betterAncestor(top *html.Node) *html.Node {
	if _, known := f.scores[top]; !known {
		f.scores[top] = f.startScore(top)
	}
	last := f.scores[top]
	least := last / 3
	for p := top.Parent; p != nil && p != f.body; p = p.Parent {
		score, known := f.scores[p]
		switch {
		case !known:
			continue
		case score < least:
			return top
		case score > last:
			return p
		}
		last = score
	}
	return top
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
