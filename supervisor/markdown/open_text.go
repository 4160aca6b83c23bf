package markdown

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	extended "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"
)

// maxOpenText limits the text that is searched for open marks, in bytes. Paragraphs are shorter.
const maxOpenText = 8 << 10

// closeInlines closes all open marks at the end of the last block.
func closeInlines(src []byte, root ast.Node) []byte {
	last := lastBlock(root)
	if last == nil || last.IsRaw() || last.Kind() == ast.KindLinkReferenceDefinition {
		return src
	}
	start := last.Lines().At(0).Start
	end := start + len(bytes.TrimRight(src[start:max(start, blockEnd(last))], " \t\n"))
	if isWhole(last, src[end:]) || end-start > maxOpenText {
		return src
	}
	t := &openText{text: src[start:end]}
	t.scan()
	return slices.Concat(src[:start], t.closed(), src[end:])
}

// isWhole reports whether a block can't grow any more. rest is the text after the block.
func isWhole(n ast.Node, rest []byte) bool {
	lines := bytes.Count(rest, []byte("\n"))
	if n.Kind() == extended.KindTableCell && bytes.IndexByte(rest, '|') >= 0 {
		return true
	}
	if n.Kind() == ast.KindParagraph || n.Kind() == ast.KindTextBlock {
		return lines > 1
	}
	return lines > 0
}

// openText is the text of a growing block with its open marks.
type openText struct {
	text       []byte
	at         int
	open       []opener
	ticks      map[int]int // position of the last run of backticks, for each length of a run
	cuts       [][2]int    // hidden ranges: from and to
	lastCloser string      // text that closes code or an address at the end
}

// opener is a mark without its other half.
type opener struct {
	char byte // '*', '_', '~', '|' or '['
	n    int  // number of characters in the mark
	at   int
}

// scanners read a mark, by its first character, and advance beyond the mark.
var scanners = map[byte]func(*openText){
	'\\': (*openText).escape, '`': (*openText).codeSpan, '<': (*openText).angle, '$': (*openText).dollar,
	'*': (*openText).delimiterRun, '_': (*openText).delimiterRun, '~': (*openText).delimiterRun, '|': (*openText).delimiterRun,
	'[': (*openText).openBracket, ']': (*openText).closeBracket,
}

func (t *openText) scan() {
	t.ticks = map[int]int{}
	for i := 0; i < len(t.text); i++ {
		if n := t.count(i); t.text[i] == '`' {
			t.ticks[n] = i
			i += n - 1
		}
	}
	for t.at < len(t.text) {
		if f := scanners[t.text[t.at]]; f != nil {
			f(t)
		} else {
			t.at++
		}
	}
}

// count returns the length of the run of equal characters at i.
func (t *openText) count(i int) int {
	return len(t.text[i:]) - len(bytes.TrimLeft(t.text[i:], string(t.text[i:i+1])))
}

// hide hides a range of the text.
func (t *openText) hide(from, to int) { t.cuts = append(t.cuts, [2]int{from, to}) }

func (t *openText) escape() {
	if n := formulaEnd(t.text[t.at:]); n > 0 {
		t.at += n
		return
	}
	if t.at+1 == len(t.text) {
		t.hide(t.at, t.at+1)
	}
	t.at += 2
}

func (t *openText) dollar() { t.at += max(1, formulaEnd(t.text[t.at:])) }

// codeSpan reads code up to its end, or to the end of the text.
func (t *openText) codeSpan() {
	n := t.count(t.at)
	start := t.at + n
	if t.ticks[n] > t.at {
		for i := start; i < len(t.text); i++ {
			if t.text[i] == '`' {
				m := t.count(i)
				i += m
				if m == n {
					t.at = i
					return
				}
			}
		}
	}
	rest := bytes.TrimRight(t.text[start:], "`")
	t.hide(start+len(rest), len(t.text))
	if len(bytes.TrimSpace(rest)) == 0 {
		t.hide(t.at, len(t.text))
	} else {
		t.lastCloser = strings.Repeat("`", n)
	}
	t.at = len(t.text)
}

var (
	halfTag     = regexp.MustCompile(`^</?[A-Za-z][A-Za-z0-9-]{0,20}$`)
	halfAddress = regexp.MustCompile(`^<[A-Za-z][A-Za-z0-9+.-]+:[^\s<>]*$`)
	wholeTag    = regexp.MustCompile(`^<[/A-Za-z!][^<>]*>`)
)

func (t *openText) angle() {
	rest := t.text[t.at:]
	switch {
	case wholeTag.Match(rest):
		t.at += bytes.IndexByte(rest, '>') + 1
	case halfTag.Match(rest):
		t.hide(t.at, len(t.text))
		t.at = len(t.text)
	case halfAddress.Match(rest):
		t.lastCloser = ">"
		t.at = len(t.text)
	default:
		t.at++
	}
}

// delimiterRun reads a run of marks. The run closes as many open marks as possible, and its rest
// opens new marks.
func (t *openText) delimiterRun() {
	c, n, start := t.text[t.at], t.count(t.at), t.at
	t.at += n
	double := c == '~' || c == '|'
	opens, closes := t.flanks(start, t.at)
	if t.at == len(t.text) && t.unfinished(c, n, start) {
		return
	}
	if double && n != 2 {
		return
	}
	for closes && n > 0 {
		i := t.lastOpener(c)
		if i < 0 {
			break
		}
		used := 1
		if min(n, t.open[i].n) >= 2 {
			used = 2
		}
		n -= used
		t.open = t.open[:i+1]
		if t.open[i].n -= used; t.open[i].n == 0 {
			t.open = t.open[:i]
		}
	}
	if opens && n > 0 {
		t.open = append(t.open, opener{char: c, n: n, at: start})
	}
}

// lastOpener returns the last opener of a character; -1 if there is none.
func (t *openText) lastOpener(char byte) int {
	for i, o := range slices.Backward(t.open) {
		if o.char == char {
			return i
		}
	}
	return -1
}

// unfinished hides marks at the very end, because more characters may follow, or because the marks'
// text has not begun.
func (t *openText) unfinished(c byte, n, start int) bool {
	for _, o := range t.open {
		if o.char == c && n < o.n {
			t.hide(start, t.at)
			return true
		}
	}
	before, _ := utf8.DecodeLastRune(t.text[:start])
	begins := n <= 3 && (start == 0 || unicode.IsSpace(before) || opensBefore(before))
	if begins {
		t.hide(start, t.at)
	}
	return begins
}

func opensBefore(r rune) bool { return strings.ContainsRune("([{\"'“‘«—", r) }

// flanks reports whether the run of marks from start to end may open or close. The rules are
// CommonMark's, except that marks within a word never open, because models rarely write such marks.
func (t *openText) flanks(start, end int) (opens, closes bool) {
	before, after := ' ', ' '
	if start > 0 {
		before, _ = utf8.DecodeLastRune(t.text[:start])
	}
	if end < len(t.text) {
		after, _ = utf8.DecodeRune(t.text[end:])
	}
	mark, left, right := t.text[start], !unicode.IsSpace(after), !unicode.IsSpace(before)
	if util.IsPunctRune(after) && right && !util.IsPunctRune(before) {
		left = false
	}
	if util.IsPunctRune(before) && left && !util.IsPunctRune(after) {
		right = false
	}
	if mark == '*' {
		opens, closes := cjkFlanks(before, after)
		left, right = left || opens, right || closes
	}
	within := alphanumeric(before) && alphanumeric(after) && !cjk(before) && !cjk(after)
	return left && !within, right && !(within && mark != '*' && mark != '~')
}

func (t *openText) openBracket() {
	rest := t.text[t.at:]
	if bytes.HasPrefix(rest, []byte("[^")) && bytes.IndexByte(rest, ']') < 0 {
		t.hide(t.at, len(t.text))
		t.at = len(t.text)
		return
	}
	at := t.at
	if at > 0 && t.text[at-1] == '!' {
		at--
	}
	t.open = append(t.open, opener{char: '[', n: t.at + 1 - at, at: at})
	t.at++
}

// closeBracket ends a link's text, and reads the address after it. If the address is incomplete,
// only the text is shown.
func (t *openText) closeBracket() {
	i, at := t.lastOpener('['), t.at
	t.at++
	if i < 0 {
		return
	}
	o := t.open[i]
	t.open = t.open[:i]
	whole := true
	if t.at < len(t.text) && t.text[t.at] == '(' {
		whole = t.address()
	}
	if !whole || t.at == len(t.text) && t.text[at] == ']' && at+1 == len(t.text) && t.linkText(o, at) {
		t.hide(o.at, o.at+o.n)
		t.hide(at, len(t.text))
		t.at = len(t.text)
	}
}

// linkText reports whether the bracketed text at the end may be a link's text. A number may not,
// because it marks a source.
func (t *openText) linkText(o opener, end int) bool {
	return strings.Trim(string(t.text[o.at+o.n:end]), "0123456789^, xX") != ""
}

// address reads a link's address in parentheses, and reports whether it is complete.
func (t *openText) address() bool {
	depth := 0
	for ; t.at < len(t.text) && t.text[t.at] != '\n'; t.at++ {
		switch t.text[t.at] {
		case '\\':
			t.at++
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				t.at++
				return true
			}
		}
	}
	return t.at < len(t.text)
}

// maxLinkText is the longest text of a link, in bytes.
const maxLinkText = 80

// closers returns the closing marks of all open marks, innermost first. Marks without text are
// hidden instead.
func (t *openText) closers() (closers string) {
	closers = t.lastCloser
	for _, o := range slices.Backward(t.open) {
		switch {
		case o.char == '[' && len(t.text)-o.at > maxLinkText:
		case o.char == '[' || t.lastCloser == "" && t.isEmpty(o.at+o.n):
			t.hide(o.at, o.at+o.n)
		default:
			closers += strings.Repeat(string(o.char), o.n)
		}
	}
	return closers
}

// isEmpty reports whether no text after from is shown.
func (t *openText) isEmpty(from int) bool {
	return len(bytes.TrimSpace(t.kept(from))) == 0
}

// kept returns the text after from, without hidden ranges.
func (t *openText) kept(from int) []byte {
	slices.SortFunc(t.cuts, func(a, b [2]int) int { return a[0] - b[0] })
	var kept []byte
	for _, c := range t.cuts {
		if c[0] > from {
			kept = append(kept, t.text[from:c[0]]...)
		}
		from = max(from, min(c[1], len(t.text)))
	}
	return append(kept, t.text[from:]...)
}

// closed returns the text without hidden ranges, followed by its closing marks.
func (t *openText) closed() []byte {
	closers := t.closers()
	kept := t.kept(0)
	if t.lastCloser == "" {
		kept = bytes.TrimRight(kept, " \t\n")
	}
	return append(kept, closers...)
}
