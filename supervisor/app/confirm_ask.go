package app

import (
	"context"
	"fmt"
	"time"

	"mews/supervisor"
)

// confirming is how long a person has to send a code, and glance how often is looked whether that has passed: by the clock on
// the wall, for a machine that sleeps stops its timers.
const (
	confirming = 5 * time.Minute
	glance     = time.Second
)

// stepUp is approval's StepUp.
type stepUp struct{ *Service }

// Confirm asks for a code in the conversation, and waits for a right one. Where none can be asked for, its error is a
// supervisor.Error with CodeForbidden, which says why.
func (s stepUp) Confirm(ctx context.Context, q supervisor.Question) (supervisor.Answer, error) {
	c, found, err := s.db.Conversations().Get(ctx, q.Conversation.ID)
	if err != nil || !found {
		return supervisor.AnswerNone, err
	}
	if err := s.askable(ctx, c); err != nil {
		return supervisor.AnswerNone, err
	}
	q.Conversation = c
	come, end, ok := s.codes.begin(q)
	if !ok {
		return supervisor.AnswerNone, uncoded("A code of %s is awaited here for something else, or was a moment ago. This can be asked "+
			"for again a minute after that.", c.User)
	}
	answer := supervisor.AnswerNone
	defer func() { end(answer == supervisor.AnswerOnce) }()
	text := q.Text + "\n\nThis needs a fresh code: send me the six digits that your authenticator app shows within five minutes. " +
		"Send nothing, and it is not done."
	if _, err := s.db.Outbox().Say(ctx, supervisor.Delivery{Conversation: c, Kind: supervisor.DeliveryNotice, Text: text}); err != nil {
		return supervisor.AnswerNone, err
	}
	s.feeds.Delivery(c.ID)
	answer, err = s.await(ctx, come)
	return answer, err
}

// await waits for a right code until it is too late.
func (s stepUp) await(ctx context.Context, come <-chan struct{}) (supervisor.Answer, error) {
	look := time.NewTicker(glance)
	defer look.Stop()
	for until := s.moment().Add(confirming); s.moment().Before(until); {
		select {
		case <-come:
			return supervisor.AnswerOnce, nil
		case <-ctx.Done():
			return supervisor.AnswerNone, context.Cause(ctx)
		case <-look.C:
		}
	}
	return supervisor.AnswerNone, nil
}

// askable says why nobody can be asked for a code in a conversation.
func (s stepUp) askable(ctx context.Context, c supervisor.Conversation) error {
	f, known, err := s.db.Access().Factors.Find(ctx, c.User)
	switch {
	case err != nil:
		return err
	case !known || !f.Confirmed:
		return uncoded("This needs a code, and %s has no second factor that makes any. An admin can give them one with "+
			"`mews totp enroll %s`.", c.User, c.User)
	case inGroup(c):
		return uncoded("This needs a code of %s, and codes are for our private chat alone. It can be asked for there.", c.User)
	}
	return nil
}

// uncoded is why no code was asked for.
func uncoded(format string, args ...any) error {
	return &supervisor.Error{Code: supervisor.CodeForbidden, Message: fmt.Sprintf(format, args...)}
}
