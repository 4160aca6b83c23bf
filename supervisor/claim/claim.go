// Package claim finds sentences in which an assistant claims a deed: something that only a tool can
// do, or a promise for later. It knows English, Spanish, German and French by tables of words
// (words_*.go), and does no I/O.
//
// The package is made to find no false claims, and so it misses some true claims. Offers,
// questions, conditions, negations, the future, other people's deeds, earlier days, quotations and
// drafts are no claims.
package claim

import "regexp"

// DeedKind is the kind of deed that a sentence claims.
type DeedKind string

const (
	DeedWrite    DeedKind = "write"    // something was saved, changed or moved
	DeedDelete   DeedKind = "delete"   // something was deleted
	DeedSend     DeedKind = "send"     // something was sent to somebody
	DeedRun      DeedKind = "run"      // a program ran
	DeedBuy      DeedKind = "buy"      // something was booked, ordered or paid
	DeedSchedule DeedKind = "schedule" // something was scheduled
	DeedLookup   DeedKind = "lookup"   // something outside the conversation was searched or read
	DeedRemember DeedKind = "remember" // something was remembered for later conversations
	DeedPromise  DeedKind = "promise"  // the assistant promised to write or to check something later
)

// DeedRunSucceeded means that a program ended without errors. FindClaims returns a DeedRun with
// Passed instead.
const DeedRunSucceeded DeedKind = "pass"

// DeedKinds lists all kinds that FindClaims returns. A warning names the kinds in this order.
var DeedKinds = []DeedKind{DeedWrite, DeedDelete, DeedSend, DeedRun, DeedBuy, DeedSchedule, DeedLookup, DeedRemember,
	DeedPromise}

// Claim is a kind of deed that a text claims, with the claiming sentence.
type Claim struct {
	Kind     DeedKind
	Sentence string // the first sentence that claims the deed
	// the sentence may speak of an earlier turn, as with "Yes, ...", "already", "I saved" and "is
	// set"
	Earlier bool
	Passed  bool     // the text says that tests passed; only for DeedRun
	more    []string // further sentences that claim the deed; only if Earlier is set
}

// maxMore is how many further sentences of a kind are kept.
const maxMore = 10

// FindClaims lists the deeds that a text claims, each kind once. If several sentences claim a kind,
// the claim has Earlier set only if all these sentences may speak of an earlier turn.
func FindClaims(text string) (claims []Claim) {
	add := func(c Claim) {
		for i := range claims {
			if claims[i].Kind != c.Kind {
				continue
			}
			switch {
			case claims[i].Earlier && !c.Earlier:
				claims[i] = c
			case claims[i].Earlier && len(claims[i].more) < maxMore && c.Sentence != claims[i].Sentence:
				claims[i].more = append(claims[i].more, c.Sentence)
			}
			return
		}
		claims = append(claims, c)
	}
	f := finder{add: add}
	readSentences(text, f.sentence)
	for i, c := range claims {
		claims[i].Passed = f.passed && c.Kind == DeedRun
	}
	return claims
}

// passes matches sentences that say that tests passed. passesNot matches words that deny it, or
// make it a condition.
var (
	passes = regexp.MustCompile(`(?i)\b(?:tests?|checks?|suite|build|specs|all|everything|alle|alles|todas?|todos?` +
		`|tous|toutes)\b.*\b(?:pass|passes|passed|passing|succeed|succeeds|succeeded` +
		`|green|bestanden|grün|pasan|pasaron` +
		`|pasado|passent|passé)(?:\P{L}|$)`)
	passesNot = regexp.MustCompile(`(?i)\b(?:not|no|none|fail\w*|if|when|once|until|should|will|except|nicht` +
		`|kein\w*|wenn|si|cuando|pas|sobald)\b|n't`)
)

// finder finds the claims of one text, sentence by sentence.
type finder struct {
	add       func(Claim)
	confirmed bool // the previous sentence only says "done"
	passed    bool // a sentence says that tests passed
	affirmed  bool // the first sentence says "yes"
	begun     bool // the finder has read a sentence
}

func (f *finder) sentence(s sentence) {
	if s.promise() {
		f.add(Claim{Kind: DeedPromise, Sentence: s.text, Earlier: true})
	}
	f.passed = f.passed || !s.question && passes.MatchString(s.text) && !passesNot.MatchString(s.text)
	isDone := false
	for i, l := range languages {
		isDone = isDone || s.has(i, done)
		f.affirmed = f.affirmed || !f.begun && s.has(i, yes)
		if s.question || !s.has(i, action) || s.has(i, earlier) {
			continue
		}
		c := clauses{language: l, languageIndex: i, tokens: s.tokens, confirmed: f.confirmed || s.has(i, done)}
		c.find(func(kind DeedKind, uncertain bool) {
			f.add(Claim{Kind: kind, Sentence: s.text, Earlier: uncertain || f.affirmed || s.has(i, already)})
		})
	}
	if words := s.pattern(); !s.question && !f.affirmed {
		for _, i := range idioms() {
			if i.says.MatchString(words) {
				f.add(Claim{Kind: i.kind, Sentence: s.text, Earlier: true})
			}
		}
	}
	f.begun, f.confirmed = true, isDone && len(s.tokens) <= maxConfirmation
}

// maxConfirmation is the greatest number of words in a sentence that only says "done".
const maxConfirmation = 5
