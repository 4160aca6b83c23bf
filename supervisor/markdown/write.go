package markdown

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mews/supervisor"
)

// mark is an unfinished entity, in bytes.
type mark struct {
	kind       supervisor.RichTextEntityType // the entity's type; "" means no mark
	start, end int                           // start is -1 until text is written
	order      int                           // position of the mark in the order of opening
	indent     int                           // length of the part of the first line's prefix that is outside the mark
	url        string
	language   string
}

// writer builds a RichText. The text keeps the rules for entities, in any order of calls.
type writer struct {
	text        []byte
	marks       []mark // closed marks
	open        []mark // open marks, the innermost last
	openedCount int    // number of marks that were opened so far
	prefix      string // prefix of each line
	lastPrefix  string // the prefix of the previous line
	newlines    int    // newlines before the next text
	sameLine    bool   // whether the next text stays on this line, after a space
	scripts     []int  // starts of open raised or lowered texts
}

// put writes a part of a line.
func (w *writer) put(s string) {
	s = sanitize(s)
	if s == "" {
		return
	}
	if w.sameLine && w.newlines == 0 {
		w.text = append(w.text, ' ')
	}
	w.startMarks(w.startLine(w.prefix), len(w.prefix))
	w.text = append(w.text, s...)
}

// putLines writes a text of several lines.
func (w *writer) putLines(s string) {
	for i, line := range strings.Split(s, "\n") {
		if i > 0 {
			w.newline()
		}
		w.put(line)
	}
}

// startLine writes the pending newlines and the prefix of a new line, and reports whether a line
// begins.
func (w *writer) startLine(prefix string) bool {
	begins := w.newlines > 0 || len(w.text) == 0
	if len(w.text) == 0 {
		w.newlines = 0
		w.text = append(w.text, prefix...)
	}
	for ; w.newlines > 0; w.newlines-- {
		w.text = append(w.text, '\n')
		if w.newlines > 1 {
			w.text = append(w.text, strings.TrimRight(commonPrefix(w.lastPrefix, prefix), " ")...)
		} else {
			w.text = append(w.text, prefix...)
		}
	}
	w.sameLine, w.lastPrefix = false, prefix
	return begins
}

// commonPrefix returns the common prefix of two lines. An empty line between them gets this prefix.
func commonPrefix(a, b string) string {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return a[:n]
}

// startMarks starts the open marks at the current position. In code, it starts only the code's own
// mark and the quotes around the code. At the beginning of a line, a quote includes its own part of
// the prefix.
func (w *writer) startMarks(line bool, prefix int) {
	code := slices.ContainsFunc(w.open, func(m mark) bool { return m.kind == supervisor.EntityCode })
	for i, m := range w.open {
		if m.start >= 0 || code && m.kind != supervisor.EntityCode && m.kind != supervisor.EntityQuote {
			continue
		}
		w.open[i].start = len(w.text)
		if line && m.kind == supervisor.EntityQuote {
			w.open[i].start -= max(0, prefix-m.indent)
		}
	}
}

// gap requires at least n newlines before the next text, except at the beginning.
func (w *writer) gap(n int) {
	if len(w.text) > 0 && !w.sameLine {
		w.newlines = max(w.newlines, n)
	}
}

// newline ends a line within a paragraph. Two or more newlines make an empty line.
func (w *writer) newline() {
	if len(w.text) > 0 {
		w.newlines = min(w.newlines+1, 2)
	}
}

// push opens a mark; pop closes it. A mark within another of its kind, or within code, has no
// effect. Code may only be in quotes: other marks around code end before the code and start again
// after it. In a link, code becomes text, because the link is more useful. In a spoiler, code
// becomes text, because the spoiler hides it.
func (w *writer) push(m mark) {
	code := m.kind == supervisor.EntityCode
	if slices.ContainsFunc(w.open, func(o mark) bool {
		return o.kind == m.kind || o.kind == supervisor.EntityCode ||
			code && (o.kind == supervisor.EntityLink || o.kind == supervisor.EntitySpoiler)
	}) {
		m.kind = ""
	}
	if m.kind == supervisor.EntityCode {
		w.interrupt()
	}
	m.start, m.order, m.indent = -1, w.openedCount, len(w.prefix)
	w.openedCount++
	w.open = append(w.open, m)
}

// pop closes the last opened mark, and returns its index in w.marks; -1 if there is none.
func (w *writer) pop() int {
	m := w.open[len(w.open)-1]
	w.open = w.open[:len(w.open)-1]
	m.end = len(w.text)
	return w.close(m)
}

// close stores a mark without the white space around it. A mark that begins with a block of code
// begins at the beginning of the code.
func (w *writer) close(m mark) int {
	if m.kind == "" || m.start < 0 {
		return -1
	}
	m.start, m.end = trimSpace(w.text, m.start, m.end, m.kind == supervisor.EntityPre)
	if m.start >= m.end {
		return -1
	}
	for i := len(w.marks) - 1; i >= 0 && w.marks[i].end > m.start; i-- {
		if w.marks[i].kind == supervisor.EntityPre {
			m.start = min(m.start, w.marks[i].start)
		}
	}
	w.marks = append(w.marks, m)
	return len(w.marks) - 1
}

// code writes code.
func (w *writer) code(s string) {
	w.push(mark{kind: supervisor.EntityCode})
	w.put(s)
	w.pop()
}

// endScript raises or lowers the text since its tag opened. If Unicode has no such characters, or
// the text has a mark, endScript puts the sign before the text.
func (w *writer) endScript(sign string) {
	from := w.scripts[len(w.scripts)-1]
	w.scripts = w.scripts[:len(w.scripts)-1]
	plain := string(w.text[from:])
	if plain == "" || slices.ContainsFunc(w.marks, func(m mark) bool { return m.end > from }) {
		return
	}
	shown := strings.Map(func(r rune) rune { return cmp.Or(scripts[sign][r], -1) }, plain)
	switch n := utf8.RuneCountInString(plain); {
	case utf8.RuneCountInString(shown) == n:
	case n == 1:
		shown = sign + plain
	default:
		shown = sign + "(" + plain + ")"
	}
	w.text = append(w.text[:from], shown...)
}

// interrupt ends the open marks that are no quotes. These marks start again after the next text.
func (w *writer) interrupt() {
	for i, m := range w.open {
		if m.kind == supervisor.EntityQuote {
			continue
		}
		m.end = len(w.text)
		w.close(m)
		w.open[i].start = -1
	}
}

// pre writes a block of code on lines of its own, without prefix.
func (w *writer) pre(s, language string) {
	s = strings.TrimRightFunc(s, unicode.IsSpace)
	if i := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsSpace(r) }); i >= 0 {
		s = s[strings.LastIndexByte(s[:i], '\n')+1:]
	}
	if s == "" {
		return
	}
	w.sameLine = false
	w.gap(1)
	w.startMarks(w.startLine(""), 0)
	start := len(w.text)
	for i, line := range strings.Split(s, "\n") {
		if i > 0 {
			w.text = append(w.text, '\n')
		}
		w.text = append(w.text, sanitize(untabbed(line))...)
	}
	w.close(mark{kind: supervisor.EntityPre, start: start, end: len(w.text), order: w.openedCount, language: language})
	w.openedCount++
}

// finish returns the result.
func (w *writer) finish() supervisor.RichText {
	slices.SortFunc(w.marks, byOffset)
	start, end := trimSpace(w.text, 0, len(w.text), false)
	if len(w.marks) > 0 {
		start = min(start, w.marks[0].start)
	}
	if invisible(string(w.text[start:end])) {
		return supervisor.RichText{}
	}
	return marked(string(w.text[start:end]), w.marks, start)
}

// marked returns a text with marks, whose positions are in bytes from base.
func marked(text string, marks []mark, base int) supervisor.RichText {
	t := supervisor.RichText{Text: text}
	at := offsets(text, marks, base)
	for _, m := range marks {
		t.Entities = append(t.Entities, supervisor.RichTextEntity{
			Type: m.kind, Offset: at[m.start], Length: at[m.end] - at[m.start], URL: m.url, Language: m.language,
		})
	}
	return t
}

// byOffset sorts marks by their beginning, and longer marks first. Equal marks keep the order of
// opening.
func byOffset(a, b mark) int {
	return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end), cmp.Compare(a.order, b.order))
}

// offsets returns the UTF-16 offsets of marks' byte positions, which count from base.
func offsets(text string, marks []mark, base int) map[int]int {
	offsets := make([]int, 0, 2*len(marks))
	for _, m := range marks {
		offsets = append(offsets, m.start, m.end)
	}
	slices.Sort(offsets)
	at := make(map[int]int, len(offsets))
	from, n := 0, 0
	for _, p := range offsets {
		n += supervisor.UTF16Length(text[from : p-base])
		from = p - base
		at[p] = n
	}
	return at
}

// trimSpace returns a range of text without the white space around it. Code keeps the indentation
// of its first line. A mark that begins with code keeps it too, because otherwise the mark would
// begin within the code.
func trimSpace[T string | []byte](text T, start, end int, code bool) (int, int) {
	s := strings.TrimRightFunc(string(text[start:end]), unicode.IsSpace)
	blank := len(s) - len(strings.TrimLeftFunc(s, unicode.IsSpace))
	if code {
		blank = strings.LastIndexByte(s[:blank], '\n') + 1
	}
	return start + blank, start + len(s)
}
