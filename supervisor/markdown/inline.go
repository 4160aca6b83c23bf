package markdown

import (
	"net/url"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	extended "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"

	"mews/supervisor"
)

// inlines renders the content of a paragraph, a heading or a mark.
func (p *page) inlines(n ast.Node) {
	tags := p.tagActions(n)
	for c := range children(n) {
		if c.Kind() == ast.KindRawHTML {
			p.showTag(tags[c])
			continue
		}
		p.inline(c)
	}
}

func (p *page) inline(n ast.Node) {
	switch n := n.(type) {
	case *ast.Text:
		p.text(n)
	case *ast.String:
		p.w.put(unescape(string(n.Value)))
	case *ast.CodeSpan:
		p.w.code(p.codeSpanText(n))
	case *ast.Emphasis:
		p.marked(n, emphases[n.Level])
	case *ast.Link:
		p.link(n, n.Destination, n.Title)
	case *ast.Image:
		p.link(n, n.Destination, n.Title)
	case *ast.AutoLink:
		p.w.put(string(n.Label(p.src)))
	case *extended.TaskCheckBox: // the list shows the checkbox as its item's marker
	case *inlineNode:
		p.ownInline(n)
	default:
		p.inlines(n)
	}
}

var emphases = map[int]supervisor.RichTextEntityType{1: supervisor.EntityItalic, 2: supervisor.EntityBold}

// ownMarks are the marks of our own kinds of nodes.
var ownMarks = map[ast.NodeKind]supervisor.RichTextEntityType{
	kindStrike: supervisor.EntityStrikethrough, kindSpoiler: supervisor.EntitySpoiler,
}

// ownInline renders our own kinds of nodes.
func (p *page) ownInline(n *inlineNode) {
	switch n.kind {
	case kindFormula:
		p.w.putLines(readableFormula(n.text))
	case kindReference:
		p.footnoteReference(n.text)
	default:
		p.marked(n, ownMarks[n.kind])
	}
}

func (p *page) marked(n ast.Node, kind supervisor.RichTextEntityType) {
	p.w.push(mark{kind: kind})
	p.inlines(n)
	p.w.pop()
}

// text renders text. A line's end stays a line's end in the chat, because models do not wrap lines.
func (p *page) text(n *ast.Text) {
	s := string(n.Value(p.src))
	if !n.IsRaw() {
		s = unescape(s)
	}
	p.w.put(s)
	if n.HardLineBreak() || n.SoftLineBreak() {
		p.w.newline()
	}
}

// codeSpanText returns the text of a code span.
func (p *page) codeSpanText(n ast.Node) string {
	var b strings.Builder
	for c := range children(n) {
		if t, ok := c.(*ast.Text); ok {
			b.WriteString(strings.ReplaceAll(string(t.Value(p.src)), "\n", " "))
		}
	}
	return b.String()
}

// link renders a link, or an image as a link. If Telegram does not accept the address, the address
// follows the text.
func (p *page) link(n ast.Node, destination, title []byte) {
	address := unescape(string(destination))
	// Telegram itself links an e-mail address
	shown := strings.TrimPrefix(sanitize(strings.TrimSpace(address)), "mailto:")
	to, ok := linkable(string(util.URLEscape([]byte(address), false)))
	_, image := n.(*ast.Image)
	within := p.linked()
	ok = ok && !within
	from := len(p.w.text)
	if ok {
		p.w.push(mark{kind: supervisor.EntityLink, url: to})
	}
	p.inlines(n)
	if ok {
		p.w.pop()
	}
	words := strings.TrimSpace(string(p.w.text[from:]))
	switch {
	case words == "":
		p.w.put(shown)
	case image && within: // the link around an image is more useful than the image's address
	case !ok && shown != "" && shown != words:
		p.w.put(" (" + shown + ")")
	}
	p.title(title)
}

// linked reports whether the output is within a link.
func (p *page) linked() bool {
	return slices.ContainsFunc(p.w.open, func(m mark) bool { return m.kind == supervisor.EntityLink })
}

// plain renders n without writing to the page.
func (p *page) plain(n ast.Node) supervisor.RichText {
	apart := *p
	apart.w = &writer{}
	apart.inlines(n)
	return apart.w.finish()
}

// linkable returns an address for a text_link, and whether Telegram accepts it. If a host's name
// has no dot, Telegram's servers drop the link, and the address would be lost.
func linkable(address string) (string, bool) {
	u, err := url.Parse(address)
	if err != nil {
		return "", false
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "https":
		return address, strings.Trim(u.Hostname(), ".") != "" && strings.Contains(u.Hostname(), ".")
	case "tg":
		return address, u.Host != "" || u.Opaque != ""
	}
	return "", false
}
