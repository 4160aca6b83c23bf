package sqlite

import (
	"testing"
	"time"

	"mews/supervisor"
)

// Notices with the same key become one message, with the oldest notice first. The message is sent
// once.
func TestNotices_SameKey_BecomeOneMessage(t *testing.T) {
	r := newRig(t)
	defer r.run()()
	store, now := r.db.GitHubRepositories(), time.Now()
	put := func(delivery string, due time.Time, key string) {
		t.Helper()
		c := supervisor.Conversation{User: "alice", Channel: supervisor.ChannelTelegram, Chat: "42"}
		_, err := r.db.WebhookDeliveries().
			Put(t.Context(), supervisor.WebhookDelivery{User: "alice", Source: supervisor.WebhookSourceGitHub,
				Key: delivery, Body: delivery})
		r.same("put", err, nil)
		id := int64(r.count(`SELECT id FROM webhook_delivery WHERE key = ?`, delivery))
		for range 2 { // in the second round the call changes nothing
			r.same(
				"take",
				store.PutEventNotices(
					t.Context(),
					id,
					supervisor.GitHubEvent{},
					GitHubCheckNone,
					[]RepositoryNotice{{Conversation: c, Repo: "acme/widget", Key: key,
						Event: supervisor.GitHubEvent{Title: delivery}, Due: due}},
				),
				nil,
			)
		}
	}
	put("a", now.Add(time.Minute), "pull/#1")
	put("b", now, "pull/#2")
	put("c", now.Add(-time.Minute), "pull/#1")
	put("d", now.Add(time.Minute), "pull/#3")
	due, err := store.ListDueNotices(t.Context(), now)
	r.same("error", err, nil)
	order := ""
	for _, n := range due {
		order += n.Event.Title
	}
	r.same("due", order, "acb")
	next, _, err := store.NextDue(t.Context())
	r.same("error", err, nil)
	r.same("next", next.UnixMilli(), now.Add(-time.Minute).UnixMilli())
	_, err = store.SendNotices(t.Context(), due[:2], 1, "told")
	r.same("told", err, nil)
	_, err = store.SendNotices(t.Context(), due[:2], 1, "told")
	r.same("told again", supervisor.ErrorCodeOf(err), supervisor.CodeInvalid)
	r.same("said", r.count(`SELECT count(*) FROM outbox`), 1)
	r.same("left", r.count(`SELECT count(*) FROM repository_notice`), 2)
}
