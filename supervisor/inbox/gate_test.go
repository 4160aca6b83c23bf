package inbox_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/inbox"
	"mews/supervisor/problem"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// fakeGate decides by the text of an inbound, and records its calls.
type fakeGate struct {
	says  map[string]supervisor.GateDecision
	err   error
	asked []string
}

func (p *fakeGate) Check(_ context.Context, in supervisor.Inbound) (supervisor.GateDecision, error) {
	p.asked = append(p.asked, string(in.Kind)+" "+in.Text)
	return p.says[in.Text], p.err
}

var closed = &supervisor.GateCheck{IdleTimeout: time.Hour, Lifetime: time.Hour, Challenge: "Send your code."}

// right accepts the first code of a second factor, and refuses every later code.
func right(f supervisor.SecondFactor, _ time.Time) (supervisor.SecondFactor, supervisor.LoginCodeResult) {
	if f.LastPeriod == 1 {
		return f, supervisor.LoginCodeResult{Action: "login.refused", Text: "Wrong."}
	}
	f.LastPeriod, f.Secret = 1, []byte("s")
	return f, supervisor.LoginCodeResult{Right: true, Action: "login", Text: "Right."}
}

func newPorter() *fakeGate {
	return &fakeGate{says: map[string]supervisor.GateDecision{
		"guarded": {Check: closed}, "/guarded": {Check: closed}, "123456": {CheckCode: right},
		"spam": {Refusal: "Too much at once.", Code: supervisor.CodeUnavailable}, "/spam": {Refusal: "Too much at once."},
		"more spam": {Refusal: "Too much at once.", AlreadyTold: true},
	}}
}

func TestGate_Missing_RefusesAllMessages(t *testing.T) {
	db, h := sqlitetest.Open(t), &heard{}
	box := h.inbox(db.Inbox(), nil)
	if _, err := box.StoreInbound(t.Context(), message("k", "/stop")); err == nil {
		t.Error("a message was taken")
	}
	if err := put(t, box, 9, item(1, "ann", "/stop")); err == nil {
		t.Error("a batch was taken")
	}
	if next, err := db.Inbox().NextUpdateNumber(t.Context(), source); err != nil || next != 0 {
		t.Errorf("the source has forgotten up to %d, %v", next, err)
	}
	if d := cmp.Diff(heard{}, *h, cmp.AllowUnexported(heard{})); d != "" {
		t.Error(d)
	}
}

func TestGate_Error_RefusesAllMessages(t *testing.T) {
	db, h, broken := sqlitetest.Open(t), &heard{}, errors.New("the gate is broken")
	box := h.inbox(db.Inbox(), &fakeGate{err: broken})
	if _, err := box.StoreInbound(t.Context(), message("k", "hello")); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	err := put(t, box, 9, item(1, "ann", "hello"))
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "a message of ann") {
		t.Errorf("got %v", err)
	}
	if len(h.accepted)+len(h.unkept) != 0 {
		t.Errorf("handed on was %+v", h)
	}
}

func TestGate_ChecksEveryKindOfInbound(t *testing.T) {
	db, h, p := sqlitetest.Open(t), &heard{}, newPorter()
	box := h.inbox(db.Inbox(), p)
	press, forged, answered := item(3, "ann", "/stop"), item(4, "ann", "hello"), item(5, "ann", "(a photo)")
	press.Inbound.Kind, forged.Inbound.Kind, answered.Answer = supervisor.KindPress, supervisor.KindLoginCode,
		"I can't see it."
	if err := put(t, box, 9, item(1, "ann", "hello"), item(2, "ann", "/stop"), press, forged, answered); err != nil {
		t.Fatal(err)
	}
	pressed := message("p", "/stop")
	pressed.Kind = supervisor.KindPress
	if kept, err := box.StoreInbound(t.Context(), pressed); err != nil || kept.Kind != supervisor.KindPress {
		t.Errorf("kept is %+v, %v", kept, err)
	}
	want := []string{"text hello", "command /stop", "press /stop", "text hello", "text (a photo)", "press /stop"}
	if d := cmp.Diff(want, p.asked); d != "" {
		t.Error(d)
	}
	if list, err := db.Inbox().ListPresses(t.Context()); err != nil || len(list) != 2 {
		t.Errorf("presses are %+v, %v", list, err)
	}
}

func TestGate_RefusedMessage_IsNotStored(t *testing.T) {
	db, h := sqlitetest.Open(t), &heard{}
	box := h.inbox(db.Inbox(), newPorter())
	for text, want := range map[string]supervisor.ErrorCode{"spam": supervisor.CodeUnavailable,
		"more spam": supervisor.CodeForbidden} {
		_, err := box.StoreInbound(t.Context(), message("k", text))
		if supervisor.ErrorCodeOf(err) != want || problem.UserText(err) != "Too much at once." {
			t.Errorf("%s: got %v", text, err)
		}
	}
	err := put(t, box, 9, item(1, "ann", "hello"), item(2, "ann", "spam"), item(3, "ann", "/spam"), item(4, "ann", "more spam"))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"hello"}, h.accepted); d != "" {
		t.Error(d)
	}
	answers, err := db.Outbox().ListPending(t.Context(), h.answered[0], 0, 10)
	if err != nil || len(answers) != 2 || answers[0].Text != "Too much at once." || answers[1].Text != "Too much at once." {
		t.Errorf("told is %+v, %v", answers, err)
	}
	same := item(2, "ann", "another").Inbound
	same.Source, same.Kind = source, supervisor.KindText
	again, _, err := db.Inbox().StoreInbound(t.Context(), same)
	if err != nil || again.Text != "(a message that could not be taken)" || again.State != supervisor.InboundAnswered {
		t.Errorf("kept is %+v, %v", again, err)
	}
	if err := put(t, box, 0, item(4, "ann", "more spam")); err != nil || len(h.answered) != 1 {
		t.Errorf("a batch of what is dropped: %v, %v", err, h.answered)
	}
}

func TestGate_HeldMessage_PassesAfterCode(t *testing.T) {
	db, h := sqlitetest.Open(t), &heard{}
	box := h.inbox(db.Inbox(), newPorter())
	if err := put(t, box, 9, item(1, "ann", "guarded"), item(2, "ann", "/guarded")); err != nil {
		t.Fatal(err)
	}
	if len(h.accepted) != 0 || len(h.answered) != 1 {
		t.Fatalf("handed on was %+v", h)
	}
	for range 2 { // the second time is a repeated batch
		*h = heard{}
		if err := put(t, box, 9, item(3, "ann", "123456"), item(4, "ann", "guarded")); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff(heard{accepted: []string{"guarded"}, answered: h.answered}, *h, cmp.AllowUnexported(heard{})); d != "" {
		t.Error(d)
	}
	*h = heard{}
	if err := put(t, box, 9, item(1, "ann", "guarded"), item(2, "ann", "/guarded")); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"guarded", "/guarded"}, h.accepted); d != "" {
		t.Error(d)
	}
}

func TestStoreInbound_AsksGateLikeStoreBatch(t *testing.T) {
	db, h := sqlitetest.Open(t), &heard{}
	box := h.inbox(db.Inbox(), newPorter())
	for _, c := range []struct {
		key, text, kept string
		kind            supervisor.InboundKind
		held            bool
		accepted        []string
	}{
		{"1", "guarded", "guarded", supervisor.KindText, true, nil},
		{"2", "123456", "(a code)", supervisor.KindLoginCode, false, []string{"guarded"}},
		{"3", "guarded", "guarded", supervisor.KindText, false, []string{"guarded"}},
		{"4", "hello", "hello", supervisor.KindText, false, []string{"hello"}},
	} {
		*h = heard{}
		kept, err := box.StoreInbound(t.Context(), message(c.key, c.text))
		if err != nil || kept.Text != c.kept || kept.Kind != c.kind || kept.Held != c.held {
			t.Errorf("%s: kept is %+v, %v", c.text, kept, err)
		}
		if d := cmp.Diff(c.accepted, h.accepted); d != "" {
			t.Errorf("%s: %s", c.text, d)
		}
		if told := len(h.answered) == 1; told != (c.held || c.kind == supervisor.KindLoginCode) {
			t.Errorf("%s: told is %v", c.text, h.answered)
		}
	}
}

// failingStore is a store whose first calls fail.
type failingStore struct {
	inbox.Store
	fails *int
}

func (f failingStore) failed() error {
	if *f.fails > 0 {
		*f.fails--
		return errors.New("disk I/O error")
	}
	return nil
}

func (f failingStore) StoreInbound(ctx context.Context, in supervisor.Inbound) (supervisor.Inbound, bool, error) {
	if err := f.failed(); err != nil {
		return in, false, err
	}
	return f.Store.StoreInbound(ctx, in)
}

func (f failingStore) StoreBatch(ctx context.Context, b supervisor.InboundBatch) (supervisor.BatchReceipt, error) {
	if err := f.failed(); err != nil {
		return supervisor.BatchReceipt{}, err
	}
	return f.Store.StoreBatch(ctx, b)
}

// TestGate_StoreFailed_RepeatIsStored checks that a failure of the store loses no message: the
// repeated message does not count as too fast.
func TestGate_StoreFailed_RepeatIsStored(t *testing.T) {
	people, err := access.NewPeople([]supervisor.User{{Name: "ann"}, {Name: "bob"}}, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	db, h, fails := sqlitetest.Open(t), &heard{}, 2
	gate := access.NewGate(access.Options{People: people, Factors: db.UserAccessStores().Factors,
		Logins: db.UserAccessStores().Logins,
		Now:    time.Now, Command: func(string) (c supervisor.SlashCommand) { return c },
		Held:        db.Inbox().CountReleasableInbounds,
		AlertAdmins: func(_, _ string) {}, Limits: access.GateLimits{Burst: 20, PerSecond: 1e-9}})
	box := h.inbox(failingStore{db.Inbox(), &fails}, gate)
	var batch []supervisor.BatchItem
	for i := range int64(20) {
		batch = append(batch, item(i+1, "ann", "hello"))
	}
	for _, want := range []int{0, 0, 20} {
		if err := put(t, box, 21, batch...); (err == nil) != (want > 0) {
			t.Fatal(err)
		}
		if len(h.accepted) != want {
			t.Errorf("accepted were %q", h.accepted)
		}
	}
	if err := put(t, box, 22, item(21, "ann", "one more")); err != nil || len(h.accepted) != 20 {
		t.Errorf("beyond what is taken at once: %v, %q", err, h.accepted)
	}
	for i := range 20 {
		fails = 1
		in := message(strconv.Itoa(i), "hello")
		in.Conversation.User = "bob"
		if _, err := box.StoreInbound(t.Context(), in); err == nil {
			t.Fatal("the store did not fail")
		}
		if _, err := box.StoreInbound(t.Context(), in); err != nil {
			t.Errorf("message %d: %v", i, err)
		}
	}
}

// enrolled gives ann, who is 42 on Telegram, an active second factor. seal is the key that sealed
// the factor.
func enrolled(t *testing.T, db *sqlite.DB) (people *access.People, seal *access.Sealer, codes []access.Secret) {
	t.Helper()
	people, err := access.NewPeople([]supervisor.User{{Name: "ann",
		Accounts: map[supervisor.Channel]string{supervisor.ChannelTelegram: "42"}}}, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	seal = access.NewSealer([access.SealingKeySize]byte{7})
	made, err := seal.NewEnrolment("ann")
	if err != nil {
		t.Fatal(err)
	}
	codes, digests := access.NewRecoveryCodes()
	confirm := func(f supervisor.SecondFactor, _ time.Time) (supervisor.SecondFactor, supervisor.LoginCodeResult) {
		f.Confirmed = true
		return f, supervisor.LoginCodeResult{Right: true, Action: "totp.enrolled", Text: "Confirmed."}
	}
	if err := db.UserAccessStores().Factors.Put(t.Context(), "ann", made.Sealed, digests); err != nil {
		t.Fatal(err)
	}
	if _, err := db.UserAccessStores().Factors.TryCode(t.Context(), "ann", confirm, "in a test"); err != nil {
		t.Fatal(err)
	}
	return people, seal, codes
}

// TestRecoveryCode_KeyMissing_IsNotStored checks that recovery codes are not stored while the key
// of the second factors is missing. All other messages are stored and answered. The test sends
// recovery codes alone, mistyped and among words; they will be valid again with the key.
func TestRecoveryCode_KeyMissing_IsNotStored(t *testing.T) {
	db, h := sqlitetest.Open(t), &heard{}
	people, _, codes := enrolled(t, db)
	box := h.inbox(db.Inbox(), access.NewGate(access.Options{People: people, Factors: db.UserAccessStores().Factors,
		Logins: db.UserAccessStores().Logins,
		Now:    time.Now, Command: func(string) (c supervisor.SlashCommand) { return c },
		Held:        db.Inbox().CountReleasableInbounds,
		AlertAdmins: func(_, _ string) {}}))
	code := codes[0].Reveal()
	mistyped := code[:len(code)-1] + map[bool]string{true: "2", false: "3"}[strings.HasSuffix(code, "3")]
	texts := []string{code, mistyped, "my code is " + code, "/ask " + code, "hello"}
	for i, text := range texts {
		one := item(int64(i+1), "ann", text)
		one.Inbound.Sender, one.Raw = "42", `{"text":"`+text+`"}`
		if err := put(t, box, int64(i+2), one); err != nil {
			t.Fatal(err)
		}
		typed := message("terminal"+strconv.Itoa(i), text)
		if _, err := box.StoreInbound(t.Context(), typed); err != nil && !strings.Contains(problem.UserText(err),
			"Your chat stays locked:") {
			t.Fatal(err)
		}
	}
	var kept strings.Builder
	if err := db.UserAccessStores().People.Export(t.Context(), "ann", &kept); err != nil {
		t.Fatal(err)
	}
	if all := kept.String(); strings.Contains(all, code[:len(code)-1]) || !strings.Contains(all, "hello") {
		t.Errorf("kept is %s", all)
	}
	if n := strings.Count(kept.String(), "Your chat stays locked:"); n < len(texts) {
		t.Errorf("it was said %d times why", n)
	}
	if clean, err := db.MessageCleanups().ListDue(t.Context(), supervisor.ChannelTelegram, time.Now(), 9); err != nil ||
		len(clean) != 2 {
		t.Errorf("to be taken away are %+v, %v", clean, err)
	}
	if f, _, err := db.UserAccessStores().Factors.Find(t.Context(), "ann"); err != nil ||
		len(f.Recovery) != len(codes) ||
		len(h.accepted) != 0 {
		t.Errorf("%d codes are left, %v; handed on were %q", len(f.Recovery), err, h.accepted)
	}
}

// TestRecoveryCode_IsStoredNowhere checks that a recovery code is never stored, in any chat. Its
// message is deleted, and the code is no longer valid.
func TestRecoveryCode_IsStoredNowhere(t *testing.T) {
	db, h := sqlitetest.Open(t), &heard{}
	people, seal, codes := enrolled(t, db)
	box := h.inbox(db.Inbox(), access.NewGate(access.Options{People: people, Factors: db.UserAccessStores().Factors,
		Logins: db.UserAccessStores().Logins, Seal: seal, Now: time.Now,
		Command: func(string) (c supervisor.SlashCommand) { return c }, Held: db.Inbox().CountReleasableInbounds,
		AlertAdmins: func(_, _ string) {}}))
	send := func(update int64, chat string, n int) {
		t.Helper()
		one := item(update, "ann", codes[n].Reveal())
		one.Inbound.Conversation.Chat, one.Inbound.Sender, one.Raw = chat, "42", codes[n].Reveal()
		if err := put(t, box, update+1, one); err != nil {
			t.Fatal(err)
		}
		kept, _, err := db.Inbox().StoreInbound(t.Context(), supervisor.Inbound{Conversation: one.Inbound.Conversation,
			Source: source,
			Key:    one.Inbound.Key, Kind: supervisor.KindText, Text: "x"})
		if err != nil || kept.Text != "(a code)" || kept.State != supervisor.InboundAnswered {
			t.Errorf("kept is %+v, %v", kept, err)
		}
		f, _, err := db.UserAccessStores().Factors.Find(t.Context(), "ann")
		if err != nil || len(f.Recovery) != len(codes)-int(update) {
			t.Errorf("%d codes are left, %v", len(f.Recovery), err)
		}
		if clean, err := db.MessageCleanups().ListDue(t.Context(), supervisor.ChannelTelegram, time.Now(),
			9); err != nil || len(clean) != int(update) {
			t.Errorf("to be taken away are %+v, %v", clean, err)
		}
	}
	send(1, "-7", 0)
	if _, open, err := db.UserAccessStores().Logins.FindLogin(t.Context(), "ann", supervisor.ChannelTelegram,
		"-7"); open ||
		err != nil {
		t.Errorf("the group is open: %v, %v", open, err)
	}
	send(2, "42", 1)
	send(3, "42", 2) // sent while the gate is open
	if n, err := db.Inbox().DeleteRawUpdates(t.Context(), time.Now().Add(time.Hour)); n != 0 || err != nil {
		t.Errorf("%d updates were kept as they came, %v", n, err)
	}
	if len(h.accepted) != 0 {
		t.Errorf("handed on were %q", h.accepted)
	}
}

func TestLock_AppliesToNextMessage(t *testing.T) {
	db, h, p := sqlitetest.Open(t), &heard{}, newPorter()
	p.says["/lock"] = supervisor.GateDecision{Lock: supervisor.LockChatGate}
	box := h.inbox(db.Inbox(), p)
	send := func(key, text string, held bool) {
		t.Helper()
		if kept, err := box.StoreInbound(t.Context(), message(key, text)); err != nil || kept.Held != held {
			t.Errorf("%s: %+v, %v", text, kept, err)
		}
	}
	send("1", "123456", false)
	send("2", "guarded", false)
	send("3", "/lock", false)
	send("4", "guarded", true)
	if d := cmp.Diff([]string{"guarded", "/lock"}, h.accepted); d != "" {
		t.Error(d)
	}
}

func TestGate_FullDisk_KeepsRefusing(t *testing.T) {
	h := &heard{}
	box := h.inbox(fullBatchStore{}, newPorter())
	err := put(t, box, 9, item(1, "ann", "/guarded"), item(2, "ann", "/stop"), item(3, "ann", "123456"))
	if problem.UserText(err) != "The disk is full." {
		t.Errorf("got %v", err)
	}
	if _, err := box.StoreInbound(t.Context(), message("k", "/guarded")); err == nil {
		t.Error("it was taken")
	}
	if d := cmp.Diff([]string{"7 /stop"}, h.unkept); d != "" {
		t.Error(d)
	}
}
