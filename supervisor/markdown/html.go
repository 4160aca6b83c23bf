package markdown

import (
	"html"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"

	"mews/supervisor"
)

// element is what a tag of HTML becomes.
type element struct {
	mark    supervisor.EntityType // "" for none
	before  string                // stands where it opens
	line    bool                  // stands on lines of its own
	unequal bool                  // needs no other tag to open or to close it
}

// elements are those that a model writes where Markdown has nothing; any other tag is shown as it is.
var elements = map[string]element{
	"b": {mark: supervisor.EntityBold}, "strong": {mark: supervisor.EntityBold},
	"i": {mark: supervisor.EntityItalic}, "em": {mark: supervisor.EntityItalic},
	"s": {mark: supervisor.EntityStrikethrough}, "del": {mark: supervisor.EntityStrikethrough},
	"strike":     {mark: supervisor.EntityStrikethrough},
	"tg-spoiler": {mark: supervisor.EntitySpoiler},
	"summary":    {mark: supervisor.EntityBold, line: true},
	"kbd":        {mark: supervisor.EntityBold}, "mark": {mark: supervisor.EntityBold},
	"code": {}, "u": {}, "ins": {}, "small": {}, "span": {},
	"sup": {before: "^"}, "sub": {before: "_"},
	"br":      {line: true, unequal: true},
	"details": {line: true, unequal: true}, "p": {line: true, unequal: true},
	"div": {line: true, unequal: true}, "center": {line: true, unequal: true},
}

var (
	simpleTag = regexp.MustCompile(`^<(/?)([A-Za-z][A-Za-z0-9-]*)(?: open| (?:align|class|dir|id|style)="[^"]*")*\s*/?>$`)
	anchorTag = regexp.MustCompile(`^<a href="([^"<>]*)"\s*>$`)
	anyTag    = regexp.MustCompile(`</?[A-Za-z][^<>]*>`)
)

// step is what to do about one tag.
type step struct {
	text   string // shown
	line   bool   // a line ends
	opens  bool
	opened mark
	closes bool
}

// htmlPage renders the page's raw HTML.
type htmlPage struct{ *page }

// tag does a step.
func (p htmlPage) tag(s step) {
	if s.closes {
		p.w.pop()
	}
	if s.line {
		p.w.newline()
	}
	if s.opens {
		p.w.push(s.opened)
	}
	for i, line := range strings.Split(s.text, "\n") {
		if i > 0 {
			p.w.newline()
		}
		p.w.put(line)
	}
}

// tags are the steps for the tags in n, each of which closes only what was opened in n.
func (p htmlPage) tags(n ast.Node) map[ast.Node]step {
	var nodes []ast.Node
	var texts []string
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if raw, ok := c.(*ast.RawHTML); ok {
			nodes, texts = append(nodes, c), append(texts, string(raw.Segments.Value(p.src)))
		}
	}
	if nodes == nil {
		return nil
	}
	steps := make(map[ast.Node]step, len(nodes))
	for i, s := range pair(texts) {
		steps[nodes[i]] = s
	}
	return steps
}

// pair is what to do about each of some tags: those that find no partner are shown.
func pair(tags []string) []step {
	steps := make([]step, len(tags))
	var open []int // those that wait for their partner
	names := make([]string, len(tags))
	for i, t := range tags {
		steps[i].text = t
		name, closing := elementOf(t)
		names[i] = name
		switch {
		case name == "":
		case elements[name].unequal:
			steps[i] = step{line: true}
		case !closing:
			open = append(open, i)
		default:
			open = match(steps, names, open, i)
		}
	}
	return steps
}

// elementOf is the name of a tag that becomes something, and whether it is a closing one.
func elementOf(tag string) (name string, closing bool) {
	if anchorTag.MatchString(tag) {
		return "a", false
	}
	m := simpleTag.FindStringSubmatch(tag)
	if m == nil {
		return "", false
	}
	name, closing = strings.ToLower(m[2]), m[1] != ""
	if _, ok := elements[name]; !ok && (name != "a" || !closing) {
		return "", false
	}
	return name, closing
}

// maxWaiting is how many open tags a closing one is looked for in.
const maxWaiting = 16

// match pairs a closing tag with the last that opened its element.
func match(steps []step, names []string, open []int, closing int) []int {
	for i := len(open) - 1; i >= max(0, len(open)-maxWaiting); i-- {
		at := open[i]
		if names[at] != names[closing] {
			continue
		}
		opener, ok := opening(steps[at].text, names[at])
		if !ok {
			return open[:i]
		}
		steps[at], steps[closing] = opener, step{closes: true, line: opener.line}
		return open[:i]
	}
	return open
}

// opening is what an opening tag does that has its partner.
func opening(tag, name string) (step, bool) {
	if m := anchorTag.FindStringSubmatch(tag); m != nil {
		to, ok := linkable(unescape(m[1]))
		return step{opens: true, opened: mark{kind: supervisor.EntityLink, url: to}}, ok
	}
	e := elements[name]
	return step{opens: true, opened: mark{kind: e.mark}, text: e.before, line: e.line}, true
}

// htmlBlock renders a block of HTML: its text, and of its tags those that are known.
func (p htmlPage) htmlBlock(n *ast.HTMLBlock) {
	text := p.lines(n)
	if n.HasClosure() {
		text += string(n.ClosureLine.Value(p.src))
	}
	if n.HTMLBlockType != ast.HTMLBlockType6 && n.HTMLBlockType != ast.HTMLBlockType7 {
		p.tag(step{text: strings.TrimRight(text, "\n")})
		return
	}
	places := anyTag.FindAllStringIndex(text, -1)
	tags := make([]string, len(places))
	for i, at := range places {
		tags[i] = text[at[0]:at[1]]
	}
	from := 0
	for i, s := range pair(tags) {
		p.prose(text[from:places[i][0]])
		p.tag(s)
		from = places[i][1]
	}
	p.prose(text[from:])
}

// prose renders what stands between tags.
func (p htmlPage) prose(s string) {
	for i, line := range strings.Split(s, "\n") {
		if i > 0 {
			p.w.gap(1)
		}
		if strings.TrimSpace(line) != "" {
			p.w.put(html.UnescapeString(line))
		}
	}
}
