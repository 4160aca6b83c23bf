package telegramtest

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxText is the most UTF-16 code units of a message, after trimming and without its marks.
const maxText = 4096

// markedText is a text as the server stores it: cleaned and trimmed, with sorted entities.
type markedText struct {
	text     string
	entities []Entity
}

// normalize cleans and checks a text that a bot sends. (TDLib: clean_input_string_with_entities,
// fix_formatted_text.)
func normalize(text string, entities []Entity) (markedText, answer) {
	if text == "" {
		return markedText{}, badRequest("message text is empty")
	}
	if !utf8.ValidString(text) {
		return markedText{}, badRequest("text must be encoded in UTF-8")
	}
	if a := checkBounds(text, entities); a.code != 0 {
		return markedText{}, a
	}
	m := clean(text, entities)
	m.trim()
	if m.text == "" {
		return markedText{}, badRequest("text must be non-empty")
	}
	return m, answer{}
}

// clean removes characters that no message may have. Control characters become spaces.
func clean(text string, entities []Entity) markedText {
	var out strings.Builder
	out.Grow(len(text))
	moved := make([]int, 0, len(text)+1) // the new offset for each old offset
	at := 0
	for _, r := range text {
		for range utf16.RuneLen(r) {
			moved = append(moved, at)
		}
		if isDropped(r) {
			continue
		}
		if r < ' ' && r != '\n' {
			r = ' '
		}
		out.WriteRune(r)
		at += utf16.RuneLen(r)
	}
	moved = append(moved, at)
	m := markedText{text: out.String()}
	for _, e := range entities {
		begin, end := moved[e.Offset], moved[e.Offset+e.Length]
		e.Offset, e.Length = begin, end-begin
		m.entities = append(m.entities, e)
	}
	return m
}

// isDropped reports whether a character is removed: carriage returns, line and paragraph
// separators, marks of text direction, and three combining line characters.
func isDropped(r rune) bool {
	return r == '\r' || r >= 0x2028 && r <= 0x202e || r == 0x333 || r == 0x33f || r == 0x30a
}

// trim removes spaces and newlines from both ends; at the beginning only up to the first entity.
func (m *markedText) trim() {
	m.text = strings.TrimRight(m.text, " \n")
	length := utf16Length(m.text)
	m.entities = slices.DeleteFunc(m.entities, func(e Entity) bool { return e.Offset >= length || e.Length <= 0 })
	first := length
	for i := range m.entities {
		e := &m.entities[i]
		e.Length = min(e.Length, length-e.Offset)
		first = min(first, e.Offset)
	}
	blank := 0
	for blank < first && (m.text[blank] == ' ' || m.text[blank] == '\n') {
		blank++
	}
	m.text = m.text[blank:]
	for i := range m.entities {
		m.entities[i].Offset -= blank
	}
	m.entities = slices.DeleteFunc(m.entities, func(e Entity) bool {
		return strings.Trim(textOf(m.text, e.Offset, e.Length), " \n") == ""
	})
	slices.SortStableFunc(m.entities, func(a, b Entity) int {
		return cmp.Or(cmp.Compare(a.Offset, b.Offset), cmp.Compare(b.Length, a.Length))
	})
}

// utf16Length returns the length of a text in UTF-16 code units.
func utf16Length(text string) int {
	n := 0
	for _, r := range text {
		n += utf16.RuneLen(r)
	}
	return n
}

// byteOffset converts a UTF-16 offset to an offset in bytes. exact reports whether a character
// begins at that offset.
func byteOffset(text string, offset int) (i int, exact bool) {
	n := 0
	for i, r := range text {
		if n >= offset {
			return i, n == offset
		}
		n += utf16.RuneLen(r)
	}
	return len(text), n == offset
}

// textOf returns the part of a text that an entity covers.
func textOf(text string, offset, length int) string {
	begin, _ := byteOffset(text, offset)
	end, _ := byteOffset(text, offset+length)
	return text[begin:end]
}
