package ingress

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/sqlite"
)

const manyWrong = " had a code that is not good; there are many wrong codes in this hour, and no more of theirs are noted"

// invited stores an invite for alice, and returns a message that redeems it.
func (p *fixture) invited() (start func(from int64) supervisor.Incoming) {
	p.t.Helper()
	code, digest := access.NewInviteCode()
	err := p.db.UserAccessStores().Invites.Put(p.t.Context(), sqlite.Invite{Digest: digest, User: "alice",
		ExpiresAt: time.Now().Add(time.Hour)})
	if err != nil {
		p.t.Fatal(err)
	}
	return func(from int64) supervisor.Incoming {
		return p.incoming(from, from, `,"text":"/start `+code.Reveal()+`"`)
	}
}

func TestWrongCodes_OfOneAccount_AuditedOnceADay(t *testing.T) {
	p := newFixture(t)
	for range 20 {
		p.take(1, p.incoming(7, 7, `,"text":"/start x"`), p.incoming(8, 8, `,"text":"/start x"`))
	}
	var many []string
	for _, line := range p.audited {
		if strings.HasSuffix(line, manyWrong) {
			many = append(many, line)
		}
	}
	want := []string{"invite.refused: 7" + manyWrong, "invite.refused: 8" + manyWrong}
	if !slices.Equal(many, want) || len(p.audited) != 12 {
		t.Errorf("noted is %q", p.audited)
	}
}

func TestInvite_BindsOneAccount(t *testing.T) {
	p := newFixture(t)
	code, digest := access.NewInviteCode()
	err := p.db.UserAccessStores().Invites.Put(t.Context(), sqlite.Invite{Digest: digest, User: "alice",
		ExpiresAt: time.Now().Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	start := func(from int64, code string) supervisor.Incoming {
		return p.incoming(from, from, `,"text":"/start `+code+`"`)
	}
	p.take(1, start(303, "WRONG"), start(303, code.Reveal()), start(404, code.Reveal()), p.incoming(303, 303, `,"text":"hello"`))
	if want := []string{"alice@303: /start", "alice@303: hello"}; !slices.Equal(p.texts(), want) {
		t.Errorf("accepted %q, want %q", p.texts(), want)
	}
	want := []string{"invite.refused: 303 had a code that is not good", "invite.refused: 404 had a code that is not good"}
	if !slices.Equal(p.audited, want) {
		t.Errorf("audited %q, want %q", p.audited, want)
	}
	if want := []string{"alice telegram 303"}; !slices.Equal(p.joined, want) {
		t.Errorf("joined have %q, want %q", p.joined, want)
	}
	for range 9 {
		p.take(2, start(404, "WRONG"))
	}
	if last := p.audited[len(p.audited)-1]; last != "invite.refused: 404"+manyWrong {
		t.Errorf("the last of many is audited as %q", last)
	}
	if answers := p.answers("alice", "404"); len(answers) != 0 {
		t.Errorf("a stranger is answered %q", answers)
	}
}

// TestInvite_OtherUsersTry_LeavesInviteValid checks that the owner of a configured account,
// suspended or not, does not use up another user's invite.
func TestInvite_OtherUsersTry_LeavesInviteValid(t *testing.T) {
	p := newFixture(t)
	start := p.invited()
	p.take(1, start(102))
	bob, _ := p.o.People.Find("bob")
	alice, _ := p.o.People.Find("alice")
	if err := p.o.People.SetUsers([]supervisor.User{alice, bob},
		access.StoredUsers{Suspended: []string{"bob"}}); err != nil {
		t.Fatal(err)
	}
	p.take(2, start(102))
	if err := p.o.People.SetUsers([]supervisor.User{alice, bob}, access.StoredUsers{}); err != nil {
		t.Fatal(err)
	}
	p.take(3, start(303), p.incoming(102, 102, `,"text":"hello"`))
	if want := []string{"bob@102: /start", "alice@303: /start", "bob@102: hello"}; !slices.Equal(p.texts(), want) {
		t.Errorf("accepted %q, want %q", p.texts(), want)
	}
	const refused = "invite.refused: 102 had a code for another person than whose account it is"
	if want := []string{refused, refused}; !slices.Equal(p.audited, want) {
		t.Errorf("audited %q, want %q", p.audited, want)
	}
	bound, err := p.db.UserAccessStores().Bindings.List(t.Context())
	if err != nil || len(bound) != 1 || bound[0].Account != "303" {
		t.Errorf("bound are %v, %v", bound, err)
	}
}

// TestInvite_RefreshFailed_RetryAdmitsUser checks that the repeated batch admits the invited user
// if users could not be read again the first time.
func TestInvite_RefreshFailed_RetryAdmitsUser(t *testing.T) {
	p := newFixture(t)
	refresh := p.o.Refresh
	broken := errors.New("the folder is gone")
	p.o.Refresh = func(context.Context) error { return broken }
	in := p.invited()(303)
	for range 7 { // more wrong codes than are audited for one stranger
		if err := p.StoreBatch(t.Context(), []supervisor.Incoming{in}, 1); !errors.Is(err, broken) {
			t.Fatalf("got %v", err)
		}
	}
	p.o.Refresh = refresh
	p.take(1, in)
	if want := []string{"alice@303: /start"}; !slices.Equal(p.texts(), want) || len(p.audited) != 0 {
		t.Errorf("accepted %q, audited %q", p.texts(), p.audited)
	}
}

// TestInvite_StrangersGuess_LeavesInviteValid checks that a right code works after other people
// have tried many wrong codes. The sender of the right code is not audited.
func TestInvite_StrangersGuess_LeavesInviteValid(t *testing.T) {
	p := newFixture(t)
	start := p.invited()
	var crowd []supervisor.Incoming
	for id := range int64(20) {
		for n := range 6 {
			crowd = append(crowd, p.incoming(9000+id, 9000+id, fmt.Sprintf(`,"text":"/start x%d"`, n)))
		}
	}
	p.take(1, crowd...)
	noted := len(p.audited)
	p.take(2, start(303))
	if want := []string{"alice@303: /start"}; !slices.Equal(p.texts(), want) {
		t.Errorf("accepted %q, want %q", p.texts(), want)
	}
	if len(p.audited) != noted {
		t.Errorf("the one with the right code is audited: %q", p.audited[noted:])
	}
	if noted > 30+20 {
		t.Errorf("%d codes of the crowd are noted", noted)
	}
}

// TestInvite_AfterWrongCodes_RightCodeWorks checks that the right code still works after the
// maximum of audited wrong codes.
func TestInvite_AfterWrongCodes_RightCodeWorks(t *testing.T) {
	p := newFixture(t)
	start := p.invited()
	for range 12 {
		p.take(1, p.incoming(303, 303, `,"text":"/start WRONG"`))
	}
	p.take(2, start(303))
	if want := []string{"alice@303: /start"}; !slices.Equal(p.texts(), want) {
		t.Errorf("accepted %q, want %q", p.texts(), want)
	}
}

// TestInvite_OfSuspendedUser_IsRefused checks that the invite of a suspended user admits nobody,
// and offers nothing.
func TestInvite_OfSuspendedUser_IsRefused(t *testing.T) {
	p := newFixture(t)
	p.o.Seal = access.NewSealer([access.SealingKeySize]byte{1})
	start := p.invited()
	must(t, p.db.UserAccessStores().People.Suspend(t.Context(), "alice", true))
	p.take(1, start(303))
	bound, err := p.db.UserAccessStores().Bindings.List(t.Context())
	if err != nil || len(bound) != 0 || len(p.texts()) != 0 {
		t.Errorf("bound are %v, %v; accepted %q", bound, err, p.texts())
	}
	if want := []string{"invite.refused: 303 had a code that is not good"}; !slices.Equal(p.audited, want) {
		t.Errorf("audited %q", p.audited)
	}

	// now alice is admitted, with the right to a second factor
	must(t, p.db.UserAccessStores().People.Suspend(t.Context(), "alice", false))
	code, digest := access.NewInviteCode()
	must(t, p.db.UserAccessStores().Invites.Put(t.Context(), sqlite.Invite{Digest: digest, User: "alice",
		ExpiresAt: time.Now().Add(time.Hour), Enrol: true}))
	_, err = p.db.UserAccessStores().Invites.Redeem(t.Context(), digest, supervisor.ChannelTelegram, "101", "alice")
	must(t, err)
	alice, _ := p.o.People.Find("alice")
	must(t, p.o.People.SetUsers([]supervisor.User{alice}, access.StoredUsers{Suspended: []string{"alice"}}))
	p.take(2, p.incoming(101, 101, `,"text":"/start `+code.Reveal()+`"`))
	l := p.incoming(101, 101, `,"text":"/start"`)
	must(t, p.pairing.offer(t.Context(), alice, &l))
	if answers := p.answers("alice", "101"); len(answers) != 0 {
		t.Errorf("offered was %q", answers)
	}
}

func TestSecondFactorStatus_SaysIfCodeIsRequired(t *testing.T) {
	for codes, want := range map[supervisor.TOTPPolicy]string{
		supervisor.TOTPRequired: "Your chat is locked by a second factor.",
		supervisor.TOTPOptional: "Your chat can be locked by a second factor. It is not locked yet: it will be from the first code",
		"":                      "Your chat can be locked by a second factor. It is not locked yet: it will be from the first code",
	} {
		if got := factorStatus(codes); !strings.HasPrefix(got, want) {
			t.Errorf("%q: %q", codes, got)
		}
	}
}

// TestInviteCode_IsStoredNowhere checks that an unused invite code is not stored, because it stays
// valid.
func TestInviteCode_IsStoredNowhere(t *testing.T) {
	p := newFixture(t)
	code, _ := access.NewInviteCode()
	text := `,"text":"/start@mews_bot ` + code.Reveal() + `"`
	p.take(1, p.incoming(-7, 101, text), p.incoming(-9, 102, text), p.incoming(101, 101, text))
	if want := []string{"alice@-7: /start", "alice@101: /start"}; !slices.Equal(p.texts(), want) {
		t.Errorf("accepted %q, want %q", p.texts(), want)
	}
	var all bytes.Buffer
	for _, user := range []string{"alice", "bob"} {
		must(t, p.db.UserAccessStores().People.Export(t.Context(), user, &all))
	}
	if strings.Contains(all.String(), code.Reveal()) || !strings.Contains(all.String(), "/start") {
		t.Errorf("kept is %s", all.String())
	}
	if strings.Contains(strings.Join(p.audited, "\n"), code.Reveal()) {
		t.Errorf("audited %q", p.audited)
	}
}

// TestWrongCode_RepeatedUpdate_CountsOnce checks that a repeated update counts as one try.
func TestWrongCode_RepeatedUpdate_CountsOnce(t *testing.T) {
	p := newFixture(t)
	start, wrong := p.invited(), p.incoming(303, 303, `,"text":"/start WRONG"`)
	for range 9 { // more wrong codes than are audited for one stranger
		p.take(1, wrong)
	}
	p.take(2, start(303))
	if want := []string{"alice@303: /start"}; !slices.Equal(p.texts(), want) {
		t.Errorf("accepted %q, want %q; audited %q", p.texts(), want, p.audited)
	}
}
