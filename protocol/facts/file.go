package facts

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mews/protocol"
)

// File is the text of MEMORY.md, line by line.
type File struct {
	lines []Line
	end   int // number of lines up to the last line that may hold a fact
}

// Line is one line of the file. Only changed lines are formatted again.
type Line struct {
	Raw  string // the line with its line end
	Fact *Fact  // fact on the line; nil means none
	mark string // indentation and mark of the bullet
}

// Lines returns the lines of the file. The caller must not change them.
func (f *File) Lines() []Line { return f.lines }

// fence matches a line that opens or closes a block of code. As in CommonMark, no backtick follows
// a fence of backticks. A block that is never closed ends with the file.
var fence = regexp.MustCompile("^\\s*(```+|~~~+)([^`]*)$")

// ParseFile reads MEMORY.md. Lines between fences of code are no facts. If several bullets have the
// same id, the first bullet keeps the id, and the other bullets count as written by hand.
func ParseFile(text string) *File {
	f, seen, open := &File{}, map[string]bool{}, ""
	for raw := range strings.Lines(text) {
		l := Line{Raw: raw}
		text := strings.TrimRight(raw, "\r\n")
		if m := fence.FindStringSubmatch(text); m != nil && open == "" {
			open, f.end = m[1], len(f.lines)
		} else if m != nil && strings.HasPrefix(m[1], open) && strings.TrimSpace(m[2]) == "" {
			open = ""
		} else if fact, mark, ok := parseFact(text); ok && open == "" {
			if fact.ID[0] == 'k' && seen[fact.ID] {
				fact.ID = digestID(fact.Text)
			}
			seen[fact.ID] = true
			l.Fact, l.mark = &fact, mark
		}
		f.lines = append(f.lines, l)
	}
	if open == "" {
		f.end = len(f.lines)
	}
	return f
}

// String returns the text of the file.
func (f *File) String() string {
	var b strings.Builder
	for _, l := range f.lines {
		b.WriteString(l.Raw)
	}
	return b.String()
}

// Facts lists the facts in the order of the file.
func (f *File) Facts() (facts []Fact) {
	for i, l := range f.lines {
		if l.Fact != nil {
			fact := *l.Fact
			fact.Line = i + 1
			facts = append(facts, fact)
		}
	}
	return facts
}

// FindFact finds a fact by its id.
func (f *File) FindFact(id string) (fact Fact, ok bool) {
	if i := f.find(id); i >= 0 {
		fact = *f.lines[i].Fact
		fact.Line = i + 1
		return fact, true
	}
	return fact, false
}

func (f *File) find(id string) int {
	return slices.IndexFunc(f.lines, func(l Line) bool { return l.Fact != nil && l.Fact.ID == strings.ToLower(id) })
}

// put replaces the fact with an id. If id is "", put adds the fact behind the last fact. A fact
// without an id gets a new id. after is the highest number in the ids of forgotten facts.
func (f *File) put(id string, fact Fact, after int) Fact {
	if !strings.HasPrefix(fact.ID, "k") {
		fact.ID = f.nextID(after)
	}
	at := f.find(id)
	if id == "" || at < 0 {
		at = f.makeRoom()
	}
	l := &f.lines[at]
	end := l.Raw[len(strings.TrimRight(l.Raw, "\r\n")):]
	l.Raw, l.Fact = l.mark+fact.line()+end, &fact
	fact.Line = at + 1
	return fact
}

// makeRoom adds an empty bullet behind the last bullet, or at the end of the file. The new bullet
// comes before an unclosed block of code.
func (f *File) makeRoom() (at int) {
	end := "\n"
	for i, l := range f.lines {
		if strings.HasSuffix(l.Raw, "\r\n") {
			end = "\r\n"
		}
		if l.Fact != nil {
			at = i + 1
		}
	}
	if at == 0 {
		at = f.end
	}
	if at > 0 && !strings.HasSuffix(f.lines[at-1].Raw, "\n") {
		f.lines[at-1].Raw += end
	}
	f.lines = slices.Insert(f.lines, at, Line{Raw: end, mark: "- "})
	return at
}

func (f *File) nextID(after int) string {
	for _, l := range f.lines {
		if l.Fact != nil && FactIDNumber(l.Fact.ID) < protocol.MaxFactNumber {
			after = max(after, FactIDNumber(l.Fact.ID))
		}
	}
	return "k" + strconv.Itoa(after+1)
}

// FactIDNumber returns the number of an id; 0 if it has none.
func FactIDNumber(id string) int {
	n, _ := strconv.Atoi(strings.TrimPrefix(id, "k"))
	return n
}

func (f *File) delete(id string) {
	if at := f.find(id); at >= 0 {
		f.lines = slices.Delete(f.lines, at, at+1)
	}
}
