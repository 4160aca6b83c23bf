package offline

import (
	"strings"
	"unicode"
)

// lengths lists how much of the beginning of a text a slot may take, in bytes, what to try first coming first. last is
// whether the slot is its phrase's end.
type lengths func(text string, last bool) []int

// words are lengths of what is in quotes, or of one word, two words, up to most; without the punctuation after it and
// with it.
func words(most int) lengths {
	return func(text string, _ bool) []int {
		list := inQuotes(text)
		at := 0
		for range most {
			at += spaces(text[at:])
			if at == len(text) {
				break
			}
			end := len(text)
			if n := strings.IndexFunc(text[at:], unicode.IsSpace); n >= 0 {
				end = at + n
			}
			if bare := at + len(strings.TrimRight(text[at:end], ".,;:?!")); bare > at && bare < end {
				list = append(list, bare)
			}
			list = append(list, end)
			at = end
		}
		return list
	}
}

// mostTried is how many ends of a long text are tried from its end, and as many from its beginning.
const mostTried = 64

// texts are lengths of a text as it is: the longest first, because the words that end it may also stand in it. At the
// phrase's end it is all there is.
func texts(text string, last bool) []int {
	whole := len(strings.TrimRightFunc(text, unicode.IsSpace))
	if last {
		return []int{whole}
	}
	list := append(inQuotes(text), whole)
	list = append(list, lastEnds(text[:whole])...)
	if len(list) >= mostTried {
		list = append(list, firstEnds(text)...)
	}
	return list
}

// lastEnds lists the ends of the last mostTried words but one, from the last to the first.
func lastEnds(text string) []int {
	var list []int
	for len(list) < mostTried {
		n := strings.LastIndexFunc(text, unicode.IsSpace)
		if n < 0 {
			break
		}
		text = strings.TrimRightFunc(text[:n], unicode.IsSpace)
		list = append(list, len(text))
	}
	return list
}

// firstEnds lists the ends of the first mostTried words.
func firstEnds(text string) []int {
	var list []int
	for at := 0; len(list) < mostTried; {
		at += spaces(text[at:])
		n := strings.IndexFunc(text[at:], unicode.IsSpace)
		if n < 0 {
			break
		}
		at += n
		list = append(list, at)
	}
	return list
}

// theRest is all there is.
func theRest(text string, _ bool) []int {
	return []int{len(strings.TrimRightFunc(text, unicode.IsSpace))}
}

// inQuotes is the length of what stands in quotes at the beginning of text, quotes included; none when nothing does.
func inQuotes(text string) []int {
	for _, q := range quotes {
		inner, opens := strings.CutPrefix(text, q[0])
		if !opens {
			continue
		}
		if n := strings.Index(inner, q[1]); n > 0 {
			return []int{len(q[0]) + n + len(q[1])}
		}
	}
	return nil
}
