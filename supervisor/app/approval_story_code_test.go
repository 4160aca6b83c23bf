package app_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"mews/supervisor/app/apptest"
	"mews/supervisor/telegram/telegramtest"
)

const (
	byCode    = "step_up"
	freshCode = "This needs a fresh code: send me the six digits"
	refreshed = "That code is from before I asked."
	usedCode  = "That code was used already."
	confirmed = "Confirmed."
	tooLate   = "That code came too late:"
	unsent    = "error: send a.txt: not sent: bob was asked and did not answer in time, so it was not done."
)

// codeAsked fails unless the newest that a person was told asks for a code.
func (l approvalService) codeAsked(name string) {
	l.T.Helper()
	if told := last(l.told(name)); !strings.Contains(told, freshCode) {
		l.T.Fatalf("%s was told %q, want a question with %q", name, told, freshCode)
	}
}

// audits fails unless the audit log has so many rows of each action.
func (l approvalService) audits(want map[string]int) {
	l.T.Helper()
	for action, n := range want {
		if got := l.Count("SELECT count(*) FROM audit WHERE action = ?", action); got != n {
			l.T.Errorf("%d rows of %s in the audit log, want %d", got, action, n)
		}
	}
}

// TestAFileLeavesByAFreshCode: not by the one that opened the chat, by one from before it was asked
// for, or by a wrong one, which is a guess as any other; and by a right one once.
func TestAFileLeavesByAFreshCode(t *testing.T) {
	t.Parallel()
	l := approving(t, byCode, ", totp: required")
	l.enrol("bob")
	l.lay("a.txt", "hello\n")
	l.open()
	opening := l.code("bob", 0)
	l.asks("bob", opening, unlocked)
	l.wants("a.txt")
	l.codeAsked("bob")
	l.asks("bob", opening, usedCode)
	l.move(time.Minute)
	l.asks("bob", l.wrong("bob"), "Wrong code. 4 tries are left")
	l.arrived()
	code := l.code("bob", 0)
	typed := l.confirms(code)
	l.arrived("a.txt")
	l.gone("bob", typed)
	l.nowhere(code)

	l.move(5 * time.Minute)
	l.wants("a.txt")
	l.codeAsked("bob")
	l.asks("bob", code, "Wrong code. 4 tries are left") // it is of no step any more
	l.asks("bob", l.code("bob", -30*time.Second), refreshed)
	l.arrived("a.txt")
	l.confirms(l.code("bob", 0))
	l.arrived("a.txt", "a.txt")
	l.audits(map[string]int{"stepup": 2, "stepup.refused": 4, "approval.allowed": 2, "login": 1, "question.once": 2})
	if n := len(l.model.Requests()); n != 4 {
		t.Errorf("the model was asked %d times, so a code has gone to it", n)
	}
}

// TestGuessesAtAStepUpLock: no right code helps then, for the effect or for the gate.
func TestGuessesAtAStepUpLock(t *testing.T) {
	t.Parallel()
	l := approving(t, byCode, ", totp: required")
	l.enrol("bob")
	l.lay("a.txt", "hello\n")
	l.open()
	l.asks("bob", l.code("bob", 0), unlocked)
	l.wants("a.txt")
	l.codeAsked("bob")
	l.move(30 * time.Second)
	for range 4 {
		l.asks("bob", l.wrong("bob"), "Wrong code. ")
	}
	l.asks("bob", l.wrong("bob"), lockedFor5)
	l.asks("bob", l.code("bob", 0), "No code is taken before ")
	from := len(l.told("bob"))
	l.move(5 * time.Minute)
	l.hears("bob", from, unsent)
	l.arrived()
	l.audits(map[string]int{"stepup.refused": 4, "stepup.locked": 1, "stepup.barred": 1, "approval.denied": 1})
}

// TestACodeThatDoesNotComeIsANo, after five minutes. One that comes after that is for nothing, and
// no word for the model; what is asked for next waits for another.
func TestACodeThatDoesNotComeIsANo(t *testing.T) {
	t.Parallel()
	l := approving(t, byCode, ", totp: required")
	l.enrol("bob")
	l.lay("a.txt", "hello\n")
	l.open()
	l.asks("bob", l.code("bob", 0), unlocked)
	l.wants("a.txt")
	l.codeAsked("bob")
	from := len(l.told("bob"))
	l.move(5 * time.Minute)
	l.hears("bob", from, unsent)
	l.asks("bob", l.code("bob", 0), tooLate)
	l.asks("bob", "a.txt", "error: send a.txt: not sent: A code of bob is asked for here for something else, or was a moment ago.")
	l.move(time.Minute)
	l.wants("a.txt")
	l.codeAsked("bob")
	l.confirms(l.code("bob", 0))
	l.arrived("a.txt")
	l.audits(map[string]int{"stepup": 1, "stepup.late": 1, "approval.allowed": 1, "approval.denied": 2})
	if n := len(l.model.Requests()); n != 6 {
		t.Errorf("the model was asked %d times, want twice for each of three files", n)
	}
}

// TestNobodyIsAskedForACodeInVain: who has none, or would have to send it where others read it, is
// told so.
func TestNobodyIsAskedForACodeInVain(t *testing.T) {
	t.Parallel()
	l := approvalService{newGatedService(t, fileSender, "", "alice, role: admin, totp: 'off'", "bob, approvals: {send_file: step_up}")}
	l.lay("a.txt", "hello\n")
	l.open()
	l.asks("bob", "a.txt", "error: send a.txt: not sent: This needs a code, and bob has no second factor that makes any.")
	l.shut()
	l.enrol("bob")
	l.open()
	l.asks("bob", l.code("bob", 0), unlocked)
	l.bot.Say(theFlat, l.who("alice"), "/allow")
	l.inFlat("")
	l.bot.Say(theFlat, l.who("bob"), "@mews_bot a.txt")
	l.bot.Await(t, "bob to be asked for a code", func() bool { return strings.Contains(last(l.told("bob")), "What you sent in another chat waits") })
	l.move(30 * time.Second)
	l.say("bob", l.code("bob", 0))
	l.inFlat("This needs a code of bob, and codes are for our private chat alone.")
	l.arrived()
}

// TestSettingsAndInvitesByACode: a command waits as a tool does, and what it is about is not done
// before.
func TestSettingsAndInvitesByACode(t *testing.T) {
	t.Parallel()
	l := approvalService{newGatedService(t, fileSender, "", "alice, role: admin, totp: required, approvals: {invite: step_up, settings: step_up}")}
	l.enrol("alice")
	l.open()
	l.asks("alice", l.code("alice", 0), unlocked)
	for _, c := range []struct{ command, asks, done, table string }{
		{"/settings stream off", "Change your setting stream from ", "From now on stream is off", "setting"},
		{"/invite carol", "Invite carol? ", "carol is a person here now", "invite"},
	} {
		kept := func(want int) {
			t.Helper()
			if n := l.Count("SELECT count(*) FROM " + c.table); n != want {
				t.Errorf("%s: %d rows are kept, want %d", c.command, n, want)
			}
		}
		l.move(2 * time.Minute)
		l.asks("alice", c.command, c.asks)
		l.codeAsked("alice")
		l.WaitFor(apptest.Patience, "the question to be delivered", l.delivered)
		from := len(l.told("alice"))
		l.move(5 * time.Minute)
		l.hears("alice", from, "alice was asked and did not answer in time, so it was not done.")
		l.move(time.Minute)
		l.asks("alice", c.command, c.asks)
		l.asks("alice", l.wrong("alice"), "Wrong code. 4 tries are left")
		l.asks("alice", l.code("alice", -30*time.Second), refreshed)
		kept(0)
		l.say("alice", l.code("alice", 0))
		l.bot.Await(t, "the command to be done", func() bool { // what invites goes away again
			return slices.ContainsFunc(append(l.bot.Sent(l.who("alice").ID), l.bot.Deleted(l.who("alice").ID)...),
				func(m telegramtest.Message) bool { return strings.HasPrefix(m.Text, c.done) })
		})
		kept(1)
	}
	l.audits(map[string]int{"stepup": 2, "stepup.refused": 4, "approval.allowed": 2, "approval.denied": 2})
}
