package chat

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"mews/supervisor"
)

// row is a line of the screen.
type row struct {
	text string // the row's text with sequences for styles; each style ends in the row
	// the next row continues this row without a line break, so that a long address can be copied in
	// one piece
	continues bool
}

// quoteMark begins the rows of a quote.
const quoteMark = "│ "

// minWidth is the smallest number of columns in which text is broken, however narrow the screen is.
const minWidth = 8

// rows breaks a text into rows of a width: at spaces, and beside wide letters where Unicode allows
// it (UAX #14). base is the style of the whole text. Later rows of a list item are indented to its
// words. Code is broken only at the edge of the screen.
func (s style) rows(t supervisor.RichText, base string, width int) []row {
	var list []row
	for _, line := range splitLines(s.runs(t, base)) {
		list = append(list, s.breakLine(line, max(width, minWidth))...)
	}
	return list
}

// splitLines splits runs at line ends.
func splitLines(runs []run) [][]run {
	lines := [][]run{nil}
	for _, r := range runs {
		for i, text := range strings.Split(r.text, "\n") {
			if i > 0 {
				lines = append(lines, nil)
			}
			part := r
			part.text = text
			if last := len(lines) - 1; text != "" || r.quote && len(lines[last]) == 0 {
				lines[last] = append(lines[last], part)
			}
		}
	}
	return lines
}

// breakLine breaks a line into rows.
func (s style) breakLine(line []run, width int) []row {
	b, text, quote, code := &breaker{width: width}, "", false, false
	for _, r := range line {
		if r.text = strings.ReplaceAll(r.text, "\t", "    "); r.text != "" {
			if look := s.diff[r.text[0]]; r.diff && look != "" {
				r.on, r.off = r.on+look, s.reset
			}
			b.runs = append(b.runs, r)
		}
		text, quote, code = text+r.text, quote || r.quote, code || r.code
	}
	if quote {
		b.width = max(width-uniseg.StringWidth(quoteMark), minWidth)
		b.begin = s.dim + quoteMark + s.reset
	}
	if code {
		b.word(text)
		return b.finish()
	}
	b.indent = strings.Repeat(" ", indentOf(text, b.width))
	for _, spaced := range spacedWord.FindAllString(text, -1) {
		for word := ""; spaced != ""; {
			var segment string
			segment, spaced, _, _ = uniseg.FirstLineSegmentInString(spaced, -1)
			if word += segment; spaced == "" || besideWide(word, spaced) {
				b.word(word)
				word = ""
			}
		}
	}
	return b.finish()
}

// spacedWord is a word with the spaces around it. The number of a button stays with its first word.
var spacedWord = regexp.MustCompile(`^ +[^ ]* *|\d+\) [^ ]+ *|[^ ]+ *`)

// besideWide reports whether a text may be broken between two characters because one of them is a
// wide letter, such as a Chinese character. Other words are broken only at spaces, so that paths,
// addresses and options stay whole.
func besideWide(before, behind string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(behind)
	return uniseg.StringWidth(string(last)) > 1 || uniseg.StringWidth(string(next)) > 1
}

// listMark matches the beginning of a list item.
var listMark = regexp.MustCompile(`^ *(?:(?:[•☐☑]|\d{1,3}\.|\[\d+\]) (?:[☐☑] )?)?`)

// indentOf returns the indentation of a line's later rows: the column at which the line's words
// begin.
func indentOf(line string, width int) int {
	if n := uniseg.StringWidth(listMark.FindString(line)); n <= width/2 {
		return n
	}
	return 0
}

// breaker breaks words into rows.
type breaker struct {
	runs   []run // the remaining runs; the first contains the next text
	width  int
	begin  string // text at the beginning of each row, such as a quote mark
	indent string // spaces after begin, in each row except the first

	rows      []row
	out       string // text of the current row so far
	open      string // sequence that ends the open style of the row
	styleOpen bool   // out has the beginning of the open style
	column    int
	composed  bool // some characters of the text have several code points
}

// word adds a word and the spaces after it. A word that does not fit begins a new row.
func (b *breaker) word(word string) {
	trimmed := strings.TrimRight(word, " ")
	if width := widthOf(trimmed); b.column+width > b.width && b.column > len(b.indent) {
		b.next(false)
	}
	for at := 0; word != ""; {
		cluster, rest, _, _ := uniseg.FirstGraphemeClusterInString(word, -1)
		width := widthOf(cluster)
		if at += len(cluster); at > len(trimmed) && b.column+width > b.width {
			b.skip(len(word)) // spaces at the end of a row are invisible
			return
		}
		if b.column+width > b.width {
			b.next(b.column == b.width && !b.composed && b.begin+b.indent == "")
		}
		b.add(cluster, width)
		word = rest
	}
}

// add adds a character.
func (b *breaker) add(cluster string, width int) {
	if r := b.runs[0]; !b.styleOpen {
		b.out, b.open, b.styleOpen = b.out+r.on, r.off, true
	}
	b.out += cluster
	b.column += width
	b.composed = b.composed || utf8.RuneCountInString(cluster) > 1
	b.skip(len(cluster))
}

// skip drops the first n bytes of the remaining runs.
func (b *breaker) skip(n int) {
	for ; n > 0 && len(b.runs) > 0; n-- {
		if b.runs[0].text = b.runs[0].text[1:]; b.runs[0].text == "" {
			b.close()
			b.runs = b.runs[1:]
		}
	}
}

// close ends the style that is open in the current row.
func (b *breaker) close() {
	if b.styleOpen {
		b.out, b.styleOpen = b.out+b.open, false
	}
}

// next ends the current row and begins another. goesOn means that the new row continues the old row
// without a line break.
func (b *breaker) next(goesOn bool) {
	if !goesOn {
		b.out = strings.TrimRight(b.out, " ")
	}
	b.close()
	b.rows = append(b.rows, row{b.begin + b.out, goesOn})
	b.out, b.column, b.composed = b.indent, len(b.indent), false
}

// finish returns all rows.
func (b *breaker) finish() []row {
	b.next(false)
	return b.rows
}

// widthOf returns the maximum width of a text in columns. A terminal may show the code points of a
// composed character side by side.
func widthOf(text string) (n int) {
	for text != "" {
		var cluster string
		var width int
		cluster, text, width, _ = uniseg.FirstGraphemeClusterInString(text, -1)
		if utf8.RuneCountInString(cluster) > 1 {
			width = 0
			for _, r := range cluster {
				width += uniseg.StringWidth(string(r))
			}
		}
		n += width
	}
	return n
}

// sequences matches the terminal sequences that this program writes.
var sequences = regexp.MustCompile(`\x1b\[[0-9;]*m|\x1b\]8;;[^\x1b]*\x1b\\`)

// readable returns the text of a row without sequences.
func readable(text string) string { return sequences.ReplaceAllString(text, "") }

// letters returns the text of a row without spaces and quote marks.
func letters(r row) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '│' {
			return -1
		}
		return r
	}, readable(r.text))
}
