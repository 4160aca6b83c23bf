package todo

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxNumber is greater than every number that an edit gives. Numbers above it, which a person has
// written, are not continued.
const maxNumber = 100_000_000

// File is the text of a to-do list.
type File struct {
	lines   []string // each line with its ending
	items   []entry
	stale   bool   // the items are not those of the lines any more
	highest int64  // highest number of an item
	user    string // value of the key user in the last comment that has it
}

// entry is an item with its place in the file.
type entry struct {
	Item
	from, to int // lines of the item
	mark     int // byte of the title line inside the box
	title    int // byte of the title line at which the text begins
	indent   int // columns before the bullet
	inline   bool
	// lines of the effort, the due date and the comment; 0 means none
	effort, due, meta int
	text              []int // lines of the description
}

// Parse reads a list. Lines that are no part of an item stay as they are.
func Parse(text string) *File {
	f := &File{lines: make([]string, 0, strings.Count(text, "\n")+1)}
	for line := range strings.Lines(text) {
		f.lines = append(f.lines, line)
	}
	f.parse()
	return f
}

// String returns the text of the list.
func (f *File) String() string { return strings.Join(f.lines, "") }

// Items returns the items in the order of the file.
func (f *File) Items() []Item {
	f.refresh()
	list := make([]Item, len(f.items))
	for n, e := range f.items {
		list[n] = e.Item
	}
	return list
}

// Find returns the item with a key.
func (f *File) Find(key string) (Item, bool) {
	if n := f.index(key); n >= 0 {
		return f.items[n].Item, true
	}
	return Item{}, false
}

func (f *File) index(key string) int {
	f.refresh()
	key = strings.TrimPrefix(strings.ToLower(strings.TrimSpace(key)), "#")
	return slices.IndexFunc(f.items, func(e entry) bool { return e.Key == key })
}

// refresh parses the lines again after an edit.
func (f *File) refresh() {
	if f.stale {
		f.parse()
	}
}

// byteOrderMark may stand at the beginning of a file.
const byteOrderMark = "\uFEFF"

// parse finds the items of the lines.
func (f *File) parse() {
	f.stale = false
	f.items, f.highest, f.user = make([]entry, 0, len(f.items)+len(f.lines)/8), 0, ""
	var outside block
	for n := 0; n < len(f.lines); {
		line := content(f.lines[n])
		if n == 0 {
			line = strings.TrimPrefix(line, byteOrderMark)
		}
		e, ok := startItem(line)
		if outside.skips(line) || !ok {
			if m, ok := parseMeta(strings.TrimSpace(line)); ok { // its number must not be given again
				f.noteMeta(m)
			}
			n++
			continue
		}
		shift := len(content(f.lines[n])) - len(line) // of a byte order mark
		e.mark, e.title, e.from = e.mark+shift, e.title+shift, n
		f.readItem(&e)
		f.items = append(f.items, e)
		n = e.to
	}
	f.giveKeys()
}

// content returns a line without its ending.
func content(line string) string {
	if whole, found := strings.CutSuffix(line, "\r\n"); found {
		return whole
	}
	return strings.TrimSuffix(line, "\n")
}

// block is a block of code or a comment between items. Boxes in it are no items.
type block struct {
	fence   string
	comment bool
}

// skips reports whether a line belongs to such a block.
func (b *block) skips(line string) bool {
	trimmed := strings.TrimSpace(line)
	switch {
	case b.comment:
		b.comment = !strings.Contains(trimmed, "-->")
		return true
	case b.fence != "":
		if strings.HasPrefix(trimmed, b.fence) && strings.Trim(trimmed, b.fence[:1]) == "" {
			b.fence = ""
		}
		return true
	case width(line) <= maxIndent && (strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~")):
		rest := strings.TrimLeft(trimmed, trimmed[:1])
		if strings.Contains(rest, "`") { // code within a line
			return false
		}
		b.fence = trimmed[:len(trimmed)-len(rest)]
		return true
	case strings.HasPrefix(trimmed, "<!--"):
		b.comment = !strings.Contains(trimmed, "-->")
		return true
	}
	return false
}

// width returns the columns of white space before a line's text.
func width(line string) (columns int) {
	for n := 0; n < len(line); n++ {
		switch line[n] {
		case ' ':
			columns++
		case '\t':
			columns += 4 - columns%4
		default:
			return columns
		}
	}
	return columns
}

// maxIndent is the most columns before an item's bullet. Text further right is code or belongs to
// another list.
const maxIndent = 3

// startItem reads the beginning of an item.
func startItem(line string) (e entry, ok bool) {
	at := len(line) - len(strings.TrimLeft(line, " "))
	if at > maxIndent || len(line) < at+5 || !strings.ContainsRune("-*+", rune(line[at])) {
		return e, false
	}
	box := at + 1 + len(line[at+1:]) - len(strings.TrimLeft(line[at+1:], " \t"))
	if box == at+1 || len(line) < box+3 || line[box] != '[' || line[box+2] != ']' {
		return e, false
	}
	e.Status, ok = statusOfMark[line[box+1]]
	e.indent, e.mark, e.title = at, box+1, box+3
	rest := line[e.title:]
	e.title += len(rest) - len(strings.TrimLeft(rest, " \t"))
	return e, ok && e.title > box+3 && strings.TrimSpace(rest) != "" // an empty box is no item
}

// readItem reads the lines of an item that begins at e.from.
func (f *File) readItem(e *entry) {
	e.Line, e.to = e.from+1, e.from+1
	for n := e.to; n < len(f.lines); n++ {
		line := content(f.lines[n])
		if strings.TrimSpace(line) == "" {
			continue
		}
		if _, next := startItem(line); width(line) <= e.indent || next && width(line) < e.indent+2 {
			break
		}
		e.to = n + 1
	}
	var due string
	e.Title, e.Tags, due = splitTitle(strings.ToValidUTF8(content(f.lines[e.from])[e.title:], "\uFFFD"))
	e.Effort, e.Due, e.inline = DefaultEffort, due, due != ""
	for n := e.from + 1; n < e.to; n++ {
		f.readLine(e, n)
	}
	e.Description = f.description(e)
}

// readLine reads one line below an item's title.
func (f *File) readLine(e *entry, n int) {
	line := strings.TrimSpace(content(f.lines[n]))
	if effort, ok := parseEffort(line); ok && e.effort == 0 {
		e.Effort, e.effort = effort, n
		return
	}
	if date, found := strings.CutPrefix(line, "due:"); found && e.due == 0 && !e.inline {
		if due, ok := ParseDue(date); ok {
			e.Due, e.due = due, n
			return
		}
	}
	if m, ok := parseMeta(line); ok && e.meta == 0 {
		e.meta = n
		e.Key, e.Created, e.Updated, e.Completed = m.id, m.created, m.updated, m.completed
		e.Source = m.parsedSource()
		f.noteMeta(m)
		return
	}
	e.text = append(e.text, n)
}

func parseEffort(line string) (effort string, ok bool) {
	word, found := strings.CutPrefix(line, "effort:")
	word = strings.TrimSpace(word)
	return word, found && slices.Contains(Efforts(), word)
}

// meta are the known keys of an item's comment.
type meta struct{ id, user, created, updated, completed, source, found, was string }

// parseMeta reads the comment of an item. ok is false for a comment without a number.
func parseMeta(line string) (m meta, ok bool) {
	inner, found := strings.CutPrefix(line, "<!--")
	if inner, ok = strings.CutSuffix(inner, "-->"); !found || !ok || !strings.Contains(inner, "id:") {
		return m, false
	}
	for word := range strings.FieldsSeq(strings.ToValidUTF8(inner, "\uFFFD")) {
		key, value, _ := strings.Cut(word, ":")
		if to := m.field(key); to != nil && *to == "" {
			*to = value
		}
	}
	number, err := strconv.ParseInt(m.id, 10, 64)
	return m, err == nil && number > 0 && m.id == strconv.FormatInt(number, 10)
}

// field returns the value of a key; nil if the key is not known.
func (m *meta) field(key string) *string {
	switch key {
	case "id":
		return &m.id
	case "user":
		return &m.user
	case "created":
		return &m.created
	case "updated":
		return &m.updated
	case "completed":
		return &m.completed
	case keySource:
		return &m.source
	case keyFound:
		return &m.found
	case keyWas:
		return &m.was
	}
	return nil
}

// noteMeta notes the number and the user of a comment.
func (f *File) noteMeta(m meta) {
	if number, _ := strconv.ParseInt(m.id, 10, 64); number < maxNumber { // parseMeta has checked it
		f.highest = max(f.highest, number)
	}
	if m.user != "" {
		f.user = m.user
	}
}

// description joins the lines of a description, without their common indentation.
func (f *File) description(e *entry) string {
	var b strings.Builder
	indent, blank := -1, 0
	for _, n := range e.text {
		line := strings.TrimRight(content(f.lines[n]), " \t\r")
		if strings.TrimSpace(line) == "" {
			blank++
			continue
		}
		if indent < 0 {
			indent, blank = width(line), 0
		} else {
			b.WriteString(strings.Repeat("\n", blank+1))
		}
		blank = 0
		b.WriteString(strings.ToValidUTF8(cutIndent(line, indent), "\uFFFD"))
	}
	return b.String()
}

// cutIndent cuts at most that many columns of white space off a line.
func cutIndent(line string, columns int) string {
	for n := range len(line) {
		if w := width(line[:n+1]); line[n] != ' ' && line[n] != '\t' || w > columns {
			return line[n:]
		}
	}
	return ""
}

// giveKeys gives a key to each item that has no number, or one that an earlier item has.
func (f *File) giveKeys() {
	taken, copies := make(map[string]bool, len(f.items)), map[string]int{}
	for n := range f.items {
		e := &f.items[n]
		if e.Key != "" && !taken[e.Key] {
			taken[e.Key] = true
			continue
		}
		sum := sha256.Sum256([]byte(e.Title))
		e.Key = fmt.Sprintf("h%x", sum[:3])
		if copies[e.Key]++; copies[e.Key] > 1 {
			e.Key = fmt.Sprint(e.Key, "-", copies[e.Key])
		}
	}
}
