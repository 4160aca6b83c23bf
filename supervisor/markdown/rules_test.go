package markdown_test

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"mews/supervisor"
)

// covered returns the text of an entity.
func covered(text string, e supervisor.RichTextEntity) string {
	all := utf16.Encode([]rune(text))
	if e.Offset < 0 || e.Length <= 0 || e.Offset+e.Length > len(all) {
		return "?"
	}
	return string(utf16.Decode(all[e.Offset : e.Offset+e.Length]))
}

// faults lists the changes that Telegram would make to t.
func faults(t supervisor.RichText) []string {
	var found []string
	fault := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	if !utf8.ValidString(t.Text) || strings.ContainsAny(t.Text, "\x00\r") {
		fault("text %q", t.Text)
	}
	indented := indentations(t)
	if untrimmed(t.Text, indented[0]) {
		fault("white space around %q", t.Text)
	}
	all := utf16.Encode([]rune(t.Text))
	var open []supervisor.RichTextEntity
	last := supervisor.RichTextEntity{}
	for _, e := range t.Entities {
		if f := wrong(all, e, indented[e.Offset]); f != "" {
			fault("%s %d+%d: %s", e.Type, e.Offset, e.Length, f)
			continue
		}
		if e.Offset < last.Offset || e.Offset == last.Offset && e.Length > last.Length && last.Length > 0 {
			fault("%s %d+%d is behind %s %d+%d", e.Type, e.Offset, e.Length, last.Type, last.Offset, last.Length)
		}
		last = e
		open = slices.DeleteFunc(open, func(o supervisor.RichTextEntity) bool { return o.Offset+o.Length <= e.Offset })
		for _, o := range open {
			if f := misplaced(o, e); f != "" {
				fault("%s %d+%d in %s %d+%d: %s", e.Type, e.Offset, e.Length, o.Type, o.Offset, o.Length, f)
			}
		}
		open = append(open, e)
	}
	return found
}

// untrimmed reports whether text begins or ends in white space. The indentation of code does not
// count. A space with a combining mark does not count either. It is half of a character, and no
// character is cut.
func untrimmed(text string, indented bool) bool {
	first, _, _, _ := uniseg.FirstGraphemeClusterInString(text, -1)
	before := strings.TrimLeftFunc(text, unicode.IsSpace) != text && strings.TrimSpace(first) == ""
	return strings.TrimRightFunc(text, unicode.IsSpace) != text || before && (!indented || text[0] == '\n')
}

// indentations returns the starts of code. Code keeps the white space before its first line. A
// quote that begins with code keeps it too.
func indentations(t supervisor.RichText) map[int]bool {
	at := map[int]bool{}
	for _, e := range t.Entities {
		if e.Type == supervisor.EntityPre {
			at[e.Offset] = true
		}
	}
	return at
}

// wrong returns the fault of a single entity. indented means that code begins at the same position.
func wrong(all []uint16, e supervisor.RichTextEntity, indented bool) string {
	if e.Offset < 0 || e.Length < 1 || e.Offset+e.Length > len(all) {
		return "not in the text"
	}
	inner := all[e.Offset : e.Offset+e.Length]
	first, last := rune(inner[0]), rune(inner[len(inner)-1])
	if first >= 0xDC00 && first <= 0xDFFF || last >= 0xD800 && last <= 0xDBFF {
		return "half a character"
	}
	if unicode.IsSpace(last) || unicode.IsSpace(first) && (!indented || first == '\n') {
		return "white space at its edge"
	}
	if (e.URL != "") != (e.Type == supervisor.EntityLink) || e.Language != "" && e.Type != supervisor.EntityPre {
		return "URL " + e.URL + ", language " + e.Language
	}
	return ""
}

// misplaced returns why an entity may not overlap another entity.
func misplaced(outer, inner supervisor.RichTextEntity) string {
	switch {
	case inner.Offset+inner.Length > outer.Offset+outer.Length:
		return "only in part"
	case inner.Type == outer.Type, quote(inner.Type):
		return "nested"
	case code(outer.Type):
		return "in code"
	case code(inner.Type) && !quote(outer.Type):
		return "code in it"
	}
	return ""
}

func quote(t supervisor.RichTextEntityType) bool {
	return t == supervisor.EntityQuote || t == supervisor.EntityLongQuote
}

func code(t supervisor.RichTextEntityType) bool {
	return t == supervisor.EntityCode || t == supervisor.EntityPre
}
