// Package claim finds sentences in which an assistant says that it has just done something that
// only a tool can do. It knows English, Spanish, German and French by tables of words (words_*.go),
// and does no I/O.
//
// It would rather miss a claim than find a false one. Offers, questions, conditions, negations, the
// future, other people's deeds, earlier days, quotations and drafts are no claims.
package claim

// Kind is the kind of deed that a sentence claims.
type Kind string

const (
	Write    Kind = "write"    // something was saved, changed or moved
	Delete   Kind = "delete"   // something was deleted
	Send     Kind = "send"     // something was sent to somebody
	Run      Kind = "run"      // a program ran
	Schedule Kind = "schedule" // something was scheduled
	Lookup   Kind = "lookup"   // something outside the conversation was searched or read
	Remember Kind = "remember" // something was remembered for later conversations
)

// Kinds lists all kinds, in the order of a Note.
var Kinds = []Kind{Write, Delete, Send, Run, Schedule, Lookup, Remember}

// Claim is one kind of deed that a text claims.
type Claim struct {
	Kind     Kind
	Sentence string // the first sentence that claims it
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
		c := clauses{language: l, languageIndex: i, tokens: s.tokens, confirmed: f.confirmed || s.has(i, done)}
		c.find(func(kind Kind, uncertain bool) {
			f.add(Claim{kind, s.text, uncertain || f.affirmed || s.has(i, already)})
		})
	}
	f.begun, f.confirmed = true, isDone && len(s.tokens) <= maxConfirmation
}

// maxConfirmation is how many words a sentence has at most that says "done" and no more.
const maxConfirmation = 5
