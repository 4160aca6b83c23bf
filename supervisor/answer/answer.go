// Package answer reads users' answers to questions, in words and by buttons, and writes them out.
// It does no I/O, because the store calls it inside the transaction that keeps the answer. It
// imports only package supervisor.
package answer

import (
	"cmp"
	"strings"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/money"
	"mews/supervisor/internal/quotes"
)

// MatchAnswer decides whether a message answers or ends an open question. A model's question takes
// any valid answer, once the user can have read the question. A question about money or effects
// takes only yes and no, and only below that question. A reply to another message answers nothing.
//
// Other words end a model's question or an approval if they can't begin a turn of their own. The
// turn that asked then goes on with these words. Any other message waits; reminds reports whether
// to tell the user so.
//
// If answers is false and a is skipped, the message ends the question and gets a turn of its own.
func MatchAnswer(
	q supervisor.Question,
	draft supervisor.Answer,
	m supervisor.AnswerMessage,
) (a supervisor.Answer, answers, reminds bool) {
	seen := !q.ExpiresAt.IsZero() && (q.Kind == supervisor.QuestionFromModel || m.BelowQuestion)
	if q.Kind == supervisor.QuestionFromModel && !q.Conversation.Channel.Capabilities().Edit {
		seen = true // a channel without edits shows the question at once, even before ExpiresAt is set
	}
	if !seen || m.RepliesElsewhere || m.Followup {
		return a, false, m.Blocked
	}
	if a, ok := ParseMessage(q, draft, m); ok {
		return a, true, false
	}
	if a, ok := parseOtherWords(q, m); ok && m.Blocked {
		return a, true, false
	}
	return skipByMessage(q, m), false, m.Blocked
}

// ParseMessage reads a message as the answer to an open question. draft is what the user has picked
// so far. If ok is false, the message is no answer. Words never give a permanent permission, and
// are never read as a code.
func ParseMessage(
	q supervisor.Question,
	draft supervisor.Answer,
	m supervisor.AnswerMessage,
) (a supervisor.Answer, ok bool) {
	switch {
	case q.Kind == supervisor.QuestionFromModel:
		a, ok = readAsk(q.Ask, draft, m)
	case q.Kind != supervisor.QuestionLoginCode && len(m.Parts) == 0:
		a.Say = ParseYesOrNo(m.Text)
		ok = a.Say != supervisor.AnswerChoiceNone
	}
	if len(m.Parts) == 0 && skipWords[phraseOf(m.Text)] && (!ok || takesSkip(q)) {
		return supervisor.Answer{Say: supervisor.AnswerChoiceNo, Skipped: true}, true
	}
	return a, ok
}

// takesSkip reports whether the word skip skips a question that takes any words. The word counts
// only if the user has no button to skip.
func takesSkip(q supervisor.Question) bool {
	return q.Ask.Kind == protocol.AskKindLocation ||
		q.Ask.Kind == protocol.AskKindText && !q.Conversation.Channel.Capabilities().Edit
}

// ParseYesOrNo returns AnswerChoiceOnce if the whole text means yes. If the whole text means no, it
// returns AnswerChoiceNo; for any other text, AnswerChoiceNone. Upper and lower case are the same.
func ParseYesOrNo(text string) supervisor.AnswerChoice {
	if text = strings.TrimSpace(text); strings.HasSuffix(text, "?") {
		return supervisor.AnswerChoiceNone
	}
	return cmp.Or(thumbs[strings.TrimRight(text, skinTones)], confirms[phraseOf(text)])
}

// ParsePress reads a button of an open question. draft is what the user has picked so far, if the
// question takes several options. With PressPicked the answer is the new draft.
func ParsePress(
	q supervisor.Question,
	draft supervisor.Answer,
	word string,
) (a supervisor.Answer, came supervisor.PressResult) {
	if word == wordSkip {
		return supervisor.Answer{Say: supervisor.AnswerChoiceNo, Skipped: true}, supervisor.PressAccepted
	}
	if q.Kind == supervisor.QuestionFromModel {
		return parseAskPress(q.Ask, draft, word)
	}
	for _, b := range buttons[q.Kind] {
		if string(b.say) == word {
			return supervisor.Answer{Say: b.say}, supervisor.PressAccepted
		}
	}
	return a, supervisor.PressUnknown
}

// QuestionButtons returns the buttons of a question, in rows. press returns the data of a press,
// given the button's word.
func QuestionButtons(
	q supervisor.Question,
	draft supervisor.Answer,
	press func(word string) string,
) (rows [][]supervisor.Button) {
	if q.Kind == supervisor.QuestionFromModel {
		return askButtons(q, draft, press)
	}
	for _, b := range buttons[q.Kind] {
		rows = append(rows, []supervisor.Button{{Text: fillAmount(b.text, q), Press: press(string(b.say))}})
	}
	return append(rows, []supervisor.Button{{Text: textSkip, Press: press(wordSkip)}})
}

// OutcomeText tells the user their answer, or why the question ended without one.
func OutcomeText(q supervisor.Question) string {
	switch {
	case q.End != supervisor.QuestionAnswered:
		return textsEnded[q.End]
	case q.Answer.Skipped && q.Answer.Text != "":
		return textWroteInstead
	case q.Answer.Skipped:
		return textSkippedNote
	case q.Kind == supervisor.QuestionFromModel:
		return answerLine(q)
	}
	return fillAmount(textsAnswered[q.Kind][q.Answer.Say], q)
}

// EndedQuestionText returns the text of an ended question's message, as Markdown.
func EndedQuestionText(q supervisor.Question) string { return q.Text + "\n\n" + OutcomeText(q) }

// CheckQuestionLimit returns an error for the model if a turn has no questions left.
func CheckQuestionLimit(asked int64) error {
	if asked < protocol.MaxQuestions {
		return nil
	}
	return supervisor.Errorf(supervisor.CodeInvalid, textEnoughAsked, protocol.MaxQuestions)
}

// LateAnswerMessage turns a late answer into a message for the model. quote is the question, and
// text has the words of the answer.
func LateAnswerMessage(q supervisor.Question) (quote, text string) {
	return quotes.FormatQuote(supervisor.Quote{By: textYou, Text: q.Text}), AnswerText(q)
}

// QuestionClosedMessage returns a message about a question's end that removes its keyboard. It is
// for questions whose message can't be changed.
func QuestionClosedMessage(q supervisor.Question) (text string, buttons [][]supervisor.Button) {
	return OutcomeText(q),
		[][]supervisor.Button{{{Text: supervisor.ButtonRemoveKeyboard, Press: supervisor.ButtonRemoveKeyboard}}}
}

// maxReminded is how many characters of a question its reminder repeats.
const maxReminded = 200

// OpenQuestionReminderText says that a message waits because a question is still open.
func OpenQuestionReminderText(q supervisor.Question) string {
	asked := []rune(q.Text)
	if len(asked) > maxReminded {
		asked = append(asked[:maxReminded-1], '…')
	}
	return reminderIntro(q) + "\n\n" + string(asked)
}

// fillAmount puts a question's amount into a text.
func fillAmount(text string, q supervisor.Question) string {
	return strings.ReplaceAll(text, "{amount}", money.FormatDollars(q.Amount))
}
