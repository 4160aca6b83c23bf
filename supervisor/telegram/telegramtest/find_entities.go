package telegramtest

import (
	"unicode"
	"unicode/utf16"
)

// entityKind is a kind of entity that the server finds in people's text.
type entityKind struct {
	mark    rune
	kind    string
	findEnd func(text []rune, begin int) int // returns the end of the entity; begin if there is none
}

var entityKinds = []entityKind{{'/', "bot_command", endOfCommand}, {'@', "mention", endOfMention}}

// findEntities returns the commands and mentions of a text. (TDLib: match_bot_commands,
// match_mentions.)
func findEntities(text string) []Entity {
	runes := []rune(text)
	var entities []Entity
	offset := 0
	for i := 0; i < len(runes); i++ {
		for _, f := range entityKinds {
			if runes[i] != f.mark {
				continue
			}
			if end := f.findEnd(runes, i); end > i {
				entities = append(entities, Entity{Type: f.kind, Offset: offset, Length: end - i})
				offset += end - i - 1
				i = end - 1
			}
			break
		}
		offset += utf16.RuneLen(runes[i])
	}
	return entities
}

// endOfCommand returns the end of "/name" or "/name@bot": the command has 1 to 64 characters, and
// the bot's name 3 to 32.
func endOfCommand(text []rune, begin int) int {
	end := endOfName(text, begin+1, 64)
	if end == begin+1 || continuesWord(text, begin-1) || joinsPath(text, begin-1) {
		return begin
	}
	if runeAt(text, end) == '@' {
		if bot := endOfName(text, end+1, 32); bot-end-1 >= 3 {
			end = bot
		}
	}
	if continuesWord(text, end) || joinsPath(text, end) {
		return begin
	}
	return end
}

// endOfMention returns the end of "@name", 3 to 32 characters.
func endOfMention(text []rune, begin int) int {
	end := endOfName(text, begin+1, 32)
	if end-begin-1 < 3 || continuesWord(text, begin-1) || continuesWord(text, end) {
		return begin
	}
	return end
}

// endOfName returns the end of a name with at most n characters.
func endOfName(text []rune, from, n int) int {
	end := from
	for end < len(text) && end-from < n && isNameRune(text[end]) {
		end++
	}
	return end
}

func isNameRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_'
}

// runeAt returns the character at i; a space outside the text.
func runeAt(text []rune, i int) rune {
	if i < 0 || i >= len(text) {
		return ' '
	}
	return text[i]
}

// continuesWord reports whether i is within a word, so that no entity begins or ends there.
func continuesWord(text []rune, i int) bool {
	r := runeAt(text, i)
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// joinsPath reports whether the character at i makes a neighbouring command part of a path or tag.
func joinsPath(text []rune, i int) bool {
	r := runeAt(text, i)
	return r == '/' || r == '<' || r == '>'
}
