package command

import (
	"context"
	"fmt"
	"time"

	"mews/supervisor"
	"mews/supervisor/feature"
)

// A group waits privateAnswerWait for the delivery of a private answer. Its outcome is read every
// outcomeInterval.
const (
	privateAnswerWait = 10 * time.Second
	outcomeInterval   = 50 * time.Millisecond
)

// answerInPrivate sends the answer to the user's private chat, and returns its delivery. After a
// crash before the command is done, it sends the answer again.
func (c *Commands) answerInPrivate(ctx context.Context, row feature.Command, r feature.CommandRequest) (
	delivery int64, err error) {
	r = c.requestIn(r.User.PrivateChat(), r)
	d, err := row.Run(ctx, r)
	if err != nil {
		return 0, err
	}
	d.Conversation = r.Conversation
	said, err := c.o.Outbox.SendNotice(ctx, d)
	if err != nil {
		return 0, fmt.Errorf("answer in private: %w", err)
	}
	c.o.Queued(said.Conversation.ID)
	return said.ID, nil
}

// tellGroup tells the group of a command whether the private answer has arrived.
func (c *Commands) tellGroup(ctx context.Context, in supervisor.Inbound, delivery int64) {
	outcome, err := c.awaitOutcome(ctx, delivery)
	if ctx.Err() != nil {
		return
	}
	if err == nil {
		_, err = c.o.Outbox.SendInboundNotice(ctx, supervisor.Delivery{Inbound: in.ID, Text: textsInPrivate[outcome]})
	}
	if err != nil {
		c.o.Log.Warn("tell a group of a private answer", "user", in.Conversation.User, "error", err)
		return
	}
	c.o.Queued(in.Conversation.ID)
}

// awaitOutcome returns the outcome of a delivery, or "" if it has none after privateAnswerWait.
func (c *Commands) awaitOutcome(ctx context.Context, delivery int64) (supervisor.DeliveryResult, error) {
	end := time.After(privateAnswerWait)
	again := time.NewTicker(outcomeInterval)
	defer again.Stop()
	for {
		outcome, err := c.o.Outbox.Outcome(ctx, delivery)
		if outcome != "" || err != nil {
			return outcome, err
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-end:
			return "", nil
		case <-again.C:
		}
	}
}
