package diff

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxNumber is the maximum for numbers in a hunk's header.
const maxNumber = 1 << 30

// parser parses a diff line by line.
type parser struct {
	rest   string
	number int   // number of the last line that was read
	left   []int // remaining lines of the current hunk, for each parent and for the result
}

// Parse parses a diff of git. It may contain any number of files, and other text between them, such
// as the messages of git log. The prefixes must be git's defaults a/ and b/. The result shares
// text's memory.
func Parse(text string) ([]File, error) {
	p := &parser{rest: text}
	var files []File
	for p.rest != "" {
		if !p.atFile() {
			p.next()
			continue
		}
		f := File{Status: FileModified}
		p.header(&f)
		if f.Path() == "" {
			return nil, p.errorf("a file without a path")
		}
		var err error
		if f.Hunks, err = p.hunks(); err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// ParsePatch parses hunks without a header, as GitHub's API returns them for a file.
func ParsePatch(patch string) ([]Hunk, error) {
	p := &parser{rest: patch}
	hunks, err := p.hunks()
	if err == nil && p.rest != "" {
		p.next()
		err = p.errorf("not a hunk")
	}
	return hunks, err
}

func (p *parser) next() (line string) {
	line, p.rest, _ = strings.Cut(p.rest, "\n")
	p.number++
	return line
}

func (p *parser) peek() string {
	line, _, _ := strings.Cut(p.rest, "\n")
	return line
}

func (p *parser) errorf(format string, args ...any) error {
	return fmt.Errorf("diff: line %d: %s", p.number, fmt.Sprintf(format, args...))
}

// atFile reports whether a file's header begins here. Programs other than git begin a header with
// the lines --- and +++, which have the file's names.
func (p *parser) atFile() bool {
	if strings.HasPrefix(p.rest, "diff --") {
		return true
	}
	if !strings.HasPrefix(p.rest, "--- ") {
		return false
	}
	_, after, _ := strings.Cut(p.rest, "\n")
	return strings.HasPrefix(after, "+++ ")
}

// header reads the lines before the first hunk. It stops at a line that is not part of a header,
// because other text may follow.
func (p *parser) header(f *File) {
	for first := true; first || !strings.HasPrefix(p.rest, "diff --"); first = false {
		line := p.peek()
		i := slices.IndexFunc(headerLines, func(h headerLine) bool { return strings.HasPrefix(line, h.prefix) })
		if i < 0 {
			break
		}
		p.next()
		headerLines[i].read(f, line[len(headerLines[i].prefix):])
	}
	switch f.Status {
	case FileAdded:
		f.Old = ""
	case FileRemoved:
		f.New = ""
	}
}

// headerLine is a kind of line in a file's header. (git-diff(1), "Generating patch text with -p"
// and "Combined diff format".)
type headerLine struct {
	prefix string
	read   func(f *File, rest string)
}

var headerLines = []headerLine{
	{"diff --git ", readBothNames},
	{"diff --cc ", readOneName},
	{"diff --combined ", readOneName},
	{"old mode ", func(f *File, rest string) { f.OldMode = rest }},
	{"new mode ", func(f *File, rest string) { f.NewMode = rest }},
	{"mode ", readModes},
	{"new file mode ", func(f *File, rest string) { f.Status, f.NewMode = FileAdded, rest }},
	{"deleted file mode ", func(f *File, rest string) { f.Status, f.OldMode = FileRemoved, firstOf(rest) }},
	{"copy from ", func(f *File, rest string) { f.Status, f.Old = FileCopied, unquoted(rest) }},
	{"copy to ", func(f *File, rest string) { f.New = unquoted(rest) }},
	{"rename from ", func(f *File, rest string) { f.Status, f.Old = FileRenamed, unquoted(rest) }},
	{"rename to ", func(f *File, rest string) { f.New = unquoted(rest) }},
	{"similarity index ", func(*File, string) {}},
	{"dissimilarity index ", func(*File, string) {}},
	{"index ", readIndex},
	{"Binary files ", func(f *File, _ string) { f.Binary = true }},
	{"GIT binary patch", func(f *File, _ string) { f.Binary = true }},
	{"--- ", readOldName},
	{"+++ ", readNewName},
}

// readIndex reads the mode of a file whose mode did not change.
func readIndex(f *File, rest string) {
	if _, mode, ok := strings.Cut(rest, " "); ok {
		f.OldMode, f.NewMode = mode, mode
	}
}

// readModes reads the modes of the first parent and of the result.
func readModes(f *File, rest string) {
	before, after, _ := strings.Cut(rest, "..")
	f.OldMode, f.NewMode = firstOf(before), after
}

// firstOf returns the first value of a list, which belongs to the first parent.
func firstOf(list string) string {
	first, _, _ := strings.Cut(list, ",")
	return first
}

// hunks reads the hunks of a file. It counts them first, because a diff may consist of hunks and a
// growing slice needs several times its size.
func (p *parser) hunks() ([]Hunk, error) {
	ahead, n := *p, 0
	for ; strings.HasPrefix(ahead.rest, "@@"); n++ {
		if _, err := ahead.hunk(); err != nil {
			return nil, err
		}
	}
	hunks := make([]Hunk, n)
	for i := range hunks {
		hunks[i], _ = p.hunk()
	}
	return hunks, nil
}

func (p *parser) hunk() (Hunk, error) {
	h, ok := p.hunkHeader(p.next())
	if !ok {
		return h, p.errorf("not the header of a hunk")
	}
	err := p.body(&h)
	return h, err
}

// hunkHeader parses "@@ -start,lines +start,lines @@ section". A combined diff has one more @ and
// range for each further parent.
func (p *parser) hunkHeader(line string) (h Hunk, ok bool) {
	at := len(line) - len(strings.TrimLeft(line, "@"))
	end := strings.Index(line[at:], " "+line[:at])
	if end < 0 {
		return h, false
	}
	h.Section = strings.TrimPrefix(line[at+end+1+at:], " ")
	h.parents = at - 1
	p.left = p.left[:0]
	for field := range strings.FieldsSeq(line[at : at+end]) {
		start, count, ok := hunkRange(field, len(p.left) == h.parents)
		if !ok {
			return h, false
		}
		switch len(p.left) {
		case 0:
			h.OldStart, h.OldLines = start, count
		case h.parents:
			h.NewStart, h.NewLines = start, count
		}
		p.left = append(p.left, count)
	}
	return h, h.parents > 0 && len(p.left) == at
}

// hunkRange parses "-start,lines", or "+start,lines" for the result. A missing number of lines
// means 1.
func hunkRange(field string, result bool) (start, lines int, ok bool) {
	mark := byte('-')
	if result {
		mark = '+'
	}
	if field[0] != mark {
		return 0, 0, false
	}
	first, count, counted := strings.Cut(field[1:], ",")
	if !counted {
		count = "1"
	}
	s, err1 := strconv.ParseUint(first, 10, 31)
	n, err2 := strconv.ParseUint(count, 10, 31)
	return int(s), int(n), err1 == nil && err2 == nil && s <= maxNumber && n <= maxNumber && (s > 0 || n == 0)
}

// body reads as many lines as the header tells, so that no line is mistaken for a header. In
// combined diffs, git (2.39) also counts lines of parents that --cc leaves out before the first
// one. Such a hunk may end when the result is complete.
func (p *parser) body(h *Hunk) error {
	from := p.rest
	for slices.ContainsFunc(p.left, func(n int) bool { return n > 0 }) {
		at := *p
		complete := h.parents > 1 && p.left[h.parents] == 0
		if complete {
			at.left = slices.Clone(p.left)
		}
		line := p.next()
		switch {
		case at.rest != "" && (strings.HasPrefix(line, `\`) || count(p.left, line)):
			continue
		case at.rest == "" && !complete:
			return at.errorf("the hunk ends early")
		case !complete:
			return p.errorf("not a line of the hunk")
		}
		*p = at
		break
	}
	if strings.HasPrefix(p.rest, `\`) {
		p.next()
	}
	h.body = from[:len(from)-len(p.rest)]
	h.OldStart, h.OldLines = h.OldStart+p.left[0], h.OldLines-p.left[0]
	return nil
}

// count subtracts a line from the expected lines. If any of its marks is a minus, the line belongs
// to the parents with a minus. Otherwise it belongs to the result, and to the parents without a
// plus.
func count(left []int, line string) bool {
	parents := len(left) - 1
	marks := line[:min(parents, len(line))]
	held := byte(' ')
	if strings.IndexByte(marks, '-') >= 0 {
		held = '-'
	} else {
		left[parents]--
	}
	for i := range parents {
		mark := byte(' ') // some programs remove the space before an empty line
		if i < len(marks) {
			mark = marks[i]
		}
		if mark != ' ' && mark != '+' && mark != '-' || mark == '+' && held == '-' {
			return false
		}
		if mark == held {
			left[i]--
		}
		if left[i] < 0 {
			return false
		}
	}
	return left[parents] >= 0
}
