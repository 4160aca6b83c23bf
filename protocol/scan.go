package protocol

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// maxDepth is the deepest nesting of objects and arrays in a line; the envelope itself is the first level.
const maxDepth = 64

// scanner walks one JSON value in memory, byte by byte and once, and refuses what encoding/json lets pass: duplicate
// keys, invalid UTF-8, halves of surrogate pairs, numbers beyond float64, depth over maxDepth. It builds nothing.
type scanner struct {
	data  []byte
	pos   int
	folds bool // keys that differ in case alone are one twice
}

// fault says what is wrong, and where in the value.
type fault struct {
	at   string // limits.steps, parts[3].call; "" for the whole
	what string
}

func (f *fault) Error() string {
	if f.at == "" {
		return f.what
	}
	return f.at + ": " + f.what
}

// under moves f below key or index at.
func (f *fault) under(at string) *fault {
	switch {
	case f.at == "":
		f.at = at
	case f.at[0] == '[':
		f.at = at + f.at
	default:
		f.at = at + "." + f.at
	}
	const most = 120 // bytes of ASCII; what is cut is the innermost
	if len(f.at) > most {
		f.at = f.at[:most] + "..."
	}
	return f
}

func faultf(format string, args ...any) *fault { return &fault{what: fmt.Sprintf(format, args...)} }

// quote shows at most 40 bytes of what the other side sent, safe for a log and a terminal.
func quote(b []byte) string {
	const most = 40
	if len(b) <= most {
		return strconv.QuoteToASCII(string(b))
	}
	return strconv.QuoteToASCII(string(b[:most])) + "..."
}

// whole scans one value of shape t, at nesting depth, and nothing after it.
func (s *scanner) whole(t *shape, depth int) *fault {
	s.space()
	if f := s.value(t, depth); f != nil {
		return f
	}
	s.space()
	if s.pos < len(s.data) {
		return faultf("%s after the end", quote(s.data[s.pos:]))
	}
	return nil
}

// value scans the value that begins at pos. A nil shape takes anything.
func (s *scanner) value(t *shape, depth int) *fault {
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
		_, f := s.str()
		return f
	case kindNumber:
		return s.number()
	}
	return s.literal()
}

func (s *scanner) object(t *shape, depth int) *fault {
	return s.members(depth, func(key []byte) *fault {
		inner, known := t.member(key)
		if !known {
			return faultf("unknown key %s", quote(key))
		}
		if f := s.value(inner, depth+1); f != nil {
			return f.under(bare(key))
		}
		return nil
	})
}

// members scans an object; value scans one member's value, whose key is valid until it returns.
func (s *scanner) members(depth int, value func(key []byte) *fault) *fault {
	if depth > maxDepth {
		return faultf("more than %d levels deep", maxDepth)
	}
	s.pos++ // {
	s.space()
	if s.eat('}') {
		return nil
	}
	var seen keySet
	for {
		key, f := s.key()
		if f != nil {
			return f
		}
		if !seen.add(s.same(key)) {
			return faultf("key %s twice", quote(key))
		}
		if f := value(key); f != nil {
			return f
		}
		if done, f := s.next('}'); done || f != nil {
			return f
		}
	}
}

// same is what keys have in common that are one key to this scanner.
func (s *scanner) same(key []byte) []byte {
	if !s.folds {
		return key
	}
	return bytes.ToLower(bytes.ToUpper(key)) // up first: there are letters that have no lower case but their upper one's
}

func (s *scanner) list(t *shape, depth int) *fault {
	if depth > maxDepth {
		return faultf("more than %d levels deep", maxDepth)
	}
	s.pos++ // [
	s.space()
	if s.eat(']') {
		return nil
	}
	for i := 0; ; i++ {
		if f := s.value(t, depth+1); f != nil {
			return f.under("[" + strconv.Itoa(i) + "]")
		}
		if done, f := s.next(']'); done || f != nil {
			return f
		}
	}
}

// next steps behind an element: over the comma to the next one, or over the closing bracket.
func (s *scanner) next(closing byte) (done bool, f *fault) {
	s.space()
	if s.eat(closing) {
		return true, nil
	}
	if !s.eat(',') {
		return false, faultf("want , or %c at byte %d", closing, s.pos)
	}
	s.space()
	return false, nil
}

// key scans a member's name and its colon, and returns the name with its escapes resolved.
func (s *scanner) key() ([]byte, *fault) {
	if s.kind() != kindString {
		return nil, faultf("want a key at byte %d", s.pos)
	}
	raw, f := s.str()
	if f != nil {
		return nil, f
	}
	s.space()
	if !s.eat(':') {
		return nil, faultf("want : at byte %d", s.pos)
	}
	s.space()
	key := raw[1 : len(raw)-1]
	if bytes.IndexByte(key, '\\') < 0 {
		return key, nil
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return nil, faultf("key %s: %v", quote(key), err)
	}
	return []byte(text), nil
}
