// Package answer reads users' answers to questions, in words and by buttons, and writes them out.
// It does no I/O, and imports only package supervisor: the store calls it inside the transaction
// that keeps the answer.
package answer

import (
	"strings"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/money"
	"mews/supervisor/internal/quotes"
)

// Meets decides whether a message answers an open question, or is met by a reminder. Any fitting
// words answer a model's question, once the user can have read it. Only yes and no answer a
// question about money or effects, and only while that question is the chat's newest message. Any
// other message waits for its turn, and the user is reminded once. A reply to another message than
// the newest or the question's answers nothing.
func Meets(
	q supervisor.Question,
	draft supervisor.Answer,
	m supervisor.AnswerMessage,
) (a supervisor.Answer, answers, reminds bool) {
	reminded, asked := m.Newest == Reminder(q), !q.ExpiresAt.IsZero()
	if q.Kind == supervisor.QuestionAsk && !q.Conversation.Channel.Capabilities().Edit {
		asked = true // such a channel shows it at once, and ExpiresAt is set later
	}
	seen := asked && (q.Kind == supervisor.QuestionAsk || m.NewestSent && (reminded || m.Newest == q.Text))
	if a, ok := InWords(q, draft, m); ok && seen && !m.RepliesElsewhere {
		return a, true, false
	}
	return a, false, asked && !reminded
}

// InWords reads a message as the answer to an open question. draft is what the user has picked so
// far. If ok is false, the message is no answer and waits for its turn. Words never allow anything
// for always, and never are a code.
func InWords(
	q supervisor.Question,
	draft supervisor.Answer,
	m supervisor.AnswerMessage,
) (a supervisor.Answer, ok bool) {
	switch {
	case q.Kind == supervisor.QuestionAsk:
		return readAsk(q.Ask, draft, m)
	case q.Kind != supervisor.QuestionCode && len(m.Parts) == 0:
		a.Say = YesOrNo(m.Text)
	}
	return a, a.Say != supervisor.SayNothing
}

// YesOrNo returns SayOnce or SayNo if the whole text says so, in any case.
func YesOrNo(text string) supervisor.Say {
	return yesOrNo[strings.TrimRight(strings.ToLower(strings.TrimSpace(text)), ".!")]
}

// Pressed reads a button of an open question. draft is what the user has picked so far, if the
// question takes several options. With PressPicked the answer is the new draft.
func Pressed(
	q supervisor.Question,
	draft supervisor.Answer,
	word string,
) (a supervisor.Answer, came supervisor.PressResult) {
	if q.Kind == supervisor.QuestionAsk {
		return readAskPress(q.Ask, draft, word)
	}
	for _, b := range buttons[q.Kind] {
		if string(b.say) == word {
			return supervisor.Answer{Say: b.say}, supervisor.PressTaken
		}
	}
	return a, supervisor.PressUnknown
}

// Buttons returns the buttons of a question, in rows. press makes the data of a press from a
// button's word.
func Buttons(
	q supervisor.Question,
	draft supervisor.Answer,
	press func(word string) string,
) (rows [][]supervisor.Button) {
	if q.Kind == supervisor.QuestionAsk {
		return askButtons(q, draft, press)
	}
	for _, b := range buttons[q.Kind] {
		rows = append(rows, []supervisor.Button{{Text: fill(b.text, q), Press: press(string(b.say))}})
	}
	return rows
}

// Told tells the user their answer, or why the question ended without one.
func Told(q supervisor.Question) string {
	switch {
	case q.End != supervisor.QuestionAnswered:
		return textsEnded[q.End]
	case q.Kind == supervisor.QuestionAsk:
		return answerText(q)
	}
	return fill(textsAnswered[q.Kind][q.Answer.Say], q)
}

// Shown returns the text of an ended question's message, as Markdown.
func Shown(q supervisor.Question) string { return q.Text + "\n\n" + Told(q) }

// MayAsk returns an error for the model if a turn has asked the maximum of questions.
func MayAsk(asked int64) error {
	if asked < protocol.MaxQuestions {
		return nil
	}
	return supervisor.Errorf(supervisor.CodeInvalid, textEnoughAsked, protocol.MaxQuestions)
}

// Late turns a late answer into a message for the model: the quoted question, and the words.
func Late(q supervisor.Question) (quote, text string) {
	return quotes.Write(supervisor.Quote{By: textYou, Text: q.Text}), Words(q)
}

// Parting returns a message that tells how a question ended and removes its keyboard. It is for
// questions whose message can't be changed.
func Parting(q supervisor.Question) (text string, buttons [][]supervisor.Button) {
	return Told(q), [][]supervisor.Button{{{Text: supervisor.PressNoKeyboard, Press: supervisor.PressNoKeyboard}}}
}

// Reminder tells a user, whose message answered nothing, that a question is still open.
func Reminder(q supervisor.Question) string { return reminderIntro(q) + "\n\n" + q.Text }

// fill puts a question's amount into a text.
func fill(text string, q supervisor.Question) string {
	return strings.ReplaceAll(text, "{amount}", money.Dollars(q.Amount))
}
