package command

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"mews/supervisor"
	"mews/supervisor/approval"
	"mews/supervisor/feature"
)

// PrivateAnswers are answers that a user sees before the group does.
type PrivateAnswers interface {
	// FindPrivateAnswer finds the answer of a turn, and its group.
	FindPrivateAnswer(ctx context.Context, user string, turn int64) (answer supervisor.Delivery,
		group supervisor.Conversation, ok bool, err error)
	// PostPrivateAnswer puts the text of an answer into the outbox of its group, once.
	PostPrivateAnswer(ctx context.Context, answer supervisor.Delivery, group supervisor.Conversation) error
}

// postPrefix is the beginning of the press that posts a private answer in its group.
const postPrefix = "post:"

// PostAnswerButtons returns the button that posts a turn's private answer in its group.
func PostAnswerButtons(turn int64) [][]supervisor.Button {
	return [][]supervisor.Button{{{Text: textPostAnswer, Press: postPrefix + strconv.FormatInt(turn, 10)}}}
}

// parsePostPress returns the turn of such a press. The press may be forged.
func parsePostPress(press string) (turn int64, ok bool) {
	number, ok := strings.CutPrefix(press, postPrefix)
	turn, err := strconv.ParseInt(number, 10, 64)
	return turn, ok && err == nil && turn > 0
}

// postAnswer posts a private answer in its group.
func (c *Commands) postAnswer(ctx context.Context, r feature.CommandRequest, turn int64) (string, error) {
	answer, group, ok, err := c.o.PrivateAnswers.FindPrivateAnswer(ctx, r.Conversation.User, turn)
	if err != nil {
		return "", fmt.Errorf("find a private answer: %w", err)
	}
	if !ok || answer.Text == "" || answer.Conversation.ID != r.Conversation.ID {
		return feature.DeadButtonText, nil
	}
	sum := sha256.Sum256([]byte(answer.Text))
	err = c.o.Approver.Allow(ctx, approval.Request{User: r.Conversation.User, Conversation: r.Conversation,
		Inbound: r.Inbound, TaintedBy: turn, Effect: approval.EffectAnswerInGroup, InGroup: true, AsksItself: true,
		Arguments: []string{strconv.FormatInt(group.ID, 10), strconv.FormatInt(turn, 10)},
		Content:   hex.EncodeToString(sum[:]), Text: textMayPostAnswer})
	if err != nil {
		return "", err
	}
	if err := c.o.PrivateAnswers.PostPrivateAnswer(ctx, answer, group); err != nil {
		return "", fmt.Errorf("post a private answer in its group: %w", err)
	}
	c.o.Queued(group.ID)
	return textAnswerPosted, nil
}
