package calendar

import (
	"strings"
	"unicode/utf8"
)

// style is how a file writes its lines.
type style struct {
	newline string // "\r\n" or "\n"
	space   string // first character of a continuation: a space or a tab
	width   int    // bytes of a line before it is folded; 0 means that the file folds nothing
}

// defaultWidth is the longest line in bytes that RFC 5545 recommends.
const defaultWidth = 75

var defaultStyle = style{newline: "\r\n", space: " ", width: defaultWidth}

// styleOf returns the style of a text. Anything that the text does not show is as in RFC 5545.
func styleOf(text string) style {
	s := defaultStyle
	first, _, found := strings.Cut(text, "\n")
	if !found {
		return s
	}
	if !strings.HasSuffix(first, "\r") {
		s.newline = "\n"
	}
	longest := 0
	for rest, start := text, ""; rest != ""; {
		end := strings.IndexByte(rest, '\n') + 1
		if end == 0 {
			end = len(rest)
		}
		line := strings.TrimRight(rest[:end], "\r\n")
		if rest = rest[end:]; line != "" && (line[0] == ' ' || line[0] == '\t') && start != "" {
			s.space, s.width = line[:1], min(max(len(start), 40), defaultWidth)
			return s
		}
		start, longest = line, max(longest, len(line))
	}
	if longest > defaultWidth {
		s.width = 0
	}
	return s
}

// fold returns a content line as the lines of the file.
func (s style) fold(line string) string {
	var b strings.Builder
	for width := s.width; width > 0 && len(line) > width; width = s.width - len(s.space) {
		cut := width
		for cut > 1 && !utf8.RuneStart(line[cut]) {
			cut--
		}
		b.WriteString(line[:cut] + s.newline + s.space)
		line = line[cut:]
	}
	return b.String() + line + s.newline
}

// unfold returns the content line of a raw text, without its line ending.
func unfold(raw string) string {
	raw = strings.TrimRight(raw, "\r\n")
	if !strings.Contains(raw, "\n") {
		return raw
	}
	var b strings.Builder
	for i, part := range strings.Split(raw, "\n") {
		if part = strings.TrimSuffix(part, "\r"); i > 0 {
			part = part[1:] // a continuation begins with a space or a tab
		}
		b.WriteString(part)
	}
	return b.String()
}

// nextLine returns the first content line of a text with its line endings, and the rest.
func nextLine(text string) (raw, rest string) {
	for end := 0; ; {
		n := strings.IndexByte(text[end:], '\n')
		if n < 0 {
			return text, ""
		}
		if end += n + 1; end == len(text) || text[end] != ' ' && text[end] != '\t' {
			return text[:end], text[end:]
		}
	}
}

// nameOf returns the name of a raw line in capital letters; "" means that it is no content line.
func nameOf(raw string) string {
	for i := range len(raw) {
		switch c := raw[i]; {
		case c == ':' || c == ';':
			return capitals(raw[:i])
		case c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '-', c == '_', c == '.':
		default:
			if c == '\r' || c == '\n' {
				if unfolded := unfold(raw); len(unfolded) < len(strings.TrimRight(raw, "\r\n")) {
					return nameOf(unfolded)
				}
			}
			return ""
		}
	}
	return ""
}

// capitals returns a name in capital letters. The usual names need no memory.
func capitals(name string) string {
	for i := range len(name) {
		if name[i] >= 'a' && name[i] <= 'z' {
			return strings.ToUpper(name)
		}
	}
	return name
}
