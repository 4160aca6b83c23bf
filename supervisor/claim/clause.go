package claim

import "strings"

// clauses reads the clauses of one sentence in one language, word by word.
type clauses struct {
	language
	languageIndex int // index of the language in languages
	tokens        []token
	confirmed     bool // the previous sentence, or the beginning of this sentence, says "done"

	// The following fields describe the current clause. Positions are indexes of tokens.
	afterSubject     bool  // the assistant is the subject of the clause
	onlyFillersSince bool  // only filler words have followed the subject
	afterAuxiliary   bool  // the subject has an auxiliary, as in "I have"
	beforeInfinitive bool  // the subject needs an infinitive, as in "acabo de"
	negated          bool  // a negation precedes the current word
	lastWord         int   // position of the last token that is no filler; -1 means none
	wordBefore       int   // position of the last token before lastWord that is no filler; -1 means none
	subjectAt        int   // position of the subject
	objectBegin      int   // position of the first token after the last verb
	afterDone        int   // position of the first token after "Done" and the like; -1 means none
	be               class // which of the classes passive and state an earlier word has, such as "is"
	isLeading        bool  // no other clause has begun since afterDone
}

// find yields the kinds of deeds that the sentence claims. The value uncertain means that the words
// may be about an earlier turn, as in "I saved it" and "your reminder is set".
func (c *clauses) find(yield func(kind DeedKind, uncertain bool)) {
	c.lastWord, c.wordBefore, c.afterDone, c.isLeading = -1, -1, -1, true
	for i, t := range c.tokens {
		s := t.sense(c.languageIndex)
		if s.class&condition != 0 {
			return
		}
		if s.class&action != 0 {
			if kind := c.claimedKind(i, s); kind != "" {
				yield(kind, s.class&finite != 0 || c.afterSubject && !c.afterAuxiliary && !c.needsAuxiliary ||
					!c.afterSubject && c.be != 0)
				if c.afterDone < 0 && s.class&finite == 0 && !c.afterSubject { // for example "Saved it and sent it"
					c.afterSubject, c.afterAuxiliary = true, true
				}

			}
			c.objectBegin = i + 1
		}
		c.follow(i, t, s)
	}
}

// follow updates the fields of the clause after a token.
func (c *clauses) follow(i int, t token, s sense) {
	if c.afterDone < 0 && t.form != pause &&
		(s.class&(done|yes|aside|filler|opening) == 0 || s.class&(article|owned) != 0) {
		c.afterDone = i
	}
	switch {
	case t.form == pause:
		c.onlyFillersSince, c.negated = c.afterSubject, false
		c.isLeading = c.isLeading && c.afterDone < 0
	case s.class&join != 0:
		c.onlyFillersSince, c.negated = c.afterSubject, false
	case s.class&negation != 0:
		c.afterSubject, c.onlyFillersSince, c.negated, c.isLeading = false, false, true, false
	case c.opensClause(i, s):
		c.afterSubject, c.onlyFillersSince, c.isLeading = !c.negated, !c.negated, false
		c.afterAuxiliary, c.beforeInfinitive = s.class&auxiliary != 0 || c.isAt(c.lastWord, auxiliary),
			s.class&recent != 0
	case s.class&other != 0:
		c.afterSubject, c.onlyFillersSince, c.isLeading = false, false, false
	case s.class&filler != 0:
		c.afterAuxiliary = c.afterAuxiliary || s.class&auxiliary != 0
		return
	case s.class&(passive|state) != 0:
		c.be |= s.class & (passive | state)
	case s.class&action != 0 && s.class&finite != 0:
		c.afterSubject, c.onlyFillersSince = !c.negated, false
	default:
		c.onlyFillersSince = false
	}
	c.wordBefore, c.lastWord = c.lastWord, i
}

// isAt reports whether token i is of a class. It is false for i = -1.
func (c *clauses) isAt(i int, of class) bool { return i >= 0 && c.tokens[i].is(c.languageIndex, of) }

// opensClause reports whether a clause with the assistant as subject begins at token i.
func (c *clauses) opensClause(i int, s sense) bool {
	before := c.lastWord
	switch isSubject, isAuxiliary := s.class&subject != 0, s.class&(auxiliary|recent) != 0; {
	case isSubject && !c.needsAuxiliary, isAuxiliary && !c.needsSubject && c.needsAuxiliary:
	case isSubject && c.isAt(c.lastWord, auxiliary), isAuxiliary && c.needsSubject && c.isAt(c.lastWord, subject):
		before = c.wordBefore
	default:
		return false
	}
	if c.subjectAt = i; before < 0 || c.tokens[before].form != word {
		return true
	}
	if c.onlyAfterOpening {
		return c.isAt(before, join|opening|done|yes|aside)
	}
	return !c.isAt(before, link)
}

// claimedKind returns the kind of deed that the verb at token i claims; "" means none.
func (c *clauses) claimedKind(i int, s sense) DeedKind {
	if c.isFollowedBy(i, negation) || c.far && i+1 < len(c.tokens) && c.isAt(i+1, auxiliary|other) {
		return ""
	}
	switch {
	case s.class&finite != 0:
		if c.negated || c.isAt(c.lastWord, link) {
			return ""
		}
		return c.kind(i, s.verb)
	case c.afterSubject:
		if !c.onlyFillersSince && !c.far || c.beforeInfinitive != (s.class&infinite != 0) {
			return ""
		}
		return c.kind(i, s.verb)
	case s.class&infinite != 0 || c.negated || !c.isLeading || c.isFollowedBy(i, agent):
		return ""
	case c.afterDone < 0:
		return c.bareParticiple(i, s)
	}
	return c.participleAfterNoun(i, s)
}

// isFollowedBy reports whether one of the two tokens after i in the clause is of a class.
func (c *clauses) isFollowedBy(i int, of class) bool {
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

// kind returns the kind of deed that a verb claims, together with the words around it.
func (c *clauses) kind(i int, v *verb) DeedKind {
	found := c.cuesAfter(i)
	switch {
	case c.far:
		found |= c.cues(c.objectBegin, i)
	case c.objectBegin == 0:
		found |= c.cues(0, c.subjectAt)
	}
	return v.kind(found)
}

func (v *verb) kind(found cue) DeedKind {
	for _, r := range v.by {
		if found&r.cue != 0 {
			return r.kind
		}
	}
	return v.always
}

// cuesAfter returns the cues of the words between the verb at token i and the next verb.
func (c *clauses) cuesAfter(i int) cue {
	end := i + 1
	for ; end < len(c.tokens) && !c.isAt(end, action) && (c.far || !c.isAt(end-1, link)); end++ {
		if c.far && (c.tokens[end].form == pause || c.isAt(end, join)) {
			break
		}
	}
	return c.cues(i+1, end)
}

// cues returns the cues of the tokens from..to. It returns 0 if a word such as "below" points into
// the answer itself.
func (c *clauses) cues(from, to int) (found cue) {
	for i := from; i < to; i++ {
		if c.isAt(i, shown) {
			return 0
		}
		found |= c.cuesOf(c.tokens[i], c.languageIndex)
	}
	return found
}

// bareParticiple returns the kind that a participle at the beginning of a sentence claims, as in
// "Saved to notes.md".
func (c *clauses) bareParticiple(i int, s sense) DeedKind {
	if s.class&ambiguous != 0 || s.verb.always != "" && !c.isPredicate(i, target|article|owned|join|filler) {
		return ""
	}
	return s.verb.kind(c.cuesAfter(i))
}

// isPredicate reports whether the participle at token i ends its clause. In "saved games are" the
// participle belongs to the subject. A token of the class in the parameter before may follow the
// participle.
func (c *clauses) isPredicate(i int, before class) bool {
	for _, t := range c.tokens[i+1:] {
		if t.is(c.languageIndex, state|passive) {
			return false
		}
	}
	return i+1 == len(c.tokens) || c.tokens[i+1].form != word || c.isAt(i+1, before)

}

// maxNounDistance is the largest distance between a noun and its participle, in tokens.
const maxNounDistance = 3

// participleAfterNoun returns the kind that a participle claims after a noun that begins the
// sentence. Examples are "Message sent" and "Your reminder is set".
func (c *clauses) participleAfterNoun(i int, s sense) DeedKind {
	about := c.cues(c.afterDone, i)
	kind := s.verb.kind(about | c.cuesAfter(i))
	follows := target | join | filler
	if !c.far && strings.HasSuffix(c.tokens[c.afterDone].word, "s") {
		// after a plural, the next words may belong to the subject, as in "messages sent to me are"
		follows = 0
	}

	for j := c.afterDone; j < i; j++ {
		if c.isAt(j, agent) {
			return ""
		}
	}
	switch whose := c.isAt(c.afterDone, owned|article); {
	case about == 0 || !whose && c.cues(c.afterDone, c.afterDone+1) == 0:
		return ""
	case c.be == 0 && !whose && (c.far || i-c.afterDone <= maxNounDistance) && c.isPredicate(i, follows):
		return kind
	case c.be&passive != 0 && (c.confirmed || c.isAt(c.afterDone, owned)):
		return kind
	case c.be&state != 0 && (c.confirmed || kind == DeedSchedule && c.isAt(c.afterDone, owned)):
		return kind
	}
	return ""
}
