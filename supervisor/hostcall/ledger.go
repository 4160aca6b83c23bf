package hostcall

import (
	"context"
	"slices"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/effect"
	"mews/supervisor/internal/timezone"
	"mews/supervisor/sqlite"
)

// Ledger reads activity from the database. It implements Activity.
type Ledger struct {
	Effects       sqlite.Effects
	Conversations sqlite.Conversations
	Find          func(name string) (supervisor.User, bool)
	Now           func() time.Time
}

// maxActivityRows limits the rows that are read for one answer. More rows would not fit into the
// answer, however short they are.
const maxActivityRows = 200

// Read returns a user's effects within a span. In a group it returns no effects, because other
// people would read them.
func (l Ledger) Read(ctx context.Context, user string, destination int64, span, kind string) (
	read protocol.ActivityReadResult, err error) {
	in, _, err := l.Conversations.FindConversation(ctx, destination)
	if err != nil {
		return read, err
	}
	if in.IsInGroup() {
		return read, supervisor.Errorf(supervisor.CodeForbidden, textActivityInGroup)
	}
	u, _ := l.Find(user)
	q, err := effect.ParseQuery(span+" "+kind, l.Now().In(timezone.ForUser(u)))
	if err != nil {
		return read, err
	}
	q.User, q.Limit = user, maxActivityRows
	list, err := l.Effects.List(ctx, q)
	read.Text = effect.FormatLog(list, timezone.ForUser(u), protocol.MaxActivityAnswerBytes, "", nil)
	received := func(e supervisor.Effect) bool { return e.Kind == supervisor.EffectFileReceived }
	read.World = slices.ContainsFunc(list, received)
	return read, err
}
