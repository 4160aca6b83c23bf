package app_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/budget"
	"mews/supervisor/hostcall"
	"mews/supervisor/inbox"
	"mews/supervisor/modelcall"
	"mews/supervisor/outbox"
	"mews/supervisor/reply"
	"mews/supervisor/session"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

const (
	fakeSource = "far/1"
	aliceChat  = "42"
)

// fakeChannel is a channel with one chat. It also configures the model and the worker of a turnRig.
type fakeChannel struct {
	mu            sync.Mutex // guards the fields below
	sent          []string
	whileThinking func(*turnRig) // called while the model thinks; may be nil
	beforeReceipt func()         // called between a message and its receipt; may be nil
	toolSteps     int            // number of steps with a tool call
	dayLimit      int64          // alice's daily limit, in millionths of a dollar; 0 means no limit
	costStep      int64          // by how much the highest cost of a call rises with each call
	leastCost     int64          // lowest cost of a call; 0 means the highest cost
	calls         int64
}

func (f *fakeChannel) Send(_ context.Context, to supervisor.PostAddress, content supervisor.RichText) (string, error) {
	f.mu.Lock()
	if f.beforeReceipt != nil {
		defer f.beforeReceipt()
	}
	defer f.mu.Unlock()
	text := content.Text
	if to.Silent {
		text = "(again) " + strings.TrimLeft(text[strings.LastIndex(text, "\n")+1:], " ")
	}
	f.sent = append(f.sent, text)
	return fmt.Sprint(len(f.sent)), nil
}

func (f *fakeChannel) EditMessage(context.Context, supervisor.PostAddress, string, supervisor.RichText) error {
	return nil
}
func (f *fakeChannel) DeleteMessage(context.Context, supervisor.PostAddress, string) error {
	return nil
}
func (f *fakeChannel) RemoveButtons(context.Context, supervisor.PostAddress, string) error {
	return nil
}
func (f *fakeChannel) SendChatAction(context.Context, supervisor.PostAddress, supervisor.ChatAction) error {
	return nil
}

func (f *fakeChannel) texts() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.sent)
}

// turnRig runs the parts between an update of Telegram and its answer, until it is killed. Its
// worker is a function.
type turnRig struct {
	*testing.T
	db       *sqlite.DB
	chat     *fakeChannel
	feeds    reply.Feeds
	box      *outbox.Outbox
	sessions *session.Registry
	inbox    *inbox.Inbox
	advances *budget.Advances
	host     *hostcall.Conn
	updates  int64
}

func newTurnRig(t *testing.T, dir string, chat *fakeChannel, committed func()) *turnRig {
	t.Helper()
	return newCountedTurnRig(t, dir, chat, committed, nil)
}

// newCountedTurnRig is like newTurnRig, and also calls the function statement before each SQL
// statement.
func newCountedTurnRig(t *testing.T, dir string, chat *fakeChannel, committed, statement func()) *turnRig {
	t.Helper()
	l := &turnRig{T: t, chat: chat}
	l.db = sqlitetest.OpenPath(t, filepath.Join(dir, "mews.db"), sqlite.Options{OnCommit: committed,
		OnStatement: statement})
	yes := func(supervisor.Conversation) bool { return true }
	whole := func(text string) []supervisor.RichText { return []supervisor.RichText{{Text: text}} }
	l.box = outbox.New(outbox.Options{
		Name: supervisor.ChannelTelegram, Source: fakeSource, Channel: chat, Deliveries: l.db.Outbox(),
		Posts:         l.db.Posts(),
		Conversations: l.db.Conversations(), Freezes: l.db.Outbox(), Replies: &l.feeds, Rates: outbox.SendRates{Chat: 1,
			All: 1000},
		Render: func(text string, _ bool) []supervisor.RichText { return whole(text) },
		Halve:  func(part supervisor.RichText) []supervisor.RichText { return whole(part.Text) },
		Now:    time.Now, Grows: yes, Serves: yes,
	})
	l.feeds.Changed = l.box.NotifyChange
	l.host = hostcall.NewConn(&hostcall.Options{
		ModelDependencies: hostcall.ModelDependencies{Transcript: l.db.Transcript(), Models: l, Usage: l.db.Usage(), Systems: l.db.SystemTexts(), History: 10_000,
			Busy: func(context.Context, string) supervisor.BusyMode { return supervisor.BusySteer }},
		StepDependencies: hostcall.StepDependencies{Steps: l.db.Turns()},
		Audit:            func(_, _, detail string) { t.Error(detail) },
		Log:              hclog.NewNullLogger(),
		Now:              time.Now,
	}, "alice", func(reason error) { l.Error(reason) })
	l.host.OnHandshake(protocol.HelloResult{Tools: []protocol.Tool{{Name: "get_time"}}})
	if _, err := l.db.Leases().RecoverAfterCrash(t.Context()); err != nil {
		t.Fatal(err)
	}
	l.advances = &budget.Advances{Leases: l.db.Leases(), Terms: func(c supervisor.Conversation) (budget.Options, bool) {
		return l.budgetOf(c), true
	}}
	l.sessions = session.New(session.Options{
		Inbox: l.db.Inbox(), Turns: l.db.Turns(), Waiting: l.db.Turns(), LastSteps: l.db.Turns(),
		Notices: l.db.Outbox(), Runner: l, Feeds: &l.feeds, Claim: l.box.ReserveSend, Advances: l.advances,
		Limits: protocol.TurnLimits{Steps: 9, Seconds: 900, Output: 1000}, Now: time.Now, Log: hclog.NewNullLogger(),
		Audit: func(_, _, detail string) { t.Error(detail) },
	})
	l.inbox = inbox.New(inbox.Options{Store: l.db.Inbox(), Gate: openGate{}, Conversations: l.db.Conversations(),
		Sessions: l.sessions, Queued: l.box.NotifyChange,
		Accepted: func(in supervisor.Inbound) { l.sessions.WakeSession(in.Conversation) }})
	ctx, cancel := context.WithCancel(context.Background())
	boxCtx, cancelBox := context.WithCancel(context.Background())
	var box, sessions sync.WaitGroup
	box.Go(func() { l.note(l.box.Run(boxCtx)) })
	sessions.Go(func() { l.note(l.sessions.Run(ctx)) })
	t.Cleanup(func() {
		cancel()
		sessions.Wait()
		cancelBox()
		box.Wait()
	})
	return l
}

// budgetOf returns alice's budget.
func (l *turnRig) budgetOf(c supervisor.Conversation) budget.Options {
	return budget.Options{Leases: l.db.Leases(), Advances: l.advances, Conversation: c, Limits: supervisor.Budget{Day: l.chat.dayLimit}}
}

func (l *turnRig) note(err error) {
	if err != nil {
		l.Error(err)
	}
}

// Stream plays the model.
func (l *turnRig) Stream(ctx context.Context, _ string, req modelcall.Request, delta func(modelcall.Delta)) (
	answer modelcall.Answer, err error) {
	<-time.After(20 * time.Millisecond) // waits for all work that the turn's start has caused
	synctest.Wait()
	if l.chat.whileThinking != nil {
		l.chat.whileThinking(l)
		synctest.Wait()
	}
	answer.Model, answer.Spec = "m", "far/m"
	l.chat.calls++
	lease, err := req.Reserver.Reserve(ctx, modelcall.CostEstimate{Spec: "far/m", MinCost: l.chat.leastCost,
		MaxCost: 1000 + l.chat.calls*l.chat.costStep, Priced: true})
	if err != nil {
		return answer, err
	}
	answer.Lease = lease.ID
	asked := ""
	for _, m := range req.Messages {
		if m.Role == protocol.RoleUser {
			asked = m.Text()
		}
	}
	if l.chat.toolSteps > 0 {
		l.chat.toolSteps--
		answer.Message.Parts = []protocol.ContentPart{{Call: &protocol.ToolCall{Name: "get_time",
			Arguments: json.RawMessage(`{}`)}}}
		return answer, nil
	}
	delta(modelcall.Delta{Text: "re: " + asked})
	answer.Message.Parts = []protocol.ContentPart{{Text: "re: " + asked}}
	return answer, nil
}

func (l *turnRig) Cost(string, protocol.Usage, time.Duration) (int64, bool) { return 10, true }

// Run plays the worker. It asks the model until the model calls no tool.
func (l *turnRig) Run(ctx context.Context, a session.Attempt) (end session.AttemptEnd, err error) {
	o := l.budgetOf(a.Turn.Conversation)
	o.Turn = a.Turn.ID
	l.host.BeginTurn(hostcall.Turn{Reserver: budget.New(o), ID: a.Turn.ID, Conversation: a.Turn.Conversation.ID, First: a.First, Step: a.Start.CommittedSteps,
		Limits: a.Start.Limits, Pending: a.Start.PendingCalls, Reply: a.Stream, Kind: a.Turn.Kind, CommitLast: a.CommitLast})
	defer func() { l.host.EndTurn(a.Turn.ID, end.Why) }()
	after, pending := a.Start.LastMessage, a.Start.PendingCalls
	for {
		for _, p := range pending {
			kept, err := l.host.HandleCall(ctx, request(protocol.MethodStepCommit,
				protocol.StepCommitParams{Turn: a.Turn.ID, Call: p.Call.ID,
					State: protocol.CallStateDone, Result: &protocol.ToolResult{Call: p.Call.ID, Name: p.Call.Name,
						Text: "noon"}}))
			if err != nil {
				return end, err
			}
			after = kept.(protocol.StepCommitResult).Message
		}
		said, err := l.host.HandleCall(ctx, request(protocol.MethodModelStream,
			protocol.ModelStreamParams{Turn: a.Turn.ID, After: after,
				System: protocol.SystemTextRef{Hash: hash("be good"), Text: "be good"},
				Tools:  protocol.ToolListRef{Hash: hash("get_time\n"), Names: []string{"get_time"}}}))
		if err != nil {
			return end, err
		}
		m := said.(protocol.ModelStreamResult).Message
		if pending = nil; len(m.ToolCalls()) == 0 {
			end.Why = protocol.TurnEndDone
			return end, a.CheckEnd(end.TurnEnd)
		}
		after = m.ID
		for _, c := range m.ToolCalls() {
			pending = append(pending, protocol.PendingCall{Call: c})
		}
	}
}

func request(method string, params any) *protocol.Request {
	raw, err := json.Marshal(params)
	if err != nil {
		panic(err)
	}
	return &protocol.Request{ID: 1, Method: method, Params: raw}
}

func hash(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:])
}

// batch returns a poll's batch with a message of alice's.
func (l *turnRig) batch(text string) supervisor.InboundBatch {
	l.updates++
	return supervisor.InboundBatch{Source: fakeSource, Next: l.updates + 1, Items: []supervisor.BatchItem{{
		Update: l.updates, Inbound: supervisor.Inbound{Key: fmt.Sprint(l.updates), Kind: supervisor.KindText,
			Text: text,
			Conversation: supervisor.Conversation{User: "alice", Channel: supervisor.ChannelTelegram,
				Chat: aliceChat}}}}}
}

// openGate is a gate that lets everybody through.
type openGate struct{}

func (openGate) Check(context.Context, supervisor.Inbound) (supervisor.GateDecision, error) {
	return supervisor.GateDecision{}, nil
}

// ask sends a message of alice's, and waits until all resulting work is done.
func (l *turnRig) ask(text string) {
	l.Helper()
	if err := l.inbox.StoreBatch(l.Context(), l.batch(text)); err != nil {
		l.Fatal(err)
	}
	waitForRest()
}

// waitForRest waits as long as a turn and its delivery take.
func waitForRest() {
	<-time.After(5 * time.Second)
	synctest.Wait()
}

// checkEqual fails unless got equals want.
func (l *turnRig) checkEqual(what string, got, want any) {
	l.Helper()
	if d := cmp.Diff(want, got); d != "" {
		l.Errorf("%s: (-want +got)\n%s", what, d)
	}
}

// checkAllDone checks that nothing is left to do.
func (l *turnRig) checkAllDone() {
	l.Helper()
	l.checkEqual("messages that are not done", sqlitetest.QueryColumn(l, l.db,
		"SELECT text FROM inbox WHERE state <> 'done'"), []string(nil))
	l.checkEqual("leases", sqlitetest.QueryColumn(l, l.db, "SELECT id FROM lease"), []string(nil))
	l.checkEqual("open turns", sqlitetest.QueryColumn(l, l.db, "SELECT id FROM turn WHERE ended_at IS NULL"),
		[]string(nil))
}

// The first turn of a conversation starts in a commit of its own, and stores its system text in
// another. A later turn with one post and no tool makes three commits. They store the message and
// the turn's start; the model's message, the turn's end and the post; and the receipt. A post that
// can't be sent at once has its own commits.
func TestTurn_MakesThreeCommits(t *testing.T) {
	for name, c := range map[string]struct {
		during  func(*turnRig) // called while the model thinks; nil means no call
		tools   int
		commits int64
		// maximum number of SQL statements in the turn; a real service, with its index and prompt
		// files, needs some more
		statements int64
		sent       []string
	}{
		"one post": {nil, 0, 3, 65, []string{"re: before", "re: a"}},
		"one tool": {nil, 1, 5, 84, []string{"re: before", "re: a"}}, // two more commits: the call and its result
		"a notice meanwhile": {func(l *turnRig) { // three more commits: the notice, its post and its receipt
			if _, err := l.db.Outbox().PutTextNotice(l.Context(), 1, "by the way"); err != nil {
				l.Fatal(err)
			}
			l.box.NotifyChange(1)
		}, 0, 6, 86, []string{"re: before", "by the way", "re: a"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var commits, statements atomic.Int64
				l := newCountedTurnRig(t, t.TempDir(), &fakeChannel{}, func() { commits.Add(1) },
					func() { statements.Add(1) })
				waitForRest()
				commits.Store(0)
				l.ask("before")
				l.checkEqual("commits of the first", commits.Load(), int64(5))
				l.chat.whileThinking, l.chat.toolSteps = c.during, c.tools
				commits.Store(0)
				statements.Store(0)
				l.ask("a")
				l.checkEqual("commits", commits.Load(), c.commits)
				if n := statements.Load(); n > c.statements {
					t.Errorf("%d statements, at most %d", n, c.statements)
				}
				l.checkEqual("sent", l.chat.texts(), c.sent)
				l.checkAllDone()
			})
		})
	}
}

// After a conversation's first turn, each turn starts in one commit with the lease of its first
// call.
func TestTurnWithBudget_CommitsLeaseAtStart(t *testing.T) {
	for name, c := range map[string]struct {
		dearer int64
		day    int64
		want   []int64 // expected number of commits of each turn
	}{
		// the first turn stores its lease and its system text separately
		"calls of one price":                {0, 1_000_000, []int64{6, 3, 3}},
		"slightly dearer calls":             {100, 1_000_000, []int64{6, 3, 3}},
		"much dearer calls":                 {1000, 1_000_000, []int64{6, 4, 4}}, // another commit increases the lease
		"dearer than the rest of the limit": {1000, 900, []int64{6, 3, 3}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var commits atomic.Int64
				l := newTurnRig(t, t.TempDir(), &fakeChannel{dayLimit: c.day, costStep: c.dearer, leastCost: 200}, func() { commits.Add(1) })
				for i, want := range c.want {
					waitForRest()
					commits.Store(0)
					l.ask(fmt.Sprint(i))
					l.checkEqual(fmt.Sprint("commits of turn ", i), commits.Load(), want)
				}
				l.checkEqual("sent", l.chat.texts(), []string{"re: 0", "re: 1", "re: 2"})
				l.checkAllDone()
				l.checkEqual("spent", sqlitetest.QueryColumn(l, l.db, "SELECT sum(cost) FROM usage"), []string{"30"})
			})
		})
	}
}

// The service is killed after each commit of a turn, and the message is answered once. An answer
// that may have been sent is sent again, with a mark. A call that may have been made costs its
// whole lease.
func TestTurn_KillAfterEachCommit_AnswersOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, chat := t.TempDir(), &fakeChannel{dayLimit: 1_000_000}
		kills := &crashSnapshots{t: t, dir: dir, chat: chat, now: time.Now}
		l := newTurnRig(t, dir, chat, kills.committed)
		waitForRest()
		l.ask("before")
		taken := kills.during(func() { l.ask("a") })
		answers := []string{"re: a", "(again) re: a", "re: a"}
		spent := []string{"1145", "20", "20"}
		if len(taken) != len(answers) {
			t.Fatalf("%d commits", len(taken))
		}
		for i, image := range taken {
			next := newTurnRig(t, image.dir, &fakeChannel{sent: image.sent, dayLimit: 1_000_000}, nil)
			waitForRest()
			next.checkEqual(fmt.Sprint("sent, killed after commit ", i+1), next.chat.texts(), []string{"re: before", answers[i]})
			next.checkAllDone()
			next.checkEqual(fmt.Sprint("spent, killed after commit ", i+1), sqlitetest.QueryColumn(next, next.db,
				"SELECT sum(cost) FROM usage"),
				[]string{spent[i]})
		}
	})
}
