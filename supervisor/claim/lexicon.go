package claim

import (
	"slices"
	"strings"
)

// class is what a word does in a sentence, in one language. A word may be of several.
type class uint32

const (
	subject   class = 1 << iota // I
	auxiliary                   // have, of "I have saved"
	recent                      // an auxiliary before an infinitive: "acabo de guardar"
	filler                      // stands within "I have just saved" and changes nothing
	join                        // and: what follows has the same subject
	opening                     // may stand before the subject of a main clause: "then I saved"
	negation                    // not: nothing is claimed up to the next comma
	condition                   // if, would, perhaps: nothing is claimed up to the sentence's end
	link                        // that, which: what follows is told of, and not claimed
	other                       // has, of "she has saved": somebody else's doing
	earlier                     // yesterday: nothing of the sentence is of this turn
	already                     // perhaps not of this turn
	yes
	done      // says that something is done: "Done.", "All set."
	aside     // OK, thanks: stands before a sentence and is no part of it
	owned     // your: begins "your note has been saved"
	article   // the
	passive   // has been
	state     // is
	agent     // by: somebody else did it
	target    // to, in, it: may follow a participle that begins a sentence
	shown     // below: it stands in the answer
	shortened // Dr: a full stop after it ends nothing
	month     // its day has a full stop in some languages
	draft     // a letter: names a text that is written for somebody
	undo      // the two words together mean something else than the first alone
	leading   // the first of two words that mean something together
	action    // a verb in any form
	ambiguous // a verb's form that is an order at a sentence's beginning: "put"
	finite    // a verb's form that has its subject within: "guardé"
	infinite  // a verb's infinitive
)

// cue is what a verb is about, where the verb alone does not say that something was done with a
// tool.
type cue uint16

const (
	file cue = 1 << iota
	picture
	list
	calendar
	memory
	fact // "that you", after "I noted"
	program
	source // of knowledge, outside the conversation
	message
)

// verb is a meaning that verbs share.
type verb struct {
	always Kind // what it claims about anything; "" for nothing
	by     []reading
}

// reading is what a verb claims about something of a cue.
type reading struct {
	cue  cue
	kind Kind
}

// The meanings, each with its readings in the order in which they are looked for.
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

// language is what the finder knows of one. Words stand in lower case with spaces between; two that
// belong together have a hyphen below: last_week.
type language struct {
	classes map[class]string
	cues    map[cue]string
	// verbs have the forms that say that something was done. A form with = before it has its
	// subject within, with + it is an order where it begins a sentence, with - it is an infinitive;
	// a form that ends in * stands for the endings.
	verbs   map[*verb]string
	endings []string // what * stands for, with the marks of verbs
	letters []string // how a letter begins, as a whole text
	// What has to stand before a verb, next to one another.
	needsSubject, needsAuxiliary bool
	// a subject counts at a clause's beginning alone: "the file I saved"
	onlyAfterOpening bool
	far              bool // a verb may stand at the end, far from its auxiliary
	compounds        bool // a noun may have others before it, in one word
}

// languages are those that the finder knows. Their order has no meaning.
var languages = [...]language{english, spanish, german, french}

// sense is what a word means in one language.
type sense struct {
	language int
	class    class
	cue      cue
	verb     *verb
}

// lexicon has the senses of all words and pairs of words of all languages.
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

// marks are the classes of a form by the mark before it.
var marks = map[string]class{"=": finite, "+": ambiguous, "-": infinite}

// forms are a verb's forms that an entry stands for.
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

// sense is what a token means in a language.
func (t token) sense(language int) sense {
	for _, s := range t.senses {
		if s.language == language {
			return s
		}
	}
	return sense{}
}

func (t token) is(language int, c class) bool { return t.sense(language).class&c != 0 }

// any says whether the token is of a class in any language.
func (t token) any(c class) bool {
	return slices.ContainsFunc(t.senses, func(s sense) bool { return s.class&c != 0 })
}

// cues are what a token is about, in a language.
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

// A noun that ends a compound has so many bytes.
const minNoun, maxNoun = 4, 20
