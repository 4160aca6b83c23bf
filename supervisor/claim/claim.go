// Package claim finds where an assistant says that it has done something itself, just now, that
// only a tool can do. It knows English, Spanish, German and French by tables of words (words_*.go),
// and does no I/O.
//
// It rather misses a claim than finds one that is none: an offer, a question, a condition, a
// negation, a future, somebody else's doing, an earlier day's, a quotation and a draft are none.
package claim

// Kind is what is claimed to have been done.
type Kind string

const (
	Write    Kind = "write"    // something that is kept was made, changed or moved
	Delete   Kind = "delete"   // it was taken away
	Send     Kind = "send"     // it went to somebody
	Run      Kind = "run"      // a program ran
	Schedule Kind = "schedule" // something was set for a time
	Lookup   Kind = "lookup"   // something was searched or read that the conversation does not hold
	Remember Kind = "remember" // something was kept for later conversations
)

// Kinds are all kinds, in the order in which they are named.
var Kinds = []Kind{Write, Delete, Send, Run, Schedule, Lookup, Remember}

// Claim is one kind of thing that a text claims.
type Claim struct {
	Kind     Kind
	Sentence string // the first that claims it, as the text has it
	// the sentence may as well speak of an earlier turn: "Yes, ...", "already", "I saved", "is set"
	Earlier bool
}

// Find lists what a text claims, each kind once. A kind that is claimed without Earlier anywhere is
// listed so.
func Find(text string) (claims []Claim) {
	add := func(c Claim) {
		for i := range claims {
			if claims[i].Kind != c.Kind {
				continue
			}
			if claims[i].Earlier && !c.Earlier {
				claims[i] = c
			}
			return
		}
		claims = append(claims, c)
	}
	f := finder{add: add}
	readSentences(text, f.sentence)
	return claims
}

// finder goes through the sentences of one text.
type finder struct {
	add       func(Claim)
	confirmed bool // the sentence before says "done" and no more
	affirmed  bool // the first sentence says "yes"
	begun     bool // there was a sentence
}

func (f *finder) sentence(s sentence) {
	isDone := false
	for i, l := range languages {
		isDone = isDone || s.has(i, done)
		f.affirmed = f.affirmed || !f.begun && s.has(i, yes)
		if s.question || !s.has(i, action) || s.has(i, earlier) {
			continue
		}
		c := clauses{language: l, index: i, tokens: s.tokens, confirmed: f.confirmed || s.has(i, done)}
		c.find(func(kind Kind, uncertain bool) {
			f.add(Claim{kind, s.text, uncertain || f.affirmed || s.has(i, already)})
		})
	}
	f.begun, f.confirmed = true, isDone && len(s.tokens) <= maxConfirmation
}

// maxConfirmation is how many words a sentence has at most that says "done" and no more.
const maxConfirmation = 5
