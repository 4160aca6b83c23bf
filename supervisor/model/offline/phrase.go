package offline

import (
	"strings"
)

// A phrase is one way to ask for something, written in a small language of its own:
//
//	read|show       either word; case does not matter
//	get_rid_of      a word with spaces in it
//	[the|my] [file] may be there or not; brackets nest, and hold any sequence
//	{path}          a slot: its kind is its name's, or follows it as in {path:named}; see kinds
//	:               a colon that must be there (between any two words a comma or colon is allowed)
//
// A phrase matches a whole message. A courtesy and punctuation at the end are passed over, unless the phrase ends in a
// slot that takes text as it is.
//
// It is matched by trying (match.go) and not by regular expressions: some four hundred of those take 7 MB and 0.1 s.
type phrase struct {
	nodes    []node
	verbatim bool // the last slot takes the message's end as it is
}

// node is one element of a phrase. Exactly one of its fields is set.
type node struct {
	words  []string // the alternatives, in lower case
	option []node
	slot   *slot
	colon  bool
}

// slot is a place in a phrase.
type slot struct {
	name string
	kind kind
}

// newPhrase reads a phrase. Phrases are constants, and a test looks at every one of them.
func newPhrase(source string) phrase {
	tokens := strings.Fields(strings.ReplaceAll(strings.ReplaceAll(source, "[", " [ "), "]", " ] "))
	nodes, _ := sequence(tokens)
	return phrase{nodes: nodes, verbatim: endsVerbatim(nodes)}
}

// sequence reads tokens to their end, or to the bracket that closes them, and returns those that it has not read.
func sequence(tokens []string) (nodes []node, left []string) {
	for len(tokens) > 0 {
		token := tokens[0]
		tokens = tokens[1:]
		switch {
		case token == "]":
			return nodes, tokens
		case token == "[":
			var inner []node
			inner, tokens = sequence(tokens)
			nodes = append(nodes, node{option: inner})
		case token == ":":
			nodes = append(nodes, node{colon: true})
		case strings.HasPrefix(token, "{"):
			nodes = append(nodes, node{slot: newSlot(token)})
		default:
			nodes = append(nodes, node{words: strings.Split(token, "|")})
		}
	}
	return nodes, nil
}

// newSlot reads a token such as {path:named}.
func newSlot(token string) *slot {
	name, kindName, given := strings.Cut(strings.Trim(token, "{}"), ":")
	if !given {
		kindName = name
	}
	return &slot{name, kinds()[kindName]}
}

func endsVerbatim(nodes []node) bool {
	last := nodes[len(nodes)-1]
	if last.option != nil {
		return endsVerbatim(last.option)
	}
	return last.slot != nil && last.slot.kind.verbatim
}

// match fills the slots of p from text, or says that text is not of this phrase.
func (p phrase) match(text string) (slots, bool) {
	a := &attempt{text: text, verbatim: p.verbatim, fuel: maxSteps}
	if !a.match(p.nodes, nil, place{glued: true}) {
		return nil, false
	}
	s := slots{}
	for _, t := range a.taken {
		s[t.slot.name] = t.slot.kind.tidy(t.raw)
	}
	return s, true
}
