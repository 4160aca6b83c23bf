package sqlite

import (
	"context"
	"database/sql"

	"mews/supervisor"
)

// Counts are figures for the status of the service.
type Counts struct {
	Inbounds map[supervisor.InboundState]int64 // texts, not commands; states without any are left out
	Waiting  int64                             // deliveries that no channel has taken yet
	Running  int64                             // turns
	Messages int64                             // in the transcripts of all conversations
	Bytes    int64                             // of the database, without its journal
}

const (
	countInbounds = `SELECT state, count(*) FROM inbox WHERE kind = 'text' GROUP BY state`
	countRest     = `SELECT (SELECT count(*) FROM outbox WHERE delivered_at IS NULL),
		(SELECT count(*) FROM turn WHERE ended_at IS NULL),
		(SELECT count(*) FROM message),
		(SELECT page_count * page_size FROM pragma_page_count, pragma_page_size)`
)

// Counts counts. It reads whole indexes: it is for people who ask, not for every turn.
func (db *DB) Counts(ctx context.Context) (Counts, error) {
	c, err := db.counts(ctx)
	return c, during(err, "count what is in the database")
}

func (db *DB) counts(ctx context.Context) (c Counts, err error) {
	rows, err := db.readers.QueryContext(ctx, countRest)
	c, _, err = one(rows, err, func(rows *sql.Rows) (c Counts, err error) {
		err = rows.Scan(&c.Waiting, &c.Running, &c.Messages, &c.Bytes)
		return c, err
	})
	if err != nil {
		return c, err
	}
	c.Inbounds = map[supervisor.InboundState]int64{}
	rows, err = db.readers.QueryContext(ctx, countInbounds)
	_, err = all(rows, err, func(rows *sql.Rows) (_ struct{}, err error) {
		var state supervisor.InboundState
		var n int64
		err = rows.Scan(&state, &n)
		c.Inbounds[state] = n
		return struct{}{}, err
	})
	return c, err
}
