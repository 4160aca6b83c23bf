package sqlite

import (
	"fmt"
	"testing"
	"testing/synctest"

	"mews/supervisor"
)

// batchWrite returns a write that stores a batch of a user.
func batchWrite(next int64, person string, keys ...string) func(*tx) error {
	b := supervisor.InboundBatch{Source: "bot", Next: next}
	for _, key := range keys {
		b.Items = append(b.Items, supervisor.BatchItem{Raw: "{}", Update: next, Inbound: supervisor.Inbound{Key: key,
			Kind:         supervisor.KindText,
			Conversation: supervisor.Conversation{User: person, Channel: supervisor.ChannelTelegram}}})
	}
	return func(t *tx) error {
		batch := batchTx{tx: t, batch: b}
		batch.put()
		return nil
	}
}

func TestStoreBatch_ConcurrentCalls_ShareCommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		defer r.run()()
		var fns []func(*tx) error
		for i := range 10 {
			fns = append(fns, batchWrite(int64(i+1), "alice", fmt.Sprint(i, "a"), fmt.Sprint(i, "b")))
		}
		fns[4] = batchWrite(5, "alice", "4a", "") // this write fails together with the group's writes, and also alone
		for i, err := range r.writeTogether(fns...) {
			if (err == nil) != (i != 4) {
				t.Errorf("batch %d: %v", i, err)
			}
		}
		r.same("commits of 11 writes", r.commits, 2)
		r.same("inbounds", r.count("SELECT count(*) FROM inbox"), 18)
		r.same("of the one that failed", r.count("SELECT count(*) FROM inbox WHERE key = '4a'"), 0)
		r.same("next update", r.count("SELECT next FROM source"), 10)
	})
}

func TestDeleteRawUpdates_Many_UsesSeveralCommits(t *testing.T) {
	r := newRig(t)
	defer r.run()()
	fill := func(t *tx) error {
		return t.Query(nil, `WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
			INSERT INTO received (source, id, user, raw, received_at) SELECT 'bot', i, 'alice', '{}', i FROM n`)
	}
	r.same("fill", r.write(fill), nil)
	r.commits = 0
	n, err := r.db.Inbox().DeleteRawUpdates(t.Context(), fromMillis(2*forgetChunk+1))
	r.same("error", err, nil)
	r.same("forgotten", n, int64(2*forgetChunk))
	r.same("commits", r.commits, 3) // the third commit finds nothing to delete
	r.same("left", r.count("SELECT count(*) FROM received"), 1000-2*forgetChunk)
}
