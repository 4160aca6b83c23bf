package offline

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxSteps is how many elements one attempt may try: enough for any message that a person writes, and an end to those
// that are made to try everything.
const maxSteps = 20_000

// attempt is one phrase tried on one text.
type attempt struct {
	text     string
	verbatim bool
	fuel     int
	taken    []taken // by the slots so far
}

type taken struct {
	slot *slot
	raw  string
}

// place is how far an attempt has come.
type place struct {
	at    int  // bytes into the text
	glued bool // the next word may follow without a space: at the beginning, and after a colon
}

// following are the nodes after an option, from the innermost out.
type following struct {
	nodes []node
	then  *following
}

// match tries nodes and what follows them from here. It leaves what the slots took in a.taken when it succeeds.
func (a *attempt) match(nodes []node, then *following, here place) bool {
	if a.fuel--; a.fuel < 0 {
		return false
	}
	if len(nodes) == 0 {
		if then == nil {
			return a.ends(here.at)
		}
		return a.match(then.nodes, then.then, here)
	}
	n, rest := nodes[0], nodes[1:]
	switch {
	case n.option != nil:
		return a.match(n.option, &following{rest, then}, here) || a.match(rest, then, here)
	case n.colon:
		at := here.at + spaces(a.text[here.at:])
		return strings.HasPrefix(a.text[at:], ":") && a.match(rest, then, place{at + 1, true})
	case n.slot != nil:
		return a.fill(n.slot, rest, then, here)
	default:
		return a.word(n.words, rest, then, here)
	}
}

// word tries each of the words here.
func (a *attempt) word(words []string, rest []node, then *following, here place) bool {
	for _, at := range a.gaps(here) {
		for _, w := range words {
			if n := wordLength(a.text[at:], w); n > 0 && a.match(rest, then, place{at: at + n}) {
				return true
			}
		}
	}
	return false
}

// fill tries each length that the slot may take here.
func (a *attempt) fill(s *slot, rest []node, then *following, here place) bool {
	starts := a.gaps(here)
	if s.kind.verbatim {
		starts = a.textGaps(here)
	}
	last := len(rest) == 0 && then == nil
	for _, at := range starts {
		for _, n := range s.kind.lengths(a.text[at:], last) {
			if a.fuel--; a.fuel < 0 {
				return false
			}
			raw := a.text[at : at+n]
			if !s.kind.valid(raw) {
				continue
			}
			a.taken = append(a.taken, taken{s, raw})
			if a.match(rest, then, place{at: at + n}) {
				return true
			}
			a.taken = a.taken[:len(a.taken)-1]
		}
	}
	return false
}

// ends says whether the text may end here: nothing follows but white space, or courtesies and punctuation.
func (a *attempt) ends(at int) bool {
	if a.verbatim && len(a.taken) > 0 && a.taken[len(a.taken)-1].slot.kind.verbatim {
		return strings.TrimSpace(a.text[at:]) == ""
	}
	return isCourtesy(a.text[at:])
}

// gaps lists where the next word may begin: after white space, after a comma or colon, after a dash that stands alone.
func (a *attempt) gaps(here place) []int {
	text := a.text[here.at:]
	n := spaces(text)
	if n < len(text) && (text[n] == ':' || text[n] == ',') {
		return []int{here.at + n + 1 + spaces(text[n+1:])}
	}
	if n == 0 && !here.glued || n == len(text) {
		return nil
	}
	if dash := len(text[n:]) - len(strings.TrimLeft(text[n:], "-")); dash > 0 {
		if after := spaces(text[n+dash:]); after > 0 {
			return []int{here.at + n, here.at + n + dash + after}
		}
	}
	return []int{here.at + n}
}

// textGaps is gaps for a text that is taken as it is: where it begins on a line of its own, that line's indentation is
// part of it.
func (a *attempt) textGaps(here place) []int {
	text := a.text[here.at:]
	line := strings.TrimLeft(text, " \t")
	if !here.glued && line != "" && (line[0] == ':' || line[0] == ',') {
		line = strings.TrimLeft(line[1:], " \t")
	}
	if strings.HasPrefix(line, "\n") && strings.TrimSpace(line) != "" {
		return []int{len(a.text) - len(line) + 1}
	}
	starts := a.gaps(here)
	return starts[:min(len(starts), 1)]
}

// spaces is the length of the white space that text begins with.
func spaces(text string) int {
	return len(text) - len(strings.TrimLeftFunc(text, unicode.IsSpace))
}

// wordLength is the length of what word matches at the beginning of text, 0 where it does not: case does not matter, an
// underscore is white space, an apostrophe may be curly or left out.
func wordLength(text, word string) int {
	at := 0
	for word != "" {
		switch word[0] {
		case '_':
			n := spaces(text[at:])
			if n == 0 {
				return 0
			}
			at += n
			word = word[1:]
		case '\'':
			at += apostrophe(text[at:])
			word = word[1:]
		default:
			end := strings.IndexAny(word, "_'")
			if end < 0 {
				end = len(word)
			}
			if len(text)-at < end || !strings.EqualFold(text[at:at+end], word[:end]) {
				return 0
			}
			at += end
			word = word[end:]
		}
	}
	return at
}

func apostrophe(text string) int {
	if r, n := utf8.DecodeRuneInString(text); r == '\'' || r == '’' {
		return n
	}
	return 0
}

// thankful are the endings of a request that ask for nothing.
var thankful = strings.Fields("please pls for_me right_now now again thanks thank_you then too")

// isCourtesy says whether text is nothing but courtesies and punctuation.
func isCourtesy(text string) bool {
	for {
		rest := strings.TrimLeft(text, " \t\r\n,")
		if strings.Trim(rest, " \t\r\n.?!") == "" && !strings.Contains(text[:len(text)-len(rest)], ",") {
			return true
		}
		if rest == text {
			return false
		}
		n := 0
		for _, w := range thankful {
			n = max(n, wordLength(rest, w))
		}
		if n == 0 {
			return false
		}
		text = rest[n:]
	}
}
