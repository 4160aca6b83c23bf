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

// maxTail is how much text is looked through for marks that are open, in bytes. Paragraphs are shorter.
const maxTail = 8 << 10

// closeInlines closes what is open at the end of the last block.
func closeInlines(src []byte, root ast.Node) []byte {
	last := lastBlock(root)
	if last == nil || last.IsRaw() || last.Kind() == ast.KindLinkReferenceDefinition {
		return src
	}
	start := last.Lines().At(0).Start
	end := start + len(bytes.TrimRight(src[start:max(start, blockEnd(last))], " \t\n"))
	if ended(last, src[end:]) || end-start > maxTail {
		return src
	}
	t := &tail{text: src[start:end]}
	t.scan()
	return slices.Concat(src[:start], t.closed(), src[end:])
}

// ended says whether a block is whole, by what follows its text.
func ended(n ast.Node, rest []byte) bool {
	lines := bytes.Count(rest, []byte("\n"))
	if n.Kind() == extended.KindTableCell && bytes.IndexByte(rest, '|') >= 0 {
		return true
	}
	if n.Kind() == ast.KindParagraph || n.Kind() == ast.KindTextBlock {
		return lines > 1
	}
	return lines > 0
}

// tail is the text of a block that grows, and what of it is open.
type tail struct {
	text   []byte
	at     int
	open   []opener
	ticks  map[int]int // where the last run of so many backticks is
	cuts   [][2]int    // what is not shown, from and to
	closer string      // of what ends everything that follows: code, an address
}

// opener is a mark that waits for its other half.
type opener struct {
	char byte // '*', '_', '~', '|' or '['
	n    int  // how many of it
	at   int
}

// scanners are by the character that they begin at; each advances behind what it has read.
var scanners = map[byte]func(*tail){
	'\\': (*tail).escape, '`': (*tail).ticked, '<': (*tail).angle, '$': (*tail).dollar,
	'*': (*tail).run, '_': (*tail).run, '~': (*tail).run, '|': (*tail).run,
	'[': (*tail).bracket, ']': (*tail).unbracket,
}

func (t *tail) scan() {
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

// count is how many of the same character stand at i.
func (t *tail) count(i int) int {
	return len(t.text[i:]) - len(bytes.TrimLeft(t.text[i:], string(t.text[i:i+1])))
}

// hide has the text from a place to another not shown.
func (t *tail) hide(from, to int) { t.cuts = append(t.cuts, [2]int{from, to}) }

func (t *tail) escape() {
	if n := formulaEnd(t.text[t.at:]); n > 0 {
		t.at += n
		return
	}
	if t.at+1 == len(t.text) {
		t.hide(t.at, t.at+1)
	}
	t.at += 2
}

func (t *tail) dollar() { t.at += max(1, formulaEnd(t.text[t.at:])) }

// ticked reads code: to its end, or to the end of all.
func (t *tail) ticked() {
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
		t.closer = strings.Repeat("`", n)
	}
	t.at = len(t.text)
}

var (
	halfTag     = regexp.MustCompile(`^</?[A-Za-z][A-Za-z0-9-]{0,20}$`)
	halfAddress = regexp.MustCompile(`^<[A-Za-z][A-Za-z0-9+.-]+:[^\s<>]*$`)
	wholeTag    = regexp.MustCompile(`^<[/A-Za-z!][^<>]*>`)
)

func (t *tail) angle() {
	rest := t.text[t.at:]
	switch {
	case wholeTag.Match(rest):
		t.at += bytes.IndexByte(rest, '>') + 1
	case halfTag.Match(rest):
		t.hide(t.at, len(t.text))
		t.at = len(t.text)
	case halfAddress.Match(rest):
		t.closer = ">"
		t.at = len(t.text)
	default:
		t.at++
	}
}

// run reads a run of marks: it closes what it may, and opens with what is left of it.
func (t *tail) run() {
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
		i := slices.IndexFunc(t.reversed(), func(o opener) bool { return o.char == c })
		if i < 0 {
			break
		}
		i = len(t.open) - 1 - i
		used := 1
		if n >= 2 && t.open[i].n >= 2 {
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

func (t *tail) reversed() []opener {
	r := slices.Clone(t.open)
	slices.Reverse(r)
	return r
}

// unfinished hides marks at the very end of which more may come, or behind which what they mark has not begun.
func (t *tail) unfinished(c byte, n, start int) bool {
	for _, o := range t.open {
		if o.char == c && n < o.n {
			t.hide(start, t.at)
			return true
		}
	}
	if before, _ := utf8.DecodeLastRune(t.text[:start]); start == 0 || unicode.IsSpace(before) || opensBefore(before) {
		if n <= 3 {
			t.hide(start, t.at)
			return true
		}
	}
	return false
}

func opensBefore(r rune) bool { return strings.ContainsRune("([{\"'“‘«—", r) }

// flanks says whether the run of marks from start to end may open and may close something. (CommonMark's rules; marks
// within a word are taken for no opening ones, for they seldom are.)
func (t *tail) flanks(start, end int) (opens, closes bool) {
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
	within := alphanumeric(before) && alphanumeric(after)
	return left && !within, right && !(within && mark != '*' && mark != '~')
}

func (t *tail) bracket() {
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

// unbracket ends a link's text, and reads the address behind it. Of a link whose address is not whole the text is shown.
func (t *tail) unbracket() {
	i := slices.IndexFunc(t.reversed(), func(o opener) bool { return o.char == '[' })
	at := t.at
	t.at++
	if i < 0 {
		return
	}
	i = len(t.open) - 1 - i
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

// linkText says whether what stands in brackets at the end may be a link's text: it is no number, as sources have.
func (t *tail) linkText(o opener, end int) bool {
	return strings.Trim(string(t.text[o.at+o.n:end]), "0123456789^, xX") != ""
}

// address reads a link's address in parentheses, and says whether it is whole.
func (t *tail) address() bool {
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

// maxLinkText is how far behind a bracket the text of a link may still be going on, in bytes.
const maxLinkText = 80

// finish closes what is open, from the innermost: what marks nothing yet is not shown.
func (t *tail) finish() (closers string) {
	closers = t.closer
	for _, o := range t.reversed() {
		switch {
		case o.char == '[' && len(t.text)-o.at > maxLinkText:
		case o.char == '[' || t.closer == "" && t.nothing(o.at+o.n):
			t.hide(o.at, o.at+o.n)
		default:
			closers += strings.Repeat(string(o.char), o.n)
		}
	}
	return closers
}

// nothing says whether nothing is shown of the text from a place on.
func (t *tail) nothing(from int) bool {
	return len(bytes.TrimSpace(t.kept(from))) == 0
}

// kept is what is shown of the text from a place on.
func (t *tail) kept(from int) []byte {
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

// closed is the text without what is hidden, and with what closes it.
func (t *tail) closed() []byte {
	closers := t.finish()
	kept := t.kept(0)
	if t.closer == "" {
		kept = bytes.TrimRight(kept, " \t\n")
	}
	return append(kept, closers...)
}
