package session

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/claim"
)

// earlierMessages is how many of a conversation's latest messages are read for an answer that may
// speak of an earlier turn.
const earlierMessages = 60

// unverified returns the line below an answer with a claim that no tool call supports. It returns
// "" if there is no such claim, or if the store fails. It reads the store only if the answer has a
// claim.
func (t *turn) unverified(ctx context.Context, answer string) string {
	if t.Worked == nil || t.Turn.Kind != supervisor.TurnChat || t.Turn.Parent != 0 {
		return ""
	}
	kinds, err := claim.UnverifiedKinds(claim.Find(answer), func(earlier bool) ([]string, error) {
		messages := 0
		if earlier {
			messages = earlierMessages
		}
		return t.Worked.ListWorked(ctx, t.Turn.ID, messages)

	})
	if err != nil {
		t.log.Warn("verify what an answer claims", "turn", t.Turn.ID, "error", err)
	}
	return claim.Note(kinds)
}
