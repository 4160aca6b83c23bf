package claim

import (
	"slices"
	"strings"
	"sync"
)

// class is the function of a word in a sentence of one language. A word may have several classes.
type class uint32

const (
	subject   class = 1 << iota // a subject: "I"
	auxiliary                   // an auxiliary, as "have" in "I have saved"
	recent                      // an auxiliary before an infinitive: "acabo de guardar"
	filler                      // a word without effect on the meaning, as "just" in "I have just saved"
	join                        // "and", after which the next verb has the same subject
	opening                     // a word that may precede the subject of a main clause, as "then" in "then I saved"
	negation                    // "not", after which nothing is claimed until the next comma
	condition                   // "if", "would" or "perhaps", after which nothing is claimed in the sentence
	link                        // "that" or "which", whose clause claims nothing
	other                       // "has", as in "she has saved", which is somebody else's deed
	earlier                     // "yesterday", by which the sentence is not about this turn
	already                     // "already", by which the sentence may be about an earlier turn
	yes
	done      // words that say that something is done: "Done.", "All set."
	aside     // "OK" or "thanks", which precedes a sentence and is no part of it
	owned     // "your", as at the beginning of "your note has been saved"
	article   // an article: "the"
	passive   // a passive: "has been"
	state     // a form of to be: "is"
	agent     // "by", which names somebody else who did the deed
	target    // "to", "in" or "it", which may follow a participle at the beginning of a sentence
	shown     // "below", by which the object is in the answer itself
	shortened // "Dr", whose full stop ends no sentence
	month     // a month; a full stop between a number and a month ends no sentence
	draft     // "letter" or "draft", by which the sentence names a text written for somebody
	undo      // two words with another meaning than the first word alone
	leading   // the first of two words that belong together
	action    // a verb in any form
	ambiguous // a verb form that is an order at the beginning of a sentence: "put"
	finite    // a verb form that includes its subject: "guardé"
	infinite  // a verb's infinitive
)

// cue is a hint at the object of a verb. Some verbs claim a deed only with certain objects.
type cue uint16

const (
	file cue = 1 << iota
	picture
	list
	calendar
	memory
	fact // words that begin a fact: "that you" in "I noted that you"
	program
	source // words for a source of knowledge outside the conversation
	message
)

// verb is one meaning, shared by verbs of all languages.
type verb struct {
	always DeedKind // the kind that the verb claims without a cue; "" means none
	by     []reading
}

// reading is a kind that a verb claims if one of some cues is present.
type reading struct {
	cue  cue
	kind DeedKind
}

// Meanings of verbs. The first reading with a matching cue counts.
var (
	store = &verb{DeedWrite, []reading{{memory | fact, DeedRemember}, {calendar, DeedSchedule}}}
	note  = &verb{"", []reading{{memory | fact, DeedRemember}, {calendar, DeedSchedule}, {file | list, DeedWrite}}}
	add   = &verb{"", []reading{{memory, DeedRemember}, {calendar, DeedSchedule}, {file | picture | list,
		DeedWrite}}}
	change = &verb{"", []reading{{memory, DeedRemember}, {calendar, DeedSchedule}, {file | picture, DeedWrite}}}
	update = &verb{"", []reading{{memory, DeedRemember}, {calendar, DeedSchedule}, {file | picture | list,
		DeedWrite}}}
	erase    = &verb{DeedDelete, nil}
	remove   = &verb{"", []reading{{file | picture | list | calendar | message | memory, DeedDelete}}}
	send     = &verb{DeedSend, nil}
	share    = &verb{"", []reading{{file | picture | message, DeedSend}}}
	execute  = &verb{DeedRun, nil}
	run      = &verb{"", []reading{{program, DeedRun}, {calendar, DeedSchedule}}}
	schedule = &verb{DeedSchedule, nil}
	set      = &verb{"", []reading{{calendar, DeedSchedule}}}
	buy      = &verb{DeedBuy, []reading{{calendar, DeedSchedule}}}
	search   = &verb{DeedLookup, nil}
	read     = &verb{"", []reading{{file | list | source | calendar, DeedLookup}}}
	memorize = &verb{DeedRemember, nil}
)

// language is the vocabulary of one language. Lists of words are in lower case, separated by
// spaces. Two words that belong together are joined by an underscore: last_week.
type language struct {
	classes map[class]string
	cues    map[cue]string
	// verbs has the verb forms that say that something was done. A form with the mark "=" includes
	// its subject. A form with "+" is an order at the beginning of a sentence. A form with "-" is
	// an infinitive. "*" at the end stands for each of endings.
	verbs   map[*verb]string
	endings []string // replacements of "*", with the same marks as in verbs
	letters []string // lines with which a letter begins, such as a greeting
	// A claim needs these words right before the verb: a subject, an auxiliary, or both.
	needsSubject, needsAuxiliary bool
	// a subject counts only at the beginning of a clause, not as in "the file I saved"
	onlyAfterOpening bool
	far              bool // a verb may be at the end of a clause, far from its auxiliary
	compounds        bool // a noun may be joined to other nouns in one word
}

// languages lists the known languages, in any order.
var languages = [...]language{english, spanish, german, french}

// sense is the meaning of a word in one language.
type sense struct {
	language int
	class    class
	cue      cue
	verb     *verb
}

// lexicon returns the senses of all words and word pairs, in all languages.
var lexicon = sync.OnceValue(makeLexicon)

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

// marks maps the mark before a verb form to the form's class.
var marks = map[string]class{"=": finite, "+": ambiguous, "-": infinite}

// forms returns the forms of an entry of verbs, with each ending.
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
			found |= token{senses: lexicon()[end[i+1:]]}.sense(language).cue
		}
	}
	return found
}

// Least and greatest length in bytes of a noun at the end of a compound.
const minNoun, maxNoun = 4, 20
