package app_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/sqlite"
	"mews/supervisor/telegram/telegramtest"
)

const (
	locked     = "Locked. Send the six digits"
	unlocked   = "Unlocked for 2 hours at most. If you send nothing for 30 minutes, I lock again."
	lockedFor5 = "Wrong code, for the 5th time."
)

// A user behind a closed gate is asked for a code once. After the code, all their messages are
// answered once and in order. Typed codes are not stored.
func TestGate_RightCode_AnswersHeldMessages(t *testing.T) {
	t.Parallel()
	l := newGatedService(t, modeltest.EchoScript, "", "alice, role: admin, totp: off", "bob, totp: required")
	l.enrol("bob")
	l.open()
	for _, text := range []string{"one", "two", "three"} {
		l.say("bob", text)
	}
	l.sayAndAwait("alice", "hello", "echo: hello") // alice's answer comes after bob's earlier update
	l.awaitTold("bob", 0, locked)
	bad, good := l.wrongCode("bob"), l.code("bob", 0)
	wrong := l.sayAndAwait("bob", bad, "Wrong code. 4 tries are left")
	if heard := l.askedTexts(); !slices.Equal(heard, []string{"hello"}) {
		t.Errorf("the model was asked %q while the gate was closed", heard)
	}
	right := l.say("bob", good[:3]+" "+good[3:])
	l.awaitTold("bob", 2, unlocked, "echo: one", "echo: two", "echo: three")
	l.awaitDeleted("bob", wrong)
	l.awaitDeleted("bob", right)
	// a code never reaches the model, even if it was used before
	l.awaitDeleted("bob", l.sayAndAwait("bob", good, "That code was used already"))
	for _, word := range []string{bad, good, good[:3] + " " + good[3:]} {
		l.checkNowhere(word)
	}
	if heard := l.askedTexts(); !slices.Equal(heard, []string{"hello", "one", "two", "three"}) {
		t.Errorf("the model was asked %q", heard)
	}
	l.shut()
	if n := l.QueryCount("SELECT count(*) FROM inbox WHERE held = 1 OR state NOT IN ('done', 'answered')"); n != 0 {
		t.Errorf("%d messages are left over", n)
	}
}

// Each message extends the login, up to its maximum duration. A restart does not change that.
func TestLogin_InUse_IsExtendedUpToMaximum(t *testing.T) {
	t.Parallel()
	l := newGatedService(t, modeltest.EchoScript, "", "bob, totp: required")
	l.enrol("bob")
	l.open()
	l.sayAndAwait("bob", l.code("bob", 0), unlocked)
	for i := range 4 { // bob sends four messages, 29 minutes apart
		l.move(29 * time.Minute)
		l.sayAndAwait("bob", fmt.Sprint("on ", i), fmt.Sprint("echo: on ", i))
		if i == 1 {
			l.shut()
			l.open()
		}
	}
	l.move(4 * time.Minute) // 2 hours after the login
	l.sayAndAwait("bob", "late", locked)
	enterCode(l, "bob", "echo: late")
	l.move(30*time.Minute - time.Second)
	l.sayAndAwait("bob", "just", "echo: just")
	l.move(30 * time.Minute)
	l.sayAndAwait("bob", "asleep", locked)
	enterCode(l, "bob", "echo: asleep")
	l.sayAndAwait("bob", "/lock", "This chat is locked.")
	l.sayAndAwait("bob", "after", locked)
	l.shut()
	l.open()
	enterCode(l, "bob", "echo: after")
}

// enterCode sends a user's right code, at least half a minute after the last code. It waits for the
// answers to the held messages.
func enterCode(l *gatedService, name string, held ...string) {
	l.T.Helper()
	l.move(30 * time.Second)
	from := len(l.told(name))
	l.say(name, l.code(name, 0))
	l.awaitTold(name, from, append([]string{unlocked}, held...)...)
}

// Wrong codes lock out only their sender. During the lockout even a right code fails, and a restart
// changes nothing.
func TestGate_WrongCodes_LockOnlyTheirSender(t *testing.T) {
	t.Parallel()
	l := newGatedService(t, modeltest.EchoScript, "", "bob, totp: required", "carol, totp: required")
	l.enrol("bob")
	l.enrol("carol")
	l.open()
	l.sayAndAwait("bob", "mine", locked)
	for left := 4; left > 0; left-- {
		l.sayAndAwait("bob", l.wrongCode("bob"), "Wrong code. ")
	}
	l.sayAndAwait("bob", l.wrongCode("bob"), lockedFor5)
	l.sayAndAwait("bob", l.code("bob", 0), "I accept no code before ")
	l.shut()
	l.open()
	l.move(14 * time.Minute)
	l.sayAndAwait("bob", l.code("bob", 0), "I accept no code before ")
	l.sayAndAwait("carol", l.code("carol", 0), unlocked)
	l.sayAndAwait("carol", "yours", "echo: yours")
	if heard := l.askedTexts(); !slices.Equal(heard, []string{"yours"}) {
		t.Errorf("the model was asked %q", heard)
	}
	l.move(time.Minute)
	enterCode(l, "bob", "echo: mine")
	for action, want := range map[string]int{"login": 2, "login.refused": 4, "login.locked": 1, "login.barred": 2} {
		if n := l.QueryCount("SELECT count(*) FROM audit WHERE action = ?", action); n != want {
			t.Errorf("%d rows of %s in the audit log, want %d", n, action, want)
		}
	}
}

// A recovery code works once, in any spelling, without the authenticator app.
func TestRecoveryCode_OpensGateOnlyOnce(t *testing.T) {
	t.Parallel()
	l := newGatedService(t, modeltest.EchoScript, "", "bob, totp: required")
	codes := l.enrol("bob")
	l.open()
	l.sayAndAwait("bob", "one", locked)
	from := len(l.told("bob"))
	typed := l.say("bob", strings.ToLower(strings.ReplaceAll(codes[0], "-", " ")))
	l.awaitTold("bob", from, unlocked+" /lock locks at once. You have 9 recovery codes left", "echo: one")
	l.awaitDeleted("bob", typed)
	l.sayAndAwait("bob", "/lock", "This chat is locked.")
	l.awaitDeleted("bob", l.sayAndAwait("bob", codes[0], "Wrong code. 4 tries are left"))
	l.sayAndAwait("bob", "two", locked)
	from = len(l.told("bob"))
	l.say("bob", codes[1])
	l.awaitTold("bob", from, unlocked+" /lock locks at once. You have 8 recovery codes left", "echo: two")
	for _, c := range codes[:2] {
		for _, form := range []string{c, strings.ReplaceAll(c, "-", ""), strings.ToLower(strings.ReplaceAll(c, "-", " "))} {
			l.checkNowhere(form)
		}
	}
}

// An invite does not work after a day. After a user has joined by an invite, the secret of their
// second factor is shown for a limited time.
func TestInvite_ExpiresAfterADay(t *testing.T) {
	t.Parallel()
	l := newGatedService(t, modeltest.EchoScript, "", "alice, role: admin, totp: off")
	l.move(0)
	codes := map[string]string{}
	l.withDatabase(func(db *sqlite.DB) {
		for _, name := range []string{"carol", "dora"} {
			code, digest := access.NewInviteCode()
			codes[name] = code.Reveal()
			store, life := db.UserAccessStores(), map[string]time.Duration{"carol": 24 * time.Hour,
				"dora": 48 * time.Hour}[name]
			err := errors.Join(store.People.Add(t.Context(), supervisor.User{Name: name, Role: supervisor.RoleUser}),
				store.Invites.Put(t.Context(), sqlite.Invite{Digest: digest, User: name, ExpiresAt: l.now().Add(life), Enrol: true}))
			if err != nil {
				t.Fatal(err)
			}
		}
	})
	l.open()
	l.move(24 * time.Hour)
	late, dora := telegramtest.User{ID: 778, First: "carol"}, telegramtest.User{ID: 777, First: "dora"}
	l.bot.Say(telegramtest.PrivateChat(late), late, "/start "+codes["carol"])
	l.bot.Say(telegramtest.PrivateChat(dora), dora, "/start "+codes["dora"])
	l.bot.WaitUntil(t, "what dora was shown to be gone", func() bool {
		return len(l.bot.DeletedMessages(dora.ID)) == 2
	})
	for i, m := range l.bot.DeletedMessages(dora.ID) {
		if kind := []string{"", "photo"}[i]; m.Media != kind || i == 0 && !strings.Contains(m.Text, "This message and the picture go away in ten minutes.") {
			t.Errorf("gone is %q with %q, want one with %q", m.Text, m.Media, kind)
		}
	}
	checkSilent(t, l, late.ID)
	if n := l.QueryCount("SELECT count(*) FROM audit WHERE action = 'invite.refused' AND detail LIKE '778 %'"); n != 1 {
		t.Errorf("%d rows in the audit log of the invite that came too late", n)
	}
}
