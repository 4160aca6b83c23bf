package hostcall_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/hostcall"
	"mews/supervisor/model"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/modelcall"
	"mews/supervisor/problem"
	"mews/supervisor/sqlite"
)

// fakeReserver holds money in memory. It checks that each lease ends once, and costs at most its
// amount.
type fakeReserver struct {
	t *testing.T
	hostcall.Steps
	hostcall.Usage
	refuse error  // error of every commit; nil means that commits succeed
	first  func() // called when the first lease is taken; nil means no call

	mu       sync.Mutex
	left     int64
	open     map[int64]int64
	last     int64
	returned int
	settled  int
	spent    int64
	costs    []int64 // costs of the stored calls, in order, in millionths of a dollar
}

// useReserver lets a fakeReserver with some money pay for a rig's turns.
func useReserver(t *testing.T, r *rig, money int64) *fakeReserver {
	b := &fakeReserver{t: t, Steps: r.options.Steps, Usage: r.options.Usage, left: money, open: map[int64]int64{}}
	r.options.Steps, r.options.Usage = b, b
	turn := r.turn()
	turn.Reserver = b
	r.conn.BeginTurn(turn)
	schema := json.RawMessage(`{"type":"object"}`)
	r.conn.OnHandshake(protocol.HelloResult{Tools: []protocol.Tool{{Name: "get_time", Schema: schema},
		{Name: "list_files", Schema: schema}}})
	return b
}

func (b *fakeReserver) Reserve(_ context.Context, bid modelcall.CostEstimate) (supervisor.Lease, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if cmp.Or(bid.MinCost, bid.MaxCost) > b.left {
		return supervisor.Lease{}, &modelcall.Error{Class: modelcall.OverBudget,
			Err: &supervisor.Error{Code: supervisor.CodeBudgetExceeded,
				Message: "Today's money is spent."}}
	}
	if b.last++; b.last == 1 && b.first != nil {
		b.first()
	}
	amount := min(bid.MaxCost, b.left)
	b.left -= amount
	b.open[b.last] = amount
	return supervisor.Lease{ID: b.last, Amount: amount}, nil
}

// OnSettled checks that a stored call has ended its lease.
func (b *fakeReserver) OnSettled(l supervisor.Lease, kept bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, open := b.open[l.ID]; open == kept || l.Amount == 0 {
		b.t.Errorf("%+v is settled; kept: %v, open: %v", l, kept, open)
	}
	b.settled++
}

func (b *fakeReserver) ReturnLease(_ context.Context, lease int64) {
	b.end(0, lease)
	b.returned++
}

func (b *fakeReserver) end(cost int64, leases ...int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	held := int64(0)
	for _, lease := range leases {
		amount, open := b.open[lease]
		if !open {
			b.t.Errorf("lease %d ends twice, or was never taken", lease)
		}
		held += amount
		delete(b.open, lease)
	}
	if cost > held {
		b.t.Errorf("%d for leases %v, which hold %d", cost, leases, held)
	}
	b.left += held - cost
	b.spent += cost
}

func (b *fakeReserver) CommitStep(ctx context.Context, step sqlite.Step) (int64, error) {
	if b.refuse != nil {
		return 0, b.refuse
	}
	id, err := b.Steps.CommitStep(ctx, step)
	if err == nil && !step.Charged {
		b.end(*step.Cost, step.Leases...)
		b.costs = append(b.costs, *step.Cost)
	}
	return id, err
}

func (b *fakeReserver) PutCall(ctx context.Context, c sqlite.ModelCall) error {
	if ctx.Err() != nil {
		b.t.Errorf("what %s cost is kept with a context that has ended", c.Spec)
	}
	err := b.Usage.PutCall(ctx, c)
	if err == nil && c.Lease != 0 {
		b.end(*c.Cost, c.Lease)
		b.costs = append(b.costs, *c.Cost)
	}
	return err
}

// pricedCatalogue returns a catalogue with a scripted model that costs three millionths of a dollar
// for a token. A call that is silent for longer than silence fails; 0 means the provider's own
// limit.
func pricedCatalogue(t *testing.T, kind string, silence time.Duration, script modeltest.Script) *model.Catalogue {
	t.Helper()
	_, base := modeltest.NewServer(t, script)
	c, err := model.NewCatalogue(model.Options{Default: "p/m", Prices: map[string]model.Price{"p/m": {Input: 3, Output: 3}},
		Providers: []model.ProviderOptions{{Name: "p", Kind: kind, BaseURL: base, APIKey: "k", Silence: silence}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// TestBudget_EndlessModel_StopsAtLimit checks that money is reserved before each step. When the
// money is used up, earlier steps stay.
func TestBudget_EndlessModel_StopsAtLimit(t *testing.T) {
	for _, kind := range []string{"anthropic", "openai"} {
		t.Run(kind, func(t *testing.T) {
			const money = 2_000_000 // two dollars, in millionths
			script := func(r modeltest.Request) modeltest.Answer {
				return modeltest.Answer{Text: "Once more.", Calls: []modeltest.Call{{Name: "get_time", Args: `{}`}},
					Usage: &modeltest.AnswerUsage{Prompt: int64(len(r.Raw)) / 2, Completion: int64(r.Limit)}}
			}
			r := newRigOf(t, pricedCatalogue(t, kind, 0, script))
			b := useReserver(t, r, money)
			steps := 0
			for ; ; steps++ {
				result, err := r.call(protocol.MethodModelStream, r.modelStream())
				if err != nil {
					break
				}
				call := result.(protocol.ModelStreamResult).Message.ToolCalls()[0]
				done := protocol.StepCommitParams{Turn: r.open.Turn.ID, Call: call.ID, State: protocol.CallStateDone,
					Result: &protocol.ToolResult{Call: call.ID, Name: call.Name, Text: "noon"}}
				if _, err := r.call(protocol.MethodStepCommit, done); err != nil {
					t.Fatal(err)
				}
			}
			if b.spent > money || b.spent < money/2 || len(b.open) != 0 || b.left != money-b.spent {
				t.Errorf("%d steps spent %d of %d; open %v", steps, b.spent, money, b.open)
			}
			messages, err := r.db.Transcript().ListMessages(t.Context(), r.turn().Conversation)
			if err != nil || len(messages) != 1+2*steps || steps < 2 {
				t.Errorf("%d steps left %d messages, %v", steps, len(messages), err)
			}
			ended := r.conn.EndTurn(r.turn().ID, protocol.TurnEndError)
			if got := problem.UserText(ended.Failure); got != "Today's money is spent." {
				t.Errorf("the person reads %q", got)
			}
			if total := keptCost(t, r); total != b.spent {
				t.Errorf("%d is in the database, and %d was spent", total, b.spent)
			}
		})
	}
}

// keptCost returns the cost of ann's calls in the database, in millionths of a dollar.
func keptCost(t *testing.T, r *rig) (micro int64) {
	t.Helper()
	totals, err := r.db.Usage().Sum(t.Context(), sqlite.UsageQuery{User: "ann"})
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range totals {
		micro += one.Cost
	}
	return micro
}

// TestLease_AnyModelOutcome_Ends checks that every lease ends, whatever the server answers, and
// even if the turn is stopped.
func TestLease_AnyModelOutcome_Ends(t *testing.T) {
	faults := map[string]modeltest.Fault{
		"well": nil, "cut in the middle": modeltest.FaultCutStream(700), "stalls": modeltest.FaultStalledStream(900),
		"silent": modeltest.FaultStalledStream(0),
		"empty":  modeltest.FaultEmptyAnswer, "malformed": modeltest.FaultMalformedCall,
		"limit":  modeltest.FaultStopReason(modeltest.StopReasonLength),
		"filter": modeltest.FaultStopReason(modeltest.StopReasonFilter), "unknown tool": modeltest.FaultUnknownTool,
		"too long":        modeltest.FaultFromFailureClass(modeltest.FailurePromptTooLong),
		"auth":            modeltest.FaultFromFailureClass(modeltest.FailureWrongKey),
		"overloaded":      modeltest.FaultFromFailureClass(modeltest.FailureOverloaded),
		"overloaded late": modeltest.FaultAfterAnswer(modeltest.FailureOverloaded),
		"wrong":           modeltest.FaultFromFailureClass(modeltest.FailureInvalidRequest),
		"trouble late":    modeltest.FaultAfterAnswer(modeltest.FailureInternalError),
	}
	for name, fault := range faults {
		for _, kind := range []string{"anthropic", "openai"} {
			t.Run(kind+" "+name, func(t *testing.T) {
				t.Parallel()
				r := newRigOf(t, pricedCatalogue(t, kind, 50*time.Millisecond,
					modeltest.ScriptWithFaults(func(modeltest.Request) modeltest.Answer {
						return modeltest.Answer{Text: strings.Repeat("word ", 40), Chunk: 10}
					}, fault)))
				b := useReserver(t, r, 1<<40)
				b.first = func() { // stops the turn, at the latest during the pause before a retry
					time.AfterFunc(300*time.Millisecond, func() { r.conn.EndTurn(r.turn().ID, "") })
				}
				_, err := r.call(protocol.MethodModelStream, r.modelStream())
				r.conn.EndTurn(r.turn().ID, "")
				if len(b.open) != 0 || b.last == 0 || b.returned == int(b.last) && b.spent != 0 {
					t.Errorf("%v: of %d leases %v are open, %d were returned, and %d was spent", err, b.last, b.open, b.returned, b.spent)
				}
				if total := keptCost(t, r); total != b.spent {
					t.Errorf("%d is in the database, and %d was spent", total, b.spent)
				}
			})
		}
	}
}

// TestStoppedStep_CostsOnlyUsedTokens checks that a stopped step costs only the used tokens, with
// and without a budget. This holds even if the turn has already ended.
func TestStoppedStep_CostsOnlyUsedTokens(t *testing.T) {
	for _, kind := range []string{"anthropic", "openai"} {
		for _, budget := range []bool{true, false} {
			t.Run(fmt.Sprint(kind, ", budget: ", budget), func(t *testing.T) {
				r := newRigOf(t, pricedCatalogue(t, kind, 0, func(modeltest.Request) modeltest.Answer {
					return modeltest.Answer{Text: strings.Repeat("word ", 4000), Chunk: 50, Delay: 2 * time.Millisecond}
				}))
				seen := make(chan struct{})
				turn := r.turn()
				turn.Reply = &lengthWatcher{Reply: r.stream, at: 500, seen: seen}
				b := useReserver(t, r, 1<<40)
				if budget {
					turn.Reserver = b
				}
				r.conn.BeginTurn(turn)
				go func() {
					<-seen
					r.conn.EndTurn(turn.ID, "")
				}()
				if _, err := r.call(protocol.MethodModelStream, r.modelStream()); wireCode(err) != protocol.CodeCancelled {
					t.Fatalf("it ended with %v", err)
				}
				totals, err := r.db.Usage().Sum(t.Context(), sqlite.UsageQuery{User: "ann"})
				if err != nil || len(totals) != 1 {
					t.Fatalf("the books have %+v, %v", totals, err)
				}
				u, cost := totals[0].Usage, totals[0].Cost
				if u.Input < 5 || u.Input > 500 || u.Output < 500/4 || u.Output > 4_000/4 || !u.Estimated || cost != 3*(u.Input+u.Output) {
					t.Errorf("it counts %+v, and costs %d", u, cost)
				}
				if budget && (len(b.costs) != 1 || b.spent != cost || len(b.open) != 0) {
					t.Errorf("it cost %v; open %v", b.costs, b.open)
				}
			})
		}
	}
}

// lengthWatcher signals when a reply has reached a length.
type lengthWatcher struct {
	hostcall.Reply
	at, said int
	seen     chan struct{}
}

func (w *lengthWatcher) AppendText(text string) {
	w.Reply.AppendText(text)
	before := w.said
	if w.said += len(text); before < w.at && w.said >= w.at {
		close(w.seen)
	}
}

// paidModel is a model that checks that its calls are paid for.
type paidModel struct {
	*scriptedModel
	unknown bool // whether the model's price is unknown
}

func (m paidModel) Stream(ctx context.Context, spec string, req modelcall.Request, delta func(modelcall.Delta)) (
	modelcall.Answer, error) {
	lease, err := req.Reserver.Reserve(ctx, modelcall.CostEstimate{Spec: "p/m", MaxCost: 100, Priced: true})
	if err != nil {
		return modelcall.Answer{}, err
	}
	said, err := m.scriptedModel.Stream(ctx, spec, req, delta)
	said.Lease = lease.ID
	return said, err
}

func (m paidModel) Cost(spec string, u protocol.Usage, kept time.Duration) (int64, bool) {
	if m.unknown {
		return 0, false
	}
	return m.scriptedModel.Cost(spec, u, kept)
}

func TestMessage_SeveralModelCalls_AllArePaid(t *testing.T) {
	parts := []take{{answer: ended("One ", modelcall.StopReasonLength)}, {answer: ended("two ",
		modelcall.StopReasonLength)},
		{answer: ended("three.", modelcall.StopReasonEnd)}}
	for name, k := range map[string]struct {
		unknown bool
		refuse  error
		list    []take
		money   int64
		want    []int64
	}{
		"committed":     {false, nil, parts, 1000, []int64{11, 11, 11}},
		"unknown price": {true, nil, parts, 1000, []int64{100, 100, 100}},
		"not committed": {false, errors.New("no"), parts, 1000, []int64{11, 11, 11}},
		"not fit to be committed": {false, nil, []take{{answer: ended("", modelcall.StopReasonEnd)}}, 1000,
			[]int64{11}},
		"no money for the rest": {false, nil, parts, 105, []int64{11}},
		"no money for any":      {false, nil, parts, 99, nil},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRigOf(t, paidModel{&scriptedModel{t: t, list: k.list}, k.unknown})
			b := useReserver(t, r, k.money)
			b.refuse = k.refuse
			_, err := r.call(protocol.MethodModelStream, r.modelStream())
			if len(b.open) != 0 || fmt.Sprint(b.costs) != fmt.Sprint(k.want) || b.settled != len(k.want) {
				t.Errorf("%v: it cost %v, want %v; %d settled, open %v", err, b.costs, k.want, b.settled, b.open)
			}
			if sum := keptCost(t, r); sum != b.spent {
				t.Errorf("%d is in the books, and %d was spent", sum, b.spent)
			}
			if (err != nil) != (k.refuse != nil || k.want == nil || len(k.list) == 1) {
				t.Errorf("it ended with %v", err)
			}
		})
	}
}

func TestUsage_StoreFails_IsLogged(t *testing.T) {
	r := newRigOf(t, paidModel{&scriptedModel{t: t, list: []take{{answer: ended("", modelcall.StopReasonEnd)}}}, false})
	b := useReserver(t, r, 1000)
	b.Usage = failingUsage{}
	log := r.logged()
	if _, err := r.call(protocol.MethodModelStream, r.modelStream()); err == nil || !strings.Contains(log.String(), "lease=1") {
		t.Errorf("%v; logged %s", err, log)
	}
}

type failingUsage struct{}

func (failingUsage) PutCall(context.Context, sqlite.ModelCall) error {
	return errors.New("the disk is full")
}
func (failingUsage) FindTokenCount(context.Context, int64) (c sqlite.TokenCount, err error) {
	return c, nil
}

// TestTokenCount_IsReusedWhileValid checks that the provider's token count is reused while requests
// share messages with the counted request.
func TestTokenCount_IsReusedWhileValid(t *testing.T) {
	list := make([]take, 6)
	for i := range list {
		list[i] = take{answer: ended("Yes.", modelcall.StopReasonEnd)}
		list[i].answer.Usage.Input = int64(100 + i)
	}
	m := &scriptedModel{t: t, list: list}
	r := newRigOf(t, m)
	r.called()
	r.next("2")
	r.called()
	r.next("3")
	stream := r.modelStream()
	stream.System = protocol.SystemTextRef{Hash: hash("be bad"), Text: "be bad"}
	if _, err := r.call(protocol.MethodModelStream, stream); err != nil {
		t.Fatal(err)
	}
	r.next("4")
	r.called()
	r.next("5")
	if err := r.db.Transcript().ClearWindow(t.Context(), r.turn().Conversation); err != nil {
		t.Fatal(err)
	}
	r.called()
	r.conn, r.peer = r.newConn("ann") // a new connection, as after a restart
	r.next("6")
	r.called()
	for i, want := range []string{" 0 false, 1 new", "p/m 100 false, 2 new", "p/m 101 true, 2 new", "p/m 102 true, 2 new", " 0 false, 1 new",
		"p/m 104 true, 2 new"} {
		known, fresh := m.asked[i].Measured, len(m.asked[i].Messages)
		if known.Spec != "" {
			fresh = len(known.New)
		}
		if got := fmt.Sprintf("%s %d %v, %d new", known.Spec, known.Tokens, known.Other, fresh); got != want {
			t.Errorf("call %d knows %s, want %s", i+1, got, want)
		}
		if m.asked[i].User != "ann" {
			t.Errorf("call %d is %q's", i+1, m.asked[i].User)
		}
	}
}

func (r *rig) called() {
	r.t.Helper()
	if _, err := r.call(protocol.MethodModelStream, r.modelStream()); err != nil {
		r.t.Fatal(err)
	}
}

// next ends the turn and begins the next one in the same conversation.
func (r *rig) next(key string) {
	r.t.Helper()
	r.finish()
	r.open = r.startTurn("ann", key)
	r.conn.BeginTurn(r.turn())
}
