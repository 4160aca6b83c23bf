package sqlite_test

import (
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/modelcall"
	"mews/supervisor/sqlite"
)

func TestRepositoryStatus_TwoRepos_CountsOnlyOne(t *testing.T) {
	s := newStory(t)
	for i, d := range []supervisor.WebhookDelivery{
		{Event: supervisor.GitHubEvent{Repo: "Acme/Widget"}, State: supervisor.WebhookNew},
		{Event: supervisor.GitHubEvent{Repo: "acme/widget"}, State: supervisor.WebhookDone},
		{Event: supervisor.GitHubEvent{Repo: "acme/widget"}, State: supervisor.WebhookIgnored},
		{Event: supervisor.GitHubEvent{Repo: "acme/widget"}, State: supervisor.WebhookIgnored},
		{Event: supervisor.GitHubEvent{Repo: "acme/other"}, State: supervisor.WebhookDone},
	} {
		d.User, d.Source, d.Key, d.Body = "alice", supervisor.WebhookSourceGitHub, string(rune('a'+i)), "b"
		_, err := s.db.WebhookDeliveries().Put(t.Context(), d)
		s.must(err)
	}
	s.must(s.db.Triages().RequestTriage(t.Context(), triageRequest(5, "", noon)))
	s.must(
		s.db.Reviews().
			RequestReview(t.Context(), supervisor.Review{User: "alice", Repo: "acme/widget", Number: 6, WantedAt: noon,
				Due: noon}),
	)
	c, err := s.db.Conversations().FindOrCreate(t.Context(), "alice", supervisor.ChannelGitHub, "acme/widget", "5")
	s.must(err)
	cost := int64(1_200)
	s.must(
		s.db.Usage().
			PutCall(t.Context(), sqlite.ModelCall{User: "alice", Conversation: c.ID, Spec: "p/m",
				Purpose: modelcall.PurposeChat, Cost: &cost, Pot: "review/acme/widget"}),
	)
	of := func(repo string, since time.Time) sqlite.RepositoryStatus {
		t.Helper()
		r, err := s.db.GitHubRepositories().Status(t.Context(), repo, since)
		s.must(err)
		return r
	}
	s.same(
		"acme/widget",
		of("acme/widget", noon.Add(-time.Hour)),
		sqlite.RepositoryStatus{Last: noon, Waiting: 1, Taken: 1, Ignored: 2, Reviews: 1, Triages: 1, Cost: 1_200},
	)
	s.same("what it cost later", of("acme/widget", noon.Add(time.Hour)).Cost, int64(0))
	s.same("acme/other", of("acme/other", noon), sqlite.RepositoryStatus{Last: noon, Taken: 1})
	s.same("one of which nothing came", of("acme/none", noon), sqlite.RepositoryStatus{})
}

func TestListAbandonedDeliveries_ListsOnlyGitHub(t *testing.T) {
	s := newStory(t)
	var said []int64
	for _, c := range []supervisor.Conversation{{User: "alice", Channel: supervisor.ChannelGitHub, Chat: "diff", Thread: "diff/1"},
		{User: "alice", Channel: supervisor.ChannelTerminal}, {User: "bob", Channel: supervisor.ChannelGitHub, Chat: "diff", Thread: "diff/1"}} {
		d, err := s.db.Outbox().SendNotice(t.Context(), supervisor.Delivery{Conversation: c, Text: "x"})
		s.must(err)
		said = append(said, d.ID)
	}
	list := func(before time.Time) []int64 {
		t.Helper()
		ids, err := s.db.Outbox().ListAbandonedDeliveries(t.Context(), "alice", before)
		s.must(err)
		return ids
	}
	s.same("by then", list(noon), []int64(nil))
	s.same("later", list(noon.Add(time.Hour)), said[:1])
	s.must(s.db.Outbox().MarkDelivered(t.Context(), said[0]))
	s.same("taken", list(noon.Add(time.Hour)), []int64(nil))
}
