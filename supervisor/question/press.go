package question

import (
	"context"
	"fmt"
	"strings"

	"mews/supervisor"
	"mews/supervisor/answer"
)

// IsTheirs says whether a press is of a question that a person was asked.
func (s *Questions) IsTheirs(ctx context.Context, user, press string) (bool, error) {
	nonce, _, ok := parse(press)
	if !ok {
		return false, nil
	}
	return s.o.Store.WasAsked(ctx, user, digest(nonce))
}

// Press takes what a person has pressed in a conversation, and returns what they are told. Of two presses the first counts. A
// press that is made up, of another person's question or from another conversation does nothing and is audited; its error has
// CodeForbidden.
func (s *Questions) Press(ctx context.Context, user string, conversation int64, press string) (text string, err error) {
	nonce, word, ok := parse(press)
	if !ok {
		if err := s.o.Audit.Put(ctx, user, "question.foreign", fmt.Sprint("conversation ", conversation)); err != nil {
			return "", fmt.Errorf("audit a foreign press of %s: %w", user, err)
		}
		return "", supervisor.Errorf(supervisor.CodeForbidden, textForeign)
	}
	q, result, err := s.o.Store.Press(ctx, supervisor.Press{Digest: digest(nonce), User: user, Conversation: conversation, Word: word})
	if err != nil {
		return "", fmt.Errorf("take what %s has pressed: %w", user, err)
	}
	switch result {
	case supervisor.PressTaken:
		return answer.Told(q), nil
	case supervisor.PressAnsweredBefore:
		told := answer.Told(q)
		return textAnsweredBefore + strings.ToLower(told[:1]) + told[1:], nil
	case supervisor.PressForeign:
		return "", supervisor.Errorf(supervisor.CodeForbidden, textForeign)
	}
	return textsTooLate[result], nil
}
