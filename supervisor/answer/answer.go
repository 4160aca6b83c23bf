// Package answer reads what people say to questions, in words and by buttons, and says it in words.
// It is pure, and imports no more than the words: the store asks it in the transaction that keeps
// what they sent.
package answer

import (
	"strings"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/money"
	"mews/supervisor/internal/quotes"
)

// Meets is what a message that comes while a question is open does to that. What the model asks is
// answered by any words that it takes, once its person can have read it; money and effects by yes
// and no alone, and only if the question is the chat's newest message, which its person has before
// them. Any other message waits for its turn, and the person is told, once, what is waited for. A
// reply to another message than the newest or the question's answers nothing.
func Meets(
	q supervisor.Question,
	draft supervisor.Answer,
	m supervisor.AnswerMessage,
) (a supervisor.Answer, answers, reminds bool) {
	reminded, asked := m.Newest == Reminder(q), !q.ExpiresAt.IsZero()
	if q.Kind == supervisor.QuestionAsk && !q.Conversation.Channel.Can().Edit {
		asked = true // it is shown as soon as it is kept, and that is noted after
	}
	seen := asked && (q.Kind == supervisor.QuestionAsk || m.NewestSent && (reminded || m.Newest == q.Text))
	if a, ok := InWords(q, draft, m); ok && seen && !m.RepliesElsewhere {
		return a, true, false
	}
	return a, false, asked && !reminded
}

// InWords is what a message says to an open question. draft is what its person has picked before.
// It is not ok where it says nothing to that: the message waits for its turn then, and its person
// is told what is waited for. Nobody allows anything for always in words, and no words are a code.
func InWords(
	q supervisor.Question,
	draft supervisor.Answer,
	m supervisor.AnswerMessage,
) (a supervisor.Answer, ok bool) {
	switch {
	case q.Kind == supervisor.QuestionAsk:
		return toAsk(q.Ask, draft, m)
	case q.Kind != supervisor.QuestionCode && len(m.Parts) == 0:
		a.Say = YesOrNo(m.Text)
	}
	return a, a.Say != supervisor.SayNothing
}

// YesOrNo is SayOnce or SayNo where a whole text says that, in small letters or not.
func YesOrNo(text string) supervisor.Say {
	return yesOrNo[strings.TrimRight(strings.ToLower(strings.TrimSpace(text)), ".!")]
}

// Pressed is what a button of an open question says. draft is what was picked before, for a
// question that takes several. With PressPicked the answer is the new draft.
func Pressed(
	q supervisor.Question,
	draft supervisor.Answer,
	word string,
) (a supervisor.Answer, came supervisor.PressResult) {
	if q.Kind == supervisor.QuestionAsk {
		return pressedAsk(q.Ask, draft, word)
	}
	for _, b := range buttons[q.Kind] {
		if string(b.say) == word {
			return supervisor.Answer{Say: b.say}, supervisor.PressTaken
		}
	}
	return a, supervisor.PressForeign
}

// Buttons are a question's, in rows. press makes of a button's word what is sent when it is
// pressed.
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

// Told is what a person is told of their answer, or of how the question has ended without one.
func Told(q supervisor.Question) string {
	switch {
	case q.Why != supervisor.QuestionAnswered:
		return textsEnded[q.Why]
	case q.Kind == supervisor.QuestionAsk:
		return toldAsk(q)
	}
	return fill(textsAnswered[q.Kind][q.Answer.Say], q)
}

// Shown is the whole text of a question's message once that has ended, as Markdown.
func Shown(q supervisor.Question) string { return q.Text + "\n\n" + Told(q) }

// MayAsk says whether a turn may ask its person one more question who has asked so many; the error is
// for the model.
func MayAsk(asked int64) error {
	if asked < protocol.MaxQuestions {
		return nil
	}
	return supervisor.Errorf(supervisor.CodeInvalid, textEnoughAsked, protocol.MaxQuestions)
}

// Late is what a model reads of an answer that came after its question had ended: the question,
// quoted, and the words.
func Late(q supervisor.Question) (quote, text string) {
	return quotes.Write(supervisor.Quote{By: textYou, Text: q.Text}), Words(q)
}

// Parting tells how a question has ended whose message can't be changed, and takes its keyboard
// away.
func Parting(q supervisor.Question) (text string, buttons [][]supervisor.Button) {
	return Told(q), [][]supervisor.Button{{{Text: supervisor.PressNoKeyboard, Press: supervisor.PressNoKeyboard}}}
}

// Reminder is what a person is told who writes something that answers no open question.
func Reminder(q supervisor.Question) string { return waits(q) + "\n\n" + q.Text }

// fill puts a question's amount into a text.
func fill(text string, q supervisor.Question) string {
	return strings.ReplaceAll(text, "{amount}", money.Dollars(q.Amount))
}
