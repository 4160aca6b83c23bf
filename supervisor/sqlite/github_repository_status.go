package sqlite

import (
	"context"
	"time"

	"mews/supervisor/internal/engine"
)

// RepositoryStatus has figures about the events, reviews and triages of a GitHub repository.
type RepositoryStatus struct {
	Last    time.Time // time of the last event; zero means none within a week
	Waiting int64     // number of unhandled events of the last week
	Taken   int64
	Ignored int64
	Failed  int64
	Reviews int64 // number of pending reviews
	Triages int64 // number of pending triages
	Cost    int64 // cost of reviews and triages since a time, in millionths of a US dollar
}

const findRepositoryStatus = `SELECT coalesce(max(created_at), 0), coalesce(sum(state = 'new'), 0), coalesce(sum(state = 'done'), 0),
	coalesce(sum(state = 'ignored'), 0), coalesce(sum(state = 'failed'), 0),
	(SELECT count(*) FROM review WHERE repo = ?1 AND state IN ('settling', 'queued', 'confirming', 'running')),
	(SELECT count(*) FROM triage WHERE repo = ?1 AND state IN ('settling', 'queued')),
	(SELECT coalesce(sum(cost), 0) FROM spent WHERE user = 'review/' || ?1 AND quarter >= ?2)
	FROM webhook_delivery WHERE source = 'github' AND lower(json_extract(event, '$.repo')) = ?1`

// Status returns the status of a repository, by its name in lower case. It is slow, since it reads
// all events of a week.
func (s GitHubRepositories) Status(ctx context.Context, repo string, since time.Time) (RepositoryStatus, error) {
	return engine.FirstValue(s.db.reader(ctx, "read the status of %s", repo),
		func(row *engine.Row) (r RepositoryStatus) {
			row.Scan(&r.Last, &r.Waiting, &r.Taken, &r.Ignored, &r.Failed, &r.Reviews, &r.Triages, &r.Cost)
			return r
		}, findRepositoryStatus, repo, toMillis(since)/quarterHour)
}

const countBelow = `SELECT count(*) FROM turn b JOIN turn t ON t.id = b.parent WHERE t.inbound = ? AND t.user = ?`

// CountChildTurns returns the number of child turns of the turn that an inbound started.
func (s Turns) CountChildTurns(ctx context.Context, user string, inbound int64) (int64, error) {
	return engine.FirstValue(
		s.db.reader(ctx, "count the turns below that of inbound %d", inbound),
		engine.ScanInteger,
		countBelow,
		inbound,
		user,
	)
}

const listAbandoned = `SELECT o.id FROM outbox o JOIN conversation c ON c.id = o.conversation
	WHERE o.delivered_at IS NULL AND c.channel = 'github' AND c.user = ? AND o.created_at < ? ORDER BY o.id`

// ListAbandonedDeliveries lists a user's old pending deliveries on GitHub's channel. Old means from
// before the given time. Nobody reads these deliveries, since nobody talks on that channel.
func (s Outbox) ListAbandonedDeliveries(ctx context.Context, user string, before time.Time) ([]int64, error) {
	return engine.AllRows(
		s.db.reader(ctx, "list abandoned deliveries of %s", user),
		engine.ScanInteger,
		listAbandoned,
		user,
		before.UnixMilli(),
	)
}
