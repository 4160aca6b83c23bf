package index

import (
	"strings"
	"unicode"
)

// longestWord is the longest word in letters. A longer run of letters is not a word: it may be a
// key, or a picture as text.
const longestWord = 40

// unspaced lists the scripts without spaces between words. Each pair of neighbouring letters counts
// as a word there.
var unspaced = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai}

// wordsOf returns the words of a text in order, in the form for storing and searching: lower case,
// without accents.
func wordsOf(text string) (words []string) {
	var word []rune
	end := func() {
		if len(word) > 0 {
			words = append(words, string(word[:min(len(word), longestWord)]))
			word = word[:0]
		}
	}
	last := rune(0) // the previous character, if it is a letter of an unspaced script; otherwise 0
	for _, r := range text {
		switch {
		case r < 0x80 && ('a' <= r && r <= 'z' || '0' <= r && r <= '9'):
			word = append(word, r)
		case unicode.In(r, unicode.Mn):
			continue // an accent without a letter is skipped
		case r >= 0x2E80 && unicode.In(r, unspaced...), unicode.Is(unicode.Thai, r):
			end()
			if last != 0 {
				words = append(words, string([]rune{last, r}))
			}
			last = r
			continue
		case unicode.IsLetter(r), unicode.IsDigit(r):
			word = append(word, foldRune(unicode.ToLower(r))...)
		default:
			end()
		}
		last = 0
	}
	end()
	return words
}

// accents maps letters to the letters that are stored instead. It has no ASCII letters.
var accents = func() map[rune][]rune {
	letters := map[rune][]rune{'ß': []rune("ss"), 'æ': []rune("ae"), 'œ': []rune("oe"), 'þ': []rune("th")}
	for plain, marked := range map[rune]string{
		'a': "àáâãäåāăąǎạảấầẩẫậắằẳẵặ", 'c': "çćĉċč", 'd': "ďđð", 'e': "èéêëēĕėęěẹẻẽếềểễệ", 'g': "ĝğġģ", 'h': "ĥħ",
		'i': "ìíîïĩīĭįıǐịỉ", 'j': "ĵ", 'k': "ķ", 'l': "ĺļľŀł", 'n': "ñńņňŋ", 'o': "òóôõöøōŏőơǒọỏốồổỗộớờởỡợ", 'r': "ŕŗř", 's': "śŝşšș",
		't': "ţťŧț", 'u': "ùúûüũūŭůűųưǔụủứừửữự", 'w': "ŵ", 'y': "ýÿŷỳỵỷỹ", 'z': "źżž",
		'α': "ά", 'ε': "έ", 'η': "ή", 'ι': "ίϊΐ", 'ο': "ό", 'υ': "ύϋΰ", 'ω': "ώ", 'σ': "ς", 'е': "ё", 'и': "й",
	} {
		for _, r := range marked {
			letters[r] = []rune{plain}
		}
	}
	return letters
}()

func foldRune(r rune) []rune {
	if r >= 0x80 {
		if plain := accents[r]; plain != nil {
			return plain
		}
	}
	return []rune{r}
}

// ftsText returns a text for FTS5, which splits it at its spaces.
func ftsText(text string) string { return strings.Join(wordsOf(text), " ") }
