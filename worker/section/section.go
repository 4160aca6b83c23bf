// Package section divides texts at their headings, for the index and for searches of to-dos.
package section

import (
	"path"
	"regexp"
	"strings"

	"mews/protocol"
)

// Section is a part of a text.
type Section struct {
	protocol.SectionText
	Line int // number of the first line, from 1
}

// markdown are the endings of files with headings.
var markdown = map[string]bool{".md": true, ".markdown": true, ".mdx": true}

// Split divides Markdown at its headings. It divides long sections, and other text, into blocks.
// name is the name of the file.
func Split(name, text string) []Section {
	text = normalized(text)
	if !markdown[strings.ToLower(path.Ext(name))] {
		return blocks("", text, 1, nil)
	}
	front, body, line := frontMatter(text)
	list := headings(front, body, line)
	if len(list) > protocol.MaxIndexSections {
		list = blocks(front.title, body, line, nil)
	}
	return list
}

// normalized returns a text with \n as the end of each line, and without white space at the ends of
// lines and of the text.
func normalized(text string) string {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " \t\r")
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// metadata holds the parts of a Markdown file's front matter that the index uses.
type metadata struct{ title, tags string }

// frontMatter reads YAML's simplest form: `title: ...`, and `tags: [a, b]` or one tag a line. line
// is the number of the body's first line.
func frontMatter(text string) (f metadata, body string, line int) {
	inside, ok := strings.CutPrefix(text, "---\n")
	end := strings.Index("\n"+inside, "\n---\n")
	if !ok || end < 0 || end > 16<<10 {
		return f, text, 1
	}
	key := ""
	for l := range strings.Lines(inside[:end]) {
		value := strings.TrimSpace(l)
		if name, rest, isKey := strings.Cut(value, ":"); isKey && l[0] != ' ' && l[0] != '-' {
			key, value = name, rest
		}
		value = strings.Trim(value, ` -[]"'`)
		switch {
		case value == "":
		case key == "title":
			f.title = value
		case key == "tags":
			f.tags = strings.TrimPrefix(f.tags+", "+strings.ReplaceAll(value, `"`, ""), ", ")
		}
	}
	return f, inside[end+len("---\n"):], 2 + strings.Count(inside[:end+len("---\n")], "\n")
}

var (
	hashHeading = regexp.MustCompile(`^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?$`)
	underline   = regexp.MustCompile(`^ {0,3}(=+|-{3,})$`)
	fence       = regexp.MustCompile("^ {0,3}(```+|~~~+)")
)

// headings divides Markdown at its headings (CommonMark 0.31, 4.2, 4.3 and 4.5, as people write
// it). headings ends early if there are more sections than a file may have.
func headings(f metadata, body string, line int) (list []Section) {
	path := []string{}
	var text []string
	begin, level, inFence := line, 0, ""
	flush := func(next int) { // flush ends a section; next is the level of the heading that follows
		if whole := strings.Join(text, "\n"); strings.TrimSpace(whole) != "" || level > 0 && next <= level {
			list = blocks(headingPath(f, path), whole, begin, list)
		}
		text = nil
	}
	enter := func(depth int, title string, at int) {
		flush(depth)
		for len(path) < depth {
			path = append(path, "")
		}
		path = append(path[:depth-1], title)
		begin, level = at, depth
	}
	for l := range strings.SplitSeq(body, "\n") {
		if len(list) > protocol.MaxIndexSections {
			return list
		}
		if !strings.ContainsAny(l, "#=-`~") { // a line without these characters is no heading; this test is fast
			text, line = append(text, l), line+1
			continue
		}
		mark, under := fence.FindStringSubmatch(l), underline.FindStringSubmatch(l)
		switch h := hashHeading.FindStringSubmatch(l); {
		case inFence != "":
			if mark != nil && strings.HasPrefix(mark[1], inFence) {
				inFence = ""
			}
			text = append(text, l)
		case mark != nil:
			inFence, text = mark[1], append(text, l)
		case h != nil:
			enter(len(h[1]), strings.TrimSpace(h[2]), line)
		case under != nil && isParagraph(text):
			title := strings.TrimSpace(text[len(text)-1])
			text = text[:len(text)-1]
			enter(map[byte]int{'=': 1, '-': 2}[under[1][0]], title, line-1)
		default:
			text = append(text, l)
		}
		line++
	}
	flush(0)
	return list
}

// isParagraph reports whether a line of = or - makes a heading of the last line. The last line must
// be a paragraph of its own, and no list or table.
func isParagraph(lines []string) bool {
	n := len(lines)
	return n > 0 && strings.TrimSpace(lines[n-1]) != "" && !strings.ContainsAny(lines[n-1][:1], "-*+>| \t") && (n == 1 || lines[n-2] == "")
}

// headingPath joins the headings above a section. The file's title comes first, unless the first
// heading is the same.
func headingPath(f metadata, path []string) string {
	var names []string
	if f.title != "" && (len(path) == 0 || path[0] != f.title) {
		names = append(names, f.title)
	}
	for _, name := range path {
		if name != "" {
			names = append(names, name)
		}
	}
	if len(path) <= 1 && f.tags != "" { // tags belong to the whole file, so only its first sections get them
		names = append(names, "("+f.tags+")")
	}
	return strings.Join(names, " > ")
}

// Sizes of a block, in characters.
const (
	shortestBlock = 1_000
	longestBlock  = 2_000
	maxUndivided  = 3_000 // a text of at most this length is one block
)

// blocks appends a text in blocks of about 1,500 characters. If possible, a block ends at an empty
// line, at the end of a line or at a space.
func blocks(heading, text string, line int, list []Section) []Section {
	heading = cutBytes(heading, protocol.MaxIndexHeadingBytes)
	for {
		trimmed := strings.TrimLeft(text, "\n")
		line += len(text) - len(trimmed)
		text = trimmed
		if text == "" && (heading == "" || len(list) > 0 && list[len(list)-1].Heading == heading) {
			return list
		}
		block, lines := text, strings.Count(text, "\n")
		if runeOffset(text, maxUndivided) < len(text) {
			block = text[:blockEnd(text)]
			lines = strings.Count(block, "\n")
		}
		list = append(list, Section{protocol.SectionText{Heading: heading, Text: strings.Trim(block, "\n")}, line})
		if text = text[len(block):]; text == "" {
			return list
		}
		line += lines
	}
}

// blockEnd returns the best offset to cut a long text at.
func blockEnd(text string) int {
	least, most := runeOffset(text, shortestBlock), runeOffset(text, longestBlock)
	for _, gap := range []string{"\n\n", "\n", " "} {
		if at := strings.LastIndex(text[least:most], gap); at >= 0 {
			return least + at + len(gap)
		}
	}
	return most
}

// runeOffset returns the offset of the nth character.
func runeOffset(text string, n int) int {
	for at := range text {
		if n == 0 {
			return at
		}
		n--
	}
	return len(text)
}

func cutBytes(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}
