package sqlite_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mews/supervisor"
)

// fireJobs stores fires of new jobs that speak in a conversation, and returns their deliveries.
func (s *story) fireJobs(c supervisor.Conversation, texts ...string) (said []supervisor.Delivery) {
	s.Helper()
	for i, text := range texts {
		j, _, err := s.db.Jobs().
			Put(s.Context(), supervisor.Job{User: c.User, Kind: supervisor.JobReminder, Text: text, Rule: "{}", Conversation: c,
				MadeBy: fmt.Sprint(c.ID, "/", i), FiredUntil: noon, Next: noon}, nil)
		s.must(err)
		d, err := s.db.Jobs().
			PutFires(s.Context(), []supervisor.FireBatch{{Fires: []supervisor.Fire{{Job: j, JobSince: noon, NextDue: noon.Add(time.Hour),
				JobState: supervisor.JobActive, State: supervisor.FireSaid}}, Notice: supervisor.Delivery{Conversation: c, Text: text}}})
		s.must(err)
		said = append(said, d...)
	}
	return said
}

// A job's message for a deleted topic goes to the private chat. All later messages of the job go
// there too.
func TestJob_ThreadDeleted_SpeaksInPrivateChat(t *testing.T) {
	s := newStory(t)
	topic, err := s.db.Conversations().FindOrCreate(t.Context(), "alice", supervisor.ChannelTelegram, "-100", "7")
	s.must(err)
	said := s.fireJobs(topic, "tea")
	private := s.chat("alice", "1")
	for range 2 { // the second round repeats the close after a crash
		s.must(
			s.db.Outbox().
				StoreOutcome(t.Context(), supervisor.DeliveryOutcome{Delivery: said[0].ID,
					Outcome: supervisor.OutcomeFailed, Why: "gone",
					Reason: supervisor.SendReasonThreadGone, NoticeTo: supervisor.Conversation{User: "alice", Channel: supervisor.ChannelTelegram, Chat: "1"}}),
		)
	}
	s.same("in the private chat", s.pendingTexts(private), []string{"The topic this was for is gone.\n\ntea"})
	n, err := s.db.Outbox().ResendUndelivered(t.Context(), topic.ID, 10)
	s.must(err)
	s.same("sent again", n, 0)
	digest, err := s.db.Jobs().ReadDigestRows(t.Context(), "alice", noon, noon.Add(time.Hour))
	s.must(err)
	s.same("waits", digest.Waiting, []supervisor.WaitingItem(nil))
	s.same("in the topic", s.pendingTexts(topic), []string(nil))
	jobs, err := s.db.Jobs().List(t.Context(), "alice")
	s.must(err)
	s.same("from now on", jobs[0].Conversation, private)
}

// A chat that refuses everything pauses its jobs, and the user gets one notice. Without another
// conversation there is no notice.
func TestJobs_ChatGone_ArePaused(t *testing.T) {
	s := newStory(t)
	group, private, none := s.chat("alice", "-100"), s.chat("alice", "1"), s.chat("bob", "2")
	said := s.fireJobs(group, "tea", "soup")
	s.fireJobs(private, "stays")
	refused := func(d supervisor.Delivery, elsewhere supervisor.Conversation) {
		t.Helper()
		s.must(
			s.db.Outbox().
				StoreOutcome(t.Context(), supervisor.DeliveryOutcome{Delivery: d.ID, Outcome: supervisor.OutcomeFailed,
					Why:    "kicked",
					Reason: supervisor.SendReasonChatGone, NoticeTo: elsewhere}),
		)
	}
	refused(said[0], private)
	refused(said[1], private)
	told := s.pendingTexts(private)
	if len(told) != 2 || !strings.Contains(told[1], "2 reminders and tasks there (kicked)") {
		t.Errorf("told %q", told)
	}
	s.same(
		"states",
		s.query("SELECT group_concat(state, ' ') FROM (SELECT state FROM job ORDER BY id)"),
		"paused paused active",
	)
	refused(s.fireJobs(none, "his")[0], supervisor.Conversation{User: "bob", Channel: supervisor.ChannelTerminal})
	s.same("his", s.query("SELECT state FROM job WHERE user = 'bob'"), "paused")
	s.same("told him", s.query("SELECT count(*) FROM outbox WHERE user = 'bob'"), "1")
}
