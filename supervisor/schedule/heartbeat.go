package schedule

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/timezone"
	"mews/supervisor/schedule/heartbeat"
)

// heartbeatFile is what the heartbeat looks into.
const heartbeatFile = "HEARTBEAT.md"

var errNoFile = errors.New("the look into " + heartbeatFile + " has come without it")

// heartbeat has one turn do all that is due in HEARTBEAT.md. Where that is nothing, there is none.
func (s *Schedule) heartbeat(ctx context.Context, l look) (looked supervisor.Looked, err error) {
	found, err := s.o.Look(ctx, l.Job.User, protocol.LookParameters{PromptFile: heartbeatFile})
	if err != nil {
		return looked, err
	}
	if found.File == nil {
		return looked, errNoFile
	}
	text, err := s.o.InForce(ctx, l.Job.User, *found.File)
	if err != nil {
		return looked, err
	}
	was, err := state[heartbeat.State](l)
	if err != nil {
		return looked, err
	}
	due, next, err := heartbeat.Due(heartbeat.Parse(string(text), was, l.now.In(timezone.Of(l.user))), was, l.now, timezone.Of(l.user))
	if err != nil {
		return looked, err
	}
	seen, err := json.Marshal(next)
	if err != nil {
		return looked, fmt.Errorf("keep what the heartbeat has seen: %w", err)
	}
	looked.Seen, looked.State = string(seen), supervisor.FireSilent
	if len(due) == 0 {
		return looked, nil
	}
	var items strings.Builder
	for _, item := range due {
		fmt.Fprintf(&items, promptItem, item.Text, item.Wrong)
	}
	looked.Turn = s.turnOf(l, promptHeartbeat+items.String(), "")
	return looked, nil
}
