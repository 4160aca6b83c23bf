package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxLaTeXDepth is the deepest nesting of braces in a formula. A deeper formula is shown unchanged.
const maxLaTeXDepth = 32

// readableFormula returns a formula as people write it without LaTeX: \frac{a}{b} becomes a/b. An
// unknown command stays as it is written. A formula with unbalanced braces is returned unchanged.
func readableFormula(formula string) string {
	body := formula
	for _, b := range formulaBrackets {
		if inner, ok := strings.CutPrefix(formula, b.open); ok {
			body = strings.TrimSuffix(inner, b.end)
			break
		}
	}
	r := latexReader{rest: body}
	text := r.group(0)
	if r.failed || r.rest != "" {
		return formula
	}
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// latexReader turns LaTeX into text, from the beginning of rest.
type latexReader struct {
	rest   string
	failed bool // the braces are unbalanced or nested too deeply
}

// group reads up to the closing brace of a group, or to the end if depth is 0.
func (r *latexReader) group(depth int) string {
	var b strings.Builder
	r.failed = r.failed || depth > maxLaTeXDepth
	for r.rest != "" && !r.failed {
		if r.rest[0] == '}' {
			if depth > 0 {
				r.rest = r.rest[1:]
				return b.String()
			}
			r.failed = true
			break
		}
		b.WriteString(r.item(depth))
	}
	r.failed = r.failed || depth > 0
	return b.String()
}

// item reads one item: a character, a group, a command, or an index.
func (r *latexReader) item(depth int) string {
	c, size := utf8.DecodeRuneInString(r.rest)
	item := r.rest[:size]
	r.rest = r.rest[size:]
	switch c {
	case '{':
		return r.group(depth + 1)
	case '^':
		return index("^", r.argument(depth), superscripts)
	case '_':
		return index("_", r.argument(depth), subscripts)
	case '\\':
		return r.command(depth)
	case '~', '&':
		return " "
	}
	return item
}

// argument reads the next item without the white space before it.
func (r *latexReader) argument(depth int) string {
	r.rest = strings.TrimLeft(r.rest, " \n\t")
	if r.rest == "" || r.rest[0] == '}' || depth >= maxLaTeXDepth {
		r.failed = true
		return ""
	}
	return r.item(depth + 1)
}

// command reads a command with its arguments. The caller has read the backslash.
func (r *latexReader) command(depth int) string {
	n := 0
	for n < len(r.rest) && (r.rest[n] >= 'a' && r.rest[n] <= 'z' || r.rest[n] >= 'A' && r.rest[n] <= 'Z') {
		n++
	}
	if n == 0 && r.rest != "" {
		_, n = utf8.DecodeRuneInString(r.rest)
	}
	name := r.rest[:n]
	r.rest = r.rest[n:]
	if symbol, known := latexSymbols[name]; known {
		return symbol
	}
	if mark, known := latexAccents[name]; known {
		over := r.argument(depth)
		if utf8.RuneCountInString(over) == 1 {
			over += mark
		}
		return over
	}
	switch name {
	case "frac", "dfrac", "tfrac":
		over := r.argument(depth)
		return grouped(over) + "/" + grouped(r.argument(depth))
	case "binom":
		from := r.argument(depth)
		return "C(" + from + ", " + r.argument(depth) + ")"
	case "sqrt":
		return r.root(depth)
	case "text", "textbf", "textit", "mathrm", "mathbf", "mathit", "mathsf", "mathcal", "mathbb", "operatorname",
		"boxed":
		return r.argument(depth)
	case "begin", "end":
		r.argument(depth)
		return "\n"
	}
	return `\` + name
}

// root reads the arguments of a root, such as [3]{x}.
func (r *latexReader) root(depth int) string {
	degree := ""
	if strings.HasPrefix(r.rest, "[") {
		degree, r.rest, _ = strings.Cut(r.rest[1:], "]")
		degree = strings.TrimPrefix(index("^", degree, superscripts), "^")
	}
	return degree + "√" + grouped(r.argument(depth))
}

// index returns an exponent or an index: in small characters if Unicode has them, otherwise after
// its sign ^ or _.
func index(sign, text string, small map[rune]rune) string {
	text = strings.TrimSpace(text)
	var b strings.Builder
	for _, c := range text {
		if small[c] == 0 {
			if utf8.RuneCountInString(text) > 1 {
				text = "(" + text + ")"
			}
			return sign + text
		}
		b.WriteRune(small[c])
	}
	return b.String()
}

// grouped puts parentheses around a text, unless it is one number or name.
func grouped(text string) string {
	text = strings.TrimSpace(text)
	if strings.IndexFunc(text, func(c rune) bool { return !alphanumeric(c) && !unicode.IsNumber(c) && c != '.' }) < 0 {
		return text
	}
	if strings.HasPrefix(text, "(") && strings.HasSuffix(text, ")") && strings.Count(text, "(") == 1 {
		return text
	}
	return "(" + text + ")"
}
