package sqlite

import (
	"context"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// MonitorCounts are figures about what waits and what models cost. They are read quickly.
type MonitorCounts struct {
	New, Held       int // inbounds that wait for their turn, or for a code
	Running, Asking int // running turns, and those of them that wait for their user
	Lost            int // deliveries that may not have arrived
	Waiting         []WaitingDeliveries
	Calls, Failed   int   // calls of models since the given time, and those that failed
	Cost            int64 // cost of those calls in millionths of a US dollar
	Bytes           int64 // size of the database, without its journal
}

// WaitingDeliveries are the deliveries that wait on one channel.
type WaitingDeliveries struct {
	Channel supervisor.Channel
	Count   int
	Oldest  time.Time // when the oldest was written
}

const (
	countForMonitor = `SELECT (SELECT count(*) FROM inbox WHERE state = 'new' AND held = 0),
		(SELECT count(*) FROM inbox WHERE held = 1), (SELECT count(*) FROM turn WHERE ended_at IS NULL),
		(SELECT count(DISTINCT turn) FROM question WHERE why IS NULL),
		(SELECT count(*) FROM outbox WHERE outcome IN ('unknown', 'failed')),
		(SELECT page_count * page_size FROM pragma_page_count, pragma_page_size)`
	countRecentCalls       = `SELECT count(*), count(class), coalesce(sum(cost), 0) FROM usage WHERE created_at >= ?`
	countWaitingDeliveries = `SELECT c.channel, count(*), min(o.created_at) FROM outbox o JOIN conversation c ON c.id = o.conversation
		WHERE o.delivered_at IS NULL GROUP BY c.channel`
	listWaitingChats = `SELECT c.chat, min(o.created_at) FROM outbox o JOIN conversation c ON c.id = o.conversation
		WHERE o.delivered_at IS NULL AND c.channel = ? GROUP BY c.chat`
)

// MonitorCounts counts what waits, and the calls of models since a time.
func (db *DB) MonitorCounts(ctx context.Context, since time.Time) (MonitorCounts, error) {
	read := db.reader(ctx, "count for the monitor")
	c, err := engine.FirstValue(read, func(row *engine.Row) (c MonitorCounts) {
		row.Scan(&c.New, &c.Held, &c.Running, &c.Asking, &c.Lost, &c.Bytes)
		return c
	}, countForMonitor)
	if err != nil {
		return c, err
	}
	if err := read.Query(func(row *engine.Row) bool {
		row.Scan(&c.Calls, &c.Failed, &c.Cost)
		return false
	}, countRecentCalls, since.UnixMilli()); err != nil {
		return c, err
	}
	err = read.Query(func(row *engine.Row) bool {
		var w WaitingDeliveries
		row.Scan(&w.Channel, &w.Count, &w.Oldest)
		c.Waiting = append(c.Waiting, w)
		return true
	}, countWaitingDeliveries)
	return c, err
}

// WaitingChats lists the chats of a channel with waiting deliveries. Each has the time of its
// oldest one.
func (db *DB) WaitingChats(ctx context.Context, channel supervisor.Channel) (map[string]time.Time, error) {
	chats := map[string]time.Time{}
	err := db.reader(ctx, "list chats with waiting deliveries").Query(func(row *engine.Row) bool {
		var chat string
		var oldest time.Time
		row.Scan(&chat, &oldest)
		chats[chat] = oldest
		return true
	}, listWaitingChats, channel)
	return chats, err
}
