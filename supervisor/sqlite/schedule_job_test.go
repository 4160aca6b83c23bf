package sqlite_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"mews/supervisor"
)

// A fire is stored in one transaction with its notice, and only if the job has not changed.
func TestPutFires_ChangedJob_IsSkipped(t *testing.T) {
	s := newStory(t)
	jobs := s.db.Jobs()
	c := s.chat("alice", "1")
	put := supervisor.Job{
		User:         "alice",
		Kind:         supervisor.JobReminder,
		Text:         "tea",
		Rule:         "{}",
		Conversation: c,
		MadeBy:       "inbound/7",
		FiredUntil:   noon,
		Next:         noon.Add(time.Minute),
	}
	if next, any, err := jobs.NextDue(t.Context(), noon); any || err != nil {
		t.Errorf("nothing is due, and next at %s: %v", next, err)
	}
	j, _, err := jobs.Put(t.Context(), put, nil)
	s.must(err)
	again, _, err := jobs.Put(t.Context(), put, nil) // the same call is repeated after a crash
	s.must(err)
	s.same("the same", again, j)
	due := func(at time.Time, but ...string) []supervisor.Job {
		t.Helper()
		list, err := jobs.ListDue(t.Context(), at, at, but, 10)
		s.must(err)
		return list
	}
	s.same("early", len(due(noon)), 0)
	s.same("of somebody who rests", len(due(noon.Add(time.Hour), "alice")), 0)
	s.same("due", due(noon.Add(time.Hour)), []supervisor.Job{j})
	next, _, err := jobs.NextDue(t.Context(), noon)
	s.must(err)
	s.same("next", next, j.Next)

	firing := supervisor.FireBatch{
		Fires: []supervisor.Fire{
			{
				Job:      j,
				JobSince: noon.Add(time.Hour),
				NextDue:  noon.Add(2 * time.Hour),
				JobState: supervisor.JobActive,
				State:    supervisor.FireSentMessage,
			},
		},
		Notice: supervisor.Delivery{Conversation: c, Text: "Reminder: tea"},
	}
	fired := func() int {
		t.Helper()
		said, err := jobs.PutFires(t.Context(), []supervisor.FireBatch{firing})
		s.must(err)
		return len(said)
	}
	s.same("said", fired(), 1)
	s.same("as it was before", fired(), 0)
	pending, err := s.db.Outbox().ListPending(t.Context(), c.ID, 0, 10)
	s.must(err)
	s.same("in the outbox", len(pending), 1)
	now, _, err := jobs.Find(t.Context(), "alice", j.ID)
	s.must(err)
	s.same("how often", now.FireCount, 1)
	s.same("then", now.Next, noon.Add(2*time.Hour))
	if _, found, err := jobs.Find(t.Context(), "bob", j.ID); found || err != nil {
		t.Errorf("somebody else finds it: %t, %v", found, err)
	}
	if err := jobs.Change(t.Context(), j); !errors.Is(err, supervisor.ErrJobChanged) {
		t.Errorf("a change of what it was before: %v", err)
	}
	now.State, now.Next = supervisor.JobDone, time.Time{}
	s.must(jobs.Change(t.Context(), now))
	list, err := jobs.List(t.Context(), "alice")
	s.must(err)
	s.same("left", len(list), 0)

	c2 := s.chat("bob", "2")
	other, _, err := jobs.Put(
		t.Context(),
		supervisor.Job{
			User:         "bob",
			Kind:         supervisor.JobReminder,
			Text:         "soup",
			Rule:         "{}",
			Conversation: c2,
			MadeBy:       "inbound/8",
			FiredUntil:   noon,
			Next:         noon,
		},
		nil,
	)
	s.must(err)
	s.now = s.now.Add(91 * 24 * time.Hour)
	_, err = jobs.PutFires(
		t.Context(),
		[]supervisor.FireBatch{
			{
				Fires: []supervisor.Fire{
					{Job: other, JobSince: s.now, JobState: supervisor.JobDone, State: supervisor.FireSentMessage},
				},
				Notice: supervisor.Delivery{Conversation: c2, Text: "Reminder: soup"},
			},
		},
	)
	s.must(err)
	if _, found, err := jobs.Find(t.Context(), "alice", j.ID); found || err != nil {
		t.Errorf("what was done a quarter ago is still there: %t, %v", found, err)
	}
	if _, found, err := jobs.Find(t.Context(), "bob", other.ID); !found || err != nil {
		t.Errorf("what was done just now is not there: %t, %v", found, err)
	}
}

func TestPutJob_AtJobLimit_Fails(t *testing.T) {
	s := newStory(t)
	c := s.chat("alice", "1")
	put := func(n int64) error {
		_, _, err := s.db.Jobs().
			Put(t.Context(), supervisor.Job{User: "alice", Kind: supervisor.JobReminder, Rule: "{}", Conversation: c, MadeBy: fmt.Sprint(n), FiredUntil: noon, Next: noon}, nil)
		return err
	}
	for n := range int64(supervisor.MaxJobs) {
		s.must(put(n + 1))
	}
	if err := put(1000); !errors.Is(err, supervisor.ErrTooManyJobs) {
		t.Errorf("one more: %v", err)
	}
	j, _, err := s.db.Jobs().Find(t.Context(), "alice", 1)
	s.must(err)
	j.State, j.Next = supervisor.JobDone, time.Time{}
	s.must(s.db.Jobs().Change(t.Context(), j))
	s.must(put(1000))
	j.State = supervisor.JobActive
	j.Version++
	if err := s.db.Jobs().Change(t.Context(), j); !errors.Is(err, supervisor.ErrTooManyJobs) {
		t.Errorf("one that was done goes on beside so many: %v", err)
	}
}

// If jobs are late and more jobs are due than fit in a page, the page goes user by user. It has all
// due jobs of each listed user.
func TestListDueJobs_LateJobs_ListsWholeUsers(t *testing.T) {
	s := newStory(t)
	jobs := s.db.Jobs()
	n := int64(0)
	puts := func(user string, count int, due time.Time) {
		t.Helper()
		for range count {
			n++
			_, _, err := jobs.Put(
				t.Context(),
				supervisor.Job{
					User:         user,
					Kind:         supervisor.JobReminder,
					Text:         "tea",
					Rule:         "{}",
					Conversation: s.chat(user, "1"),
					MadeBy:       fmt.Sprint("inbound/", n),
					FiredUntil:   noon,
					Next:         due,
				},
				nil,
			)
			s.must(err)
		}
	}
	for i := range 3 {
		puts("bob", 1, noon.Add(time.Duration(i)*time.Minute))
		puts("alice", 2, noon.Add(time.Duration(i)*time.Minute))
	}
	puts("carol", 1, noon.Add(3*time.Minute))
	now := noon.Add(time.Hour)
	for _, c := range []struct {
		late  time.Time
		but   []string
		limit int
		want  string
	}{
		// all jobs fit in one page
		{noon, nil, 11, "[bob alice alice bob alice alice bob alice alice carol]"},
		// no job is late
		{noon.Add(-time.Second), nil, 4, "[bob alice alice bob]"},
		// one user has more jobs than a page
		{noon, nil, 4, "[alice alice alice alice alice alice]"},
		{noon, nil, 9, "[alice alice alice alice alice alice bob bob bob]"},
		{noon, nil, 8, "[alice alice alice alice alice alice]"},
		{noon, []string{"alice"}, 3, "[bob bob bob]"},
		{noon, []string{"alice"}, 5, "[bob bob bob carol]"},
	} {
		list, err := jobs.ListDue(t.Context(), now, c.late, c.but, c.limit)
		s.must(err)
		users := make([]string, len(list))
		for i, j := range list {
			users[i] = j.User
		}
		s.same(fmt.Sprintf("of %d since %s", c.limit, c.late.Sub(noon)), fmt.Sprint(users), c.want)
	}
}
