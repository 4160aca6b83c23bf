package main_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/app/apptest"
	"mews/supervisor/control"
	"mews/supervisor/recurrence"
	"mews/supervisor/schedule"
	"mews/supervisor/telegram/telegramtest"
)

// millisecondFormat is the layout of a reminder's time, with milliseconds.
const millisecondFormat = "2006-01-02T15:04:05.000Z07:00"

// BenchmarkTelegramReminder measures from the time of a reminder until the Bot API is asked to send
// it. The goal is a median of 5 ms plus the fsync. The time includes two commits: the fire, and the
// start of the send.
func BenchmarkTelegramReminder(b *testing.B) {
	const each, ahead, apart = 48, 3 * time.Second, 40 * time.Millisecond
	m := newTelegramService(b, 8, fastRate)
	m.Start()
	m.warm(8)
	disk := m.disk()
	due := map[string]time.Time{}
	for b.Loop() {
		first := time.Now().Add(ahead).UTC().Truncate(time.Millisecond)
		for i := range each {
			at, u := first.Add(time.Duration(i)*apart), m.people[i%len(m.people)]
			words := fmt.Sprintf("cup %d.", len(due))
			due[words] = at
			m.server.Say(telegramtest.PrivateChat(u), u, "/remind "+at.Format(millisecondFormat)+": "+words)
		}
		<-time.After(time.Until(first.Add(apart / 2)))
		for range each {
			disk.commit()
			<-time.After(apart)
		}
		m.WaitUntilTrue(time.Minute, "the reminders to come", func() bool {
			return m.QueryCount("SELECT count(*) FROM fire f JOIN outbox o ON o.id = f.delivery WHERE o.outcome = 'sent'") == len(due)
		})
	}
	var took samples
	for _, c := range m.server.Calls("sendMessage") {
		if words, told := strings.CutPrefix(fmt.Sprint(c.Params["text"]), "Reminder: "); told {
			took = append(took, c.At.Sub(due[words]))
		}
	}
	if len(took) != len(due) {
		b.Fatalf("%d reminders came, want %d", len(took), len(due))
	}
	took.report(b, time.Millisecond, "ms-p50-due-to-call")
	b.ReportMetric(float64(took.percentile(95))/float64(time.Millisecond), "ms-p95-due-to-call")
	disk.took.report(b, time.Millisecond, "ms-fsync")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkColdCheck measures a check whose user has no worker, from its fire to its result. A
// worker is started for the check and ends with it. The goal is a median of 60 ms.
func BenchmarkColdCheck(b *testing.B) {
	for name, look := range map[string]protocol.CheckArguments{"files": {Files: "out/*"},
		"command": {Command: "false"}} {
		b.Run(name, func(b *testing.B) {
			h := apptest.NewService(b, "", "ann")
			asUnit(b, h.Start)
			ask := func(q schedule.JobRequest) {
				q.User = "ann"
				if err := control.CallOnce(b.Context(), h.Socket, schedule.MethodJob, q,
					&schedule.JobReport{}); err != nil {
					b.Fatal(err)
				}
			}
			ask(schedule.JobRequest{Action: "add", Name: "look", Words: "every 24 h: it is so", Check: look})
			n := 0
			for b.Loop() {
				n++
				ask(schedule.JobRequest{Action: "run", Job: "look"})
				h.WaitUntilTrue(time.Minute, "the look to end", func() bool {
					return h.QueryCount("SELECT count(*) FROM fire WHERE ended_at IS NOT NULL") == n &&
						len(h.WorkerPIDs()) == 0
				})
			}
			if silent := h.QueryCount("SELECT count(*) FROM fire WHERE state = 'silent'"); silent != n {
				b.Fatalf("%d of %d looks were silent", silent, n)
			}
			var took samples
			for i := range n {
				ms := h.QueryCount("SELECT ended_at - fired_at FROM fire ORDER BY due LIMIT 1 OFFSET ?", i)
				took = append(took, time.Duration(ms)*time.Millisecond)
			}
			took.report(b, time.Millisecond, "ms-p50-cold-check")
			b.ReportMetric(0, "ns/op")
			h.Stop()
		})
	}
}

// BenchmarkScheduledMemory measures how much private memory 10,000 jobs cost the supervisor. Fifty
// people have as many jobs as allowed, and no job is due. A second service has no jobs. The goal is
// a difference of 1 MB. Both collect garbage early, because the amount of garbage varies by more
// than 1 MB.
func BenchmarkScheduledMemory(b *testing.B) {
	var people []string
	for i := range 50 {
		people = append(people, fmt.Sprint("p", i))
	}
	idle := func(jobs int) float64 {
		h := apptest.NewService(b, "", people...)
		h.Start() // the first start makes the database
		h.Stop()
		putJobs(b, h, people, jobs)
		h.Env = append(h.Env, "GOGC=10")
		asUnit(b, h.Start)
		settle()
		if n := h.QueryCount("SELECT count(*) FROM job WHERE state = 'active' AND fired = 0"); n != jobs*len(people) {
			b.Fatalf("%d jobs wait, want %d", n, jobs*len(people))
		}
		kb := privateMemory(b, h.ProcessIDs("mews")[0])
		h.Stop()
		return kb
	}
	for b.Loop() {
		none := idle(0)
		b.ReportMetric(none, "KB-no-jobs")
		b.ReportMetric(idle(supervisor.MaxJobs)-none, "KB-10,000-jobs-over-none")
	}
	b.ReportMetric(0, "ns/op")
}

// putJobs gives each user some jobs, which are all due in half a day. The jobs' rule gives the same
// time, so a start of the service changes no job. The service must not run.
func putJobs(b *testing.B, h *apptest.Service, people []string, each int) {
	b.Helper()
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(h.Dir, "state", "private", "mews.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	now := time.Now().UTC()
	daily := recurrence.Rule{Kind: recurrence.Daily, Times: []recurrence.TimeOfDay{recurrence.TimeOfDay((now.Hour()+12)%24*60 + now.Minute())}}
	next, _, err := daily.Next(now, time.UTC)
	if err != nil {
		b.Fatal(err)
	}
	rule, err := json.Marshal(daily)
	if err != nil {
		b.Fatal(err)
	}
	for i, name := range people {
		for _, statement := range insertJobs {
			if _, err := db.Exec(statement, sql.Named("user", name), sql.Named("chat",
				fmt.Sprint(apptest.FirstTelegramID+i)), sql.Named("jobs", each),
				sql.Named("rule", string(rule)), sql.Named("next", next.UnixMilli()), sql.Named("now", now.UnixMilli())); err != nil {
				b.Fatalf("%v: %s", err, statement)
			}
		}
	}
}

// insertJobs are the statements that insert a user's jobs.
var insertJobs = []string{
	`INSERT INTO conversation (user, channel, chat, thread, created_at) VALUES (:user, 'telegram', :chat, '', :now)`,
	`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i <= :jobs)
		INSERT INTO job (user, kind, state, text, rule, zone, conversation, made_by, since, next, created_at, changed_at)
		SELECT :user, 'reminder', 'active', 'job ' || i, :rule, 'UTC', c.id, 'job ' || i, :now, :next, :now, :now
		FROM n, conversation c WHERE c.user = :user AND i <= :jobs`,
}
