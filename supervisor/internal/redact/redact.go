// Package redact takes secrets out of texts that other servers send.
package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
)

// hiddenSecret stands in texts for a secret.
const hiddenSecret = "***"

// Redactor takes a secret out of texts: as it is, in base64, in hexadecimal, and all of these with
// the escapes of URLs, JSON and HTML.
type Redactor struct {
	forms  [][]byte
	begins [256]bool // bytes with which a form or an escape begins
}

// New makes the Redactor of a secret. "" means no secret.
func New(secret string) Redactor {
	if secret == "" {
		return Redactor{}
	}
	forms := []string{secret, hex.EncodeToString([]byte(secret)),
		strings.ToUpper(hex.EncodeToString([]byte(secret)))}
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		forms = append(forms, encoding.EncodeToString([]byte(secret)),
			encoding.WithPadding(base64.NoPadding).EncodeToString([]byte(secret)))
		for before := range 3 {
			forms = append(forms, encodeInside(encoding, secret, before))
		}
	}
	// the longest first, so that a form never leaves the rest of a longer one
	slices.SortStableFunc(forms, func(a, b string) int { return len(b) - len(a) })
	var r Redactor
	for _, form := range slices.Compact(forms) {
		r.forms = append(r.forms, []byte(form))
		r.begins[form[0]] = true
	}
	for _, c := range []byte(`%+\&`) {
		r.begins[c] = true
	}
	return r
}

// encodeInside returns the base64 of a secret inside a longer text: the characters that depend on
// the secret alone. before is the number of bytes before the secret, modulo 3.
func encodeInside(encoding *base64.Encoding, secret string, before int) string {
	all := encoding.EncodeToString([]byte(strings.Repeat("\x00", before) + secret))
	first := []int{0, 2, 3}[before] // characters that depend on the bytes before
	return all[first : (before+len(secret))*8/6]
}

// Bytes returns a text without the secret.
func (r Redactor) Bytes(text []byte) []byte {
	if len(r.forms) == 0 {
		return text
	}
	var out []byte // nil while nothing was found
	kept := 0      // the text before kept is in out
	for i := 0; i < len(text); {
		n := 0
		if r.begins[text[i]] {
			n = r.match(text[i:])
		}
		if n == 0 {
			i++
			continue
		}
		out = append(append(out, text[kept:i]...), hiddenSecret...)
		i += n
		kept = i
	}
	if out == nil {
		return text
	}
	return append(out, text[kept:]...)
}

// String returns a text without the secret.
func (r Redactor) String(text string) string { return string(r.Bytes([]byte(text))) }

// match returns the length of the secret at the beginning of a text; 0 means that there is none.
func (r Redactor) match(text []byte) int {
	for _, form := range r.forms {
		if n, ok := matchForm(text, form); ok {
			return n
		}
	}
	return 0
}

// matchForm reports whether a text begins with a form, and how long the form is with its escapes.
func matchForm(text, form []byte) (int, bool) {
	if len(form) == 0 {
		return 0, true
	}
	if len(text) == 0 {
		return 0, false
	}
	if text[0] == form[0] {
		if n, ok := matchForm(text[1:], form[1:]); ok {
			return n + 1, true
		}
	}
	if size := unescape(text, form[0]); size > 0 {
		if n, ok := matchForm(text[size:], form[1:]); ok {
			return n + size, true
		}
	}
	return 0, false
}

// htmlNames are the names of HTML's characters that a secret may have.
var htmlNames = map[string]byte{"&amp;": '&', "&lt;": '<', "&gt;": '>', "&quot;": '"', "&apos;": '\''}

// unescape returns the length of the escape for a byte at the beginning of a text; 0 means that
// there is none. A JSON text in a JSON text has several backslashes.
func unescape(text []byte, c byte) int {
	switch text[0] {
	case '%':
		return matchNumber(text, len("%"), 2, 16, c)
	case '+':
		if c == ' ' {
			return 1
		}
	case '\\':
		n := len(text) - len(bytes.TrimLeft(text, `\`))
		switch {
		case n < len(text) && (text[n] == 'u' || text[n] == 'U'):
			return matchNumber(text, n+1, 4, 16, c)
		case n < len(text) && text[n] == 'x':
			return matchNumber(text, n+1, 2, 16, c)
		case c == '\\' && n > 1:
			return 2
		case n < len(text) && text[n] == c:
			return n + 1
		}
	case '&':
		return matchHTML(text, c)
	}
	return 0
}

// matchNumber returns the length of an escape whose number has a fixed number of digits.
func matchNumber(text []byte, from, digits, base int, c byte) int {
	if len(text) < from+digits {
		return 0
	}
	n, err := strconv.ParseUint(string(text[from:from+digits]), base, 16)
	if err != nil || n != uint64(c) {
		return 0
	}
	return from + digits
}

// matchHTML returns the length of HTML's escape for a byte.
func matchHTML(text []byte, c byte) int {
	end := bytes.IndexByte(text[:min(len(text), 12)], ';')
	if end < 0 {
		return 0
	}
	name := string(text[:end+1])
	if htmlNames[name] == c {
		return len(name)
	}
	number, isNumber := strings.CutPrefix(name[:end], "&#")
	base := 10
	if digits, isHex := strings.CutPrefix(strings.ToLower(number), "x"); isHex {
		number, base = digits, 16
	}
	if n, err := strconv.ParseUint(number, base, 16); !isNumber || err != nil || n != uint64(c) {
		return 0
	}
	return len(name)
}
