package webtools

import (
	"bytes"
	"html"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"mews/supervisor/egress"
)

// Limits of the addresses that a page can name.
const (
	maxLinks   = 50      // addresses that count as named
	maxScanned = 2 << 20 // bytes of a body that are searched
	maxLink    = 8 << 10 // bytes of an address in a body
)

// listLinks returns the first addresses that a body names: those of links, and bare ones. Links of
// the main part come first, if the page marks it. Only the body decides, because a worker could
// invent links.
func listLinks(page egress.Address, body io.Reader) ([]egress.Address, error) {
	data, err := io.ReadAll(io.LimitReader(body, maxScanned))
	if err != nil {
		return nil, err
	}
	l := &links{page: page, base: baseOf(page, data), known: map[egress.Address]bool{page: true}}
	start := mainPartOf(data)
	l.scan(data[start:])
	l.scan(data[:start])
	return l.found, nil
}

// mainPartOf returns where the main part of a page begins; 0 means that the page marks none.
func mainPartOf(data []byte) int {
	for _, tag := range []string{"<main", "<article"} {
		for at := 0; ; {
			i := indexFold(data[at:], tag)
			if i < 0 {
				break
			}
			if at += i + len(tag); at < len(data) && (data[at] == '>' || isSpace(data[at])) {
				return at
			}
		}
	}
	return 0
}

// baseOf returns the address to which the links of a page are relative.
func baseOf(page egress.Address, data []byte) egress.Address {
	head := data[:min(len(data), 64<<10)]
	i := indexFold(head, "<base")
	if i < 0 {
		return page
	}
	tag, _, _ := bytes.Cut(head[i:], []byte(">"))
	if base, err := page.Resolve(hrefOf(tag)); err == nil {
		return base
	}
	return page
}

// links are the addresses that a body names.
type links struct {
	page, base egress.Address
	known      map[egress.Address]bool
	found      []egress.Address
}

// scan adds the addresses in a part of a body: those of links, and bare ones outside of tags.
func (l *links) scan(data []byte) {
	for at := 0; at < len(data) && len(l.found) < maxLinks; {
		i := bytes.IndexAny(data[at:], "<hH")
		if i < 0 {
			return
		}
		at += i
		switch rest := data[at:]; {
		case rest[0] == '<':
			at += l.scanTag(rest)
		case (hasPrefixFold(rest, "http://") || hasPrefixFold(rest, "https://")) && (at == 0 || isBoundary(data[at-1])):
			address := addressAt(rest)
			l.add(l.page, html.UnescapeString(address))
			at += len(address)
		default:
			at++
		}
	}
}

// scanTag adds the address of a link's tag at the beginning of data. It returns how many bytes have
// no further addresses: the tag's, and those of a script.
func (l *links) scanTag(data []byte) int {
	for _, name := range []string{"script", "style"} {
		if hasPrefixFold(data, "<"+name) {
			if end := indexFold(data, "</"+name); end > 0 {
				return end + 1
			}
			return len(data)
		}
	}
	end := -1
	if len(data) > 1 && (data[1] == '/' || data[1] == '!' || unicode.IsLetter(rune(data[1]))) {
		end = bytes.IndexByte(data[:min(len(data), 2*maxLink)], '>')
	}
	if end < 0 || hasPrefixFold(data, "<http") {
		return 1 // no tag
	}
	tag := data[:end]
	if !isTag(tag, "<a") && !isTag(tag, "<area") {
		return end
	}
	if value := hrefOf(tag); !strings.HasPrefix(value, "#") {
		l.add(l.base, value)
	}
	return end
}

// isTag reports whether a tag begins with a name.
func isTag(tag []byte, name string) bool {
	return hasPrefixFold(tag, name) && len(tag) > len(name) && isSpace(tag[len(name)])
}

// hrefOf returns the attribute href of a tag; "" if there is none.
func hrefOf(tag []byte) string {
	for at := 0; ; {
		i := indexFold(tag[at:], "href")
		if i < 0 {
			return ""
		}
		at += i + len("href")
		if isSpace(tag[at-len("href")-1]) {
			return html.UnescapeString(attributeValue(tag[at:]))
		}
	}
}

// add adds an address, if it is a new one on the public web.
func (l *links) add(base egress.Address, reference string) {
	address, err := base.Resolve(strings.TrimSpace(reference))
	if err != nil || l.known[address] {
		return
	}
	l.known[address] = true
	l.found = append(l.found, address)
}

// attributeValue returns the value of an attribute after its name.
func attributeValue(data []byte) string {
	rest := bytes.TrimLeft(data, " \t\r\n\f")
	if len(rest) == 0 || rest[0] != '=' {
		return ""
	}
	rest = bytes.TrimLeft(rest[1:], " \t\r\n\f")
	ends := " \t\r\n\f"
	if len(rest) > 0 && (rest[0] == '"' || rest[0] == '\'') {
		ends, rest = string(rest[:1]), rest[1:]
	}
	if end := bytes.IndexAny(rest, ends); end >= 0 {
		rest = rest[:end]
	}
	return string(rest)
}

// addressAt returns the bare address at the beginning of data.
func addressAt(data []byte) string {
	data = data[:min(len(data), maxLink)]
	end := bytes.IndexFunc(data, endsAddress)
	if end < 0 {
		end = len(data)
	}
	return trimAddress(string(data[:end]))
}

// endsAddress reports whether a character ends a bare address.
func endsAddress(r rune) bool { return r <= ' ' || strings.ContainsRune("<>\"'`\\|^{}\u00a0", r) }

// endsWord reports whether a character ends a word that may be an address. Unlike endsAddress it
// keeps characters that browsers copy unescaped.
func endsWord(r rune) bool { return endsAddress(r) && !strings.ContainsRune("|^{}", r) }

// trimAddress removes punctuation after a bare address, and a closing bracket that was not opened.
func trimAddress(address string) string {
	for address != "" {
		last := address[len(address)-1]
		unopened := last == ')' && strings.Count(address, "(") < strings.Count(address, ")") ||
			last == ']' && strings.Count(address, "[") < strings.Count(address, "]")
		if !unopened && !strings.ContainsRune(".,;:!?*_~", rune(last)) {
			break
		}
		address = address[:len(address)-1]
	}
	return address
}

// NamesAddress reports whether a text of the user names a public address word for word.
func NamesAddress(text, address string) bool {
	parsed, err := egress.ParseAddress(address)
	return err == nil && namesAddress(text, parsed)
}

// namesAddress reports whether a text of the user names an address word for word. The scheme may be
// left out.
func namesAddress(text string, address egress.Address) bool {
	words := append(strings.FieldsFunc(text, endsWord), strings.FieldsFunc(text, endsAddress)...)
	for _, word := range words {
		if isASCII(word) && !strings.Contains(strings.ToLower(word), address.Host()) {
			continue // most words; a name with other letters is spelled differently in the address
		}
		for _, part := range candidatesIn(word) {
			if egress.SameAddress(part, address.Reveal()) || !strings.Contains(part, "://") &&
				(egress.SameAddress("https://"+part, address.Reveal()) ||
					egress.SameAddress("http://"+part, address.Reveal())) {
				return true
			}
		}
	}
	return false
}

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf })
}

// candidatesIn returns the addresses that a word may be, without the punctuation around them.
func candidatesIn(word string) (parts []string) {
	lower, words := strings.ToLower(word), []string{word}
	if i := max(strings.LastIndex(lower, "https://"), strings.LastIndex(lower, "http://")); i > 0 {
		words = append(words, word[i:]) // as in [name](https://example.org)
	}
	for _, word := range words {
		word = strings.TrimLeft(word, "([")
		parts = append(parts, word)
		if trimmed := trimAddress(word); trimmed != word {
			parts = append(parts, trimmed)
		}
	}
	return parts
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// isBoundary reports whether a bare address may begin after a byte.
func isBoundary(c byte) bool { return isSpace(c) || strings.IndexByte(`<>"'()[]=,;|`+"`", c) >= 0 }

func hasPrefixFold(data []byte, prefix string) bool {
	return len(data) >= len(prefix) && strings.EqualFold(string(data[:len(prefix)]), prefix)
}

// indexFold returns the first index of an ASCII text in any case; -1 means none.
func indexFold(data []byte, text string) int {
	firsts := strings.ToLower(text[:1]) + strings.ToUpper(text[:1])
	for at := 0; ; at++ {
		i := bytes.IndexAny(data[at:], firsts)
		if i < 0 {
			return -1
		}
		if at += i; hasPrefixFold(data[at:], text) {
			return at
		}
	}
}
