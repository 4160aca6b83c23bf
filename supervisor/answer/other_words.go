package answer

import (
	"slices"
	"strings"

	"mews/protocol"
	"mews/supervisor"
)

// maxOtherWords is the maximum length of a message that ends a question, in bytes. A longer message
// gets a turn of its own.
const maxOtherWords = 8 << 10

// parseOtherWords reads a message that ParseMessage has refused. Words about a model's question
// become its answer. All other words end the question, or an approval, as skipped. If ok is false,
// the message must wait. It may not be the user's own words, or it may ask for patience. It must
// also wait if the question is about money or a code, because then no model could use the words.
func parseOtherWords(q supervisor.Question, m supervisor.AnswerMessage) (a supervisor.Answer, ok bool) {
	text := strings.TrimSpace(m.Text + "\n" + m.Words)
	spoken := m.Words != "" || len(m.Parts) == 0
	if text == "" || len(text) > maxOtherWords || !spoken || m.World || patienceWords[phraseOf(text)] {
		return a, false
	}
	switch q.Kind {
	case supervisor.QuestionFromModel:
		if relatesTo(q.Ask, text) {
			return ownWordsAnswer(text), true
		}
	case supervisor.QuestionApproval:
		if ParseYesOrNo(text) != supervisor.AnswerChoiceNone { // a spoken yes gives no permission
			return a, false
		}
	default:
		return a, false
	}
	return supervisor.Answer{Say: supervisor.AnswerChoiceNo, Skipped: true, Text: text}, true
}

// relatesTo reports whether words that are no exact answer are still about a model's question. Such
// words begin with yes or no, name an option, or have a number or a day.
func relatesTo(ask protocol.AskArguments, text string) bool {
	words := wordsOf(text)
	asks := strings.HasSuffix(text, "?")
	switch ask.Kind {
	case protocol.AskKindConfirm:
		return confirms[words[0]] != supervisor.AnswerChoiceNone
	case protocol.AskKindChoice, protocol.AskKindSeveral:
		return namesOption(ask.Options, words)
	case protocol.AskKindNumber:
		return !asks && (strings.ContainsAny(text, "0123456789") ||
			slices.ContainsFunc(words, func(word string) bool { return ordinals[word] > 1 }))
	case protocol.AskKindDate:
		return !asks && (strings.ContainsAny(text, "0123456789") || slices.ContainsFunc(words, isDayWord))
	}
	return false
}

// wordsOf returns the words of a text, normalized and without punctuation. A text without words
// gives one empty word.
func wordsOf(text string) []string {
	words := protocol.NormalizedWords(normalize(text))
	return append(words, make([]string, max(0, 1-len(words)))...)
}

// phraseOf returns the words of a text with one space between them.
func phraseOf(text string) string { return strings.Join(wordsOf(text), " ") }

// namesOption reports whether words name one of the options, by the option's own words or by a
// position such as "the second one".
func namesOption(options, words []string) bool {
	said := " " + strings.Join(words, " ") + " "
	if slices.ContainsFunc(options, func(option string) bool {
		named := phraseOf(option)
		return named != "" && strings.Contains(said, " "+named+" ")
	}) {
		return true
	}
	for i := range words[1:] {
		pair := words[i] + " " + words[i+1]
		if _, ok := positionIn(len(options), pair, pair); ok {
			return true
		}
	}
	return false
}

// isDayWord reports whether a word names a day or a month. Short forms that are also other words do
// not count.
func isDayWord(word string) bool {
	_, day := days[word]
	_, weekday := weekdays[word]
	return len(word) > 3 && (day || weekday || months[word] > 0)
}
