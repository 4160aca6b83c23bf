package files

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// maxQuery is the longest query, in bytes.
const maxQuery = 1000

// matcher finds a query in lines. It is for one goroutine.
type matcher struct {
	plain   []byte         // plain query; nil if re is used
	fold    bool           // plain is in lower case and matches upper case too
	re      *regexp.Regexp // regular expression; also for plain queries that ignore case and are not ASCII
	lowered []byte         // buffer for a line in lower case
}

func newMatcher(query string, isRegexp, caseSensitive bool) (*matcher, error) {
	switch {
	case query == "":
		return nil, errors.New("the query is empty")
	case len(query) > maxQuery:
		return nil, fmt.Errorf("the query has %d bytes, at most %d are possible", len(query), maxQuery)
	case strings.ContainsAny(query, "\r\n") && !isRegexp:
		return nil, errors.New("the query has more than one line, and lines are searched one by one")
	case isRegexp:
	case caseSensitive:
		return &matcher{plain: []byte(query)}, nil
	case isASCII(query):
		return &matcher{plain: appendLower(nil, []byte(query)), fold: true}, nil
	default:
		query = regexp.QuoteMeta(query)
	}
	if !caseSensitive {
		query = "(?i)" + query
	}
	re, err := regexp.Compile(query)
	if err != nil {
		return nil, fmt.Errorf("the query is not a regular expression that can be used: %w", err)
	}
	return &matcher{re: re}, nil
}

// mayMatch reports whether a line of the block may match.
func (m *matcher) mayMatch(block []byte) bool {
	if m.re != nil {
		return true
	}
	return bytes.Contains(m.folded(block), m.plain)
}

// find returns the offsets of the first match in a line; from is negative if there is none.
func (m *matcher) find(line []byte) (from, to int) {
	if m.re != nil {
		if at := m.re.FindIndex(line); at != nil {
			return at[0], at[1]
		}
		return -1, -1
	}
	from = bytes.Index(m.folded(line), m.plain)
	return from, from + len(m.plain)
}

// folded returns b as it is compared with plain: in lower case if fold is set, with the same
// length.
func (m *matcher) folded(b []byte) []byte {
	if !m.fold {
		return b
	}
	m.lowered = appendLower(m.lowered[:0], b)
	return m.lowered
}

// appendLower appends b with its ASCII letters in lower case.
func appendLower(to, b []byte) []byte {
	from := len(to)
	to = append(to, b...)
	for i, c := range to[from:] {
		if c >= 'A' && c <= 'Z' {
			to[from+i] = c + 'a' - 'A'
		}
	}
	return to
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}

// maxShown bounds the shown bytes of a line.
const maxShown = 240

// cutAround returns at most maxShown bytes of a line around the bytes from from to to. Dots mark
// the cuts.
func cutAround(line []byte, from, to int) string {
	line = bytes.TrimRight(line, "\r\n")
	if len(line) <= maxShown {
		return string(line)
	}
	to = min(max(to, from), len(line))
	start := max(0, min(from-(maxShown-min(to-from, maxShown))/2, len(line)-maxShown))
	end := start + maxShown
	for start > 0 && !utf8.RuneStart(line[start]) {
		start++
	}
	for end < len(line) && end > start && !utf8.RuneStart(line[end]) {
		end--
	}
	shown := string(line[start:end])
	if start > 0 {
		shown = "..." + shown
	}
	if end < len(line) {
		shown += "..."
	}
	return shown
}
