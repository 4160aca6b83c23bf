package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// restoreOptions returns the options of a restore in which each user gets one notice.
func (s *story) restoreOptions() sqlite.Restore {
	return sqlite.Restore{MadeAt: noon, Why: "restored", Unanswered: "It is not known what came of it.",
		MissedFire: func(j supervisor.Job, now time.Time) supervisor.Fire {
			return supervisor.Fire{Job: j, LastDue: j.Next, NextDue: now.Add(time.Hour), JobSince: now,
				JobState: supervisor.JobActive, State: supervisor.FireMissed}
		},
		Notices: func(r sqlite.RestoreReport) (said []supervisor.Delivery) {
			for range r.Users {
				said = append(said, supervisor.Delivery{Conversation: s.home, Text: "restored"})
			}
			return said
		}}
}

// makeBusy fills a database with work that waits. Some hours pass after that.
func (s *story) makeBusy() {
	s.Helper()
	s.startTurnCalling("c1", "c2")
	s.must(s.db.Turns().CommitCallStart(s.Context(), 1, "c1"))
	s.text("second")
	s.put(s.chat("alice", "42"), supervisor.KindText, "elsewhere")
	s.put(s.home, supervisor.KindCommand, "/status")
	d := s.notice(s.home, "you asked for this")
	posts, err := s.db.Posts().CreatePosts(s.Context(), d.ID, richTexts("a", "b"))
	s.must(err)
	_, err = s.db.Posts().MarkSending(s.Context(), s.home.ID, posts[0])
	s.must(err)
	sqlitetest.ExecStatements(s, s.db, fmt.Sprintf(`
		INSERT INTO job (id, user, kind, state, text, rule, zone, conversation, made_by, since, next, created_at, changed_at)
			VALUES (7, 'alice', 'reminder', 'active', 'dentist', '{}', '', 1, 'x', 0, %[2]d, 1, 1),
			(8, 'alice', 'agent', 'active', 'weather', '{}', '', 1, 'y', 0, %[3]d, 1, 1);
		INSERT INTO fire (job, due, user, state, begin_at, fired_at) VALUES (8, 5, 'alice', 'claimed', 6, 5);
		INSERT INTO job_seen (job, user, seen, changed_at) VALUES (8, 'alice', '{}', 1);
		INSERT INTO held_notice (user, conversation, text, due_at, created_at) VALUES ('alice', 1, 'held', 9, 1);
		INSERT INTO file_reminder (user, file, item, occurrence, trigger, written, lead, date_only, title, world, due_at, zone,
			state, created_at, changed_at) VALUES ('alice', 'todo.md', '1', '', '', '', 0, 0, 'milk', 0, %[2]d, '', 'waiting', 1, 1);
		INSERT INTO question (digest, user, conversation, turn, kind, subject, text, stands, created_at)
			VALUES ('%064[1]d', 'alice', 1, 1, 'approval', '%064[1]d', 'may I', 1000, 1);
		INSERT INTO review (user, repo, number, head, state, wanted_at, due_at, updated_at)
			VALUES ('alice', 'acme/widget', 1, 'a', 'queued', 1, 1, 1), ('alice', 'acme/widget', 2, 'b', 'done', 1, NULL, 1);
		INSERT INTO triage (user, repo, number, state, asked, wanted_at, due_at, updated_at)
			VALUES ('alice', 'acme/widget', 3, 'settling', '', 1, 1, 1);
		INSERT INTO setting (user, name, value) VALUES ('', 'github seen acme/widget', '{"since":{}}');
		INSERT INTO granted (user, tool, subject, text, created_at) VALUES ('alice', 'x', '%064[1]d', 'x', 1);
		INSERT INTO login (user, channel, chat, opened_at, used_at) VALUES ('alice', 'telegram', '42', 1, 1);
		INSERT INTO invite (digest, user, created_at, expires_at) VALUES ('%064[1]d', 'bob', 1, %[4]d);
		INSERT INTO lease (user, conversation, spec, amount, created_at) VALUES ('alice', 1, 'x/y', 5, 1);
		INSERT INTO totp (user, secret, changed_at) VALUES ('alice', x'01', 1);
		INSERT INTO operation (user, kind, parameters, state, created_at, updated_at)
			VALUES ('alice', 'index', '{}', 'running', 1, 1), ('alice', 'log', '{}', 'waiting', 1, 1);
		INSERT INTO cleaning (user, conversation, message, what, due_at) VALUES ('alice', 1, 'm', 'delete', 1);
		INSERT INTO cleaning (user, conversation, message, what, content, due_at) VALUES ('alice', 1, 'n', 'edit', '{}', 1);`,
		1, noon.Add(time.Hour).UnixMilli(), noon.Add(9*time.Hour).UnixMilli(), noon.Add(24*time.Hour).UnixMilli()))
	s.now = noon.Add(8 * 24 * time.Hour)
}

// checkQuiet checks that a database has nothing to do, except to send the notice.
func (s *story) checkQuiet() {
	s.Helper()
	s.same("pending", s.pendingTexts(s.home), []string{"restored"})
	conversations, err := s.db.Inbox().ListUnfinishedConversations(s.Context())
	s.must(err)
	commands, err := s.db.Inbox().ListCommands(s.Context())
	s.must(err)
	due, err := s.db.Jobs().ListDue(s.Context(), s.now, s.now, nil, 9)
	s.must(err)
	begin, err := s.db.Jobs().ListFiresToBegin(s.Context(), s.now.Add(time.Hour/2), nil, true, 9)
	s.must(err)
	reminders, err := s.db.FileReminders().ListDue(s.Context(), s.now, nil, 9)
	s.must(err)
	operations, err := s.db.Operations().ListUnfinished(s.Context())
	s.must(err)
	if n := len(conversations) + len(commands) + len(due) + len(begin) + len(reminders) + len(operations); n > 0 {
		s.Errorf("to do: %v, %v, %v, %v, %v, %v", conversations, commands, due, begin, reminders, operations)
	}
	for _, table := range []string{"login", "invite", "lease", "held_notice", "job_seen",
		"granted WHERE revoked_at IS NULL",
		"question WHERE why IS NULL", "review WHERE due_at IS NOT NULL", "triage WHERE state = 'settling'",
		"cleaning WHERE what = 'edit'", "turn WHERE ended_at IS NULL", "post WHERE state IN ('queued', 'sending')"} {
		s.same(table, s.query("SELECT count(*) FROM "+table), "0")
	}
}

func TestRestore_BusyDatabase_DoesNothingAgain(t *testing.T) {
	s := newStory(t)
	s.makeBusy()
	r, err := s.db.Restores().Complete(t.Context(), s.restoreOptions())
	s.must(err)
	s.checkQuiet()
	a := r.Users["alice"]
	var texts []string
	for _, turn := range a.Turns {
		texts = append(texts, turn.Text)
	}
	s.same("parked", texts, []string{"read my notes", "second", "elsewhere"})
	s.same("dropped", []string{a.Dropped[0].Text, fmt.Sprint(len(a.Dropped))}, []string{"/status", "1"})
	s.same("deliveries", []string{a.Deliveries[0].Text, fmt.Sprint(len(a.Deliveries))},
		[]string{"you asked for this", "1"})
	s.same("fires", []string{a.Fires[0].Job.Text, a.Fires[1].Job.Text, a.Fires[2].Job.Text},
		[]string{"weather", "dentist", "weather"})
	s.same("reminders", a.Reminders[0].Title, "milk")
	s.same("held", a.Notices, []string{"held"})
	s.same("the lease is spent", s.query("SELECT cost FROM usage WHERE spec = 'x/y'"), "5")
	s.same("factors", s.query("SELECT count(*) FROM totp"), "1")
	s.same("the call", s.query("SELECT m.parts ->> '$[0].result.text' FROM message m WHERE role = 'tool' LIMIT 1"),
		"It is not known what came of it.")
	s.same("polls", s.query("SELECT value FROM setting WHERE name LIKE 'github seen %'"), `{"restored":true}`)
	s.same("log", s.query("SELECT action FROM audit WHERE action LIKE 'service.%'"), "service.restored")

	s.same("sent again", s.resend(s.home, 9), 1) // although the backup is older than a week
	for i, turn := range a.Turns {
		queued, err := s.db.Inbox().RequeueParkedTexts(t.Context(), turn.Conversation.ID, turn.Turn)
		s.must(err)
		s.same("queued again", []string{queued[0].Text, fmt.Sprint(len(queued))}, []string{texts[i], "1"})
	}
}

func TestRestore_Repeated_ChangesNothing(t *testing.T) {
	s := newStory(t)
	s.makeBusy()
	_, err := s.db.Restores().Complete(t.Context(), s.restoreOptions())
	s.must(err)
	r, err := s.db.Restores().Complete(t.Context(), s.restoreOptions())
	s.must(err)
	s.same("users", len(r.Users), 0)
	s.checkQuiet()
}

// A restore that fails changes nothing.
func TestRestore_UnknownAct_ChangesNothing(t *testing.T) {
	s := newStory(t)
	s.makeBusy()
	o := s.restoreOptions()
	o.Acts = []sqlite.RestoredAct{{Kind: "sing", User: "alice"}}
	_, err := s.db.Restores().Complete(t.Context(), o)
	s.checkRefused(err, supervisor.CodeInvalid, `no act "sing"`)
	s.same("logins", s.query("SELECT count(*) FROM login"), "1")
	s.same("pending", s.pendingTexts(s.home), []string{"you asked for this"})
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("killed"))
	_, err = s.db.Restores().Complete(ctx, s.restoreOptions())
	if err == nil {
		t.Error("with an ended context: no error")
	}
}

func TestRestore_LaterActs_HoldAgain(t *testing.T) {
	s := newStory(t)
	sqlitetest.ExecStatements(t, s.db, `INSERT INTO person (name, role, account, timezone, created_at)
			VALUES ('ann', 'admin', '', '', 1), ('ben', 'user', '', '', 1);
		INSERT INTO binding (channel, account, user, created_at) VALUES ('telegram', '1', 'ann', 1), ('telegram', '2', 'ben', 1),
			('telegram', '3', 'dan', 1), ('telegram', '4', 'dan', 1);
		INSERT INTO allowed_group (channel, chat, created_at) VALUES ('telegram', '-1', 1);
		INSERT INTO suspended (user, created_at) VALUES ('eve', 1);
		INSERT INTO totp (user, secret, changed_at) VALUES ('alice', x'01', 1), ('ann', x'01', 1);`)
	o := s.restoreOptions()
	o.Acts = []sqlite.RestoredAct{{User: "ben", Kind: sqlite.ActRemove}, {User: "ann", Kind: sqlite.ActDisable},
		{User: "eve", Kind: sqlite.ActEnable}, {User: "ann", Kind: sqlite.ActUnbind},
		{User: "dan", Kind: sqlite.ActUnbind, Channel: supervisor.ChannelTelegram, Account: "3"},
		{User: "alice", Kind: sqlite.ActEndFactor},
		{User: "alice", Kind: sqlite.ActForgetSpans, Since: noon, At: noon.Add(time.Hour)},
		{User: "alice", Kind: sqlite.ActForgetSpans, Conversation: 1, Until: noon, At: noon.Add(time.Hour)},
		{User: "alice", Kind: sqlite.ActForgetFact, Digest: "1a"},
		{User: "alice", Kind: sqlite.ActForgetFact, Digest: "2b"},
		{Kind: sqlite.ActDisallowGroup, Channel: supervisor.ChannelTelegram, Account: "-1"},
		{Kind: sqlite.ActAllowGroup, Channel: supervisor.ChannelTelegram, Account: "-2"}}
	r, err := s.db.Restores().Complete(t.Context(), o)
	s.must(err)
	s.same("people", s.query("SELECT name FROM person"), "ann")
	s.same("admins", r.Admins, []string{"ann"})
	s.same("suspended", s.query("SELECT user FROM suspended"), "ann")
	s.same("bindings", s.query("SELECT account FROM binding"), "4")
	s.same("factors", s.query("SELECT user FROM totp"), "ann")
	s.same("groups", s.query("SELECT chat FROM allowed_group"), "-2")
	digests, _, err := s.db.Settings().Find(t.Context(), "alice", sqlite.SettingForgetFacts)
	s.must(err)
	s.same("facts to forget", digests, "1a 2b")
	open, err := s.db.ForgetRequestStore().ListUnfinished(t.Context())
	s.must(err)
	if len(open) != 2 ||
		open[0].User != "alice" || !open[0].Until.Equal(noon.Add(time.Hour)) || open[1].Conversation != 1 {
		t.Errorf("to forget: %+v", open)
	}
}

// Without the key, nobody can check a code.
func TestRestore_KeyIsLost_EndsFactors(t *testing.T) {
	s := newStory(t)
	s.makeBusy()
	o := s.restoreOptions()
	o.FactorsEnd = true
	r, err := s.db.Restores().Complete(t.Context(), o)
	s.must(err)
	s.same("factors", []string{s.query("SELECT count(*) FROM totp"), fmt.Sprint(r.Ended["second factor"])},
		[]string{"0", "1"})
}
