package sqlite

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// StatusCounts are figures for the status of the service.
type StatusCounts struct {
	// number of texts by state, without held texts and commands; a state without texts is missing
	Inbounds map[supervisor.InboundState]int64
	Held     int64 // number of inbounds of all kinds that a gate holds
	Waiting  int64 // number of deliveries that no channel has taken yet
	Lost     int64 // number of deliveries that may not have arrived
	Running  int64 // number of running turns
	Asking   int64 // number of running turns that wait for their users' answers
	Messages int64 // number of messages in all transcripts
	Jobs     int64 // number of jobs with a next due time
	NextJob  int64 // the earliest next due time of a job, in milliseconds; 0 means none
	Bytes    int64 // size of the database in bytes, without its journal
}

const (
	countInbounds = `SELECT state, count(*) FROM inbox i WHERE ` + startsTurn + ` AND held = 0 GROUP BY state`
	countOthers   = `SELECT (SELECT count(*) FROM inbox WHERE held = 1),
		(SELECT count(*) FROM outbox WHERE delivered_at IS NULL),
		(SELECT count(*) FROM outbox WHERE outcome IN ('unknown', 'failed')),
		(SELECT count(*) FROM turn WHERE ended_at IS NULL),
		(SELECT count(DISTINCT turn) FROM question WHERE why IS NULL),
		(SELECT count(*) FROM message),
		(SELECT count(*) FROM job WHERE next IS NOT NULL), (SELECT coalesce(min(next),
			0) FROM job WHERE next IS NOT NULL),
		(SELECT page_count * page_size FROM pragma_page_count, pragma_page_size)`
)

// StatusCounts counts rows for the status of the service. It is slow, since it reads whole tables.
func (db *DB) StatusCounts(ctx context.Context) (StatusCounts, error) {
	read := db.reader(ctx, "count rows for the status")
	c, err := engine.FirstValue(read, func(row *engine.Row) (c StatusCounts) {
		row.Scan(&c.Held, &c.Waiting, &c.Lost, &c.Running, &c.Asking, &c.Messages, &c.Jobs, &c.NextJob, &c.Bytes)
		return c
	}, countOthers)
	if err != nil {
		return c, err
	}
	c.Inbounds = map[supervisor.InboundState]int64{}
	return c, read.Query(func(row *engine.Row) bool {
		var state supervisor.InboundState
		var n int64
		row.Scan(&state, &n)
		c.Inbounds[state] = n
		return true
	}, countInbounds)
}
