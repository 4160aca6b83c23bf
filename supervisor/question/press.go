package question

import (
	"context"
	"fmt"
	"unicode"
	"unicode/utf8"

	"mews/supervisor"
	"mews/supervisor/answer"
)

// PressBelongsToUser reports whether a press belongs to a question that the user was asked.
func (s *Questions) PressBelongsToUser(ctx context.Context, user, press string) (bool, error) {
	nonce, _, ok := parse(press)
	if !ok {
		return false, nil
	}
	return s.o.Store.WasAsked(ctx, user, digest(nonce))
}

// PressOutcome is the result of a press for its user.
type PressOutcome struct {
	Text   string // the notice for the user; "" if the question's message shows the result
	Closed bool   // the question is closed, so its buttons can be removed
}

// RecordPress records a user's press in a conversation, and returns its result. Of several presses
// the first one counts. A forged press changes nothing and is audited; its error has CodeForbidden.
// The same holds for a press from another user or conversation.
func (s *Questions) RecordPress(ctx context.Context, user string, conversation int64,
	press string) (pressed PressOutcome,
	err error) {
	nonce, word, ok := parse(press)
	if !ok {
		if err := s.o.Audit.Append(ctx, user, "question.foreign", fmt.Sprint("conversation ",
			conversation)); err != nil {
			return pressed, fmt.Errorf("audit a foreign press of %s: %w", user, err)
		}
		return pressed, supervisor.Errorf(supervisor.CodeForbidden, textForeign)
	}
	q, result, err := s.o.Store.RecordPress(ctx, supervisor.QuestionPress{Digest: digest(nonce), User: user,
		Conversation: conversation, Word: word})
	if err != nil {
		return pressed, fmt.Errorf("take what %s has pressed: %w", user, err)
	}
	shows := q.Conversation.Channel.Capabilities().Edit
	switch result {
	case supervisor.PressUnknown:
		return pressed, supervisor.Errorf(supervisor.CodeForbidden, textForeign)
	case supervisor.PressAccepted, supervisor.PressToggledOption:
		if !shows {
			pressed.Text = answer.OutcomeText(q)
		}
		return pressed, nil
	case supervisor.PressAwaitsText:
		return PressOutcome{Text: textSayIt}, nil
	case supervisor.PressKeptAsMessage:
		s.o.Resume(q.Conversation) // a turn may begin with the answer
	case supervisor.PressAnsweredBefore:
		first, rest := utf8.DecodeRuneInString(answer.OutcomeText(q))
		return PressOutcome{textAnsweredBefore + string(unicode.ToLower(first)) + answer.OutcomeText(q)[rest:], true}, nil
	}
	return PressOutcome{textsTooLate[result], true}, nil
}
