package budget

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mews/supervisor"
	"mews/supervisor/modelcall"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

const cent = 10_000

var _ modelcall.MoneyReserver = (*Reserver)(nil)

// person is a user who gives the same answer to every question.
type person struct {
	mu    sync.Mutex // guards the fields below
	says  supervisor.AnswerChoice
	err   error
	asked []supervisor.Question
}

func (p *person) Ask(_ context.Context, q supervisor.Question) (supervisor.Question, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, q)
	q.End, q.Answer = supervisor.QuestionAnswered, supervisor.Answer{Say: p.says}
	return q, p.err
}

// rig is a turn of alice, at noon on 20 November in Madrid.
type rig struct {
	*testing.T
	db     *sqlite.DB
	turn   supervisor.Turn
	now    time.Time
	person person
	o      Options
}

func newRig(t *testing.T, limits supervisor.Budget) *rig {
	t.Helper()
	r := &rig{T: t, now: at(t, "2026-11-20T11:00:00Z"), person: person{says: supervisor.AnswerChoiceOnce}}
	now := func() time.Time { return r.now }
	r.db = sqlitetest.OpenPath(t, filepath.Join(t.TempDir(), "mews.db"), sqlite.Options{Now: now})
	r.turn = r.begin("alice", "1")
	r.o = Options{Leases: r.db.Leases(), Asker: &r.person, Turn: r.turn.ID, Conversation: r.turn.Conversation,
		Destination: r.turn.AnswerConversation(), Limits: limits,
		Zone: zone(t, "Europe/Madrid"), Now: now, Advances: &Advances{Leases: r.db.Leases()}}
	return r
}

func (r *rig) begin(user, chat string) supervisor.Turn {
	r.Helper()
	in, _, err := r.db.Inbox().StoreInbound(r.Context(), supervisor.Inbound{Source: "terminal", Key: chat,
		Kind: supervisor.KindText,
		Text: "hi", Conversation: supervisor.Conversation{User: user, Channel: supervisor.ChannelTerminal, Chat: chat}})
	r.must(err)
	turn, _, err := r.db.Turns().Start(r.Context(), in.ID, nil)
	r.must(err)
	return turn
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

// spend stores a call of the turn with its cost.
func (r *rig) spend(turn supervisor.Turn, cost, lease int64) {
	r.Helper()
	r.must(r.db.Usage().PutCall(context.WithoutCancel(r.Context()), sqlite.ModelCall{User: turn.Conversation.User,
		Conversation: turn.Conversation.ID, Turn: turn.ID, Spec: "a/b", Cost: &cost, Lease: lease}))
}

func bid(worst int64) modelcall.CostEstimate {
	return modelcall.CostEstimate{Spec: "a/b", MaxCost: worst, Priced: true}
}

// refused makes a call that the budget must refuse, and returns the text for the user.
func (r *rig) refused(p *Reserver, b modelcall.CostEstimate) string {
	r.Helper()
	lease, err := p.Reserve(r.Context(), b)
	failed := new(modelcall.Error)
	if !errors.As(err, &failed) || failed.Class != modelcall.OverBudget || lease.ID != 0 ||
		supervisor.ErrorCodeOf(err) != supervisor.CodeBudgetExceeded {
		r.Fatalf("got lease %v, error %v, want one of the budget", lease, err)
	}
	return failed.Err.Message
}

// paid makes a call that the budget must pay for, and returns its lease.
func (r *rig) paid(p *Reserver, b modelcall.CostEstimate) int64 {
	r.Helper()
	lease, err := p.Reserve(r.Context(), b)
	r.must(err)
	if lease.ID == 0 {
		r.Fatal("there is no lease")
	}
	return lease.ID
}

func TestReserve_FreeOrUnlimited_NeedsNoLease(t *testing.T) {
	r := newRig(t, supervisor.Budget{Day: cent})
	lease, err := New(r.o).Reserve(t.Context(), bid(0))
	r.must(err)
	r.same("of what is free", lease, supervisor.Lease{})
	r.o.Limits = supervisor.Budget{}
	for _, b := range []modelcall.CostEstimate{bid(100 * cent), {Spec: "a/b"}} {
		lease, err := New(r.o).Reserve(t.Context(), b)
		r.must(err)
		r.same("without limits", lease, supervisor.Lease{})
	}
}

func TestReserve_UnknownPrice_IsRefused(t *testing.T) {
	r := newRig(t, supervisor.Budget{})
	r.o.Installation = 100 * cent
	got := r.refused(New(r.o), modelcall.CostEstimate{Spec: "new/one"})
	const want = "the price of new/one is unknown, so I did not ask that model. Choose another model with /model; an admin " +
		"can add the price (models.prices)."
	if !strings.Contains(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestRefusal_TextSaysWhatToDo(t *testing.T) {
	for _, c := range []struct {
		name   string
		limits supervisor.Budget
		house  int64
		want   string
	}{
		{"turn", supervisor.Budget{Turn: 10 * cent, Day: 100 * cent}, 0, "Asking a/b would go beyond your limit for one " +
			"answer, $0.10: $0.07 was spent, $0.02 is set aside for answers under way, and even a short answer may " +
			"cost up to $0.05. Every message that you send has a budget of its own. An admin can raise the limit (users[].budget.turn)."},
		{"day", supervisor.Budget{Turn: 10 * cent, Day: 10 * cent}, 0, "Asking a/b would go beyond your limit for a " +
			"day, $0.10: $0.07 was spent, $0.02 is set aside for answers under way, and even a short answer may cost " +
			"up to $0.05. The limit begins anew on Saturday, 21 November, at 00:00 CET. An admin can raise the limit (users[].budget.day)."},
		{"month", supervisor.Budget{Day: 10 * cent, Month: 10 * cent, Extend: 100 * cent}, 0, "Asking a/b would go beyond " +
			"your limit for a month, $0.10: $0.07 was spent, $0.02 is set aside for answers under way, and even a " +
			"short answer may cost up to $0.05. The limit begins anew on Tuesday, 1 December, at 00:00 CET. An admin can " +
			"raise the limit (users[].budget.month)."},
		{"everybody's", supervisor.Budget{Month: 10 * cent, Extend: 100 * cent}, 10 * cent, "Asking a/b would go beyond the " +
			"limit of everybody here together for a month, $0.10: $0.07 was spent, $0.02 is set aside for answers under way, " +
			"and even a short answer may cost up to $0.05. The limit begins anew on "},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, c.limits)
			r.o.Installation, r.o.Admin = c.house, c.house > 0
			p := New(r.o)
			r.spend(r.turn, 7*cent, 0)
			r.paid(p, bid(2*cent))
			got := r.refused(p, bid(5*cent))
			if c.house == 0 {
				r.same("text", got, c.want)
			} else if !strings.HasPrefix(got, c.want) || !strings.HasSuffix(got,
				"An admin can raise the limit (budget.month).") {
				t.Errorf("got %q", got)
			}
			r.same("asked", len(r.person.asked), 0)
		})
	}
}

// TestRefusal_HidesOthersSpending checks that a group never sees its user's figures. Only admins
// see the spending of all users.
func TestRefusal_HidesOthersSpending(t *testing.T) {
	group := supervisor.Conversation{Channel: supervisor.ChannelTelegram, Chat: "-5"}
	for name, c := range map[string]struct {
		limits supervisor.Budget
		change func(o *Options)
		want   string
	}{
		"in a group": {supervisor.Budget{Day: 10 * cent}, func(o *Options) { o.Destination = group },
			"Asking a/b would go beyond your limit for a day: even a short answer may cost up to $0.05. The limit begins " +
				"anew on Saturday, 21 November, at 00:00 CET. An admin can raise the limit (users[].budget.day)."},
		"an admin in a group": {supervisor.Budget{}, func(o *Options) { o.Destination, o.Installation, o.Admin = group, 10*cent, true },
			"Asking a/b would go beyond the limit of everybody here together for a month: even a short answer may " +
				"cost up to $0.05. The limit begins"},
		"who is no admin": {supervisor.Budget{}, func(o *Options) { o.Installation = 10 * cent },
			"Asking a/b would go beyond the limit of everybody here together for a month: even a short answer may " +
				"cost up to $0.05. The limit begins"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, c.limits)
			c.change(&r.o)
			r.spend(r.turn, 7*cent, 0)
			if got := r.refused(New(r.o), bid(5*cent)); !strings.HasPrefix(got, c.want) {
				t.Errorf("told %q", got)
			}
		})
	}
	r := newRig(t, supervisor.Budget{Day: 10 * cent, Extend: 60 * cent})
	r.o.Destination = group
	r.paid(New(r.o), bid(15*cent))
	r.same("asked", r.person.asked[0].Text,
		fmt.Sprintf(textMayExtend, "Asking a/b would go beyond your limit for a day: even a short answer may cost up to $0.15.", "$0.10"))
}

// TestQuestion_IsSentToDestination covers a turn that answers in another conversation than its own.
func TestQuestion_IsSentToDestination(t *testing.T) {
	r := newRig(t, supervisor.Budget{Turn: 100 * cent, Day: 10 * cent, Extend: 60 * cent})
	r.o.Destination = supervisor.Conversation{ID: 99, User: "alice"}
	r.paid(New(r.o), bid(15*cent))
	r.same("asked in", r.person.asked[0].Conversation, r.o.Destination)
}

func TestExtension_OfDayLimit_IsGranted(t *testing.T) {
	r := newRig(t, supervisor.Budget{Turn: 100 * cent, Day: 10 * cent, Extend: 60 * cent})
	p := New(r.o)
	r.spend(r.turn, 7*cent, 0)
	r.paid(p, bid(15*cent)) // this call costs 12 cents more than is left
	q := r.person.asked[0]
	r.same("amount", q.Amount, int64(25*cent))
	r.same("text", q.Text, fmt.Sprintf(textMayExtend, "Asking a/b would go beyond your limit for a day, $0.10: $0.07 was spent, "+
		"and even a short answer may cost up to $0.15.", "$0.25"))
	r.same("question", []any{q.Turn, q.Conversation, q.Kind, len(q.Subject)},
		[]any{r.turn.ID, r.turn.Conversation, supervisor.QuestionBudget, 64})
	r.paid(p, bid(13*cent)) // the rest of the extension pays for this call
	r.same("asked", len(r.person.asked), 1)
	r.paid(p, bid(30*cent)) // the next of askAmounts is 50 cents, but only 35 cents are allowed
	r.same("the rest of what they may", r.person.asked[1].Amount, int64(35*cent))
	if got := r.refused(p, bid(64*cent)); !strings.Contains(got, "a day, $0.10, raised by $0.60: $0.07 was spent") {
		t.Errorf("got %q", got)
	}
	r.same("asked then", len(r.person.asked), 2)
	r.now = r.now.Add(24 * time.Hour)
	r.paid(New(r.o), bid(10*cent))
	r.paid(New(r.o), bid(11*cent))
	r.same("asked the next day", len(r.person.asked), 3)
}

func TestExtension_OfTurnLimit_IsGranted(t *testing.T) {
	r := newRig(t, supervisor.Budget{Turn: 10 * cent, Day: 20 * cent, Extend: 100 * cent})
	r.paid(New(r.o), bid(31*cent)) // the turn's limit lacks 21 cents for this call, and the day's limit 11
	r.same("asked", len(r.person.asked), 1)
	r.same("amount", r.person.asked[0].Amount, int64(25*cent))
}

// The limit of each turn may be extended, but all turns together stay within the limit of the
// month.
func TestExtension_OfTurn_NeverRaisesMonthLimit(t *testing.T) {
	r := newRig(t, supervisor.Budget{Turn: 10 * cent, Month: 50 * cent, Extend: 300 * cent})
	for _, chat := range []string{"2", "3"} {
		p := New(r.o)
		r.spend(r.turn, 10*cent, r.paid(p, bid(10*cent)))
		r.spend(r.turn, 10*cent, r.paid(p, bid(10*cent)))
		r.turn = r.begin("alice", chat)
		r.o.Turn, r.o.Conversation = r.turn.ID, r.turn.Conversation
	}
	p := New(r.o)
	r.spend(r.turn, 10*cent, r.paid(p, bid(10*cent)))
	r.same("asked", len(r.person.asked), 2)
	if got := r.refused(p, bid(11*cent)); !strings.Contains(got, "your limit for a month, $0.50: ") {
		t.Errorf("got %q", got)
	}
	r.same("asked then", len(r.person.asked), 2)
}

func TestExtension_Denied_UserIsNotAskedAgain(t *testing.T) {
	for _, answer := range []supervisor.AnswerChoice{supervisor.AnswerChoiceNo, supervisor.AnswerChoiceNone,
		supervisor.AnswerChoiceAlways} {
		r := newRig(t, supervisor.Budget{Day: cent, Extend: 100 * cent})
		r.person.says = answer
		p := New(r.o)
		for _, words := range []string{"I asked whether I may spend more, and you did not say yes in time.",
			"You said no to spending more on this answer."} {
			if got := r.refused(p, bid(2*cent)); !strings.Contains(got, words) {
				t.Errorf("got %q", got)
			}
		}
		r.same("asked", len(r.person.asked), 1)
		r.refused(New(r.o), bid(2*cent))
		r.same("asked in another turn", len(r.person.asked), 2)
	}
}

func TestExtension_AskingFails_CallIsRefused(t *testing.T) {
	r := newRig(t, supervisor.Budget{Day: cent, Extend: 100 * cent})
	r.person.err = errors.New("boom")
	if got := r.refused(New(r.o), bid(2*cent)); !strings.Contains(got, "a/b") {
		t.Errorf("got %q", got)
	}
	r.person.err = supervisor.ErrWaitsForAnswer
	_, err := New(r.o).Reserve(t.Context(), bid(2*cent))
	r.same("waits", err == supervisor.ErrWaitsForAnswer, true)
	stop := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	_, err = New(r.o).Reserve(ctx, bid(2*cent))
	r.same("is the cause", errors.Is(err, stop), true)
	r.o.Asker = nil
	r.refused(New(r.o), bid(2*cent))
}

// TestExtension_TwoTurnsAtOnce_IsBounded lets two turns of one user ask at once. Together
// they must not exceed the user's maximum extension.
func TestExtension_TwoTurnsAtOnce_IsBounded(t *testing.T) {
	r := newRig(t, supervisor.Budget{Day: cent, Extend: 50 * cent})
	var group sync.WaitGroup
	for i := range 8 {
		o := r.o
		turn := r.begin("alice", fmt.Sprint("more", i))
		o.Turn, o.Conversation, o.Destination = turn.ID, turn.Conversation, turn.AnswerConversation()
		p := New(o)
		for range 2 {
			group.Go(func() {
				if lease, err := p.Reserve(r.Context(), bid(9*cent)); err == nil {
					r.spend(turn, 9*cent, lease.ID)
					p.OnSettled(lease, true)
				}
			})
		}
	}
	group.Wait()
	sum, err := r.db.Leases().SumLimitExtensions(t.Context(), "alice", at(t, "2026-11-19T23:00:00Z"))
	r.must(err)
	if sum == 0 || sum > 50*cent {
		t.Errorf("they lengthened by %d", sum)
	}
	_, short, err := r.db.Leases().TakeLease(t.Context(), supervisor.LeaseRequest{User: "alice",
		Conversation: r.turn.Conversation.ID,
		Turn:         r.turn.ID, Amount: 1 << 39, Limits: New(r.o).limits()})
	r.must(err)
	if s := short[0]; s.Spent > cent+sum || s.Spent < 9*cent {
		t.Errorf("%+v exceeds the limit", s)
	}
}

func TestExtension_CoversTheShortfall(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lack := rapid.Int64Range(1, 300_000_000).Draw(t, "lack")
		most := rapid.Int64Range(0, 300_000_000).Draw(t, "most")
		got := roundUp(lack, most)
		if (got == 0) != (most < lack) || got != 0 && (got < lack || got > most) {
			t.Fatalf("step(%d, %d) = %d", lack, most, got)
		}
	})
	for lack, want := range map[int64]int64{1: 10 * cent, 10 * cent: 10 * cent, 10*cent + 1: 25 * cent, 60 * cent: 100 * cent,
		3_000_000: 5_000_000, 200_000_000: 200_000_000} {
		if got := roundUp(lack, 1<<40); got != want {
			t.Errorf("step(%d) = %d, want %d", lack, got, want)
		}
	}
}

// TestReserve_CallBeforeTurn_AsksNobody checks that a call before its turn is paid within the
// limits, without a question to the user. The call must not affect the advance of the next turn.
func TestReserve_CallBeforeTurn_AsksNobody(t *testing.T) {
	r := newRig(t, supervisor.Budget{Day: 10 * cent, Extend: 100 * cent})
	r.o.Turn = 0
	lease, err := New(r.o).Reserve(t.Context(), bid(8*cent))
	r.must(err)
	_, err = New(r.o).Reserve(t.Context(), bid(80*cent))
	if failed := new(modelcall.Error); lease.Amount != 8*cent || !errors.As(err, &failed) || failed.Class != modelcall.OverBudget || len(r.person.asked) > 0 {
		t.Errorf("set aside %+v, then %v, asked %+v", lease, err, r.person.asked)
	}
	r.o.Advances.Terms = func(supervisor.Conversation) (Options, bool) { return r.o, true }
	if next := r.o.Advances.NextTurnLease(r.o.Conversation); next != nil {
		t.Errorf("the next turn begins with %+v", next)
	}
	_, err = New(r.o).Reserve(t.Context(), modelcall.CostEstimate{Spec: "a/heard"})
	if err == nil || !strings.Contains(err.Error(), "the price of a/heard is unknown") {
		t.Errorf("without a price: %v", err)
	}
}

// TestPot_HasItsOwnLimits checks that only the pot's own limits count. The user's limits and
// extensions do not count, and the user is not asked.
func TestPot_HasItsOwnLimits(t *testing.T) {
	r := newRig(t, supervisor.Budget{Day: 20 * cent, Month: 1, Turn: 50 * cent, Extend: 100 * cent})
	r.o.Pot = "review/acme/widget"
	reserver := New(r.o)
	lease, err := reserver.Reserve(t.Context(), modelcall.CostEstimate{Spec: "a/b", MaxCost: 15 * cent, Priced: true})
	if err != nil || lease.Amount != 15*cent {
		t.Fatalf("%+v, %v", lease, err)
	}
	if err := r.db.Usage().PutCall(t.Context(), sqlite.ModelCall{User: "alice", Conversation: r.turn.Conversation.ID,
		Turn: r.turn.ID, Spec: "a/b",
		Cost: &lease.Amount, Lease: lease.ID, Pot: r.o.Pot}); err != nil {
		t.Fatal(err)
	}
	_, err = reserver.Reserve(t.Context(), modelcall.CostEstimate{Spec: "a/b", MaxCost: 15 * cent, Priced: true})
	if err == nil || !strings.Contains(err.Error(), "this repository's limit for a day") || !strings.Contains(err.Error(), "github.repos.day") || len(r.person.asked) > 0 {
		t.Errorf("%v; asked %+v", err, r.person.asked)
	}
	r.o.Limits, r.o.Requested = supervisor.Budget{}, cent
	if _, err = New(r.o).Reserve(t.Context(), bid(2*cent)); err == nil || !strings.Contains(err.Error(),
		"your limit for a day of reviews that you request") ||
		!strings.Contains(err.Error(), "github.review.person") {
		t.Errorf("beyond the limit of requests: %v", err)
	}
	r.o.Limits, r.o.Requested = supervisor.Budget{Turn: 16 * cent}, 0
	for kind, want := range map[supervisor.TurnKind][]string{
		supervisor.TurnReview: {"the limit for one review, $0.16", textEachReview, "(github.review.budget)"},
		supervisor.TurnTriage: {"the limit for one triage, $0.16", textEachTriage, "(github.triage.budget)"},
	} {
		r.o.Kind = kind
		text := r.refused(New(r.o), bid(2*cent))
		for _, part := range want {
			if !strings.Contains(text, part) {
				t.Errorf("beyond the limit of a %s: %q, want %q", kind, text, part)
			}
		}
	}
	r.o.Kind, r.o.Pot, r.o.Limits = "", "", supervisor.Budget{Day: 20 * cent}
	if _, err := New(r.o).Reserve(t.Context(), modelcall.CostEstimate{Spec: "a/b", MaxCost: 20 * cent,
		Priced: true}); err != nil {
		t.Errorf("of her own day: %v", err)
	}
}
