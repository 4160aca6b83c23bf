package routine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/timezone"
	"mews/supervisor/routine/heartbeat"
)

// heartbeatFile is the prompt file with the items of the heartbeat.
const heartbeatFile = "HEARTBEAT.md"

var errNoFile = errors.New("the look into " + heartbeatFile + " has come without it")

// heartbeat starts one turn for all due items of HEARTBEAT.md. Without due items it starts no turn.
func (r *Routines) heartbeat(ctx context.Context, c supervisor.CheckFire) (out supervisor.CheckOutcome, err error) {
	found, err := r.o.Check(ctx, c.Job.User, protocol.CheckParameters{PromptFile: heartbeatFile})
	if err != nil {
		return out, err
	}
	if found.File == nil {
		return out, errNoFile
	}
	text, err := r.o.InForce(ctx, c.Job.User, *found.File)
	if err != nil {
		return out, err
	}
	was, err := state[heartbeat.ItemRecords](c)
	if err != nil {
		return out, err
	}
	zone := timezone.ForUser(c.Owner)
	due, next, err := heartbeat.DueItems(heartbeat.Parse(string(text), was, c.At.In(zone)), was, c.At, zone)
	if err != nil {
		return out, err
	}
	seen, err := json.Marshal(next)
	if err != nil {
		return out, fmt.Errorf("keep what the heartbeat has seen: %w", err)
	}
	out.Seen, out.State = string(seen), supervisor.FireSilent
	if len(due) == 0 {
		return out, nil
	}
	var items strings.Builder
	for _, item := range due {
		fmt.Fprintf(&items, promptItem, item.Text, item.Wrong)
	}
	out.Prompt = &supervisor.CheckPrompt{Text: promptHeartbeat + items.String()}
	return out, nil
}
