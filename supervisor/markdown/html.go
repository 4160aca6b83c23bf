package markdown

import (
	"html"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"

	"mews/supervisor"
)

// element is the meaning of an HTML tag.
type element struct {
	mark supervisor.RichTextEntityType // the mark of the element's text; "" means none
	// script is the sign ^ or _ if the element's text is raised or lowered. It is written before a
	// text whose characters have no raised or lowered form.
	script   string
	line     bool // whether the element is on lines of its own
	unpaired bool // whether the element needs no closing tag
}

// elements are HTML tags that models use if Markdown has no equivalent. Any other tag is shown
// unchanged.
var elements = map[string]element{
	"b": {mark: supervisor.EntityBold}, "strong": {mark: supervisor.EntityBold},
	"i": {mark: supervisor.EntityItalic}, "em": {mark: supervisor.EntityItalic},
	"s": {mark: supervisor.EntityStrikethrough}, "del": {mark: supervisor.EntityStrikethrough},
	"strike":     {mark: supervisor.EntityStrikethrough},
	"tg-spoiler": {mark: supervisor.EntitySpoiler},
	"summary":    {mark: supervisor.EntityBold, line: true},
	"kbd":        {mark: supervisor.EntityBold}, "mark": {mark: supervisor.EntityBold},
	"code": {mark: supervisor.EntityCode}, "tt": {mark: supervisor.EntityCode},
	"u": {mark: supervisor.EntityUnderline}, "ins": {mark: supervisor.EntityUnderline},
	"sup": {script: "^"}, "sub": {script: "_"}, "small": {}, "span": {},
	"br":      {line: true, unpaired: true},
	"details": {line: true, unpaired: true}, "p": {line: true, unpaired: true},
	"div": {line: true, unpaired: true}, "center": {line: true, unpaired: true},
}

var (
	simpleTag = regexp.MustCompile(`^<(/?)([A-Za-z][A-Za-z0-9-]*)(?: open| (?:align|class|dir|id|style)="[^"]*")*\s*/?>$`)
	anchorTag = regexp.MustCompile(`^<a href="([^"<>]*)"\s*>$`)
	anyTag    = regexp.MustCompile(`</?[A-Za-z][^<>]*>`)
	// preBlock matches a block of code, its language, its text, and the rest.
	preBlock = regexp.MustCompile(`(?is)^\s*<pre[^<>]*>(?:<code(?:\s+class="(?:lang|language)-([\w+#.-]+)")?[^<>]*>)?\n?(.*?)(?:</code>)?\s*</pre>(.*)$`)
)

// scripts are the raised and lowered characters (Unicode, Superscripts and Subscripts).
var scripts = map[string]map[rune]rune{
	"^": pairs("0123456789+-=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ"),
	"_": pairs("0123456789+-=()aeox", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₒₓ"),
}

func pairs(from, to string) map[rune]rune {
	list, all := []rune(to), map[rune]rune{}
	for i, r := range from {
		all[r] = list[i]
	}
	return all
}

// tagAction is the action for one tag.
type tagAction struct {
	text       string // text that is shown in place of the tag
	script     string // the sign of the tag's raised or lowered text; "" if it has none
	line       bool   // whether the tag ends a line
	opensMark  bool
	opened     mark
	closesMark bool
}

// showTag carries out the action for a tag.
func (p *page) showTag(s tagAction) {
	if s.closesMark {
		p.w.pop()
	}
	if s.closesMark && s.script != "" {
		p.w.endScript(s.script)
	}
	if s.line {
		p.w.newline()
	}
	if s.opensMark && s.script != "" {
		p.w.scripts = append(p.w.scripts, len(p.w.text))
	}
	if s.opensMark {
		p.w.push(s.opened)
	}
	p.w.putLines(s.text)
}

// tagActions returns the actions for the tags in n. Each closing tag closes only tags of n.
func (p *page) tagActions(n ast.Node) map[ast.Node]tagAction {
	var nodes []ast.Node
	var texts []string
	for c := range children(n) {
		if raw, ok := c.(*ast.RawHTML); ok {
			nodes, texts = append(nodes, c), append(texts, string(raw.Segments.Value(p.src)))
		}
	}
	if nodes == nil {
		return nil
	}
	steps := make(map[ast.Node]tagAction, len(nodes))
	for i, s := range pairTags(texts) {
		steps[nodes[i]] = s
	}
	return steps
}

// pairTags returns the action for each tag. Tags without a partner are shown.
func pairTags(tags []string) []tagAction {
	steps := make([]tagAction, len(tags))
	var open []int // opening tags without a partner so far
	names := make([]string, len(tags))
	for i, t := range tags {
		steps[i].text = t
		name, closing := elementOf(t)
		names[i] = name
		switch {
		case name == "":
		case elements[name].unpaired:
			steps[i] = tagAction{line: true}
		case !closing:
			open = append(open, i)
		default:
			open = matchClosing(steps, names, open, i)
		}
	}
	return steps
}

// elementOf returns the name of a known tag, and whether it closes; "" for any other tag.
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

// maxOpenTags is how many open tags are searched for the partner of a closing tag.
const maxOpenTags = 16

// matchClosing pairs a closing tag with the last open tag of its element.
func matchClosing(steps []tagAction, names []string, open []int, closing int) []int {
	for i := len(open) - 1; i >= max(0, len(open)-maxOpenTags); i-- {
		at := open[i]
		if names[at] != names[closing] {
			continue
		}
		opener, ok := openingAction(steps[at].text, names[at])
		if !ok {
			return open[:i]
		}
		steps[at], steps[closing] = opener, tagAction{closesMark: true, line: opener.line, script: opener.script}
		return open[:i]
	}
	return open
}

// openingAction returns the action for an opening tag that has a partner.
func openingAction(tag, name string) (tagAction, bool) {
	if m := anchorTag.FindStringSubmatch(tag); m != nil {
		to, ok := linkable(unescape(m[1]))
		return tagAction{opensMark: true, opened: mark{kind: supervisor.EntityLink, url: to}}, ok
	}
	e := elements[name]
	return tagAction{opensMark: true, opened: mark{kind: e.mark}, script: e.script, line: e.line}, true
}

// htmlBlock renders a block of HTML: its text, and the known tags.
func (p *page) htmlBlock(n *ast.HTMLBlock) {
	text := p.lines(n)
	if n.HasClosure() {
		text += string(n.ClosureLine.Value(p.src))
	}
	if m := preBlock.FindStringSubmatch(text); m != nil {
		p.w.pre(html.UnescapeString(m[2]), strings.ToLower(m[1]))
		p.w.gap(1)
		text = strings.TrimSpace(m[3])
	} else if n.HTMLBlockType != ast.HTMLBlockType6 && n.HTMLBlockType != ast.HTMLBlockType7 {
		p.showTag(tagAction{text: strings.TrimRight(text, "\n")})
		return
	}
	offsets := anyTag.FindAllStringIndex(text, -1)
	tags := make([]string, len(offsets))
	for i, at := range offsets {
		tags[i] = text[at[0]:at[1]]
	}
	from := 0
	for i, s := range pairTags(tags) {
		p.prose(text[from:offsets[i][0]])
		p.showTag(s)
		from = offsets[i][1]
	}
	p.prose(text[from:])
}

// prose renders the text between tags.
func (p *page) prose(s string) {
	for i, line := range strings.Split(s, "\n") {
		if i > 0 {
			p.w.gap(1)
		}
		if strings.TrimSpace(line) != "" {
			p.w.put(html.UnescapeString(line))
		}
	}
}
