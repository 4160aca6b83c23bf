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
				JobState: supervisor.JobActive, State: supervisor.FireSentMessage}},
				Notice: supervisor.Delivery{Conversation: c, Text: text}}})
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
	for range 2 { // the second round closes it again, as after a crash
		s.must(
			s.db.Outbox().
				StoreOutcome(t.Context(), supervisor.DeliveryOutcome{Delivery: said[0].ID,
					Outcome: supervisor.OutcomeFailed, Why: "gone",
					Reason: supervisor.SendReasonThreadGone, NoticeTo: supervisor.Conversation{User: "alice", Channel: supervisor.ChannelTelegram, Chat: "1"}}),
		)
	}
	s.same("in the private chat", s.pendingTexts(private), []string{"The topic of this message was deleted.\n\ntea"})
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

// A chat that refuses everything holds its jobs back, and a refused reminder is due again. The user
// gets one notice. If the user has no other conversation, there is no notice.
func TestJobs_ChatGone_AreHeld(t *testing.T) {
	s := newStory(t)
	group, private, none := s.chat("alice", "-100"), s.chat("alice", "1"), s.chat("bob", "2")
	said := s.fireJobs(group, "tea", "soup")
	s.fireJobs(private, "stays")
	s.refuse(said[0], private)
	s.refuse(said[1], private)
	told := s.pendingTexts(private)
	if len(told) != 2 || !strings.Contains(told[1], "(kicked). I hold back 2 reminders and tasks there.") {
		t.Errorf("told %q", told)
	}
	const states = "SELECT group_concat(state, ' ') FROM (SELECT state FROM job ORDER BY id)"
	s.same("states", s.query(states), "active active active")
	const dueAgain = "SELECT count(*) FROM job WHERE next = ? AND fired = 0 AND user = 'alice'"
	s.same("due again", s.query(dueAgain, noon.UnixMilli()), "2")
	s.same("fires", s.query("SELECT count(*) FROM fire WHERE user = 'alice'"), "1")
	s.same("due now", s.dueJobs(), []string(nil))
	s.refuse(s.fireJobs(none, "his")[0], supervisor.Conversation{User: "bob", Channel: supervisor.ChannelTerminal})
	s.same("his", s.query("SELECT state FROM job WHERE user = 'bob'"), "active")
	s.same("told him", s.query("SELECT count(*) FROM outbox WHERE user = 'bob'"), "1")
}

// refuse stores that a chat has refused a delivery because it refuses everything.
func (s *story) refuse(d supervisor.Delivery, elsewhere supervisor.Conversation) {
	s.Helper()
	s.must(s.db.Outbox().StoreOutcome(s.Context(), supervisor.DeliveryOutcome{Delivery: d.ID,
		Outcome: supervisor.OutcomeFailed, Why: "kicked", Reason: supervisor.SendReasonChatGone, NoticeTo: elsewhere}))
}

// dueJobs lists the texts of the due jobs.
func (s *story) dueJobs() (texts []string) {
	s.Helper()
	list, err := s.db.Jobs().ListDue(s.Context(), s.now, s.now, nil, 10)
	s.must(err)
	for _, j := range list {
		texts = append(texts, j.Text)
	}
	return texts
}

// returned lists the chats that may take messages again.
func (s *story) returned() (chats []supervisor.ChatRefusingMessages) {
	s.Helper()
	chats, err := s.db.Jobs().ListReachableChats(s.Context(), s.now)
	s.must(err)
	return chats
}

// The chat is tried again after an hour, then after two, and at once when its user writes. Each
// refusal holds the reminder back, and the user gets no second notice.
func TestJobs_ChatRefusesAgain_AreRetriedLater(t *testing.T) {
	s := newStory(t)
	chat, terminal := s.chat("alice", "42"), supervisor.Conversation{User: "alice", Channel: supervisor.ChannelTerminal}
	want := []supervisor.ChatRefusingMessages{{User: "alice", Channel: supervisor.ChannelTelegram, Chat: "42"}}
	d := s.fireJobs(chat, "tea")[0]
	for i, wait := range []time.Duration{time.Hour, 2 * time.Hour, 4 * time.Hour} {
		s.refuse(d, terminal)
		s.now = s.now.Add(wait - time.Millisecond)
		s.same("too early", s.returned(), []supervisor.ChatRefusingMessages(nil))
		s.now = s.now.Add(time.Millisecond)
		s.same("in time", s.returned(), want)
		due, err := s.db.Jobs().ListDueInChat(t.Context(), want[0], s.now)
		s.must(err)
		s.same("held", []bool{len(due) == 1, due[0].IsHeld}, []bool{true, true})
		fire := supervisor.Fire{Job: due[0], JobSince: s.now, NextDue: noon.Add(100 * time.Hour),
			JobState: supervisor.JobActive, State: supervisor.FireSentMessage}
		said, err := s.db.Jobs().PutFiresOfReachableChat(t.Context(), want[0], []supervisor.FireBatch{
			{Fires: []supervisor.Fire{fire}, Notice: supervisor.Delivery{Conversation: chat, Text: "tea"}}})
		s.must(err)
		d = said[0]
		s.same("goes on", s.returned(), []supervisor.ChatRefusingMessages(nil))
		s.same("tries", s.query("SELECT tries FROM refusing_chat"), fmt.Sprint(i+1))
	}
	s.refuse(d, terminal)
	s.same("notices", s.query("SELECT count(*) FROM outbox WHERE text LIKE '%I hold back%'"), "1")
	waited, err := s.db.Jobs().MarkChatReachable(t.Context(), supervisor.ChannelTelegram, "42")
	s.must(err)
	s.same("the user writes", waited, true)
	s.same("at once", s.returned(), want)
	_, err = s.db.Jobs().PutFiresOfReachableChat(t.Context(), want[0], nil)
	s.must(err)
	s.same("rows", s.query("SELECT count(*) FROM refusing_chat"), "0")
	s.same("due again", s.dueJobs(), []string{"tea"})
	waited, err = s.db.Jobs().MarkChatReachable(t.Context(), supervisor.ChannelTelegram, "42")
	s.must(err)
	s.same("nothing waits", waited, false)
}

// A job that its user has paused or deleted meanwhile stays paused or deleted.
func TestPausedReminder_ChatRefusesIt_StaysPaused(t *testing.T) {
	s := newStory(t)
	chat := s.chat("alice", "42")
	said := s.fireJobs(chat, "tea", "soup")
	jobs, err := s.db.Jobs().List(t.Context(), "alice")
	s.must(err)
	for i := range jobs {
		jobs[i].State, jobs[i].Next = supervisor.JobPaused, time.Time{}
		if i == 1 {
			jobs[i].State, jobs[i].Options.Deleted = supervisor.JobDone, true
		}
		s.must(s.db.Jobs().Change(t.Context(), jobs[i]))
		s.refuse(said[i], supervisor.Conversation{})
	}
	s.same("states", s.query("SELECT group_concat(state, ' ') FROM (SELECT state FROM job ORDER BY id)"), "paused done")
}

// A one-time job that was never started may be over while its chat refuses messages. Its user is
// told about the job once the chat takes messages again. A refused notice about the job never
// starts the job.
func TestUnstartedJob_ChatGone_StaysProposed(t *testing.T) {
	s := newStory(t)
	chat := s.chat("alice", "42")
	s.refuse(s.fireJobs(chat, "tea")[0], supervisor.Conversation{}) // now the chat refuses the message
	j, _, err := s.db.Jobs().Put(t.Context(), supervisor.Job{User: "alice", Kind: supervisor.JobTask,
		State: supervisor.JobProposed, Text: "look", Rule: "{}", Conversation: chat, MadeBy: "turn", FiredUntil: noon,
		Next: noon.Add(time.Minute)}, nil)
	s.must(err)
	s.now = noon.Add(time.Hour)
	s.same("held", s.dueJobs(), []string(nil))
	for range 2 { // the chat is tried again, and refuses again
		_, err = s.db.Jobs().PutFiresOfReachableChat(t.Context(), s.returned()[0], nil)
		s.must(err)
		s.same("over", s.dueJobs(), []string{"tea", "look"})
		j, _, err = s.db.Jobs().Find(t.Context(), "alice", j.ID)
		s.must(err)
		said, err := s.db.Jobs().PutFires(t.Context(), []supervisor.FireBatch{{Fires: []supervisor.Fire{{Job: j,
			JobSince: s.now, JobState: supervisor.JobDone, State: supervisor.FireMissed}},
			Notice: supervisor.Delivery{Conversation: chat, Text: "not started"}}})
		s.must(err)
		s.refuse(said[0], supervisor.Conversation{})
		s.same("held again", s.dueJobs(), []string(nil))
		j, _, err = s.db.Jobs().Find(t.Context(), "alice", j.ID)
		s.must(err)
		s.same("state", j.State, supervisor.JobProposed)
		s.same("is over at", j.Next, noon.Add(time.Minute))
		s.now = s.now.Add(24 * time.Hour)
	}
}
