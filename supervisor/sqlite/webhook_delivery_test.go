package sqlite_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/sqlite"
)

// webhookStory is a story (a test database) with methods for webhook deliveries.
type webhookStory struct {
	*story
	rows sqlite.WebhookDeliveries
}

func newWebhookStory(t *testing.T) webhookStory {
	s := newStory(t)
	return webhookStory{s, s.db.WebhookDeliveries()}
}

func pushDelivery(key string) supervisor.WebhookDelivery {
	return supervisor.WebhookDelivery{User: "alice", Source: supervisor.WebhookSourceGitHub, Hook: "7", Key: key,
		Body: strings.Repeat("a", 64), Size: 10,
		Event: supervisor.GitHubEvent{Repo: "acme/widget", Event: "push"}}
}

func (s webhookStory) put(d supervisor.WebhookDelivery) bool {
	s.Helper()
	fresh, err := s.rows.Put(s.Context(), d)
	s.must(err)
	return fresh
}

// listNew lists the keys and ids of new deliveries.
func (s webhookStory) listNew() (keys string, ids []int64) {
	s.Helper()
	list, err := s.rows.ListNew(s.Context(), supervisor.WebhookSourceGitHub, 100)
	s.must(err)
	for _, d := range list {
		keys += d.Key + " "
		ids = append(ids, d.ID)
	}
	return keys, ids
}

func TestPutWebhookDelivery_FailedBefore_IsNew(t *testing.T) {
	s := newWebhookStory(t)
	first := pushDelivery("1")
	s.same("the first", s.put(first), true)
	s.same("again, while it waits", s.put(first), false)
	for name, other := range map[string]func(*supervisor.WebhookDelivery){
		"another's":       func(d *supervisor.WebhookDelivery) { d.User = "bob" },
		"another webhook": func(d *supervisor.WebhookDelivery) { d.Hook = "8" },
		"another source":  func(d *supervisor.WebhookDelivery) { d.Source = supervisor.WebhookSourceHookPrefix + "ci" },
		"another body":    func(d *supervisor.WebhookDelivery) { d.Body = strings.Repeat("b", 64) },
	} {
		d := first
		other(&d)
		s.same(name, s.put(d), true)
	}
	s.same("another", s.put(pushDelivery("2")), true)
	list, err := s.rows.ListNew(t.Context(), supervisor.WebhookSourceGitHub, 1)
	s.must(err)
	want := first
	want.ID, want.State, want.At = list[0].ID, supervisor.WebhookNew, noon
	s.same("the oldest", list[0], want)

	id := list[0].ID
	s.must(s.rows.EndDelivery(t.Context(), id, supervisor.WebhookFailed, "no answer"))
	s.same("again, when it has failed", s.put(first), true)
	s.must(s.rows.EndDelivery(t.Context(), id, supervisor.WebhookDone, ""))
	// Ending the delivery a second time changes nothing.
	s.must(s.rows.EndDelivery(t.Context(), id, supervisor.WebhookFailed, "too late"))
	s.same("again, when it is done", s.put(first), false)
	ignored := pushDelivery("3")
	ignored.State, ignored.Why = supervisor.WebhookIgnored, "ping"
	s.same("one that is ignored", s.put(ignored), true)
	s.same("again", s.put(ignored), false)

	status, err := s.db.GitHubRepositories().Status(t.Context(), "acme/widget", noon)
	s.must(err)
	s.same("counted", fmt.Sprint(status.Waiting, status.Taken, status.Ignored, status.Failed), "4 1 1 0")
}

func TestPutWebhookDelivery_LongEvent_Fails(t *testing.T) {
	s := newWebhookStory(t)
	long := pushDelivery("1")
	long.Event.Text = strings.Repeat("x", 8<<10)
	if _, err := s.rows.Put(t.Context(), long); err == nil {
		t.Error("an event of more than 8 KiB was kept")
	}
}

func TestListUnneededBodies_AllHandled_ListsBody(t *testing.T) {
	s := newWebhookStory(t)
	s.put(pushDelivery("1"))
	s.put(pushDelivery("2")) // another delivery with the same body
	handled := func(want string) {
		t.Helper()
		bodies, err := s.rows.ListUnneededBodies(t.Context())
		s.must(err)
		bytes, err := s.rows.SumBodySizes(t.Context())
		s.must(err)
		s.same("handled", fmt.Sprint(len(bodies), " ", bytes), want)
	}
	handled("0 20")
	_, ids := s.listNew()
	s.must(s.rows.EndDelivery(t.Context(), ids[0], supervisor.WebhookDone, ""))
	handled("0 20") // the other delivery needs the body
	s.must(s.rows.EndDelivery(t.Context(), ids[1], supervisor.WebhookDone, ""))
	handled("1 20")
	s.must(s.rows.Prune(t.Context(), noon.Add(time.Hour)))
	handled("1 20") // no delivery needs the body now
	s.must(s.rows.MarkBodyDeleted(t.Context(), strings.Repeat("a", 64)))
	handled("0 0")
	s.put(pushDelivery("1")) // the repeated delivery puts the body into the spool again
	handled("1 10")
	s.must(s.rows.MarkBodyDeleted(t.Context(), strings.Repeat("a", 64)))
	s.must(s.rows.Prune(t.Context(), noon))
	s.same("of the same time", s.put(pushDelivery("1")), false)
	s.must(s.rows.MarkBodyDeleted(t.Context(), strings.Repeat("a", 64)))
	s.must(s.rows.Prune(t.Context(), noon.Add(time.Hour)))
	s.same("after a week", s.put(pushDelivery("1")), true)
}

func TestWebhookNotice_PutTwice_IsSentOnce(t *testing.T) {
	s := newWebhookStory(t)
	s.put(pushDelivery("1"))
	s.put(pushDelivery("2"))
	_, ids := s.listNew()
	said, err := s.rows.PutNotice(t.Context(), ids, supervisor.Delivery{Conversation: s.chat("alice", "42"), Text: "pushed"})
	s.must(err)
	s.same("text", said.Text, "pushed")
	if _, err := s.rows.PutNotice(t.Context(), ids[1:], supervisor.Delivery{Conversation: s.chat("alice", "42"), Text: "pushed"}); err == nil {
		t.Error("it was told again")
	}
	keys, _ := s.listNew()
	s.same("left", keys, "")
	pending, err := s.db.Outbox().ListPending(t.Context(), said.Conversation.ID, 0, 10)
	s.must(err)
	s.same("in the outbox", len(pending), 1)
}
