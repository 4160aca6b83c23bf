package app_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/inbox"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// guessCount is how many users guess at the same time.
const guessCount = 100

// barrierGate makes all messages wait until all have arrived. So each message finds the gate still
// closed.
type barrierGate struct {
	*access.Gate
	all *sync.WaitGroup
}

func (c barrierGate) Check(ctx context.Context, in supervisor.Inbound) (supervisor.GateDecision, error) {
	m, err := c.Gate.Check(ctx, in)
	c.all.Done()
	c.all.Wait()
	return m, err
}

// guessRig is bob's gate over a real database, with the messages that it let through.
type guessRig struct {
	t      *testing.T
	db     *sqlite.DB
	gate   *access.Gate
	secret string

	mu     sync.Mutex // guards the field named through
	passed []string
}

func newGuessRig(t *testing.T) *guessRig {
	b := &guessRig{t: t, db: sqlitetest.Open(t)}
	people, err := access.NewPeople([]supervisor.User{{Name: "bob",
		Accounts: map[supervisor.Channel]string{supervisor.ChannelTelegram: "101"}, Codes: supervisor.TOTPRequired}},
		1, nil)
	if err != nil {
		t.Fatal(err)
	}
	seal := access.NewSealer([access.SealingKeySize]byte{1})
	made, err := seal.NewEnrolment("bob")
	if err != nil {
		t.Fatal(err)
	}
	b.secret = made.Secret.Reveal()
	store := b.db.UserAccessStores()
	if err := store.Factors.Put(t.Context(), "bob", made.Sealed, nil); err != nil {
		t.Fatal(err)
	}
	b.gate = access.NewGate(access.Options{People: people, Factors: store.Factors, Logins: store.Logins, Seal: seal, Now: time.Now,
		Limits: access.GateLimits{Burst: 10 * guessCount}})
	v, err := store.Factors.TryCode(t.Context(), "bob", b.gate.DecideEnrolment("bob", b.code(-30*time.Second)),
		"by the test")
	if err != nil || !v.Right {
		t.Fatalf("enrol: %+v, %v", v, err)
	}
	b.send(b.gate, "held", "hello")
	return b
}

// code returns the code that is valid for bob after a time from now.
func (b *guessRig) code(later time.Duration) string {
	code, err := totp.GenerateCode(b.secret, time.Now().Add(later))
	if err != nil {
		b.t.Fatal(err)
	}
	return code
}

// send sends a text to an inbox behind a gate.
func (b *guessRig) send(gate inbox.Gate, key, text string) {
	box := inbox.New(inbox.Options{Store: b.db.Inbox(), Gate: gate, Conversations: b.db.Conversations(), Queued: func(int64) {},
		Accepted: func(in supervisor.Inbound) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.passed = append(b.passed, in.Text)
		}})
	err := box.StoreBatch(b.t.Context(), supervisor.InboundBatch{Source: "test",
		Items: []supervisor.BatchItem{{Inbound: supervisor.Inbound{
			Conversation: supervisor.Conversation{User: "bob", Channel: supervisor.ChannelTelegram, Chat: "101"},
			Key:          key, Message: key, Sender: "101", Text: text}}}})
	if err != nil {
		b.t.Error(err)
	}
}

// guess sends a hundred texts at the same time.
func (b *guessRig) guess(text func(i int) string) {
	var met, done sync.WaitGroup
	met.Add(guessCount)
	for i := range guessCount {
		done.Go(func() { b.send(barrierGate{b.gate, &met}, fmt.Sprint("guess", i), text(i)) })
	}
	done.Wait()
}

// checkAudit fails unless the audit log has the wanted number of rows of each action.
func (b *guessRig) checkAudit(want map[string]int) {
	b.t.Helper()
	rows, err := b.db.Audit().List(b.t.Context(), sqlite.AuditFilter{Action: "login", Limit: 10 * guessCount})
	if err != nil {
		b.t.Fatal(err)
	}
	got := map[string]int{}
	for _, r := range rows {
		got[r.Action]++
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		b.t.Errorf("the audit log has %v, want %v", got, want)
	}
}

// A hundred messages bring the same right code at once. The gate opens once.
func TestGate_SameCode100Times_OpensOnce(t *testing.T) {
	b := newGuessRig(t)
	code := b.code(0)
	b.guess(func(int) string { return code })
	b.checkAudit(map[string]int{"login": 1, "login.refused": guessCount - 1})
	if len(b.passed) != 1 || b.passed[0] != "hello" {
		t.Errorf("%q was let through, want what was held, once", b.passed)
	}
}

// A hundred codes come at once. After five wrong codes, even a right code is refused.
func TestGate_FiveWrongCodes_LockUserOut(t *testing.T) {
	b := newGuessRig(t)
	right := map[string]bool{b.code(-30 * time.Second): true, b.code(0): true, b.code(30 * time.Second): true}
	b.guess(func(i int) string {
		for n := 100_000 + i*10; ; n++ {
			if code := fmt.Sprint(n); !right[code] {
				return code
			}
		}
	})
	b.checkAudit(map[string]int{"login.barred": guessCount - 5, "login.locked": 1, "login.refused": 4})
	b.send(b.gate, "late", b.code(0))
	b.checkAudit(map[string]int{"login.barred": guessCount - 4, "login.locked": 1, "login.refused": 4})
	if len(b.passed) != 0 {
		t.Errorf("%q was let through", b.passed)
	}
}
