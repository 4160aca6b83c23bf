package page

import (
	"math"
	"slices"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

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
