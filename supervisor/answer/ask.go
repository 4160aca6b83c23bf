package answer

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mews/protocol"
	"mews/supervisor"
)

// Words of the buttons of a model's question. An option's word is its index; AnswerChoiceOnce and
// AnswerChoiceNo are words too.
const (
	wordDone  = "done"  // the user has picked all wanted options
	wordOther = "other" // the user will write something else
	wordSkip  = "skip"  // the user skips the question, of any kind
)

// ownWordsAnswer returns an answer in the user's own words.
func ownWordsAnswer(text string) supervisor.Answer {
	return supervisor.Answer{Say: supervisor.AnswerChoiceOther, Text: text}
}

// readers maps each kind of a model's question to the function that reads a message as its answer.
var readers = map[protocol.AskKind]func(q protocol.AskArguments, draft supervisor.Answer,
	m supervisor.AnswerMessage) (supervisor.Answer, bool){
	protocol.AskKindChoice:  readChoice,
	protocol.AskKindSeveral: readSeveral,
	protocol.AskKindConfirm: func(_ protocol.AskArguments, _ supervisor.Answer,
		m supervisor.AnswerMessage) (supervisor.Answer, bool) {
		say := ParseYesOrNo(m.Text)
		return supervisor.Answer{Say: say}, say != supervisor.AnswerChoiceNone
	},
	protocol.AskKindNumber: func(_ protocol.AskArguments, _ supervisor.Answer,
		m supervisor.AnswerMessage) (supervisor.Answer, bool) {
		number, ok := readNumber(m.Text)
		return ownWordsAnswer(number), ok
	},
	protocol.AskKindDate: func(q protocol.AskArguments, _ supervisor.Answer,
		m supervisor.AnswerMessage) (supervisor.Answer, bool) {
		date, ok := readDate(m.Text, m.Now.In(zone(q.Zone)))
		return ownWordsAnswer(date), ok
	},
	protocol.AskKindLocation: readWords,
	protocol.AskKindText:     readWords,

	supervisor.AskKindJobChange: readChange,
	protocol.AskKindFile: func(_ protocol.AskArguments, _ supervisor.Answer,
		m supervisor.AnswerMessage) (supervisor.Answer, bool) {
		return ownWordsAnswer(m.Text), len(m.Parts) > 0
	},
}

// readAsk reads a message as the answer to a model's question. A file answers only a question for a
// file or for words: any other kind of question would lose the file.
func readAsk(q protocol.AskArguments, draft supervisor.Answer, m supervisor.AnswerMessage) (a supervisor.Answer, ok bool) {
	takesParts := q.Kind == protocol.AskKindFile || q.Kind == protocol.AskKindText
	if m.Words != "" && q.Kind != protocol.AskKindFile {
		m.Text, m.Parts = strings.TrimPrefix(m.Text+"\n"+m.Words, "\n"), nil
	}
	if len(m.Parts) > 0 && !takesParts || readers[q.Kind] == nil {
		return a, false
	}
	if a, ok = readers[q.Kind](q, draft, m); !ok {
		return supervisor.Answer{}, false
	}
	a.Parts, a.World = m.Parts, m.World
	return a, true
}

func readWords(_ protocol.AskArguments, _ supervisor.Answer, m supervisor.AnswerMessage) (supervisor.Answer, bool) {
	return ownWordsAnswer(m.Text), strings.TrimSpace(m.Text) != "" || len(m.Parts) > 0
}

func readChoice(q protocol.AskArguments, _ supervisor.Answer, m supervisor.AnswerMessage) (supervisor.Answer, bool) {
	if i, ok := pick(q.Options, m.Text); ok {
		return supervisor.Answer{Say: supervisor.AnswerChoiceOther, Options: []int{i}}, true
	}
	return ownWordsAnswer(m.Text), q.Other && strings.TrimSpace(m.Text) != ""
}

// readSeveral reads several options, or the user's own words if the question allows them. Options
// that were picked before are kept beside the user's words.
func readSeveral(q protocol.AskArguments, draft supervisor.Answer, m supervisor.AnswerMessage) (supervisor.Answer, bool) {
	picked, ok := pickSeveral(q.Options, m.Text)
	switch {
	case ok:
		return supervisor.Answer{Say: supervisor.AnswerChoiceOther, Options: picked}, true
	case normalize(m.Text) == wordDone:
		return supervisor.Answer{Say: supervisor.AnswerChoiceOther, Options: draft.Options}, true
	}
	return supervisor.Answer{
			Say:     supervisor.AnswerChoiceOther,
			Options: draft.Options,
			Text:    m.Text,
		}, q.Other &&
			strings.TrimSpace(m.Text) != ""
}

// parseAskPress does the work of ParsePress for a model's question.
func parseAskPress(
	q protocol.AskArguments,
	draft supervisor.Answer,
	word string,
) (a supervisor.Answer, came supervisor.PressResult) {
	i, err := strconv.Atoi(word)
	option := err == nil && i >= 0 && i < len(q.Options)
	picked := supervisor.Answer{Say: supervisor.AnswerChoiceOther, Options: []int{i}}
	switch {
	case q.Kind == protocol.AskKindChoice && option:
		return picked, supervisor.PressAccepted
	case q.Kind == protocol.AskKindSeveral && option:
		picked.Options = toggle(draft.Options, i)
		return picked, supervisor.PressToggledOption
	case q.Kind == protocol.AskKindSeveral && word == wordDone:
		return supervisor.Answer{Say: supervisor.AnswerChoiceOther, Options: draft.Options}, supervisor.PressAccepted
	case q.Kind == protocol.AskKindConfirm && (word == string(supervisor.AnswerChoiceOnce) ||
		word == string(supervisor.AnswerChoiceNo)):
		return supervisor.Answer{Say: supervisor.AnswerChoice(word)}, supervisor.PressAccepted
	case q.Other && word == wordOther:
		return draft, supervisor.PressAwaitsText
	}
	return a, supervisor.PressUnknown
}

// toggle returns the sorted list without i if i was in it, and with i otherwise.
func toggle(list []int, i int) []int {
	at, there := slices.BinarySearch(list, i)
	if there {
		return slices.Delete(slices.Clone(list), at, at+1)
	}
	return slices.Insert(slices.Clone(list), at, i)
}

// askButtons returns the buttons of a model's question. A channel that can't edit messages can't
// show ticks, so there the question's text lists the options. If a number may be an answer, there
// is no Skip button either, because users of such a channel choose buttons by number.
func askButtons(
	q supervisor.Question,
	draft supervisor.Answer,
	press func(string) string,
) (rows [][]supervisor.Button) {
	button := func(text, word string) supervisor.Button { return supervisor.Button{Text: text, Press: press(word)} }
	switch {
	case q.Ask.Kind == protocol.AskKindConfirm:
		rows = [][]supervisor.Button{
			{button(textYes, string(supervisor.AnswerChoiceOnce)), button(textNo, string(supervisor.AnswerChoiceNo))},
		}
	case HasLocationKeyboard(q):
		rows = [][]supervisor.Button{{{Text: textSendLocation, Press: supervisor.ButtonShareLocation}}}
	case q.Ask.Kind == protocol.AskKindChoice || q.Ask.Kind == protocol.AskKindSeveral && isSkippedByButton(q):
		rows = optionButtons(q.Ask, draft, button)
	}
	if isSkippedByButton(q) {
		rows = append(rows, []supervisor.Button{button(textSkip, wordSkip)})
	}
	return rows
}

// isSkippedByButton reports whether a model's question has a button to skip it. If there is no such
// button, the question's text names the word that skips.
func isSkippedByButton(q supervisor.Question) bool {
	return q.Conversation.Channel.Capabilities().Edit || q.Ask.Kind == protocol.AskKindChoice ||
		q.Ask.Kind == protocol.AskKindConfirm
}

// optionButtons returns the buttons of a question's options.
func optionButtons(ask protocol.AskArguments, draft supervisor.Answer,
	button func(text, word string) supervisor.Button) (rows [][]supervisor.Button) {
	for i, option := range ask.Options {
		if ask.Kind == protocol.AskKindSeveral {
			option = ticks[slices.Contains(draft.Options, i)] + option
		}
		rows = append(rows, []supervisor.Button{button(option, strconv.Itoa(i))})
	}
	if ask.Kind == protocol.AskKindSeveral {
		rows = append(rows, []supervisor.Button{button(textDone, wordDone)})
	}
	if ask.Other {
		rows = append(rows, []supervisor.Button{button(textOther, wordOther)})
	}
	return rows
}

// HasLocationKeyboard reports whether a question has a keyboard that sends a location. A message
// with a keyboard can't be changed (Bot API, editMessageText). The keyboard stays until another
// message removes it.
func HasLocationKeyboard(q supervisor.Question) bool {
	return q.Kind == supervisor.QuestionFromModel && q.Ask.Kind == protocol.AskKindLocation &&
		q.Conversation.Channel.Capabilities().Location &&
		!q.Conversation.IsInGroup()
}

// KeepsButtons reports whether an ended question keeps its buttons. A late press then counts as a
// message.
func KeepsButtons(q supervisor.Question) bool {
	return q.End == supervisor.QuestionExpired &&
		(q.Ask.Kind == protocol.AskKindChoice || q.Ask.Kind == protocol.AskKindConfirm)
}

// QuestionText returns the text of a model's question for the user.
func QuestionText(q supervisor.Question) string {
	if isSkippedByButton(q) {
		return q.Ask.Text
	}
	if q.Ask.Kind != protocol.AskKindSeveral {
		return q.Ask.Text + "\n\n" + textSkipHint
	}
	var b strings.Builder
	b.WriteString(q.Ask.Text + "\n\n")
	for i, option := range q.Ask.Options {
		b.WriteString(strconv.Itoa(i+1) + ". " + option + "\n")
	}
	return b.String() + "\n" + textSeveralHint + " " + textSkipHint
}

// maxQuotedAnswer is how many characters of an answer answerLine repeats.
const maxQuotedAnswer = 300

// answerLine writes out the answer to a model's question, for the user.
func answerLine(q supervisor.Question) string {
	said := []rune(strings.Join(strings.Fields(AnswerText(q)), " "))
	if len(said) > maxQuotedAnswer {
		said = append(said[:maxQuotedAnswer-1], '…')
	}
	return textAnswer + string(said)
}

// AnswerText returns the answer to a model's question as text.
func AnswerText(q supervisor.Question) string {
	said := pickedOptions(q)
	if q.Answer.Text != "" {
		said = append(said, q.Answer.Text)
	}
	switch {
	case q.Answer.Skipped:
		return cmp.Or(q.Answer.Text, textSkipped)
	case q.Ask.Kind == protocol.AskKindConfirm && q.Answer.Say != supervisor.AnswerChoiceOther:
		return textsConfirmed[q.Answer.Say]
	case len(said) > 0:
		return strings.Join(said, ", ")
	case len(q.Answer.Parts) > 0:
		return textFiles
	}
	return textNone
}

// pickedOptions returns the options of an answer.
func pickedOptions(q supervisor.Question) (names []string) {
	for _, i := range q.Answer.Options {
		names = append(names, q.Ask.Options[i])
	}
	return names
}

// TextForModel tells the model how its question ended.
func TextForModel(q supervisor.Question) string {
	if q.End != supervisor.QuestionAnswered {
		return textsNoAnswer[q.End]
	}
	who := textThey
	if q.Conversation.IsInGroup() {
		who = q.Conversation.User
	}
	if q.Answer.Skipped {
		return fmt.Sprintf(textsSkipped[q.Answer.Text == ""], who, q.Answer.Text)
	}
	text := who + textsForModel[len(q.Answer.Options) > 0 && q.Answer.Text == ""] + AnswerText(q)
	for _, p := range q.Answer.Parts {
		text += "\n" + p.Text
	}
	return strings.TrimRight(text, "\n")
}
