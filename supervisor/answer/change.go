package answer

import (
	"regexp"
	"strings"

	"mews/protocol"
	"mews/supervisor"
)

// maxTimeWords is the maximum number of words of a job's time.
const maxTimeWords = 20

var (
	settingPattern = regexp.MustCompile(`^[a-z_]+=`)
	// timedTextPattern finds the time in "WHEN: TEXT".
	timedTextPattern = regexp.MustCompile(`(?s)^(\S.*?):\s+\S`)
	// timeNumberPattern matches a number with a unit or without: 9, 3rd, 17h, 10am, 30min.
	timeNumberPattern = regexp.MustCompile(`^\d+[a-z]{0,3}$`)
)

// readChange reads a job's new settings, time or text. A text alone begins with a colon. Files and
// words of others are no answer.
func readChange(_ protocol.AskArguments, _ supervisor.Answer, m supervisor.AnswerMessage) (supervisor.Answer, bool) {
	text := strings.TrimSpace(m.Text)
	alone, hasColon := strings.CutPrefix(text, ":")
	when := text
	if found := timedTextPattern.FindStringSubmatch(text); found != nil {
		when = found[1]
	}
	ok := settingPattern.MatchString(text) || looksLikeTime(when)
	if hasColon {
		ok = strings.TrimSpace(alone) != ""
	}
	return ownWordsAnswer(text), ok && !m.World
}

// looksLikeTime reports whether a user probably means words as a time. They may have a single
// unknown word among known ones, such as a misspelt day.
func looksLikeTime(text string) bool {
	if strings.HasPrefix(text, "@") { // a recurrence such as @daily
		return true
	}
	words := wordsOf(text)
	named, known := 0, 0
	for _, word := range words {
		switch {
		case namesTime(word):
			named++
			known++
		case timeFillers[word] || ordinals[word] > 0:
			known++
		}
	}
	unknown := len(words) - known
	if named == 0 || len(words) > maxTimeWords || strings.HasSuffix(text, "?") {
		return false
	}
	return unknown == 0 || unknown == 1 && known > 1
}

// namesTime reports whether a word alone can be a time, such as a day or a number.
func namesTime(word string) bool {
	_, day := days[word]
	_, weekday := weekdays[strings.TrimSuffix(word, "s")]
	_, weekdayWhole := weekdays[word]
	return day || weekday || weekdayWhole || months[word] > 0 || timeNames[word] || timeNumberPattern.MatchString(word)
}

// skipByMessage returns the end of a question about a job, for a message that is no answer. No turn
// waits for that answer, so the message gets a turn of its own. For other questions it returns
// zero.
func skipByMessage(q supervisor.Question, m supervisor.AnswerMessage) (a supervisor.Answer) {
	if q.Kind != supervisor.QuestionFromModel || q.Ask.Kind != supervisor.AskKindJobChange {
		return a
	}
	a = supervisor.Answer{Say: supervisor.AnswerChoiceNo, Skipped: true}
	if text := strings.TrimSpace(m.Text + "\n" + m.Words); !m.World && len(text) <= maxOtherWords {
		a.Text = text
	}
	return a
}
