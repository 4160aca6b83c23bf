package app

import (
	"context"
	"slices"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/effect"
	"mews/supervisor/internal/timezone"
	"mews/supervisor/sqlite"
	"mews/supervisor/users"
)

// activity is the ledger of what was done for people.
type activity struct {
	effects       sqlite.Effects
	conversations sqlite.Conversations
	users         *users.Settings
	now           func() time.Time
}

// maxActivityRows is how many rows are read for one answer; of the shortest no more fit.
const maxActivityRows = 200

// Read is hostcall.Activity's. In a group nothing is told: others read what is said there.
func (a activity) Read(ctx context.Context, user string, destination int64, span, kind string) (read protocol.Activity, err error) {
	in, _, err := a.conversations.FindByID(ctx, destination)
	if err != nil {
		return read, err
	}
	if in.InGroup() {
		return read, supervisor.Errorf(supervisor.CodeForbidden, textActivityInGroup)
	}
	u, _ := a.users.Find(user)
	q, err := effect.ParseQuery(span+" "+kind, a.now().In(timezone.Of(u)))
	if err != nil {
		return read, err
	}
	q.User, q.Limit = user, maxActivityRows
	list, err := a.effects.List(ctx, q)
	read.Text = effect.Log(list, timezone.Of(u), protocol.MaxActivity, "", nil)
	read.World = slices.ContainsFunc(list, func(e supervisor.Effect) bool { return e.Kind == supervisor.EffectReceived })
	return read, err
}

func (s *service) activity() activity {
	return activity{s.db.Effects(), s.db.Conversations(), s.settings, s.now}
}
