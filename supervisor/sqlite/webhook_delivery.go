package sqlite

import (
	"cmp"
	"context"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// WebhookDeliveries stores the events that came to webhooks or were found by polling.
type WebhookDeliveries struct{ db *DB }

// WebhookDeliveries returns the store of webhook deliveries.
func (db *DB) WebhookDeliveries() WebhookDeliveries { return WebhookDeliveries{db} }

const (
	insertWebhookDelivery = `INSERT INTO webhook_delivery (user, source, hook, key, body, size, event, state, why, created_at, ended_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (user, source, key, hook, body) DO UPDATE SET state = excluded.state, size = excluded.size, why = excluded.why,
			ended_at = excluded.ended_at WHERE state = 'failed' RETURNING id`
	sizeWebhookDelivery      = `UPDATE webhook_delivery SET size = ?6 WHERE user = ?1 AND source = ?2 AND hook = ?3 AND key = ?4 AND body = ?5`
	listNewWebhookDeliveries = `SELECT id, user, source, hook, key, body, size, event, state, why, created_at FROM webhook_delivery
		WHERE state = 'new' AND source = ? ORDER BY id LIMIT ?`
	endWebhookDelivery = `UPDATE webhook_delivery SET state = ?, why = ?, ended_at = ? WHERE id = ? AND state = 'new'`
)

// Put stores a webhook delivery and reports whether it is new. A failed delivery that comes again
// counts as new. Put ignores the ID of d. A zero State means WebhookNew.
func (s WebhookDeliveries) Put(ctx context.Context, d supervisor.WebhookDelivery) (fresh bool, err error) {
	return inTransaction(ctx, s.db, func(t *tx) bool {
		ended := any(t.Now)
		if d.State = cmp.Or(d.State, supervisor.WebhookNew); d.State == supervisor.WebhookNew {
			ended = nil
		}
		key := []any{d.User, d.Source, d.Hook, d.Key, d.Body, d.Size}
		_, fresh := one(t, engine.ScanInteger, insertWebhookDelivery,
			append(key, columnEncoder{d.Event}, d.State, d.Why, t.Now, ended)...)
		if !fresh {
			t.Exec(sizeWebhookDelivery, key...) // the body is in the spool again
		}
		return fresh
	}, "store a webhook delivery of %s as %s", d.Source, d.Key)
}

const findWebhookKey = `SELECT 1 FROM webhook_delivery WHERE user = ? AND source = ? AND key = ? AND created_at > ? AND state <> 'failed'`

// WasReceived reports whether a delivery with d's User, Source and Key came since a time. Failed
// deliveries are left out.
func (s WebhookDeliveries) WasReceived(ctx context.Context, d supervisor.WebhookDelivery, since time.Time) (bool,
	error) {
	_, came, err := engine.FirstRow(s.db.reader(ctx, "find webhook delivery %s of %s", d.Key, d.Source),
		engine.ScanInteger, findWebhookKey, d.User, d.Source, d.Key, since.UnixMilli())
	return came, err
}

const findWebhookBody = `SELECT 1 FROM webhook_delivery WHERE user = ? AND source = ? AND body = ?
	AND created_at > ? AND state <> 'failed'`

// WasBodyReceived is like WasReceived, with d's Body in place of its Key.
func (s WebhookDeliveries) WasBodyReceived(ctx context.Context, d supervisor.WebhookDelivery, since time.Time) (bool,
	error) {
	_, came, err := engine.FirstRow(s.db.reader(ctx, "find webhook body %s of %s", d.Body, d.Source),
		engine.ScanInteger, findWebhookBody, d.User, d.Source, d.Body, since.UnixMilli())
	return came, err
}

// ListNew lists the new webhook deliveries of a source, oldest first.
func (s WebhookDeliveries) ListNew(ctx context.Context, source string, limit int) ([]supervisor.WebhookDelivery, error) {
	return engine.AllRows(s.db.reader(ctx, "list new webhook deliveries of %s", source), scanWebhookDelivery,
		listNewWebhookDeliveries, source, limit)
}

// EndDelivery stores the final state of a webhook delivery. If the delivery has ended before,
// nothing changes.
func (s WebhookDeliveries) EndDelivery(ctx context.Context, id int64, state supervisor.WebhookState, why string) error {
	return s.db.write(ctx, func(t *tx) { t.endWebhookDelivery(id, state, why) }, "end webhook delivery %d as %s", id, state)
}

// endWebhookDelivery stores the final state of a webhook delivery. It returns false if the delivery
// had ended before.
func (t *tx) endWebhookDelivery(id int64, state supervisor.WebhookState, why string) bool {
	return t.ExecCount(endWebhookDelivery, state, why, t.Now, id) > 0
}

// PutNotice puts a notice about webhook deliveries into the outbox. It ends the deliveries. If one
// of the deliveries has ended before, no notice is sent. PutNotice reads the Conversation, Text,
// Buttons, Files, DeleteAfter and Silent of d.
func (s WebhookDeliveries) PutNotice(ctx context.Context, ids []int64, d supervisor.Delivery) (supervisor.Delivery, error) {
	return inTransaction(ctx, s.db, func(t *tx) supervisor.Delivery {
		for _, id := range ids {
			if !t.endWebhookDelivery(id, supervisor.WebhookDone, "") {
				t.fail(invalid("webhook delivery %d has ended before", id))
			}
		}
		d, _ = t.sayOrHold(d)
		return d
	}, "put a notice for %s about webhook deliveries", d.Conversation.User)
}

const (
	sumPayloads  = `SELECT coalesce(sum(size), 0) FROM webhook_delivery INDEXED BY webhook_delivery_size WHERE size > 0`
	listPayloads = `SELECT DISTINCT body FROM webhook_delivery d WHERE size > 0 AND state <> 'new'
		AND NOT EXISTS (SELECT 1 FROM webhook_delivery n WHERE n.body = d.body AND n.size > 0 AND n.state = 'new')`
	forgetPayload = `UPDATE webhook_delivery SET size = 0 WHERE body = ? AND size > 0 AND state <> 'new'`
	pruneWebhooks = `DELETE FROM webhook_delivery WHERE created_at < ? AND state <> 'new' AND size = 0`
)

// SumBodySizes returns the bytes of all bodies of webhook deliveries in the spool.
func (s WebhookDeliveries) SumBodySizes(ctx context.Context) (bytes int64, err error) {
	return engine.FirstValue(s.db.reader(ctx, "sum webhook bodies"), engine.ScanInteger, sumPayloads)
}

// ListUnneededBodies returns the SHA-256 of bodies in the spool that are no longer needed.
func (s WebhookDeliveries) ListUnneededBodies(ctx context.Context) ([]string, error) {
	return engine.AllRows(s.db.reader(ctx, "list handled webhook bodies"), engine.ScanString, listPayloads)
}

// MarkBodyDeleted records that the body of webhook deliveries is no longer in the spool.
func (s WebhookDeliveries) MarkBodyDeleted(ctx context.Context, body string) error {
	return s.db.write(ctx, func(t *tx) { t.Exec(forgetPayload, body) }, "record that webhook body %s is deleted", body)
}

// Prune deletes ended webhook deliveries that came before a time.
func (s WebhookDeliveries) Prune(ctx context.Context, before time.Time) error {
	return s.db.write(ctx, func(t *tx) { t.Exec(pruneWebhooks, before.UnixMilli()) }, "delete old webhook deliveries")
}

func scanWebhookDelivery(row *engine.Row) (d supervisor.WebhookDelivery) {
	row.Scan(&d.ID, &d.User, &d.Source, &d.Hook, &d.Key, &d.Body, &d.Size, columnDecoder{&d.Event}, &d.State, &d.Why,
		&d.At)
	return d
}
