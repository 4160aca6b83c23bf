// Package foreign makes words of others safe to show to a model. Such words stand among Mews' own
// marks: stamps, lines in brackets, quotes, fences and headings. A line that could pass for a mark
// is indented. Characters that hide or reorder words are removed. All words of others go through a
// function of this package on their way to a model. Text is for words without a fence around them,
// and IndentMarks for words between fences. IndentStamps is for results of tools and words of the
// user, and Name for names.
package foreign

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MarkIndent is put before a line that could pass for a mark. A mark of Mews is never indented.
const MarkIndent = "    "

// SanitizeText returns a text of others for a place without a fence. Each line that looks like a
// mark is indented. Lines end only with \n.
func SanitizeText(text string) string {
	var b strings.Builder
	for i, line := range strings.Split(Clean(text), "\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(indented(line, IsMark(line)))
	}
	return b.String()
}

// Clean removes characters that hide or reorder words. In its result, lines end only with \n.
func Clean(text string) string { return visible(lineEnds.Replace(text)) }

// IndentMarks indents the lines of a text that look like a stamp, a heading or a fence. Everything
// else stays byte for byte.
func IndentMarks(text string) string {
	return indentLines(text, func(line string) bool { return isStamp(line) || isFence(line) })
}

// IndentStamps indents the lines of a text that look like a stamp or a heading. Everything else
// stays byte for byte, so that code can be read and edited.
func IndentStamps(text string) string { return indentLines(text, isStamp) }

func indentLines(text string, is func(line string) bool) string {
	if !quickMark.MatchString(text) && strings.IndexFunc(text, func(r rune) bool { return r > '~' }) < 0 {
		return text
	}
	var b strings.Builder
	for text != "" {
		end, next := lineEnd(text)
		b.WriteString(indented(text[:end], is(text[:end])))
		b.WriteString(text[end:next])
		text = text[next:]
	}
	return b.String()
}

// SanitizeName returns a name or title of others on one line. A name inside brackets cannot close
// the bracket.
func SanitizeName(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r) || unicode.IsControl(r):
			return ' '
		case r == '[':
			return '('
		case r == ']':
			return ')'
		}
		return r
	}, text)
	return strings.Join(strings.Fields(visible(text)), " ")
}

func indented(line string, is bool) string {
	if is && !strings.HasPrefix(line, MarkIndent) {
		return MarkIndent + line
	}
	return line
}

// IsMark reports whether a line could pass for a mark of Mews. Spaces at its beginning do not
// count.
func IsMark(line string) bool {
	shown := trimBlank(line)
	if shown == "" {
		return false
	}
	first, _ := utf8.DecodeRuneInString(shown)
	return unicode.Is(unicode.Ps, first) && !strings.ContainsRune("({（｛", first) ||
		strings.ContainsRune(">＞›»❯❱⟩〉》≫", first) || isRun(shown, unicode.Pd, "—–-_─━", 3) ||
		isFence(line) || isStamp(line) || opening.MatchString(fold(shown))
}

// isFence reports whether a line looks like a fence around words of others.
func isFence(line string) bool {
	shown := strings.TrimLeft(trimBlank(line), " ")
	return len(shown)-len(strings.TrimLeft(shown, "=＝═〓")) >= 5
}

// isStamp reports whether a line looks like a stamp, such as "[Tue 1 Dec 2026 10:00]", or like a
// heading of Mews.
func isStamp(line string) bool {
	plain := fold(trimBlank(line))
	return stamp.MatchString(plain) || heading.MatchString(plain)
}

// stamp matches the beginning of a folded stamp, as package history makes it, and similar texts.
// The pattern heading matches headings that Mews adds to texts. The pattern opening matches the
// lines that Mews puts before words of others.
var (
	stamp = regexp.MustCompile(
		`^[^\pL\pN]*\pL{2,12}[.,]?\s+\d{1,2}[.,]?\s+\pL{3,12}[.,]?\s+\d{4}[.,]?\s+\d{1,2}\s*[:.h]\s*\d\d`)
	heading = regexp.MustCompile(`^[^\pL\pN]*(what i did|correction of my message)`)
	opening = regexp.MustCompile(`^[^\pL\pN]*(this came with it from outside|what you said of it the last times|` +
		`the person's file|the last messages between the two of you)`)
)

// quickMark matches any ASCII text that has a stamp, a heading or a fence. Control characters may
// be anywhere in the mark.
var quickMark = regexp.MustCompile(`(?i)\d{4}[.,[:cntrl:]]*\s+\d{1,2}\s*[:.h]|i[\s[:cntrl:]]+did|` +
	`correction[\s[:cntrl:]]+of|====|` +
	`[\x00-\x08\x0e-\x1f\x7f]`)

// lineEnds replaces all characters that a reader may take for the end of a line by \n.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\x1c", "\n", "\x1d", "\n",
	"\x1e", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

// lineEnd returns two positions: the end of the first line of a text, and the beginning of the next
// line.
func lineEnd(text string) (end, next int) {
	for i, r := range text {
		switch r {
		case '\n', '\r', '\v', '\f', '\x1c', '\x1d', '\x1e', '\u0085', '\u2028', '\u2029':
			return i, i + len(string(r))
		}
	}
	return len(text), len(text)
}

// visible returns a text without control characters, and without characters that hide or reorder
// other characters. Joiners stay, because some scripts and emojis need them.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\u200c' || r == '\u200d':
			return r
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}

// trimBlank returns a line without the blank characters at its beginning: spaces, invisible
// characters and accents without a letter.
func trimBlank(line string) string {
	return strings.TrimLeftFunc(line, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.In(r, unicode.C, unicode.M, unicode.Z) || strings.ContainsRune(blanks, r)
	})
}

// blanks are letters and symbols that show nothing.
const blanks = "\u115f\u1160\u3164\uffa0\u2800\u00ad"

// isRun reports whether a line consists only of characters of a class or of a set. least is the
// minimum number of characters.
func isRun(line string, class *unicode.RangeTable, set string, least int) bool {
	n := 0
	for _, r := range line {
		switch {
		case strings.ContainsRune(set, r) || class != nil && unicode.Is(class, r):
			n++
		case !unicode.IsSpace(r):
			return false
		}
	}
	return n >= least
}

// lookalikes maps characters to the letters or digits of marks that they look like.
var lookalikes = map[rune]rune{'ԝ': 'w', 'ѡ': 'w', 'һ': 'h', 'н': 'h', 'а': 'a', 'α': 'a', 'т': 't', 'τ': 't',
	'і': 'i', 'ι': 'i', 'ı': 'i', 'ӏ': 'i', 'ԁ': 'd', 'е': 'e', 'о': 'o', 'ο': 'o', 'с': 'c', 'р': 'p', 'ѕ': 's',
	'у': 'y', 'х': 'x', '’': '\''}

// fold returns a line in lower case. Characters that look like plain letters or digits are replaced
// by these.
func fold(line string) string {
	line = strings.ToLower(strings.Map(func(r rune) rune {
		switch {
		case r >= '！' && r <= '～': // full-width forms of ASCII characters, such as ！
			return r - '！' + '!'
		case unicode.IsSpace(r):
			return ' '
		case unicode.In(r, unicode.C, unicode.M) || strings.ContainsRune(blanks, r):
			return -1
		}
		return r
	}, line))
	line = strings.Map(func(r rune) rune {
		if plain, is := lookalikes[r]; is {
			return plain
		}
		return r
	}, line)
	return strings.Join(strings.Fields(line), " ")
}
