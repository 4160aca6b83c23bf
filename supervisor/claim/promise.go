package claim

import (
	"regexp"
	"strings"
	"sync"
)

// promises are the patterns of promises in one language. They match a sentence in lower case: a
// space before each word, " ," for each pause and " #" for each name, code or quotation.
type promises struct {
	firm, timed, event *regexp.Regexp // patterns of promises that count alone, with a time, or with a time or event
	time, later        *regexp.Regexp // a later time; a later time or an event to wait for
	offer              *regexp.Regexp // words of a sentence that only offers something, or asks the user first
	// Words that void a promise: before the promise or, if the language puts the negation after the
	// verb, anywhere in the clause.
	void         *regexp.Regexp
	voidFollows  bool
	notIfFollows *regexp.Regexp // words after the promise that make it a remark: "I'll remind you that ..."
}

// promiseLanguages returns the patterns of each known language. They are compiled at the first use,
// because most programs of Mews check no answer.
var promiseLanguages = sync.OnceValue(func() []promises {
	return []promises{promisesEnglish(), promisesSpanish(), promisesGerman(), promisesFrench()}
})

// pattern compiles alternatives. "W" in an alternative stands for any word and the space before
// that word.
func pattern(alternatives ...string) *regexp.Regexp {
	return regexp.MustCompile("(?:" + strings.ReplaceAll(strings.Join(alternatives, "|"), "W", "(?: [^ ,]+)") +
		")(?: |$)")
}

// promise reports whether a sentence promises something for later that needs a reminder or a task.
func (s sentence) promise() bool {
	if s.question {
		return false
	}
	text := s.pattern()
	for _, p := range promiseLanguages() {
		if p.in(text) {
			return true
		}
	}
	return false
}

// pattern returns the sentence in the form that the patterns of promises and idioms match.
func (s sentence) pattern() string {
	var b strings.Builder
	for _, t := range s.tokens {
		b.WriteByte(' ')
		switch t.form {
		case word:
			b.WriteString(t.word)
		case pause:
			b.WriteByte(',')
		default:
			b.WriteByte('#')
		}
	}
	return b.String()
}

func (p promises) in(text string) bool {
	for _, way := range []struct{ begins, needs *regexp.Regexp }{{p.firm, nil}, {p.event, p.later}, {p.timed, p.time}} {
		if way.begins == nil {
			continue
		}
		at := way.begins.FindStringIndex(text)
		if at == nil || way.needs != nil && !way.needs.MatchString(text) || p.offer.MatchString(text) {
			continue
		}
		end := at[1]
		if text[end-1] == ' ' { // the space belongs to the next word
			end--
		}
		if p.notIfFollows != nil && p.notIfFollows.MatchString(text[end:]) {
			continue
		}
		begin := strings.LastIndex(text[:at[0]], " ,") + 1
		if p.voidFollows {
			clause, _, _ := strings.Cut(text[end:], " ,")
			end += len(clause)
		}
		if !p.void.MatchString(text[begin:end]) {
			return true
		}
	}
	return false
}
