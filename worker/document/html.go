package document

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

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

// writeHTML writes the text of a page in any encoding. named is the encoding that a mail states for
// the page; "" means none.
func writeHTML(from io.Reader, named string, out *lines) error {
	in := bufio.NewReader(from)
	head, err := in.Peek(maxMeta)
	if err != nil && err != io.EOF {
		return err
	}
	return writeTokens(pageEncoding(head, named).NewDecoder().Reader(in), out)
}

// writeTokens writes the text of a page in UTF-8.
func writeTokens(from io.Reader, out *lines) error {
	z := newHTMLTokenizer(from)
	w := &pageWriter{tables: tables{out: &lines{to: &blankLineWriter{to: out.to}}}}
	for w.tables.out.err == nil {
		token, err := z.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if token.kind != tokenText {
			w.tag(token)
		} else if w.skip == "" {
			w.text(token.text)
		}
	}
	return w.tables.out.err
}

// blankLineWriter replaces several blank lines by one.
type blankLineWriter struct {
	to   io.Writer
	ends int // number of line ends since the last other byte
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
	skip    string   // name of an element that is left out with its contents; "" means no element
	depth   int      // number of open elements with the name of skip
	pre     int      // number of open elements whose white space counts
	lists   []int    // number of the last item of each open list; -1 for a list without numbers
	links   []string // addresses of open links
	started bool     // whether some text was written
	newline int      // line ends that are due before the next text
	space   bool     // whether a space is due before the next text
	marked  bool     // a mark of a heading or an item was written, without text after it so far
}

// isLeftOut reports whether an element's contents are no text of the page.
func isLeftOut(name string) bool {
	switch name {
	case "script", "style", "template", "svg", "noscript", "iframe", "object", "select":
		return true
	}
	return false
}

// lineEndsAround returns the number of line ends around an element: 0 within a line.
func lineEndsAround(name string) int {
	switch name {
	case "p", "section", "article", "aside", "h1", "h2", "h3", "h4", "h5", "h6", "title", "blockquote", "pre",
		"figure", "hr", "body":
		return 2
	case "div", "header", "footer", "main", "nav", "ul", "ol", "li", "dl", "dt", "dd", "form", "fieldset", "figcaption",
		"address", "caption", "center", "option", "details", "summary":
		return 1
	}
	return 0
}

// headingMark returns the mark before a heading; "" for another element.
func headingMark(name string) string {
	switch name {
	case "title", "h1":
		return "# "
	case "h2", "h3", "h4", "h5", "h6":
		return strings.Repeat("#", int(name[1]-'0')) + " "
	}
	return ""
}

// tablePartOf returns the part of a table that an element is; "" for another element.
func tablePartOf(name string) tablePart {
	switch name {
	case "table":
		return partTable
	case "tr":
		return partRow
	case "td", "th":
		return partCell
	}
	return ""
}

func (w *pageWriter) tag(t htmlToken) {
	if w.skip != "" {
		w.skipTag(t)
		return
	}
	if t.kind != tokenEnd && isLeftOut(t.name) {
		if t.kind == tokenStart {
			w.skip, w.depth = t.name, 1
		}
		return
	}
	if part := tablePartOf(t.name); part != "" {
		w.tablePart(part, t)
		return
	}
	w.newline = max(w.newline, lineEndsAround(t.name))
	if t.kind == tokenEnd {
		w.end(t.name)
		return
	}
	w.start(t)
}

// skipTag counts the elements that are left out.
func (w *pageWriter) skipTag(t htmlToken) {
	switch {
	case t.name != w.skip || t.kind == tokenAlone:
	case t.kind == tokenStart:
		w.depth++
	default:
		if w.depth--; w.depth == 0 {
			w.skip = ""
		}
	}
}

func (w *pageWriter) start(t htmlToken) {
	switch t.name {
	case "br":
		w.newline++
	case "hr":
		w.put("---")
		w.newline = 2
	case "pre", "textarea":
		w.pre++
	case "ul":
		w.lists = append(w.lists, -1)
	case "ol":
		w.lists = append(w.lists, 0)
	case "li":
		w.mark(w.bullet())
	case "a":
		w.links = append(w.links, t.attributes["href"])
	case "img":
		if alt := t.attributes["alt"]; strings.TrimSpace(alt) != "" {
			w.text(fmt.Sprintf(textPicture, alt))
		}
	default:
		if mark := headingMark(t.name); mark != "" {
			w.mark(mark)
		}
	}
}

// maxLists is the largest depth of nested lists whose items are indented.
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

func (w *pageWriter) end(name string) {
	switch name {
	case "pre", "textarea":
		w.pre = max(w.pre-1, 0)
	case "ul", "ol":
		w.lists = w.lists[:max(len(w.lists)-1, 0)]
	case "a":
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
	if strings.HasPrefix(address, "http://") || strings.HasPrefix(address, "https://") ||
		strings.HasPrefix(address, "mailto:") {
		w.text(" (" + address + ")")
	}
}

// tablePart begins or ends a part of a table.
func (w *pageWriter) tablePart(part tablePart, t htmlToken) {
	switch {
	case t.kind == tokenEnd:
		w.tables.end(part)
	case part == partTable:
		if w.started {
			w.tables.add("\n")
		}
		w.tables.beginTable()
	default:
		w.tables.begin(part)
		if part == partCell {
			w.tables.widen(t.attributes["colspan"])
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
