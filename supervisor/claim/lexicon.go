package claim

import (
	"slices"
	"strings"
)

// class is the function of a word in a sentence, in one language. A word may have several classes.
type class uint32

const (
	subject   class = 1 << iota // "I"
	auxiliary                   // "have", as in "I have saved"
	recent                      // an auxiliary before an infinitive: "acabo de guardar"
	filler                      // may be inside "I have just saved" without changing it
	join                        // "and": the next verb has the same subject
	opening                     // may precede the subject of a main clause: "then I saved"
	negation                    // "not": no claims until the next comma
	condition                   // "if", "would", "perhaps": no claims until the end of the sentence
	link                        // "that", "which": the clause after it reports and claims nothing
	other                       // "has", as in "she has saved": somebody else did it
	earlier                     // "yesterday": the sentence is not about this turn
	already                     // "already": the sentence may be about an earlier turn
	yes
	done      // says that something is done: "Done.", "All set."
	aside     // "OK", "thanks": precedes a sentence and is no part of it
	owned     // "your": begins "your note has been saved"
	article   // "the"
	passive   // "has been"
	state     // "is"
	agent     // "by": somebody else did it
	target    // "to", "in", "it": may follow a participle that begins a sentence
	shown     // "below": the thing is in the answer
	shortened // "Dr": the full stop after it ends no sentence
	month     // after a number: the full stop between them ends no sentence
	draft     // "letter", "draft": the sentence names a text written for somebody
	undo      // two words that mean something else than the first alone
	leading   // the first of two words that belong together
	action    // a verb in any form
	ambiguous // a form that is an order at the beginning of a sentence: "put"
	finite    // a form that includes its subject: "guardé"
	infinite  // a verb's infinitive
)

// cue is a hint at the object of a verb. Some verbs claim a tool's deed only with certain objects.
type cue uint16

const (
	file cue = 1 << iota
	picture
	list
	calendar
	memory
	fact // "that you", after "I noted"
	program
	source // a source of knowledge outside the conversation
	message
)

// verb is one meaning, shared by verbs of all languages.
type verb struct {
	always Kind // the kind without any cue; "" for none
	by     []reading
}

// reading is the kind that a verb claims with a cue.
type reading struct {
	cue  cue
	kind Kind
}

// Meanings of verbs. The first reading with a matching cue counts.
var (
	store    = &verb{Write, []reading{{memory | fact, Remember}, {calendar, Schedule}}}
	note     = &verb{"", []reading{{memory | fact, Remember}, {calendar, Schedule}, {file | list, Write}}}
	add      = &verb{"", []reading{{memory, Remember}, {calendar, Schedule}, {file | picture | list, Write}}}
	change   = &verb{"", []reading{{memory, Remember}, {calendar, Schedule}, {file | picture, Write}}}
	erase    = &verb{Delete, nil}
	remove   = &verb{"", []reading{{file | picture | list | calendar | message | memory, Delete}}}
	send     = &verb{Send, nil}
	share    = &verb{"", []reading{{file | picture | message, Send}}}
	execute  = &verb{Run, nil}
	run      = &verb{"", []reading{{program, Run}, {calendar, Schedule}}}
	schedule = &verb{Schedule, nil}
	set      = &verb{"", []reading{{calendar, Schedule}}}
	search   = &verb{Lookup, nil}
	read     = &verb{"", []reading{{file | list | source | calendar, Lookup}}}
	memorize = &verb{Remember, nil}
)

// language is the vocabulary of one language. Words are in lower case with spaces between. Two
// words that belong together are joined by an underscore: last_week.
type language struct {
	classes map[class]string
	cues    map[cue]string
	// verbs has the forms that say that something was done. A form with "=" before it includes its
	// subject. A form with "+" is an order at the beginning of a sentence, and one with "-" is an
	// infinitive. "*" at the end stands for each of endings.
	verbs   map[*verb]string
	endings []string // replacements of *, with the marks of verbs
	letters []string // beginnings of letters, if they are the whole line
	// The words that must precede a verb, next to each other.
	needsSubject, needsAuxiliary bool
	// a subject counts only at the beginning of a clause, unlike in "the file I saved"
	onlyAfterOpening bool
	far              bool // a verb may be at the end, far from its auxiliary
	compounds        bool // a noun may be joined to others in one word
}

// languages lists the known languages. Their order has no meaning.
var languages = [...]language{english, spanish, german, french}

// sense is the meaning of a word in one language.
type sense struct {
	language int
	class    class
	cue      cue
	verb     *verb
}

// lexicon has the senses of all words and word pairs, in all languages.
var lexicon = makeLexicon()

func makeLexicon() map[string][]sense {
	words := map[string][]sense{}
	put := func(s sense, word string) {
		for i, known := range words[word] {
			if known.language == s.language {
				known.class |= s.class
				known.cue |= s.cue
				if s.verb != nil {
					known.verb = s.verb
				}
				words[word][i] = known
				return
			}
		}
		words[word] = append(words[word], s)
	}
	enter := func(s sense, list string) {
		for word := range strings.FieldsSeq(list) {
			first, second, isPair := strings.Cut(word, "_")
			if isPair {
				put(sense{language: s.language, class: leading}, first)
				word = first + " " + second
			}
			put(s, word)
		}
	}
	for i, l := range languages {
		for class, list := range l.classes {
			enter(sense{language: i, class: class}, list)
		}
		for cue, list := range l.cues {
			enter(sense{language: i, cue: cue}, list)
		}
		for verb, list := range l.verbs {
			for form := range strings.FieldsSeq(list) {
				for _, form := range l.forms(form) {
					marked := strings.TrimLeft(form, "=+-")
					enter(sense{language: i, class: action | marks[form[:len(form)-len(marked)]], verb: verb}, marked)
				}
			}
		}
	}
	return words
}

// marks maps the mark before a form to its class.
var marks = map[string]class{"=": finite, "+": ambiguous, "-": infinite}

// forms expands an entry of verbs to its forms.
func (l language) forms(entry string) (forms []string) {
	stem, regular := strings.CutSuffix(entry, "*")
	if !regular {
		return []string{entry}
	}
	for _, ending := range l.endings {
		marked := strings.TrimLeft(ending, "=+-")
		forms = append(forms, ending[:len(ending)-len(marked)]+stem+marked)
	}
	return forms
}

// sense returns the meaning of a token in one language.
func (t token) sense(language int) sense {
	for _, s := range t.senses {
		if s.language == language {
			return s
		}
	}
	return sense{}
}

func (t token) is(language int, c class) bool { return t.sense(language).class&c != 0 }

// isInAnyLanguage reports whether the token is of a class in any language.
func (t token) isInAnyLanguage(c class) bool {
	return slices.ContainsFunc(t.senses, func(s sense) bool { return s.class&c != 0 })
}

// cuesOf returns the cues of a token in one language.
func (l language) cuesOf(t token, language int) cue {
	switch t.form {
	case name:
		return file | program | source
	case code:
		return program
	}
	found := t.sense(language).cue
	if end := t.word[max(0, len(t.word)-maxNoun):]; found == 0 && l.compounds {
		for i := range max(0, len(end)-minNoun) {
			found |= token{senses: lexicon[end[i+1:]]}.sense(language).cue
		}
	}
	return found
}

// The length in bytes of a noun at the end of a compound.
const minNoun, maxNoun = 4, 20
