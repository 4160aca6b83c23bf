package protocol

import (
	"bytes"
	"strconv"
)

// jsonKind is the kind of a JSON value.
type jsonKind string

const (
	kindAny    jsonKind = "anything"
	kindObject jsonKind = "an object"
	kindList   jsonKind = "an array"
	kindString jsonKind = "a string"
	kindNumber jsonKind = "a number"
	kindBool   jsonKind = "a boolean"
	kindNull   jsonKind = "null"
	kindNone   jsonKind = "no value"
)

// jsonKindOf maps the first byte of a value to its kind.
var jsonKindOf = func() (t [256]jsonKind) {
	for i := range t {
		t[i] = kindNone
	}
	for c := byte('0'); c <= '9'; c++ {
		t[c] = kindNumber
	}
	t['-'], t['"'], t['{'], t['['] = kindNumber, kindString, kindObject, kindList
	t['t'], t['f'], t['n'] = kindBool, kindBool, kindNull
	return t
}()

func (s *scanner) kind() jsonKind {
	if s.pos >= len(s.data) {
		return kindNone
	}
	return jsonKindOf[s.data[s.pos]]
}

func (s *scanner) skipSpace() {
	for s.pos < len(s.data) {
		switch s.data[s.pos] {
		case ' ', '\t', '\r', '\n':
			s.pos++
		default:
			return
		}
	}
}

func (s *scanner) accept(c byte) bool {
	if s.pos < len(s.data) && s.data[s.pos] == c {
		s.pos++
		return true
	}
	return false
}

func (s *scanner) literal() *decodeError {
	for _, word := range []string{"true", "false", "null"} {
		if bytes.HasPrefix(s.data[s.pos:], []byte(word)) {
			s.pos += len(word)
			return nil
		}
	}
	return decodeErrorf("want a value at byte %d", s.pos)
}

// number scans -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)? and refuses what float64 cannot hold.
func (s *scanner) number() *decodeError {
	from := s.pos
	s.accept('-')
	ok := s.accept('0') || s.digits()
	if s.accept('.') {
		ok = s.digits() && ok
	}
	exponent := s.accept('e') || s.accept('E')
	if exponent {
		_ = s.accept('+') || s.accept('-')
		ok = s.digits() && ok
	}
	text := s.data[from:s.pos]
	if !ok {
		return decodeErrorf("invalid number %s", quote(text))
	}
	const surelyFinite = 300 // a number with so few digits fits float64, whose maximum is 1.8e308
	if !exponent && len(text) < surelyFinite {
		return nil
	}
	if _, err := strconv.ParseFloat(string(text), 64); err != nil {
		return decodeErrorf("number %s out of range", quote(text))
	}
	return nil
}

func (s *scanner) digits() bool {
	from := s.pos
	for s.pos < len(s.data) && s.data[s.pos] >= '0' && s.data[s.pos] <= '9' {
		s.pos++
	}
	return s.pos > from
}

// keySet holds the keys of one object. The first few need no map.
type keySet struct {
	few  [12][]byte
	n    int
	many map[string]struct{}
}

// add reports whether key is new.
func (k *keySet) add(key []byte) bool {
	for _, seen := range k.few[:k.n] {
		if bytes.Equal(seen, key) {
			return false
		}
	}
	if k.n < len(k.few) {
		k.few[k.n] = key
		k.n++
		return true
	}
	if k.many == nil {
		k.many = make(map[string]struct{})
	}
	if _, seen := k.many[string(key)]; seen {
		return false
	}
	k.many[string(key)] = struct{}{}
	return true
}

// pathKey formats a key for a path: a plain word as it is, anything else quoted and cut.
func pathKey(key []byte) string {
	for _, c := range key {
		if c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') {
			return quote(key)
		}
	}
	if len(key) == 0 || len(key) > 40 {
		return quote(key)
	}
	return string(key)
}
