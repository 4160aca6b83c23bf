package diff

import (
	"regexp"
	"slices"
	"strings"
)

// functionLines match the first line of a function in most languages.
var functionLines = []*regexp.Regexp{
	// functions with a keyword, in Go, Rust, Python, Ruby, JavaScript, Kotlin, Swift, Elixir, Lua,
	// Pascal and others
	regexp.MustCompile(`^\s*(?:[\w@]+(?:\([^)]*\))?\s+)*(?:func|function\*?|def|defp|defmacro|fn|fun|sub|proc|` +
		`procedure|constructor|init|deinit)\b`),
	// functions that are assigned to a name, such as x = function( and x = (a) =>
	regexp.MustCompile(`^\s*(?:[\w.$]+\s+)*[\w.$]+\s*[:=]\s*(?:async\s+)?` +
		`(?:function\b|\([^()]*\)\s*(?::[^=]+)?=>|[\w$]+\s*=>)`),
	// functions in C, C++, Java and C#: a type, a name and an open parenthesis
	regexp.MustCompile(`^\s*(?:[\w<>\[\],.*&:~@?]+\s+)+[*&~]*[\w:~$]+\s*(?:<[^()]*>)?\([^;]*$`),
	// methods in a JavaScript class
	regexp.MustCompile(`^\s*(?:(?:async|static|get|set)\s+)*[#*]?[\w$]+\s*\([^()]*\)\s*\{\s*$`),
}

// controlLine matches lines that look like a function's first line and are not.
var controlLine = regexp.MustCompile(`^\s*[})]*\s*(?:if|else|elif|elsif|for|foreach|while|until|unless|switch|case|` +
	`catch|except|finally|return|do|try|with|using|lock|synchronized|throw|raise|new|await|yield|match|select|go|` +
	`defer|when|assert|delete|import|package|namespace|typedef)\b`)

// aside matches lines whose indentation tells nothing: comments, directives and labels.
var aside = regexp.MustCompile(`^\s*(?:#|//|/\*|\*|--|;|\w+:\s*$)`)

// opener and closer match lines that belong to an equally indented line above them. Such a line
// begins or ends a function's body.
var (
	opener = regexp.MustCompile(`^\s*(?:[{)\]]|where\b|throws\b)`)
	closer = regexp.MustCompile(`^\s*(?:[})\]]|end\b)`)
)

// lineSpan is a range of lines of a text by their numbers, which begin with 1.
type lineSpan struct{ first, last int }

// maxDistance is how many lines around a line are searched for its function. It bounds the time,
// because texts may be hostile.
const maxDistance = 10_000

// source is a text whose functions are searched.
type source struct{ lines []string }

func newSource(text string) source {
	return source{strings.Split(strings.TrimSuffix(text, "\n"), "\n")}
}

func (s source) line(n int) string { return s.lines[n-1] }

// indent returns the width of the white space before a line; -1 for a blank line. A tab counts as
// 8.
func (s source) indent(n int) (width int) {
	for _, r := range s.line(n) {
		switch r {
		case ' ':
			width++
		case '\t':
			width += 8
		case '\r':
		default:
			return width
		}
	}
	return -1
}

// isFunction reports whether a line looks like the first line of a function.
func (s source) isFunction(n int) bool {
	line := s.line(n)
	if len(line) > 500 || controlLine.MatchString(line) {
		return false
	}
	return slices.ContainsFunc(functionLines, func(form *regexp.Regexp) bool { return form.MatchString(line) })
}

// continues reports whether a line with the same indentation belongs to the line above. Blank lines
// and lines that match aside do too.
func (s source) continues(n int) bool {
	line := s.line(n)
	return s.indent(n) < 0 || opener.MatchString(line) || closer.MatchString(line) || aside.MatchString(line)
}

// enclosing returns the function around a line. It relies on indentation, because most code is
// indented. Without a function it takes the outermost block. ok is false if there is no block.
func (s source) enclosing(n int) (f lineSpan, ok bool) {
	at, low, outermost := n, max(1, n-maxDistance), 0
	for at > low && s.continues(at) {
		at--
	}
	for at > 0 && !s.isFunction(at) {
		if at = s.above(at, low); at > 0 {
			outermost = at
		}
	}
	if at == 0 {
		at = outermost
	}
	if at == 0 {
		return f, false
	}
	f = lineSpan{at, s.end(at)}
	return f, f.first <= n && n <= f.last
}

// above returns the line that begins the block around line n; 0 if there is none. It does not
// search before line low.
func (s source) above(n, low int) int {
	indent := s.indent(n)
	for at := n - 1; at >= low && indent > 0; at-- {
		width := s.indent(at)
		if width < 0 || width >= indent || aside.MatchString(s.line(at)) {
			continue
		}
		for at > low && (s.indent(at) != width || s.continues(at)) {
			at-- // the block's first line is above, such as a name above a brace
		}
		return at
	}
	return 0
}

// end returns the last line of the block that begins with line head.
func (s source) end(head int) int {
	last, indent := head, s.indent(head)
	for at := head + 1; at <= min(len(s.lines), head+2*maxDistance); at++ {
		width := s.indent(at)
		switch {
		case width < 0 || width <= indent && aside.MatchString(s.line(at)):
			continue
		case width > indent || width == indent && opener.MatchString(s.line(at)):
			last = at
			continue
		case width == indent && closer.MatchString(s.line(at)):
			return at
		}
		return last
	}
	return last
}
