package app_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/app/apptest"
	"mews/supervisor/check"
	"mews/supervisor/internal/jobresult"
	"mews/supervisor/modelcall"
	"mews/supervisor/outbox"
	"mews/supervisor/question"
	"mews/supervisor/recurrence"
	"mews/supervisor/reply"
	"mews/supervisor/schedule"
	"mews/supervisor/session"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// fireRig runs the parts between a job's due time and its notice, until it is killed. Its worker is
// a function. The clock of the next rig continues where this one stopped.
type fireRig struct {
	*testing.T
	db        *sqlite.DB
	chat      *fakeChannel
	lag       time.Duration // how far the clock is behind the clock of the synctest bubble
	feeds     reply.Feeds
	box       *outbox.Outbox
	sessions  *session.Registry
	questions *question.Questions
	schedule  *schedule.Schedule
	stop      func()
}

func newFireRig(t *testing.T, dir string, chat *fakeChannel, behind time.Duration, committed func()) *fireRig {
	t.Helper()
	l := &fireRig{T: t, chat: chat, lag: behind}
	log := hclog.NewNullLogger()
	l.db = sqlitetest.OpenPath(t, filepath.Join(dir, "mews.db"), sqlite.Options{Now: l.now, OnCommit: committed})
	yes := func(supervisor.Conversation) bool { return true }
	whole := func(text string) []supervisor.RichText { return []supervisor.RichText{{Text: text}} }
	l.box = outbox.New(outbox.Options{
		Name: supervisor.ChannelTelegram, Source: fakeSource, Channel: chat, Deliveries: l.db.Outbox(),
		Posts:         l.db.Posts(),
		Conversations: l.db.Conversations(), Freezes: l.db.Outbox(), Replies: &l.feeds,
		Rates:  outbox.SendRates{Chat: 1, All: 1000},
		Render: func(text string, _ bool) []supervisor.RichText { return whole(text) },
		Halve:  func(part supervisor.RichText) []supervisor.RichText { return whole(part.Text) },
		Now:    l.now, Grows: yes, Serves: yes,
	})
	l.feeds.Changed = l.box.NotifyChange
	l.sessions = session.New(session.Options{
		Inbox: l.db.Inbox(), Turns: l.db.Turns(), Waiting: l.db.Turns(), LastSteps: l.db.Turns(),
		Notices: l.db.Outbox(), Runner: l, Feeds: &l.feeds,
		Limits: protocol.TurnLimits{Steps: 9, Seconds: 900, Output: 1000}, Now: l.now, Log: log,
		Audit: func(_, _, detail string) { t.Error(detail) },
	})
	l.questions = question.New(question.Options{Store: l.db.Questions(), Ends: l.db.Questions(),
		Audit: l.db.Audit(), Log: log,
		Queued: l.box.NotifyChange, Resume: l.sessions.WakeSession, Ended: func() {}, Now: l.now})
	l.schedule = schedule.New(schedule.Options{Store: l.db.Jobs(), Queue: l.db.Jobs(), Queued: l.box.NotifyChange,
		Sources: l.db.Jobs(), CheckStore: l.db.Jobs(),
		Checks: map[supervisor.JobKind]schedule.CheckFunc{supervisor.JobCheck: check.New(check.Options{Check: l.runCheck}).EvaluateCheck},
		CheckRules: schedule.CheckParser{Parse: check.ParseCondition, Typed: check.ValidateFlags,
			Text: check.DescribeCondition},
		StartTurn: func(in supervisor.Inbound) { l.sessions.WakeSession(in.Conversation) }, Now: l.now, Log: log,
		Person: func(name string) (supervisor.User, bool) {
			return supervisor.User{Name: name,
				Accounts: map[supervisor.Channel]string{supervisor.ChannelTelegram: aliceChat}}, true
		}})
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	for _, run := range []func(context.Context) error{l.box.Run, l.sessions.Run, l.questions.Run, l.schedule.Run} {
		running.Go(func() {
			if err := run(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	l.stop = sync.OnceFunc(func() { cancel(); running.Wait() })
	t.Cleanup(l.stop)
	return l
}

func (l *fireRig) now() time.Time { return time.Now().Add(-l.lag) }

// firesStart is the time at which the jobs are created.
var firesStart = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// Texts of the jobs.
const (
	fireTea   = "tea"   // a reminder
	fireRoses = "roses" // a task that reports something
	fireShed  = "shed"  // a task that asks the user first
	fireGate  = "gate"  // a task that fails
	fireBuild = "build" // a check whose condition holds after 12 minutes, and which then ends
)

// set creates a job.
func (l *fireRig) set(text string, kind supervisor.JobKind, rule recurrence.Rule, look supervisor.CheckCondition) {
	l.Helper()
	encoded, err := json.Marshal(rule)
	if err != nil {
		l.Fatal(err)
	}
	next, _, err := rule.Next(firesStart, time.UTC)
	if err != nil {
		l.Fatal(err)
	}
	if _, _, err := l.db.Jobs().Put(l.Context(),
		supervisor.Job{User: "alice", Kind: kind, Text: text, Rule: string(encoded), Zone: "UTC",
			Conversation: supervisor.Conversation{User: "alice", Channel: supervisor.ChannelTelegram, Chat: aliceChat},
			MadeBy:       text,
			Options:      supervisor.JobOptions{Exact: true, Check: look}, FiredUntil: firesStart, Next: next},
		nil); err != nil {
		l.Fatal(err)
	}
}

// setAll creates one job of each kind.
func (l *fireRig) setAll() {
	once := func(minutes int) recurrence.Rule {
		return recurrence.Rule{Kind: recurrence.Once, At: firesStart.Add(time.Duration(minutes) * time.Minute)}
	}
	every := func(minutes int) recurrence.Rule {
		return recurrence.Rule{Kind: recurrence.Interval, At: firesStart, Every: time.Duration(minutes) * time.Minute}
	}
	l.set(fireTea, supervisor.JobReminder, once(1), supervisor.CheckCondition{})
	l.set(fireRoses, supervisor.JobTask, once(2), supervisor.CheckCondition{})
	l.set(fireShed, supervisor.JobTask, once(3), supervisor.CheckCondition{})
	l.set(fireGate, supervisor.JobTask, every(10), supervisor.CheckCondition{})
	l.set(fireBuild, supervisor.JobCheck, every(5), supervisor.CheckCondition{Command: "x", AutoRemove: true})
}

// runCheck is the worker's answer to a check.
func (l *fireRig) runCheck(context.Context, string, protocol.CheckParameters) (protocol.CheckResult, error) {
	return protocol.CheckResult{Met: l.now().Sub(firesStart) >= 12*time.Minute, Found: "nothing to see"}, nil
}

// Run plays both the worker and the model.
func (l *fireRig) Run(ctx context.Context, a session.Attempt) (session.AttemptEnd, error) {
	job := sqlitetest.QueryColumn(l, l.db, "SELECT j.text FROM job j JOIN fire f ON f.job = j.id JOIN turn t ON "+
		"t.inbound = f.inbound WHERE t.id = ?", a.Turn.ID)[0]
	switch job {
	case fireGate:
		return session.AttemptEnd{TurnEnd: protocol.TurnEnd{Why: protocol.TurnEndError},
			Failure: &modelcall.Error{Class: modelcall.RequestRefused,
				Err: &supervisor.Error{Message: "There is no such model."}}}, nil
	case fireShed:
		q, err := l.questions.Ask(ctx, supervisor.Question{Conversation: a.Turn.AnswerConversation(), Turn: a.Turn.ID,
			Kind:    supervisor.QuestionFromModel,
			Subject: strings.Repeat("5", 64),
			Ask:     protocol.AskArguments{Kind: protocol.AskKindConfirm, Text: "Shall I shut it?"},
			Text:    "Shall I shut it?"})
		if errors.Is(err, supervisor.ErrWaitsForAnswer) {
			return session.AttemptEnd{TurnEnd: protocol.TurnEnd{Why: protocol.TurnEndWaitsForUser}}, nil
		}
		if err != nil {
			return session.AttemptEnd{}, err
		}
		text := jobresult.ConditionMet + " The shed is shut, for you said " + string(q.End) + "."
		if _, ended, err := a.CommitLast(ctx, l.step(a, protocol.ContentPart{Text: text}), text, nil); err != nil ||
			!ended {
			return session.AttemptEnd{}, fmt.Errorf("the last step ended the turn: %t, %w", ended, err)
		}
		return session.AttemptEnd{TurnEnd: protocol.TurnEnd{Why: protocol.TurnEndDone}}, nil
	}
	call := protocol.ToolCall{ID: fmt.Sprint("end-", a.Turn.ID), Name: supervisor.JobResultToolName,
		Arguments: json.RawMessage(`{"say":"The roses are dry."}`)}
	if len(a.Start.PendingCalls) == 0 {
		if _, err := l.db.Turns().CommitStep(ctx, l.step(a, protocol.ContentPart{Call: &call})); err != nil {
			return session.AttemptEnd{}, err
		}
	}
	_, err := l.db.Turns().CommitResult(ctx, a.Turn.ID,
		protocol.ToolResult{Call: call.ID, Name: call.Name, Text: "ended"})
	return session.AttemptEnd{TurnEnd: protocol.TurnEnd{Why: protocol.TurnEndDone}}, err
}

func (l *fireRig) step(a session.Attempt, part protocol.ContentPart) sqlite.Step {
	return sqlite.Step{Turn: a.Turn.ID, Message: protocol.Message{Role: protocol.RoleAssistant,
		Parts: []protocol.ContentPart{part}}, Spec: "far/m", Model: "m"}
}

// runToEnd moves the clock to the end of the test. Alice answers all questions.
func (l *fireRig) runToEnd() {
	l.Helper()
	for l.now().Before(firesStart.Add(45 * time.Minute)) {
		<-time.After(time.Minute)
		synctest.Wait()
		for _, buttons := range sqlitetest.QueryColumn(l, l.db,
			"SELECT o.buttons FROM question q JOIN outbox o ON o.id "+
				"= q.delivery WHERE q.why IS NULL AND o.outcome = 'sent'") {
			var rows [][]supervisor.Button
			if err := json.Unmarshal([]byte(buttons), &rows); err != nil {
				l.Fatal(err)
			}
			if _, err := l.questions.RecordPress(l.Context(), "alice", 1, rows[0][0].Press); err != nil {
				l.Error(err)
			}
		}
	}
	l.stop()
}

// checkEqual fails unless got equals want.
func (l *fireRig) checkEqual(what string, got, want any) {
	l.Helper()
	if d := cmp.Diff(want, got); d != "" {
		l.Errorf("%s: (-want +got)\n%s", what, d)
	}
}

// checkAll compares the stored fires and the sent messages with those that were due.
func (l *fireRig) checkAll(life string) {
	l.Helper()
	fires := sqlitetest.QueryColumn(l, l.db, `SELECT j.text || ' ' || group_concat(((f.due - ?) / 60000) || ' ' || f.state, ', ') || ': ' || j.state FROM job j
		JOIN (SELECT * FROM fire ORDER BY job,
			due) f ON f.job = j.id GROUP BY j.id ORDER BY j.id`, firesStart.UnixMilli())
	want := []string{"tea 1 said: done", "roses 2 said: done", "shed 3 said: done", "gate 10 failed, 20 failed, " +
		"30 failed: paused", "build 5 silent, 10 silent, 15 said: done"}
	l.checkEqual(life+": fires", fires, want)
	due := map[string]int{"Reminder: tea": 1, "The roses are dry.": 1, "Shall I shut it?": 1,
		"asked Shall I shut it? ➜ Yes": 1,
		"```":                          1, "⚠ There is no such model.": 2, "That was failure 3 in a row, so I have paused it.": 1}
	l.checkEqual(life+": told", l.countTold(due), due)
	if open := sqlitetest.QueryColumn(l, l.db, "SELECT id FROM turn WHERE ended_at IS NULL UNION ALL SELECT id FROM "+
		"inbox WHERE state <> 'done' UNION ALL SELECT id FROM outbox WHERE outcome IS NULL"); len(open) > 0 {
		l.Errorf("%s: %d things are not done", life, len(open))
	}
}

// countTold counts messages by their last lines. A message marked as a repeat counts only if the
// original is missing, because the kill came before it was sent or before its receipt.
func (l *fireRig) countTold(due map[string]int) map[string]int {
	told, again := map[string]int{}, map[string]int{}
	for _, text := range l.chat.texts() {
		line, marked := strings.CutPrefix(text[strings.LastIndex(text, "\n")+1:], "(again) ")
		if marked {
			again[line]++
			continue
		}
		told[line]++
	}
	for line, n := range again {
		if n > 1 {
			l.Errorf("%q is said again %d times", line, n)
		}
		told[line] = max(told[line], min(told[line]+n, due[line]))
	}
	return told
}

// The service is killed after a commit of a fire, or of its turn, question, check, notice or pause.
// Each fire of each job is stored once, and its result is sent once. MEWS_FIRE_KILL_STEP=1 tries
// every commit; the default is every fourth.
func TestFire_KillAfterEachCommit_TellsOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir, chat := t.TempDir(), &fakeChannel{}
		behind := time.Since(firesStart)
		kills := &crashSnapshots{t: t, dir: dir, chat: chat, now: func() time.Time { return time.Now().Add(-behind) }}
		l := newFireRig(t, dir, chat, behind, kills.committed)
		l.setAll()
		chat.mu.Lock()
		// an empty commit before each receipt makes a snapshot between sending and receipt
		chat.beforeReceipt = func() {
			sqlitetest.ExecStatements(t, l.db,
				"UPDATE job SET version = version WHERE id = 0")
		}
		chat.mu.Unlock()
		taken := kills.during(l.runToEnd)
		l.checkAll("never killed")
		t.Logf("%d commits", len(taken))
		if t.Failed() {
			return
		}
		for i := 0; i < len(taken); i += apptest.NumberFromEnv(t, "MEWS_FIRE_KILL_STEP", 4) {
			image := taken[i]
			next := newFireRig(t, image.dir, &fakeChannel{sent: image.sent}, time.Since(image.at), nil)
			next.runToEnd()
			next.checkAll(fmt.Sprintf("killed after commit %d, at %s", i+1, image.at.Format(time.TimeOnly)))
		}
	})
}
