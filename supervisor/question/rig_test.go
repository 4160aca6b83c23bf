package question_test

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/question"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// rig has Questions with a real database, and a turn of alice.
type rig struct {
	*testing.T
	db        *sqlite.DB
	questions *question.Questions
	turn      supervisor.Turn
	command   supervisor.Inbound
	resumed   chan int64 // the conversations whose turn may continue
	stands    time.Duration

	mu          sync.Mutex // guards the field said
	said        []int64
	lastAudited int64 // the last entry of the audit log that the test has read
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{T: t, resumed: make(chan int64, 100), db: sqlitetest.OpenPath(t, filepath.Join(t.TempDir(), "mews.db"), sqlite.Options{})}
	r.turn = r.begin("alice")
	r.command = r.put("alice", supervisor.KindCommand, "/files")
	r.questions = r.newQuestions()
	return r
}

// newQuestions makes Questions for the same database, as after a restart.
func (r *rig) newQuestions() *question.Questions {
	return question.New(question.Options{Store: r.db.Questions(), Ends: r.db.Questions(), Audit: r.db.Audit(), Log: hclog.NewNullLogger(), Queued: func(conversation int64) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.said = append(r.said, conversation)
	}, Resume: func(c supervisor.Conversation) { r.resumed <- c.ID }, Ended: func() {}, OpenFor: func() time.Duration { return r.stands }})
}

// run runs Questions until the test ends or the returned function is called.
func (r *rig) run() (stop func()) {
	ctx, cancel := context.WithCancel(r.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		r.must(r.questions.Run(ctx))
	}()
	stop = sync.OnceFunc(func() { cancel(); <-ended })
	r.Cleanup(stop)
	return stop
}

// delivered marks all questions as delivered.
func (r *rig) delivered() {
	r.Helper()
	pending, err := r.db.Outbox().ListPending(r.Context(), r.turn.Conversation.ID, 0, 100)
	r.must(err)
	for _, d := range pending {
		r.must(r.db.Outbox().MarkDelivered(r.Context(), d.ID))
	}
}

// audited returns the new entries of the audit log.
func (r *rig) audited() (list []string) {
	r.Helper()
	entries, err := r.db.Audit().List(r.Context(), sqlite.AuditFilter{After: r.lastAudited, Limit: 100})
	r.must(err)
	for _, e := range entries {
		list, r.lastAudited = append(list, e.User+" "+e.Action+" "+e.Detail), e.ID
	}
	return list
}

func (r *rig) put(user string, kind supervisor.InboundKind, text string) supervisor.Inbound {
	r.Helper()
	in, _, err := r.db.Inbox().StoreInbound(r.Context(), supervisor.Inbound{Source: "terminal", Key: user + text,
		Kind: kind,
		Text: text, Conversation: supervisor.Conversation{User: user, Channel: supervisor.ChannelTerminal}})
	r.must(err)
	return in
}

func (r *rig) begin(user string) supervisor.Turn {
	r.Helper()
	in := r.put(user, supervisor.KindText, "hi")
	turn, _, err := r.db.Turns().Start(r.Context(), in.ID, nil)
	r.must(err)
	return turn
}

func (r *rig) finish() {
	r.Helper()
	_, err := r.db.Turns().Finish(r.Context(), sqlite.TurnEnding{Turn: r.turn.ID, Why: protocol.TurnEndStopped,
		State: supervisor.InboundAnswered, Text: "Stopped."})
	r.must(err)
}

func (r *rig) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

func (r *rig) same(what string, got, want any) {
	r.Helper()
	if d := cmp.Diff(want, got); d != "" {
		r.Errorf("%s: (-want +got)\n%s", what, d)
	}
}

func (r *rig) approval() supervisor.Question {
	return supervisor.Question{Conversation: r.turn.Conversation, Turn: r.turn.ID, Kind: supervisor.QuestionApproval,
		Tool: "send_file", Subject: strings.Repeat("5", 64), Text: "May I send a.txt?"}
}

func (r *rig) money() supervisor.Question {
	q := r.approval()
	q.Kind, q.Tool, q.Amount, q.Text = supervisor.QuestionBudget, "", 500_000, "May I go on?"
	return q
}

// ofCommand returns a question of the command, which waits for the question's end.
func (r *rig) ofCommand() supervisor.Question {
	q := r.approval()
	q.Turn, q.Inbound = 0, r.command.ID
	return q
}

// outcome is the result of an Ask.
type outcome struct {
	Why supervisor.QuestionEndReason
	Say supervisor.AnswerChoice
	Err error
}

// answered returns the outcome of an answered question.
func answered(say supervisor.AnswerChoice) outcome {
	return outcome{supervisor.QuestionAnswered, say, nil}
}

// askForTurn asks the question for the turn, which does not wait.
func (r *rig) askForTurn(q supervisor.Question) outcome {
	r.Helper()
	return <-r.ask(r.Context(), q)
}

// ask asks the question in a goroutine.
func (r *rig) ask(ctx context.Context, q supervisor.Question) <-chan outcome {
	done := make(chan outcome, 1)
	go func() {
		q, err := r.questions.Ask(ctx, q)
		done <- outcome{q.End, q.Answer.Say, err}
	}()
	return done
}

// buttons returns the buttons of the conversation's newest delivery.
func (r *rig) buttons() (list []supervisor.Button) {
	r.Helper()
	pending, err := r.db.Outbox().ListPending(r.Context(), r.turn.Conversation.ID, 0, 100)
	r.must(err)
	for _, row := range pending[len(pending)-1].Buttons {
		list = append(list, row...)
	}
	return list
}

func (r *rig) deliveries() int {
	r.Helper()
	pending, err := r.db.Outbox().ListPending(r.Context(), r.turn.Conversation.ID, 0, 100)
	r.must(err)
	return len(pending)
}

// press returns the notice for alice after she presses a button.
func (r *rig) press(press string) string {
	r.Helper()
	pressed, err := r.questions.RecordPress(r.Context(), "alice", r.turn.Conversation.ID, press)
	r.must(err)
	return pressed.Text
}
