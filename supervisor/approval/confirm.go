package approval

import (
	"context"
	"fmt"
	"time"

	"mews/supervisor"
)

const (
	codeTimeout  = 5 * time.Minute // how long a person has to send a code
	pollInterval = time.Second     // how often is looked whether that has passed
)

// Confirm is Confirmer's: it asks for a code in the conversation, and waits for a right one.
func (c *Confirmations) Confirm(ctx context.Context, q supervisor.Question) (supervisor.Answer, error) {
	conversation, found, err := c.o.Conversations.FindByID(ctx, q.Conversation.ID)
	if err != nil || !found {
		return supervisor.AnswerNone, err
	}
	if err := c.checkAskable(ctx, conversation); err != nil {
		return supervisor.AnswerNone, err
	}
	q.Conversation = conversation
	confirmed, end, ok := c.begin(q)
	if !ok {
		return supervisor.AnswerNone, supervisor.Errorf(supervisor.CodeForbidden, textCodeBusy, conversation.User)
	}
	answer := supervisor.AnswerNone
	defer func() { end(answer == supervisor.AnswerOnce) }()
	_, err = c.o.Outbox.Say(ctx, supervisor.Delivery{Conversation: conversation, Kind: supervisor.DeliveryNotice,
		Text: fmt.Sprintf(textAskForCode, q.Text)})
	if err != nil {
		return supervisor.AnswerNone, err
	}
	c.o.Queued(conversation.ID)
	answer, err = c.poll(ctx, confirmed)
	return answer, err
}

// poll waits for a right code until it is too late. It looks at the clock often: a timer would stop while the machine sleeps.
func (c *Confirmations) poll(ctx context.Context, confirmed <-chan struct{}) (supervisor.Answer, error) {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for until := c.now().Add(codeTimeout); c.now().Before(until); {
		select {
		case <-confirmed:
			return supervisor.AnswerOnce, nil
		case <-ctx.Done():
			return supervisor.AnswerNone, context.Cause(ctx)
		case <-tick.C:
		}
	}
	return supervisor.AnswerNone, nil
}

// checkAskable says why nobody can be asked for a code in a conversation; nil is that they can.
func (c *Confirmations) checkAskable(ctx context.Context, conversation supervisor.Conversation) error {
	f, known, err := c.o.Factors.Find(ctx, conversation.User)
	switch {
	case err != nil:
		return err
	case !known || !f.Confirmed:
		return supervisor.Errorf(supervisor.CodeForbidden, textCodeNoFactor, conversation.User, conversation.User)
	case conversation.Channel.IsGroup(conversation.Chat):
		return supervisor.Errorf(supervisor.CodeForbidden, textCodeInGroup, conversation.User)
	}
	return nil
}
