package openai

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Llama also writes calls in Python: [f(x="y"), g()], or f(x="y") after <|python_tag|>.

// maxPythonDepth limits lists and dictionaries within each other.
const maxPythonDepth = 32

var (
	pythonName   = regexp.MustCompile(`^[A-Za-z_][\w.-]{0,127}`)
	pythonNumber = regexp.MustCompile(`^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?`)
	// pythonOpener matches the beginning of a list of calls, or a part of that beginning.
	pythonOpener = regexp.MustCompile(`^\s*\[\s*(([A-Za-z_][\w.-]*)(\(|$)|$)`)
	pythonWords  = map[string]string{"True": "true", "False": "false", "None": "null"}
)

// pythonCalls reads the calls in Python at the beginning of a text: a list, or a call without one.
func pythonCalls(text string) (calls []textCall, rest string, ok bool) {
	p := &pythonReader{text: text}
	if !p.skip("[") {
		c, ok := p.call()
		return []textCall{c}, p.text, ok
	}
	for {
		c, ok := p.call()
		if !ok || len(calls) == maxCalls {
			return nil, "", false
		}
		calls = append(calls, c)
		if p.skip("]") {
			return calls, p.text, true
		}
		if !p.skip(",") {
			return nil, "", false
		}
	}
}

// pythonReader reads Python's calls and literals from the beginning of its text.
type pythonReader struct{ text string }

// skip removes a mark at the beginning of the text, with the white space before it.
func (p *pythonReader) skip(mark string) bool {
	after, is := strings.CutPrefix(strings.TrimLeft(p.text, " \t\r\n"), mark)
	if is {
		p.text = after
	}
	return is
}

// match removes what an expression matches at the beginning of the text.
func (p *pythonReader) match(e *regexp.Regexp) string {
	p.text = strings.TrimLeft(p.text, " \t\r\n")
	found := e.FindString(p.text)
	p.text = p.text[len(found):]
	return found
}

// call reads a call whose arguments all have names.
func (p *pythonReader) call() (c textCall, ok bool) {
	from := strings.TrimLeft(p.text, " \t\r\n")
	c.name = strings.TrimSuffix(p.match(pythonName), ".call")
	if c.name == "" || !p.skip("(") {
		return c, false
	}
	key := func() (string, bool) {
		name := p.match(pythonName)
		return name, name != "" && p.skip("=")
	}
	c.arguments, ok = p.object(")", key, 0)
	c.source = from[:len(from)-len(p.text)]
	return c, ok
}

// object reads keys and values up to an end mark, and returns them as a JSON object. key reads a
// key with its separator.
func (p *pythonReader) object(end string, key func() (string, bool), depth int) (object string, ok bool) {
	seen := map[string]bool{}
	items, ok := p.items(end, func() (string, bool) {
		name, ok := key()
		if !ok || seen[name] {
			return "", false
		}
		seen[name] = true
		value, ok := p.value(depth + 1)
		return quoteJSON(name) + ":" + value, ok
	})
	return "{" + items + "}", ok
}

// items reads items with commas between them, up to an end mark.
func (p *pythonReader) items(end string, item func() (string, bool)) (list string, ok bool) {
	var all []string
	for !p.skip(end) {
		if len(all) > 0 && !p.skip(",") {
			return "", false
		}
		if len(all) > 0 && p.skip(end) { // Python allows a comma after the last item
			break
		}
		one, ok := item()
		if !ok {
			return "", false
		}
		all = append(all, one)
	}
	return strings.Join(all, ","), true
}

// value reads a literal, and returns it in JSON.
func (p *pythonReader) value(depth int) (value string, ok bool) {
	if depth > maxPythonDepth {
		return "", false
	}
	p.text = strings.TrimLeft(p.text, " \t\r\n")
	switch {
	case strings.HasPrefix(p.text, `"`), strings.HasPrefix(p.text, "'"):
		text, ok := p.quoted()
		return quoteJSON(text), ok
	case p.skip("["):
		list, ok := p.items("]", func() (string, bool) { return p.value(depth + 1) })
		return "[" + list + "]", ok
	case p.skip("{"):
		key := func() (string, bool) {
			p.text = strings.TrimLeft(p.text, " \t\r\n")
			name, ok := p.quoted()
			return name, ok && p.skip(":")
		}
		return p.object("}", key, depth)
	}
	if word, ok := pythonWords[p.match(pythonName)]; ok {
		return word, true
	}
	value = p.match(pythonNumber)
	return value, value != ""
}

// pythonEscapes are the escapes of a character each.
var pythonEscapes = map[byte]string{'n': "\n", 't': "\t", 'r': "\r", '\\': "\\", '\'': "'", '"': `"`, '\n': ""}

// pythonCodes are the escapes of a character's code, with the number of hexadecimal digits.
var pythonCodes = map[byte]int{'x': 2, 'u': 4, 'U': 8}

// quoted reads a string in single or double quotes.
func (p *pythonReader) quoted() (text string, ok bool) {
	if p.text == "" || p.text[0] != '"' && p.text[0] != '\'' {
		return "", false
	}
	quote, rest := p.text[0], p.text[1:]
	var b strings.Builder
	for rest != "" && rest[0] != quote {
		if rest[0] == '\n' {
			return "", false
		}
		if rest[0] != '\\' || len(rest) == 1 {
			b.WriteByte(rest[0])
			rest = rest[1:]
			continue
		}
		plain, n := unescapePython(rest[1:])
		b.WriteString(plain)
		rest = rest[1+n:]
	}
	if rest == "" {
		return "", false
	}
	p.text = rest[1:]
	return b.String(), utf8.ValidString(b.String())
}

// unescapePython returns the text of the escape whose letters begin a text, and their number. Like
// Python, it keeps an unknown escape with its backslash.
func unescapePython(letters string) (plain string, n int) {
	if plain, ok := pythonEscapes[letters[0]]; ok {
		return plain, 1
	}
	digits := pythonCodes[letters[0]]
	if digits > 0 && len(letters) > digits {
		if code, err := strconv.ParseUint(letters[1:1+digits], 16, 32); err == nil && code <= utf8.MaxRune {
			return string(rune(code)), 1 + digits
		}
	}
	return "\\", 0
}

// quoteJSON returns a text as a JSON string, with < and > as they are.
func quoteJSON(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a string has no error
	return strings.TrimSuffix(b.String(), "\n")
}
