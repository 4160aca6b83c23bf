package telegramtest

import (
	"unicode"
	"unicode/utf16"
)

// found is a kind of entity that the server finds in what people write.
type found struct {
	mark rune
	kind string
	ends func(text []rune, begin int) int // where it ends, begin where it is none
}

var finds = []found{{'/', "bot_command", endOfCommand}, {'@', "mention", endOfMention}}

// find marks the commands and mentions of a text. (TDLib: match_bot_commands, match_mentions.)
func find(text string) []Entity {
	runes := []rune(text)
	var entities []Entity
	offset := 0
	for i := 0; i < len(runes); i++ {
		for _, f := range finds {
			if runes[i] != f.mark {
				continue
			}
			if end := f.ends(runes, i); end > i {
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

// endOfCommand is the end of "/name" or "/name@bot": 1 to 64 characters, 3 to 32 of the bot.
func endOfCommand(text []rune, begin int) int {
	end := run(text, begin+1, 64)
	if end == begin+1 || bounds(text, begin-1) || tied(text, begin-1) {
		return begin
	}
	if at(text, end) == '@' {
		if bot := run(text, end+1, 32); bot-end-1 >= 3 {
			end = bot
		}
	}
	if bounds(text, end) || tied(text, end) {
		return begin
	}
	return end
}

// endOfMention is the end of "@name", 3 to 32 characters.
func endOfMention(text []rune, begin int) int {
	end := run(text, begin+1, 32)
	if end-begin-1 < 3 || bounds(text, begin-1) || bounds(text, end) {
		return begin
	}
	return end
}

// run is the end of at most n characters of a name.
func run(text []rune, from, n int) int {
	end := from
	for end < len(text) && end-from < n && named(text[end]) {
		end++
	}
	return end
}

func named(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_'
}

// at is a character of a text, a space outside it.
func at(text []rune, i int) rune {
	if i < 0 || i >= len(text) {
		return ' '
	}
	return text[i]
}

// bounds says whether a word goes on at i, so that none ends or begins beside it.
func bounds(text []rune, i int) bool {
	r := at(text, i)
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// tied says whether a command can't stand beside i: it is part of a path or of a tag.
func tied(text []rune, i int) bool {
	r := at(text, i)
	return r == '/' || r == '<' || r == '>'
}
