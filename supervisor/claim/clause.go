package claim

import "strings"

// clauses reads one sentence in one language, word by word.
type clauses struct {
	language
	index     int // of the language
	tokens    []token
	confirmed bool // the sentence before, or the beginning of this one, says "done"

	open      bool // the assistant is the subject
	near      bool // ... and only fillers have followed since
	perfect   bool // ... with an auxiliary
	recent    bool // ... whose verb is an infinitive
	blocked   bool // by a negation
	last      int  // the last token that is no filler; -1 for none
	previous  int  // the one before last
	frame     int  // index of the subject
	from      int  // index of the first word after the last verb
	head      int  // index of the first token after "Done" and the like; -1 before it
	be        class
	isLeading bool // no other clause has begun since head
}

// find yields the kinds that the sentence claims. uncertain means that the words may be about an
// earlier turn, as in "I saved it" and "your reminder is set".
func (c *clauses) find(yield func(kind Kind, uncertain bool)) {
	c.last, c.previous, c.head, c.isLeading = -1, -1, -1, true
	for i, t := range c.tokens {
		s := t.sense(c.index)
		if s.class&condition != 0 {
			return
		}
		if s.class&action != 0 {
			if kind := c.claims(i, s); kind != "" {
				yield(kind, s.class&finite != 0 || c.open && !c.perfect && !c.needsAuxiliary || !c.open && c.be != 0)
				if c.head < 0 && s.class&finite == 0 && !c.open { // "Saved it and sent it"
					c.open, c.perfect = true, true
				}

			}
			c.from = i + 1
		}
		c.follow(i, t, s)
	}
}

// follow updates the state of the clause after a token.
func (c *clauses) follow(i int, t token, s sense) {
	if c.head < 0 && t.form != pause && (s.class&(done|yes|aside|filler|opening) == 0 || s.class&(article|owned) != 0) {
		c.head = i
	}
	switch {
	case t.form == pause:
		c.near, c.blocked = c.open, false
		c.isLeading = c.isLeading && c.head < 0
	case s.class&join != 0:
		c.near, c.blocked = c.open, false
	case s.class&negation != 0:
		c.open, c.near, c.blocked, c.isLeading = false, false, true, false
	case c.opens(i, s):
		c.open, c.near, c.isLeading = !c.blocked, !c.blocked, false
		c.perfect, c.recent = s.class&auxiliary != 0 || c.isAt(c.last, auxiliary), s.class&recent != 0
	case s.class&other != 0:
		c.open, c.near, c.isLeading = false, false, false
	case s.class&filler != 0:
		c.perfect = c.perfect || s.class&auxiliary != 0
		return
	case s.class&(passive|state) != 0:
		c.be |= s.class & (passive | state)
	case s.class&action != 0 && s.class&finite != 0:
		c.open, c.near = !c.blocked, false
	default:
		c.near = false
	}
	c.previous, c.last = c.last, i
}

// isAt reports whether token i is of a class. i may be -1, which is never.
func (c *clauses) isAt(i int, of class) bool { return i >= 0 && c.tokens[i].is(c.index, of) }

// opens reports whether a clause with the assistant as subject begins at token i.
func (c *clauses) opens(i int, s sense) bool {
	before := c.last
	switch isSubject, isAuxiliary := s.class&subject != 0, s.class&(auxiliary|recent) != 0; {
	case isSubject && !c.needsAuxiliary, isAuxiliary && !c.needsSubject && c.needsAuxiliary:
	case isSubject && c.isAt(c.last, auxiliary), isAuxiliary && c.needsSubject && c.isAt(c.last, subject):
		before = c.previous
	default:
		return false
	}
	if c.frame = i; before < 0 || c.tokens[before].form != word {
		return true
	}
	if c.onlyAfterOpening {
		return c.isAt(before, join|opening|done|yes|aside)
	}
	return !c.isAt(before, link)
}

// claims returns the kind that the verb at token i claims, or "".
func (c *clauses) claims(i int, s sense) Kind {
	if c.isAfter(i, negation) || c.far && i+1 < len(c.tokens) && c.isAt(i+1, auxiliary|other) {
		return ""
	}
	switch {
	case s.class&finite != 0:
		if c.blocked || c.isAt(c.last, link) {
			return ""
		}
		return c.kind(i, s.verb)
	case c.open:
		if !c.near && !c.far || c.recent != (s.class&infinite != 0) {
			return ""
		}
		return c.kind(i, s.verb)
	case s.class&infinite != 0 || c.blocked || !c.isLeading || c.isAfter(i, agent):
		return ""
	case c.head < 0:
		return c.bare(i, s)
	}
	return c.headed(i, s)
}

// isAfter reports whether one of the two tokens after i, in the same clause, is of a class.
func (c *clauses) isAfter(i int, of class) bool {
	for j := i + 1; j <= i+2 && j < len(c.tokens); j++ {
		if c.tokens[j].form == pause || c.isAt(j, join) {
			return false
		}
		if c.isAt(j, of) {
			return true
		}
	}
	return false
}

// kind returns the kind that a verb claims together with the words around it.
func (c *clauses) kind(i int, v *verb) Kind {
	found := c.after(i)
	switch {
	case c.far:
		found |= c.cues(c.from, i)
	case c.from == 0:
		found |= c.cues(0, c.frame)
	}
	return v.kind(found)
}

func (v *verb) kind(found cue) Kind {
	for _, r := range v.by {
		if found&r.cue != 0 {
			return r.kind
		}
	}
	return v.always
}

// after returns the cues between the verb at token i and the next verb.
func (c *clauses) after(i int) cue {
	end := i + 1
	for ; end < len(c.tokens) && !c.isAt(end, action) && (c.far || !c.isAt(end-1, link)); end++ {
		if c.far && (c.tokens[end].form == pause || c.isAt(end, join)) {
			break
		}
	}
	return c.cues(i+1, end)
}

// cues returns the cues of tokens from..to, or 0 if they point into the answer itself.
func (c *clauses) cues(from, to int) (found cue) {
	for i := from; i < to; i++ {
		if c.isAt(i, shown) {
			return 0
		}
		found |= c.cuesOf(c.tokens[i], c.index)
	}
	return found
}

// bare returns the claim of a participle at the beginning of a sentence: "Saved to notes.md".
func (c *clauses) bare(i int, s sense) Kind {
	if s.class&ambiguous != 0 || s.verb.always != "" && !c.isPredicate(i, target|article|owned|join|filler) {
		return ""
	}
	return s.verb.kind(c.after(i))
}

// isPredicate reports whether the participle at token i ends its clause, and is no part of the
// subject as in "saved games are". A token of class before may follow it.
func (c *clauses) isPredicate(i int, before class) bool {
	for _, t := range c.tokens[i+1:] {
		if t.is(c.index, state|passive) {
			return false
		}
	}
	return i+1 == len(c.tokens) || c.tokens[i+1].form != word || c.isAt(i+1, before)

}

// maxHead is the largest distance between a noun and its participle, in tokens.
const maxHead = 3

// headed returns the claim of a participle after a noun that begins the sentence, as in "Message
// sent" or "Your reminder is set".
func (c *clauses) headed(i int, s sense) Kind {
	about := c.cues(c.head, i)
	kind := s.verb.kind(about | c.after(i))
	follows := target | join | filler
	if !c.far && strings.HasSuffix(c.tokens[c.head].word, "s") {
		// after a plural, the rest may belong to the subject: "messages sent to me are"
		follows = 0
	}

	for j := c.head; j < i; j++ {
		if c.isAt(j, agent) {
			return ""
		}
	}
	switch whose := c.isAt(c.head, owned|article); {
	case about == 0 || !whose && c.cues(c.head, c.head+1) == 0:
		return ""
	case c.be == 0 && !whose && (c.far || i-c.head <= maxHead) && c.isPredicate(i, follows):
		return kind
	case c.be&passive != 0 && (c.confirmed || c.isAt(c.head, owned)):
		return kind
	case c.be&state != 0 && (c.confirmed || kind == Schedule && c.isAt(c.head, owned)):
		return kind
	}
	return ""
}
