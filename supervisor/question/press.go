package question

import (
	"context"
	"fmt"
	"strings"

	"mews/protocol/amount"
	"mews/supervisor"
)

// Press takes what a person has pressed in a conversation, and returns what they read then. Of a press twice, the first
// counts. One that is made up, of another person's question or from another conversation has no effect and is audited:
// CodeForbidden.
func (d *Questions) Press(ctx context.Context, user string, conversation int64, press string) (text string, err error) {
	nonce, answer, ok := parse(press)
	if !ok {
		if err := d.audit(ctx, user, conversation); err != nil {
			return "", err
		}
		return "", foreignPress()
	}
	q, came, err := d.o.Store.Press(ctx, supervisor.Press{Digest: digest(nonce), User: user, Conversation: conversation,
		Answer: answer})
	if err != nil {
		return "", fmt.Errorf("take what %s has pressed: %w", user, err)
	}
	switch came {
	case supervisor.PressTaken:
		d.answered.notify()
		return textsAnswered[q.Kind][answer](q), nil
	case supervisor.PressAnsweredBefore:
		return "This was answered before: " + lowerFirst(textsAnswered[q.Kind][q.Answer](q)), nil
	case supervisor.PressForeign:
		return "", foreignPress()
	}
	return textsTooLate[came], nil
}

func foreignPress() error {
	return &supervisor.Error{Code: supervisor.CodeForbidden, Message: "This button does nothing here: it belongs to another " +
		"person, another chat, or nothing at all."}
}

// textsTooLate is what is read where an answer counts no more.
var textsTooLate = map[supervisor.PressResult]string{
	supervisor.PressExpired: "This question has expired, so it counted as a no. Ask again for what you wanted.",
	supervisor.PressEnded:   "What asked this was stopped or has ended, so nothing was done. Ask again for what you wanted.",
}

// textsAnswered is what is read of an answer.
var textsAnswered = map[supervisor.QuestionKind]map[supervisor.Answer]func(supervisor.Question) string{
	supervisor.QuestionBudget: {
		supervisor.AnswerOnce: func(q supervisor.Question) string {
			return "Going on, with up to " + amount.Dollars(q.Amount) + " more."
		},
		supervisor.AnswerDeny: fixed("Not going on."),
	},
	supervisor.QuestionApproval: {
		supervisor.AnswerOnce:   fixed("Allowed once."),
		supervisor.AnswerAlways: fixed("Allowed from now on, for exactly this."),
		supervisor.AnswerDeny:   fixed("Denied."),
	},
}

// lowerFirst is a sentence within another.
func lowerFirst(sentence string) string { return strings.ToLower(sentence[:1]) + sentence[1:] }

// audit keeps that a person has pressed what is no button of a question's.
func (d *Questions) audit(ctx context.Context, user string, conversation int64) error {
	if err := d.o.Audit.Put(ctx, user, "question.foreign", fmt.Sprint("conversation ", conversation)); err != nil {
		return fmt.Errorf("audit a foreign press of %s: %w", user, err)
	}
	return nil
}
