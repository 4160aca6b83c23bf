package command

import (
	"context"
	"fmt"
	"strings"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/problem"
	"mews/supervisor/sqlite"
)

// Sessions stops running turns.
type Sessions interface {
	// StopTurn ends the turn that was running when a command was sent. It returns when the turn's
	// answer is in the outbox. If no turn ran, Inbound of the result is 0.
	StopTurn(ctx context.Context, c supervisor.Conversation, command int64) (sqlite.PrecedingText, error)
	// StopTurnWithoutStoring ends a conversation's running turn, but does not store the stop. It is
	// for a command that could not be stored. stopped reports whether a turn ran.
	StopTurnWithoutStoring(conversation int64) (stopped bool)
}

const stopName = "stop"

var stopRows = []row{
	{SlashCommand: supervisor.SlashCommand{Name: stopName, Help: "end the running answer at once; /stop all also " +
		"drops what waits",
		Urgent: true, OpenWhileLocked: true, EndsTurn: true}, group: feature.HelpGroupEveryday, run: textAnswer(stop)},
}

func stop(ctx context.Context, c *Commands, r feature.CommandRequest) (string, error) {
	if strings.EqualFold(strings.TrimSpace(r.Arguments), "all") {
		return c.stopAll(ctx, r)
	}
	ahead, err := c.stopTurn(ctx, r)
	switch {
	case err != nil:
		return "", err
	case ahead.Inbound == 0:
		return textNothingRuns, nil
	case endsInPlace(r, ahead):
		return "", nil
	case ahead.Waiting == 1:
		return endedText(ahead) + textWaiting, nil
	case ahead.Waiting > 1:
		return endedText(ahead) + fmt.Sprintf(textWaitingMany, ahead.Waiting), nil
	}
	return endedText(ahead), nil
}

// stopAll drops the waiting messages, and then ends the running turn. In the other order, a message
// could start a turn in between.
func (c *Commands) stopAll(ctx context.Context, r feature.CommandRequest) (string, error) {
	dropped, err := c.o.Drop(ctx, r.Inbound)
	if err != nil {
		return "", fmt.Errorf("drop what waits: %w", err)
	}
	ahead, err := c.stopTurn(ctx, r)
	switch {
	case err != nil:
		return "", err
	case ahead.Inbound == 0 && dropped == 0:
		return textNothingRuns, nil
	case endsInPlace(r, ahead) && dropped == 0:
		return "", nil
	case ahead.Inbound == 0, endsInPlace(r, ahead):
		return droppedText(dropped), nil
	}
	return endedText(ahead) + " " + droppedText(dropped), nil
}

// endsInPlace reports whether the stopped answer is edited to show that it was stopped. Then /stop
// needs no answer. A terminal can't edit, so it gets both answers.
func endsInPlace(r feature.CommandRequest, ahead sqlite.PrecedingText) bool {
	return ahead.Why == protocol.TurnEndStopped && r.Conversation.Channel.Capabilities().Edit
}

func droppedText(n int) string {
	if n == 0 {
		return textNothingDropped
	}
	return fmt.Sprintf(textDropped, amount.Plural(n, "message", "messages"))
}

// endedText says how the stopped turn ended.
func endedText(ahead sqlite.PrecedingText) string {
	if ahead.Why == protocol.TurnEndStopped {
		return textStopped
	}
	return textJustEnded
}

// stopTurn ends the turn that was running when the command was sent.
func (c *Commands) stopTurn(ctx context.Context, r feature.CommandRequest) (sqlite.PrecedingText, error) {
	ahead, err := c.o.Sessions.StopTurn(ctx, r.Conversation, r.Inbound)
	if err != nil && ctx.Err() != nil {
		return ahead, &supervisor.Error{Code: supervisor.CodeUnavailable, Err: err, Message: textStopsSlowly}
	}
	return ahead, err
}

// RunUnstoredCommand runs a command that could not be stored. It returns the error for the sender.
// It only runs /stop, because a full disk must not keep a turn running.
func (c *Commands) RunUnstoredCommand(in supervisor.Inbound, err error) error {
	if in.Command != stopName || !c.o.Sessions.StopTurnWithoutStoring(in.Conversation.ID) {
		return err
	}
	return &supervisor.Error{Code: supervisor.ErrorCodeOf(err), Err: err, Message: textStoppedNotStored +
		problem.UserText(err)}
}
