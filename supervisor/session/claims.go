package session

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/claim"
)

// earlierMessages are how many of a conversation's latest messages are looked at where an answer
// may speak of an earlier turn.
const earlierMessages = 60

// unverified is the line below an answer that claims to have done what no tool has done; "" for
// none, and where that can't be read. Only what claims something costs a read.
func (t *turn) unverified(ctx context.Context, answer string) string {
	if t.Worked == nil || t.Turn.Kind != supervisor.TurnChat || t.Turn.Parent != 0 {
		return ""
	}
	kinds, err := claim.Unverified(claim.Find(answer), func(earlier bool) ([]string, error) {
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
