package access_test

import (
	"context"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/command"
	"mews/supervisor/slash"
)

var noon = time.Date(2026, 9, 14, 12, 0, 0, 0, time.UTC)

// annsID is ann's number on Telegram, and that of her private chat there.
const annsID = 101

// kept are factors and logins as a store keeps them.
type kept struct {
	mu      sync.Mutex // guards what follows
	factors map[string]supervisor.Factor
	logins  map[access.Binding]supervisor.Login
	broken  error
}

func (k *kept) Find(_ context.Context, user string) (supervisor.Factor, bool, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	f, ok := k.factors[user]
	return f, ok, k.broken
}

func (k *kept) FindLogin(_ context.Context, user string, channel supervisor.Channel, chat string) (supervisor.Login, bool, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	l, ok := k.logins[access.Binding{Channel: channel, Account: chat, User: user}]
	return l, ok, k.broken
}

// attempt is the transaction in which a code is tried.
func (k *kept) attempt(user string, decide supervisor.CheckCode, now time.Time) supervisor.CodeResult {
	k.mu.Lock()
	defer k.mu.Unlock()
	f, v := decide(k.factors[user], now)
	k.factors[user] = f
	return v
}

func (k *kept) open(user string, channel supervisor.Channel, chat string, at time.Time) {
	k.logins[access.Binding{Channel: channel, Account: chat, User: user}] =
		supervisor.Login{User: user, Channel: channel, Chat: chat, OpenedAt: at, UsedAt: at}
}

// rig is a gate with ann and bob before it, and a clock that stands.
type rig struct {
	*access.Gate
	*kept
	people *access.People
	seal   *access.Seal
	now    time.Time
	secret string   // ann's
	codes  []string // ann's recovery codes
	alarms []string

	held    map[supervisor.Conversation]int64 // inbounds that a code from there lets through
	heldErr error
}

func newRig(t testing.TB) *rig {
	p := &rig{seal: access.NewSeal(key), now: noon, kept: &kept{
		factors: map[string]supervisor.Factor{}, logins: map[access.Binding]supervisor.Login{}}}
	p.people = newPeople(t, supervisor.CodesOptional)
	p.gate(p.seal)
	return p
}

func newPeople(t testing.TB, codes supervisor.Codes) *access.People {
	t.Helper()
	p, err := access.New([]supervisor.User{
		{Name: "ann", Role: supervisor.RoleUser, Accounts: map[supervisor.Channel]string{supervisor.ChannelTelegram: strconv.Itoa(annsID)}, Timezone: "Asia/Kathmandu", Codes: codes},
		{Name: "bob", Role: supervisor.RoleUser, Accounts: map[supervisor.Channel]string{supervisor.ChannelTelegram: "102"}, Codes: codes},
	}, own, accounts)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *rig) gate(seal *access.Seal) {
	commands, err := command.New(command.Options{})
	if err != nil {
		panic(err)
	}
	p.Gate = access.NewGate(access.Options{People: p.people, Factors: p.kept, Logins: p.kept, Seal: seal,
		Command: commands.Find,
		Now:     func() time.Time { return p.now }, Held: func(_ context.Context, c supervisor.Conversation) (int64, error) { return p.held[c], p.heldErr },
		AlertAdmins: func(user, text string) { p.alarms = append(p.alarms, user+": "+text) }})
}

// enrolled gives ann a factor.
func (p *rig) enrolled(t testing.TB, confirmed bool) {
	e := enrol(t, p.seal, "ann")
	codes, digests := access.NewRecovery()
	p.codes = nil
	for _, c := range codes {
		p.codes = append(p.codes, c.Reveal())
	}
	p.secret = e.Secret.Reveal()
	p.factors["ann"] = supervisor.Factor{User: "ann", Secret: e.Sealed, Confirmed: confirmed, Recovery: digests}
}

// code is what an app shows at that time.
func code(secret string, at time.Time) string {
	text, err := totp.GenerateCode(secret, at)
	if err != nil {
		panic(err)
	}
	return text
}

// wrong is a code that is none of those around that time.
func wrong(secret string, at time.Time) string {
	near := map[string]bool{}
	for step := -2; step <= 2; step++ {
		near[code(secret, at.Add(time.Duration(step)*30*time.Second))] = true
	}
	for n := 100_000; ; n++ {
		if text := strconv.Itoa(n); !near[text] {
			return text
		}
	}
}

// try has ann try a code at the porch's time.
func (p *rig) try(text string) supervisor.CodeResult {
	return p.attempt("ann", p.DecideLogin("ann", text), p.now)
}

func (p *rig) meet(t testing.TB, in supervisor.Inbound) supervisor.GateDecision {
	t.Helper()
	m, err := p.Check(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// from is something that a user sent in a chat of a channel. On Telegram ann sent it.
func from(user string, channel supervisor.Channel, chat, text string) supervisor.Inbound {
	in := supervisor.Inbound{Conversation: supervisor.Conversation{User: user, Channel: channel, Chat: chat},
		Kind: supervisor.KindText, Text: text}
	if channel == supervisor.ChannelTelegram {
		in.Sender = strconv.Itoa(annsID)
	}
	return in
}

// typed is something that ann wrote in the terminal.
func typed(text string) supervisor.Inbound { return from("ann", supervisor.ChannelTerminal, "", text) }

// commanded is the same as a command.
func commanded(in supervisor.Inbound) supervisor.Inbound {
	in.Kind = supervisor.KindCommand
	in.Command, _ = slash.Parse(in.Text)
	return in
}

func pressed(in supervisor.Inbound) supervisor.Inbound {
	in.Kind = supervisor.KindPress
	return in
}
