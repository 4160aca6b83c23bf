package session

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/claim"
)

// earlierTurns is how many of a conversation's turns are read to verify a claim that may be about
// an earlier turn.
const earlierTurns = 10

// unverified returns a warning to put below an answer that claims something without a matching tool
// call. It returns "" if the answer has no such claim, or if the store fails. For an answer without
// a claim, it does not read the store.
func (t *turn) unverified(ctx context.Context, answer string) string {
	if t.Worked == nil || t.Turn.Kind != supervisor.TurnChat || t.Turn.Parent != 0 {
		return ""
	}
	kinds, err := claim.UnverifiedKinds(claim.FindClaims(answer), func(earlier bool) (deeds []claim.Deed, err error) {
		turns := 0
		if earlier {
			turns = earlierTurns
		}
		calls, err := t.Worked.ListSuccessfulTools(ctx, t.Turn.ID, turns)
		for _, c := range calls {
			deeds = append(deeds, claim.Deed(c))
		}
		return deeds, err
	})
	if err != nil {
		t.log.Warn("verify what an answer claims", "turn", t.Turn.ID, "error", err)
	}
	return claim.Warning(kinds)
}
