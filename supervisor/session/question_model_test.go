package session_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	_ "mews/internal/fixedseed"
	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/answer"
	"mews/supervisor/question"
	"mews/supervisor/session"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// TestSuspendedTurns_RandomSteps_AnswerOnce lets a user send, change, stop and answer in any order,
// in time, late or never. Meanwhile processes die. Each message must be answered once and in order,
// and each question must end once. A turn resumes once for each question that ends. A message sent
// before a question reached the chat does not answer it.
func TestSuspendedTurns_RandomSteps_AnswerOnce(t *testing.T) {
	runs, failed := 0, false
	rapid.Check(t, func(rt *rapid.T) {
		if runs++; runs > waitingRuns && !failed { // limits the number of sequences, because each opens a database
			return
		}
		steps := rapid.SliceOfN(rapid.SampledFrom(waitingSteps), 12, 30).Draw(rt, "steps")
		var wrong []string
		// the steps are drawn before the bubble begins, because a bubble has its own goroutine
		synctest.Test(t, func(t *testing.T) {
			m := &waitingModel{harness: &harness{T: t}, path: filepath.Join(t.TempDir(), "mews.db"), resumed: map[int64]int{}}
			m.start()
			defer func() { m.end() }()
			for i, step := range steps {
				waitingModelSteps[step](m, i)
				synctest.Wait()
			}
			m.settle()
			m.check()
			wrong = m.wrong
		})
		if failed = failed || wrong != nil; wrong != nil {
			rt.Fatal(strings.Join(wrong, "\n"))
		}
	})
}

// waitingRuns is how many sequences of steps are tried. Each run of the test tries other sequences.
const waitingRuns = 12

// waitingSteps are the possible steps. A step that is listed twice happens more often.
var waitingSteps = []string{"say", "ask", "ask", "ask words", "album", "edit", "stop", "deliver", "word", "read word", "read word", "press", "read press",
	"time", "crash", "die", "die late"}

var waitingModelSteps = map[string]func(m *waitingModel, i int){
	"say":       func(m *waitingModel, _ int) { m.send("say", "") },
	"ask":       func(m *waitingModel, _ int) { m.send("choice", "") },
	"ask words": func(m *waitingModel, _ int) { m.send("text", "") },
	"album": func(m *waitingModel, i int) {
		m.send("say", fmt.Sprint("album", i))
		m.send("say", fmt.Sprint("album", i))
	},
	"edit":       (*waitingModel).edit,
	"stop":       func(m *waitingModel, i int) { m.stop(m.home, m.command(m.home)) },
	"deliver":    func(m *waitingModel, _ int) { m.deliver() },
	"word":       func(m *waitingModel, _ int) { m.send("second", "") },
	"read word":  func(m *waitingModel, _ int) { m.deliver(); m.send("second", "") },
	"read press": func(m *waitingModel, _ int) { m.deliver(); m.press() },
	"press":      func(m *waitingModel, _ int) { m.press() },
	"time":       func(m *waitingModel, _ int) { time.Sleep(standsHere) },
	"crash":      func(m *waitingModel, _ int) { m.end(); m.start() },
	"die":        func(m *waitingModel, _ int) { m.dies.Store("asking") },
	"die late":   func(m *waitingModel, _ int) { m.dies.Store("answered") },
}

// standsHere is how long a question stays open. The bubble's clock moves in steps of five seconds.
const standsHere = 30 * time.Second

// waitingModel plays alice in a chat on Telegram, and runs the service.
type waitingModel struct {
	*harness
	home     supervisor.Conversation
	path     string
	end      func() // ends the current process
	updates  int64
	messages []string     // names of sent messages in the channel
	pressed  int          // number of answers by a button
	dies     atomic.Value // the point at which the next attempt's worker dies, as a string; "" means never
	// number of resumptions of each question's turn; resumptions in which the worker died do not
	// count
	resumed map[int64]int
	wrong   []string
}

// start starts a process of the service.
func (m *waitingModel) start() {
	m.on(sqlitetest.OpenPath(m.T, m.path, sqlite.Options{}), runnerFunc(m.work))
	c, err := m.db.Conversations().FindOrCreate(m.Context(), "alice", supervisor.ChannelTelegram, "42", "")
	m.home = must(m.harness, c, err)
	endRegistry := m.live()
	questions := question.New(question.Options{Store: m.db.Questions(), Ends: m.db.Questions(), Audit: m.db.Audit(), Log: m.options.Log,
		Queued: func(int64) {}, Resume: m.registry.WakeSession, Ended: func() {}})
	ctx, cancel := context.WithCancel(context.Background())
	ran := make(chan error, 1)
	go func() { ran <- questions.Run(ctx) }()
	m.end = func() {
		cancel()
		endRegistry()
		if err := errors.Join(<-ran, m.db.Close()); err != nil {
			m.Error(err)
		}
	}
}

// fails marks the test as failed, with a message.
func (m *waitingModel) fails(format string, args ...any) {
	m.wrong = append(m.wrong, fmt.Sprintf(format, args...))
}

// work runs an attempt. If the message asks for a question, work asks the question first. Then it
// answers.
func (m *waitingModel) work(ctx context.Context, a session.Attempt) (session.AttemptEnd, error) {
	if _, err := m.db.Turns().AppendEdits(ctx, a.Turn.ID, 32<<10); err != nil {
		return session.AttemptEnd{}, err
	}
	open, _ := m.harness.open(a.Turn.Conversation)
	said := open.Messages[0].Text()
	kind := protocol.AskKind(strings.Fields(said)[0])
	if kind == protocol.AskKindChoice || kind == protocol.AskKindText {
		if waits, err := m.ask(ctx, a, kind); waits || err != nil {
			return ended(protocol.TurnEndWaitsForUser), err
		}
	}
	m.commit(a, "re: "+said)
	return done, nil
}

var errKilled = errors.New("signal: killed")

// diesHere reports whether the worker dies at this point. It returns true only once.
func (m *waitingModel) diesHere(where string) bool {
	return m.dies.CompareAndSwap(where, "")
}

// ask makes a call of ask_user.
func (m *waitingModel) ask(ctx context.Context, a session.Attempt, kind protocol.AskKind) (waits bool, err error) {
	call := fmt.Sprint("c", a.Turn.ID)
	switch {
	case a.Start.CommittedSteps == 0:
		m.commit(a, "", call)
	case len(a.Start.PendingCalls) == 0:
		return false, nil
	}
	q := supervisor.Question{Conversation: a.Turn.Conversation, Turn: a.Turn.ID, Call: call,
		Kind: supervisor.QuestionFromModel, Subject: digestOf(a.Turn.ID),
		Text: "Which?", Ask: protocol.AskArguments{Kind: kind, Text: "Which?"}, OpenFor: standsHere}
	if kind == protocol.AskKindChoice {
		q.Ask.Options = []string{"first", "second"}
	}
	q, _, err = m.db.Questions().Ask(ctx, q, digestOf(a.Turn.ID), nil)
	switch {
	case err != nil:
		return false, err
	case m.diesHere("asking"):
		return false, errKilled
	case q.End == supervisor.QuestionOpen:
		return true, nil
	case m.diesHere("answered"):
		return false, errKilled
	}
	m.resumed[q.ID]++
	_, err = m.db.Turns().CommitResult(ctx, a.Turn.ID, protocol.ToolResult{Call: call, Name: "write_file",
		Text: answer.TextForModel(q)})
	return false, err
}

// send sends a text, possibly as a part of an album.
func (m *waitingModel) send(text, album string) {
	name := fmt.Sprint("m", len(m.messages))
	m.messages = append(m.messages, name)
	m.put(supervisor.BatchItem{Inbound: supervisor.Inbound{Message: name, Text: text, Group: album}})
}

// edit changes a sent message.
func (m *waitingModel) edit(i int) {
	if len(m.messages) > 0 {
		m.put(supervisor.BatchItem{EditedAt: time.Now(),
			Inbound: supervisor.Inbound{Message: m.messages[i%len(m.messages)],
				Text: fmt.Sprint("say what is meant by ", i)}})
	}
}

// put receives a message from the channel. The message answers the open question only if the user
// can have read the question.
func (m *waitingModel) put(item supervisor.BatchItem) {
	m.updates++
	item.Update, item.Raw = m.updates, "{}"
	item.Inbound.Conversation, item.Inbound.Kind, item.Inbound.Key = m.home, supervisor.KindText, fmt.Sprint("u", m.updates)
	stands := m.standing()
	receipt, err := m.db.Inbox().StoreBatch(m.Context(), supervisor.InboundBatch{Source: "bot",
		Items: []supervisor.BatchItem{item}})
	for _, kept := range must(m.harness, receipt, err).Stored {
		if item.Inbound.Group != "" {
			_, err = m.db.Inbox().CompleteArrivals(m.Context(), []sqlite.ArrivalResult{{Inbound: kept.ID,
				Origin: supervisor.OriginOwn}})
			must(m.harness, 0, err)
		}
		if stands == "" && item.EditedAt.IsZero() && kept.State != supervisor.InboundNew && kept.State != supervisor.InboundArriving {
			m.fails("%q is %s, and no question stood in the chat", item.Inbound.Text, kept.State)
		}
	}
	m.registry.WakeSession(m.home)
}

func (m *waitingModel) look(query string) string {
	m.Helper()
	return strings.Join(sqlitetest.QueryColumn(m.T, m.db, query), " ")
}

// standing returns the open question that has reached the chat, or "".
func (m *waitingModel) standing() string {
	return m.look(`SELECT q.id FROM question q JOIN outbox o ON o.id = q.delivery WHERE q.why IS NULL AND o.outcome = 'sent'`)
}

// deliver delivers all waiting messages of the chat.
func (m *waitingModel) deliver() {
	list, err := m.db.Outbox().ListPending(m.Context(), m.home.ID, 0, 1000)
	for _, d := range must(m.harness, list, err) {
		must(m.harness, 0, m.db.Outbox().MarkDelivered(m.Context(), d.ID))
	}
}

// press presses the second button of the last question, possibly too late.
func (m *waitingModel) press() {
	last := m.look("SELECT max(turn) FROM question WHERE kind = 'ask' AND ask ->> 'kind' = 'choice' AND delivery IN (SELECT id FROM outbox WHERE outcome = 'sent')")
	if last == "" {
		return
	}
	var turn int64
	_, err := fmt.Sscan(last, &turn)
	must(m.harness, turn, err)
	_, came, err := m.db.Questions().RecordPress(m.Context(), supervisor.QuestionPress{Digest: digestOf(turn),
		User: "alice", Conversation: m.home.ID, Word: "1"})
	switch must(m.harness, came, err) {
	case supervisor.PressAccepted:
		m.pressed++
	case supervisor.PressKeptAsMessage:
		m.registry.WakeSession(m.home)
	}
}

// settle finishes everything that still runs.
func (m *waitingModel) settle() {
	for range 100 {
		m.deliver()
		synctest.Wait()
		if m.look("SELECT count(*) FROM inbox WHERE kind = 'text' AND state IN ('new', 'arriving', 'running')") == "0" {
			return
		}
		time.Sleep(standsHere)
		synctest.Wait()
	}
	m.fails("there is no end")
}

func (m *waitingModel) check() {
	for what, query := range map[string]string{
		"open questions":                             "SELECT count(*) FROM question WHERE why IS NULL",
		"ends that were not used":                    "SELECT count(*) FROM question WHERE used_at IS NULL",
		"open turns":                                 "SELECT count(*) FROM turn WHERE ended_at IS NULL",
		"turns without one answer":                   "SELECT count(*) FROM turn t WHERE (SELECT count(*) FROM outbox WHERE turn = t.id AND kind = 'answer') <> 1",
		"messages of no turn, or that were parked":   "SELECT count(*) FROM inbox WHERE kind = 'text' AND (state = 'parked' OR told IS NOT NULL)",
		"turns that began before an older message's": "SELECT count(*) FROM turn t JOIN turn older ON older.id < t.id AND older.inbound > t.inbound",
		"ends that are not in the ledger once": `SELECT count(*) FROM question q WHERE why <> 'over' AND 1 <> (SELECT count(*) FROM effect e
			WHERE e.kind = 'question.asked' AND e.turn = q.turn)`,
		"answers in words that were also a message": fmt.Sprintf(`SELECT (SELECT count(*) FROM inbox WHERE kind = 'text' AND state <> 'dropped') + %d -
			(SELECT count(*) FROM question WHERE why = 'answered') - (SELECT count(*) FROM message WHERE role = 'user' AND parts NOT LIKE '%%Correction of my message%%')`, m.pressed),
	} {
		if n := m.look(query); n != "0" {
			m.fails("%s %s", n, what)
		}
	}
	for id, times := range m.resumed {
		if times > 1 {
			m.fails("question %d had a turn go on %d times", id, times)
		}
	}
}
