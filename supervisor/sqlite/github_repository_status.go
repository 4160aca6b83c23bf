package sqlite

import (
	"context"
	"time"

	"mews/supervisor/internal/engine"
)

// RepositoryStatus is the state of a GitHub repository's news and work.
type RepositoryStatus struct {
	Last    time.Time // when the last event came; zero means none within a week
	Waiting int64     // events of the last week that are not done
	Taken   int64
	Ignored int64
	Failed  int64
	Reviews int64 // pending reviews
	Triages int64 // pending triages
	Cost    int64 // since a time, in millionths of a US dollar
}

const findRepositoryStatus = `SELECT coalesce(max(created_at), 0), coalesce(sum(state = 'new'), 0), coalesce(sum(state = 'done'), 0),
	coalesce(sum(state = 'ignored'), 0), coalesce(sum(state = 'failed'), 0),
	(SELECT count(*) FROM review WHERE repo = ?1 AND state IN ('settling', 'queued', 'confirming', 'running')),
	(SELECT count(*) FROM triage WHERE repo = ?1 AND state IN ('settling', 'queued')),
	(SELECT coalesce(sum(cost), 0) FROM spent WHERE user = 'review/' || ?1 AND quarter >= ?2)
	FROM webhook_delivery WHERE source = 'github' AND lower(json_extract(event, '$.repo')) = ?1`

// Status returns the status of a repository, by its name in lower case. It reads all events of a
// week, so call it only when somebody asks.
func (s Repositories) Status(ctx context.Context, repo string, since time.Time) (RepositoryStatus, error) {
	return engine.Value(s.db.reader(ctx, "tell how %s stands", repo), func(row *engine.Row) (r RepositoryStatus) {
		row.Scan(&r.Last, &r.Waiting, &r.Taken, &r.Ignored, &r.Failed, &r.Reviews, &r.Triages, &r.Cost)
		return r
	}, findRepositoryStatus, repo, toMillis(since)/quarterHour)
}

const countBelow = `SELECT count(*) FROM turn b JOIN turn t ON t.id = b.parent WHERE t.inbound = ? AND t.user = ?`

// CountBelow returns how many turns were started below the turn of a user's inbound.
func (s Turns) CountBelow(ctx context.Context, user string, inbound int64) (int64, error) {
	return engine.Value(
		s.db.reader(ctx, "count the turns below that of inbound %d", inbound),
		engine.Integer,
		countBelow,
		inbound,
		user,
	)
}

const listAbandoned = `SELECT o.id FROM outbox o JOIN conversation c ON c.id = o.conversation
	WHERE o.delivered_at IS NULL AND c.channel = 'github' AND c.user = ? AND o.created_at < ? ORDER BY o.id`

// ListAbandoned lists a user's old deliveries on GitHub's channel that nobody has taken. Nobody
// talks on that channel. Old means stored before a time.
func (s Outbox) ListAbandoned(ctx context.Context, user string, before time.Time) ([]int64, error) {
	return engine.All(
		s.db.reader(ctx, "list what %s has not come for", user),
		engine.Integer,
		listAbandoned,
		user,
		before.UnixMilli(),
	)
}
