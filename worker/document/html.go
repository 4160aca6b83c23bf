package document

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"

	"mews/worker/parse"
)

// parseHTML writes the text of a page.
func parseHTML(f source, out *output) error {
	text, err := out.text(parse.FormatHTML)
	if err != nil {
		return err
	}
	return writeHTML(f.reader(), "", text)
}

// maxHTMLToken bounds one tag or one piece of text, in bytes. The tokenizer holds it in memory.
const maxHTMLToken = 1 << 20

// writeHTML writes the text of a page in any encoding. contentType is what a mail says of it; ""
// means that nothing says it.
func writeHTML(from io.Reader, contentType string, out *lines) error {
	decoded, err := charset.NewReader(bufio.NewReader(from), contentType)
	if err == io.EOF {
		return nil
	}
	if err != nil {
		return err
	}
	return writeTokens(decoded, out)
}

// writeTokens writes the text of a page in UTF-8.
func writeTokens(from io.Reader, out *lines) error {
	text := bufio.NewReader(from)
	if mark, _ := text.Peek(3); string(mark) == "\ufeff" {
		_, _ = text.Discard(len(mark)) // of bytes that were peeked at
	}
	z := html.NewTokenizer(text)
	z.SetMaxBuf(maxHTMLToken)
	w := &pageWriter{tables: tables{out: &lines{to: &blankLineWriter{to: out.to}}}}
	for w.tables.out.err == nil {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			if err := z.Err(); err != io.EOF {
				return parse.NewFailure(parse.ReasonDamaged)
			}
			return w.tables.out.err
		case html.TextToken:
			if w.skip == 0 {
				w.text(string(z.Text()))
			}
		case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
			w.tag(kind, z.Token())
		}
	}
	return w.tables.out.err
}

// blankLineWriter writes at most one of several blank lines.
type blankLineWriter struct {
	to   io.Writer
	ends int // line ends since the last other byte
}

func (b *blankLineWriter) Write(p []byte) (int, error) {
	kept := make([]byte, 0, len(p))
	for _, c := range p {
		if b.ends++; c != '\n' {
			b.ends = 0
		}
		if b.ends <= 2 {
			kept = append(kept, c)
		}
	}
	if _, err := b.to.Write(kept); err != nil {
		return 0, err
	}
	return len(p), nil
}

// pageWriter writes the text of a page: headings, lists, tables and links as in Markdown.
type pageWriter struct {
	tables  tables
	skip    atom.Atom // element that is left out with its contents; 0 means none
	depth   int       // number of open elements with the name of skip
	pre     int       // number of open elements whose white space counts
	lists   []int     // for each open list the number of its last item; -1 without numbers
	links   []string  // addresses of open links
	started bool      // something was written
	newline int       // line ends that are due before the next text
	space   bool      // a space is due before the next text
	marked  bool      // a mark of a heading or an item was written, and no text after it
}

// leftOut are elements whose contents are no text of the page.
var leftOut = map[atom.Atom]bool{atom.Script: true, atom.Style: true, atom.Template: true, atom.Svg: true, atom.Noscript: true,
	atom.Iframe: true, atom.Object: true, atom.Select: true}

// blocks are elements that stand on lines of their own, with the number of line ends around them.
var blocks = map[atom.Atom]int{
	atom.P: 2, atom.Div: 1, atom.Section: 2, atom.Article: 2, atom.Header: 1, atom.Footer: 1, atom.Main: 1, atom.Aside: 2, atom.Nav: 1,
	atom.H1: 2, atom.H2: 2, atom.H3: 2, atom.H4: 2, atom.H5: 2, atom.H6: 2, atom.Title: 2, atom.Ul: 1, atom.Ol: 1, atom.Li: 1, atom.Dl: 1,
	atom.Dt: 1, atom.Dd: 1, atom.Blockquote: 2, atom.Pre: 2, atom.Form: 1, atom.Fieldset: 1, atom.Figure: 2, atom.Figcaption: 1,
	atom.Hr: 2, atom.Address: 1, atom.Body: 2, atom.Tbody: 0, atom.Caption: 1, atom.Center: 1, atom.Option: 1, atom.Details: 1, atom.Summary: 1,
}

// headings are the marks before headings.
var headings = map[atom.Atom]string{atom.Title: "# ", atom.H1: "# ", atom.H2: "## ", atom.H3: "### ", atom.H4: "#### ",
	atom.H5: "##### ", atom.H6: "###### "}

// tableParts are the elements of tables.
var tableParts = map[atom.Atom]tablePart{atom.Table: partTable, atom.Tr: partRow, atom.Td: partCell, atom.Th: partCell}

func (w *pageWriter) tag(kind html.TokenType, t html.Token) {
	if w.skip != 0 {
		w.skipTag(kind, t.DataAtom)
		return
	}
	if kind != html.EndTagToken && leftOut[t.DataAtom] {
		if kind == html.StartTagToken {
			w.skip, w.depth = t.DataAtom, 1
		}
		return
	}
	if part := tableParts[t.DataAtom]; part != "" {
		w.tablePart(kind, part, t)
		return
	}
	w.newline = max(w.newline, blocks[t.DataAtom])
	if kind == html.EndTagToken {
		w.end(t.DataAtom)
		return
	}
	w.start(t)
}

// skipTag counts the elements that are left out.
func (w *pageWriter) skipTag(kind html.TokenType, name atom.Atom) {
	switch {
	case name != w.skip || kind == html.SelfClosingTagToken:
	case kind == html.StartTagToken:
		w.depth++
	default:
		if w.depth--; w.depth == 0 {
			w.skip = 0
		}
	}
}

func (w *pageWriter) start(t html.Token) {
	switch t.DataAtom {
	case atom.Br:
		w.newline++
	case atom.Hr:
		w.put("---")
		w.newline = 2
	case atom.Pre, atom.Textarea:
		w.pre++
	case atom.Ul:
		w.lists = append(w.lists, -1)
	case atom.Ol:
		w.lists = append(w.lists, 0)
	case atom.Li:
		w.mark(w.bullet())
	case atom.A:
		w.links = append(w.links, htmlAttribute(t, "href"))
	case atom.Img:
		if alt := htmlAttribute(t, "alt"); strings.TrimSpace(alt) != "" {
			w.text(fmt.Sprintf(textPicture, alt))
		}
	default:
		if mark := headings[t.DataAtom]; mark != "" {
			w.mark(mark)
		}
	}
}

// maxLists bounds the lists within each other whose items are indented.
const maxLists = 10

// bullet returns the mark of the next item of the innermost list.
func (w *pageWriter) bullet() string {
	if len(w.lists) == 0 {
		return "- "
	}
	indent := strings.Repeat("  ", min(len(w.lists), maxLists)-1)
	last := &w.lists[len(w.lists)-1]
	if *last < 0 {
		return indent + "- "
	}
	*last++
	return indent + strconv.Itoa(*last) + ". "
}

func (w *pageWriter) end(name atom.Atom) {
	switch name {
	case atom.Pre, atom.Textarea:
		w.pre = max(w.pre-1, 0)
	case atom.Ul, atom.Ol:
		w.lists = w.lists[:max(len(w.lists)-1, 0)]
	case atom.A:
		w.endLink()
	}
}

// endLink writes the address of a link.
func (w *pageWriter) endLink() {
	if len(w.links) == 0 {
		return
	}
	address := strings.TrimSpace(w.links[len(w.links)-1])
	w.links = w.links[:len(w.links)-1]
	if strings.HasPrefix(address, "http://") || strings.HasPrefix(address, "https://") || strings.HasPrefix(address, "mailto:") {
		w.text(" (" + address + ")")
	}
}

// tablePart begins or ends a part of a table.
func (w *pageWriter) tablePart(kind html.TokenType, part tablePart, t html.Token) {
	switch {
	case kind == html.EndTagToken:
		w.tables.end(part)
	case part == partTable:
		if w.started {
			w.tables.add("\n")
		}
		w.tables.beginTable()
	default:
		w.tables.begin(part)
		if part == partCell {
			w.tables.widen(htmlAttribute(t, "colspan"))
		}
	}
	w.newline, w.space = 0, false
}

// text writes text. Outside of preformatted text, white space becomes one space.
func (w *pageWriter) text(text string) {
	if w.pre > 0 {
		w.put(text)
		return
	}
	const white = " \t\r\n\f"
	for i, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(white, r) }) {
		w.space = w.space || i > 0 || strings.ContainsRune(white, rune(text[0]))
		w.put(word)
	}
	w.space = w.space || text != "" && strings.ContainsRune(white, rune(text[len(text)-1]))
}

// mark writes the mark before a heading or an item. Its text follows on the same line.
func (w *pageWriter) mark(mark string) {
	w.put(mark)
	w.marked = true
}

// put writes the line ends or the space that are due, and then a text.
func (w *pageWriter) put(text string) {
	switch {
	case !w.started || w.marked:
	case w.newline > 0:
		w.tables.add(strings.Repeat("\n", min(w.newline, 2)))
	case w.space:
		w.tables.add(" ")
	}
	w.tables.add(text)
	w.started, w.newline, w.space, w.marked = true, 0, false, false
}

// htmlAttribute returns an attribute's value; "" if there is none.
func htmlAttribute(t html.Token, name string) string {
	for _, a := range t.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
