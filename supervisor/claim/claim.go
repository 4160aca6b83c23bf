// Package claim finds sentences in which an assistant says that it has just done a deed that only a
// tool can do. It knows English, Spanish, German and French by tables of words (words_*.go). It
// does no I/O.
//
// The package is made to find no false claims, and so it misses some true claims. Offers,
// questions, conditions, negations, the future, other people's deeds, earlier days, quotations and
// drafts are no claims.
package claim

// DeedKind is the kind of deed that a sentence claims.
type DeedKind string

const (
	Write    DeedKind = "write"    // the assistant saved, changed or moved something
	Delete   DeedKind = "delete"   // the assistant deleted something
	Send     DeedKind = "send"     // the assistant sent something to somebody
	Run      DeedKind = "run"      // the assistant ran a program
	Schedule DeedKind = "schedule" // the assistant scheduled something
	Lookup   DeedKind = "lookup"   // the assistant searched or read something outside the conversation
	Remember DeedKind = "remember" // the assistant remembered something for later conversations
)

// Kinds lists all kinds of deeds, in the order in which a warning names them.
var Kinds = []DeedKind{Write, Delete, Send, Run, Schedule, Lookup, Remember}

// Claim is a kind of deed that a text claims, with the claiming sentence.
type Claim struct {
	Kind     DeedKind
	Sentence string // the first sentence that claims the deed
	// the sentence may speak of an earlier turn, as with "Yes, ...", "already", "I saved" and "is
	// set"
	Earlier bool
}

// FindClaims lists the claims of a text, each kind once. If any sentence claims a kind without
// Earlier, the listed claim has no Earlier.
func FindClaims(text string) (claims []Claim) {
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

// finder finds the claims of one text, sentence by sentence.
type finder struct {
	add       func(Claim)
	confirmed bool // the sentence before only says "done"
	affirmed  bool // the first sentence says "yes"
	begun     bool // the finder has read a sentence
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
		c.find(func(kind DeedKind, uncertain bool) {
			f.add(Claim{kind, s.text, uncertain || f.affirmed || s.has(i, already)})
		})
	}
	f.begun, f.confirmed = true, isDone && len(s.tokens) <= maxConfirmation
}

// maxConfirmation is the greatest number of words in a sentence that only says "done".
const maxConfirmation = 5
