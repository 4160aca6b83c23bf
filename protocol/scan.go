package protocol

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// maxDepth is the deepest nesting of objects and arrays in a line; the envelope itself is the first
// level.
const maxDepth = 64

// scanner reads one JSON value in memory once and refuses faults that encoding/json accepts:
// duplicate keys, invalid UTF-8, halves of surrogate pairs, numbers beyond float64, depth over
// maxDepth. It builds no value.
type scanner struct {
	data     []byte
	pos      int
	foldKeys bool // refuse keys that differ only in case
}

// decodeError describes a fault, and where in the value it is.
type decodeError struct {
	path    string // path to the fault, such as limits.steps or parts[3].call; "" means the whole value
	problem string
}

func (f *decodeError) Error() string {
	if f.path == "" {
		return f.problem
	}
	return f.path + ": " + f.problem
}

// within puts a key or index before the path.
func (f *decodeError) within(at string) *decodeError {
	switch {
	case f.path == "":
		f.path = at
	case f.path[0] == '[':
		f.path = at + f.path
	default:
		f.path = at + "." + f.path
	}
	const most = 120 // maximum length of a path in ASCII bytes; the end of a longer path is cut
	if len(f.path) > most {
		f.path = f.path[:most] + "..."
	}
	return f
}

func decodeErrorf(format string, args ...any) *decodeError {
	return &decodeError{problem: fmt.Sprintf(format, args...)}
}

// quote shows at most 40 bytes of the other side's input, safe for a log and a terminal.
func quote(b []byte) string {
	const most = 40
	if len(b) <= most {
		return strconv.QuoteToASCII(string(b))
	}
	return strconv.QuoteToASCII(string(b[:most])) + "..."
}

// document scans one value of shape t, at nesting depth, and refuses anything after it.
func (s *scanner) document(t *jsonShape, depth int) *decodeError {
	s.skipSpace()
	if f := s.value(t, depth); f != nil {
		return f
	}
	s.skipSpace()
	if s.pos < len(s.data) {
		return decodeErrorf("%s after the end", quote(s.data[s.pos:]))
	}
	return nil
}

// value scans the value that begins at pos. A nil shape accepts anything.
func (s *scanner) value(t *jsonShape, depth int) *decodeError {
	got := s.kind()
	if f := t.check(got); f != nil {
		return f
	}
	switch got {
	case kindObject:
		return s.object(t, depth)
	case kindList:
		return s.list(t.element(), depth)
	case kindString:
		_, f := s.stringValue()
		return f
	case kindNumber:
		return s.number()
	}
	return s.literal()
}

func (s *scanner) object(t *jsonShape, depth int) *decodeError {
	return s.members(depth, func(key []byte) *decodeError {
		inner, known := t.member(key)
		if !known {
			return decodeErrorf("unknown key %s", quote(key))
		}
		if f := s.value(inner, depth+1); f != nil {
			return f.within(pathKey(key))
		}
		return nil
	})
}

// members scans an object. value scans the value of one member. The member's key is valid until
// value returns.
func (s *scanner) members(depth int, value func(key []byte) *decodeError) *decodeError {
	var seen keySet
	return s.elements('}', depth, func(int) *decodeError {
		key, f := s.key()
		if f != nil {
			return f
		}
		if !seen.add(s.same(key)) {
			return decodeErrorf("key %s twice", quote(key))
		}
		return value(key)
	})
}

// same maps keys that count as the same key to equal bytes.
func (s *scanner) same(key []byte) []byte {
	if !s.foldKeys {
		return key
	}
	// upper case first: some letters have a lower case only through their upper case
	return bytes.ToLower(bytes.ToUpper(key))
}

func (s *scanner) list(t *jsonShape, depth int) *decodeError {
	return s.elements(']', depth, func(i int) *decodeError {
		if f := s.value(t, depth+1); f != nil {
			return f.within("[" + strconv.Itoa(i) + "]")
		}
		return nil
	})
}

// elements scans an object or an array from its opening bracket to its closing bracket. element
// scans the text between two commas.
func (s *scanner) elements(closing byte, depth int, element func(i int) *decodeError) *decodeError {
	if depth > maxDepth {
		return decodeErrorf("more than %d levels deep", maxDepth)
	}
	s.pos++
	s.skipSpace()
	if s.accept(closing) {
		return nil
	}
	for i := 0; ; i++ {
		if f := element(i); f != nil {
			return f
		}
		if done, f := s.next(closing); done || f != nil {
			return f
		}
	}
}

// next goes from the end of an element to the next element, or past the closing bracket.
func (s *scanner) next(closing byte) (done bool, f *decodeError) {
	s.skipSpace()
	if s.accept(closing) {
		return true, nil
	}
	if !s.accept(',') {
		return false, decodeErrorf("want , or %c at byte %d", closing, s.pos)
	}
	s.skipSpace()
	return false, nil
}

// key scans a member's name and its colon, and returns the name with its escapes resolved.
func (s *scanner) key() ([]byte, *decodeError) {
	if s.kind() != kindString {
		return nil, decodeErrorf("want a key at byte %d", s.pos)
	}
	raw, f := s.stringValue()
	if f != nil {
		return nil, f
	}
	s.skipSpace()
	if !s.accept(':') {
		return nil, decodeErrorf("want : at byte %d", s.pos)
	}
	s.skipSpace()
	key := raw[1 : len(raw)-1]
	if bytes.IndexByte(key, '\\') < 0 {
		return key, nil
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return nil, decodeErrorf("key %s: %v", quote(key), err)
	}
	return []byte(text), nil
}
