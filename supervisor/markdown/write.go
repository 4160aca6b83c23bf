package markdown

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mews/supervisor"
)

// mark is an entity in the making, in bytes.
type mark struct {
	kind       supervisor.EntityType // "" marks nothing
	start, end int                   // start is -1 until something was written in it
	order      int                   // which was opened first
	indent     int                   // how much of its first line's prefix is not in it
	url        string
	language   string
}

// writer makes a RichText, keeping the rules for entities whatever is asked of it.
type writer struct {
	text   []byte
	marks  []mark // closed
	open   []mark // the innermost last
	opened int    // how many marks were opened
	prefix string // of each line
	above  string // the prefix of the line before
	owed   int    // newlines to be written before what comes next
	glued  bool   // what comes next stays on this line, behind a space
}

// put writes a stretch of a line.
func (w *writer) put(s string) {
	s = tidy(s)
	if s == "" {
		return
	}
	if w.glued && w.owed == 0 {
		w.text = append(w.text, ' ')
	}
	w.begin(w.lines(w.prefix), len(w.prefix))
	w.text = append(w.text, s...)
}

// lines writes the newlines that are owed and the prefix of the line that begins, and says whether one begins.
func (w *writer) lines(prefix string) bool {
	begins := w.owed > 0 || len(w.text) == 0
	if len(w.text) == 0 {
		w.owed = 0
		w.text = append(w.text, prefix...)
	}
	for ; w.owed > 0; w.owed-- {
		w.text = append(w.text, '\n')
		if w.owed > 1 {
			w.text = append(w.text, strings.TrimRight(shared(w.above, prefix), " ")...)
		} else {
			w.text = append(w.text, prefix...)
		}
	}
	w.glued, w.above = false, prefix
	return begins
}

// shared is what two lines' prefixes have in common: an empty line between them has no more.
func shared(a, b string) string {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return a[:n]
}

// begin lets the open marks begin here that have not begun; in code, only it and the quotes around it. Where a line
// begins, a quote has its own part of the prefix.
func (w *writer) begin(line bool, prefix int) {
	code := len(w.open) > 0 && w.open[len(w.open)-1].kind == supervisor.EntityCode
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

// gap has at least n newlines before what comes next. Nothing stands before the first line.
func (w *writer) gap(n int) {
	if len(w.text) > 0 && !w.glued {
		w.owed = max(w.owed, n)
	}
}

// newline ends a line within a paragraph; more than one of them make an empty line.
func (w *writer) newline() {
	if len(w.text) > 0 {
		w.owed = min(w.owed+1, 2)
	}
}

// push opens a mark; pop closes it. One in another of its kind, or a link's code, marks nothing.
func (w *writer) push(m mark) {
	for _, o := range w.open {
		if o.kind == m.kind {
			m.kind = ""
		}
	}
	m.start, m.order, m.indent = -1, w.opened, len(w.prefix)
	w.opened++
	w.open = append(w.open, m)
}

// pop closes the mark that was opened last, and says which of w.marks it became; -1 for none.
func (w *writer) pop() int {
	m := w.open[len(w.open)-1]
	w.open = w.open[:len(w.open)-1]
	m.end = len(w.text)
	return w.close(m)
}

// close keeps a mark, without the white space around it. One that begins with a block of code begins where that does.
func (w *writer) close(m mark) int {
	if m.kind == "" || m.start < 0 {
		return -1
	}
	m.start, m.end = shrink(w.text, m.start, m.end, m.kind == supervisor.EntityPre)
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

// code writes what may hold no other mark and stand in quotes alone: the marks around it end before it and begin again
// after it. In a link it is text, for the link says more, and in a spoiler, for that hides it.
func (w *writer) code(s string) {
	for _, m := range w.open {
		if m.kind == supervisor.EntityLink || m.kind == supervisor.EntitySpoiler {
			w.put(s)
			return
		}
	}
	w.interrupt()
	w.push(mark{kind: supervisor.EntityCode})
	w.put(s)
	w.pop()
}

// interrupt ends the open marks that are no quotes here, to begin again with what is written next but one.
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

// pre writes a block of code, on lines of its own that have no prefix.
func (w *writer) pre(s, language string) {
	s = strings.TrimRightFunc(s, unicode.IsSpace)
	if i := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsSpace(r) }); i >= 0 {
		s = s[strings.LastIndexByte(s[:i], '\n')+1:]
	}
	if s == "" {
		return
	}
	w.glued = false
	w.gap(1)
	w.begin(w.lines(""), 0)
	start := len(w.text)
	for i, line := range strings.Split(s, "\n") {
		if i > 0 {
			w.text = append(w.text, '\n')
		}
		w.text = append(w.text, tidy(untabbed(line))...)
	}
	w.close(mark{kind: supervisor.EntityPre, start: start, end: len(w.text), order: w.opened, language: language})
	w.opened++
}

// finish is what was written.
func (w *writer) finish() supervisor.RichText {
	slices.SortFunc(w.marks, func(a, b mark) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end), cmp.Compare(a.order, b.order))
	})
	start, end := shrink(w.text, 0, len(w.text), false)
	if len(w.marks) > 0 {
		start = min(start, w.marks[0].start)
	}
	if invisible(string(w.text[start:end])) {
		return supervisor.RichText{}
	}
	t := supervisor.RichText{Text: string(w.text[start:end])}
	at := offsets(t.Text, w.marks, start)
	for _, m := range w.marks {
		t.Entities = append(t.Entities, supervisor.Entity{
			Type: m.kind, Offset: at[m.start], Length: at[m.end] - at[m.start], URL: m.url, Language: m.language,
		})
	}
	return t
}

// offsets are the places in text, in UTF-16 units, of where marks begin and end, which were counted in bytes from base.
func offsets(text string, marks []mark, base int) map[int]int {
	places := make([]int, 0, 2*len(marks))
	for _, m := range marks {
		places = append(places, m.start, m.end)
	}
	slices.Sort(places)
	at := make(map[int]int, len(places))
	from, n := 0, 0
	for _, p := range places {
		n += Length(text[from : p-base])
		from = p - base
		at[p] = n
	}
	return at
}

// shrink is a stretch of text without the white space around it; code keeps the indentation of its first line, and what
// begins with code must keep it too, or it would begin within the code.
func shrink[T string | []byte](text T, start, end int, code bool) (int, int) {
	for start < end {
		r, n := utf8.DecodeLastRuneInString(string(text[max(start, end-utf8.UTFMax):end]))
		if !unicode.IsSpace(r) {
			break
		}
		end -= n
	}
	from := start
	for start < end {
		r, n := utf8.DecodeRuneInString(string(text[start:min(end, start+utf8.UTFMax)]))
		if !unicode.IsSpace(r) {
			break
		}
		start += n
		if r == '\n' {
			from = start
		}
	}
	if code && start < end {
		return from, end
	}
	return start, end
}
