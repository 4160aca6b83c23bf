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

// checkCodeAsked fails unless the newest message to a user asks for a code.
func (l approvalService) checkCodeAsked(name string) {
	l.T.Helper()
	if told := lastOf(l.told(name)); !strings.Contains(told, freshCode) {
		l.T.Fatalf("%s was told %q, want a question with %q", name, told, freshCode)
	}
}

// checkAudit fails unless the audit log has the wanted number of rows of each action.
func (l approvalService) checkAudit(want map[string]int) {
	l.T.Helper()
	for action, n := range want {
		if got := l.QueryCount("SELECT count(*) FROM audit WHERE action = ?", action); got != n {
			l.T.Errorf("%d rows of %s in the audit log, want %d", got, action, n)
		}
	}
}

// A right code sends the file once. The code that opened the chat, an older code and a wrong code
// send nothing. A wrong code counts as a failed guess.
func TestSendFile_NeedsFreshCode(t *testing.T) {
	t.Parallel()
	l := newApprovalService(t, byCode, ", totp: required")
	l.enrol("bob")
	l.writeHomeFile("a.txt", "hello\n")
	l.open()
	opening := l.code("bob", 0)
	l.sayAndAwait("bob", opening, unlocked)
	l.requestFile("a.txt")
	l.checkCodeAsked("bob")
	l.sayAndAwait("bob", opening, usedCode)
	l.move(time.Minute)
	l.sayAndAwait("bob", l.wrongCode("bob"), "Wrong code. 4 tries are left")
	l.checkArrived()
	code := l.code("bob", 0)
	typed := l.sendFileCode(code)
	l.checkArrived("a.txt")
	l.awaitDeleted("bob", typed)
	l.checkNowhere(code)

	l.move(5 * time.Minute)
	l.requestFile("a.txt")
	l.checkCodeAsked("bob")
	l.sayAndAwait("bob", code, "Wrong code. 4 tries are left") // the question that this code answered has ended
	l.sayAndAwait("bob", l.code("bob", -30*time.Second), refreshed)
	l.checkArrived("a.txt")
	l.sendFileCode(l.code("bob", 0))
	l.checkArrived("a.txt", "a.txt")
	l.checkAudit(map[string]int{"stepup": 2, "stepup.refused": 4, "approval.allowed": 2, "login": 1,
		"question.once": 2})
	if n := len(l.model.Requests()); n != 4 {
		t.Errorf("the model was asked %d times, so a code has gone to it", n)
	}
}

// After too many wrong codes, even a right code neither allows the effect nor opens the gate.
func TestStepUp_WrongCodes_LockUser(t *testing.T) {
	t.Parallel()
	l := newApprovalService(t, byCode, ", totp: required")
	l.enrol("bob")
	l.writeHomeFile("a.txt", "hello\n")
	l.open()
	l.sayAndAwait("bob", l.code("bob", 0), unlocked)
	l.requestFile("a.txt")
	l.checkCodeAsked("bob")
	l.move(30 * time.Second)
	for range 4 {
		l.sayAndAwait("bob", l.wrongCode("bob"), "Wrong code. ")
	}
	l.sayAndAwait("bob", l.wrongCode("bob"), lockedFor5)
	l.sayAndAwait("bob", l.code("bob", 0), "I accept no code before ")
	from := len(l.told("bob"))
	l.move(5 * time.Minute)
	l.awaitTold("bob", from, unsent)
	l.checkArrived()
	l.checkAudit(map[string]int{"stepup.refused": 4, "stepup.locked": 1, "stepup.barred": 1, "approval.denied": 1})
}

// After five minutes without a code the effect is denied. A later code does nothing, and no model
// reads it. The next effect asks for a new code.
func TestStepUp_NoCodeInTime_IsDenied(t *testing.T) {
	t.Parallel()
	l := newApprovalService(t, byCode, ", totp: required")
	l.enrol("bob")
	l.writeHomeFile("a.txt", "hello\n")
	l.open()
	l.sayAndAwait("bob", l.code("bob", 0), unlocked)
	l.requestFile("a.txt")
	l.checkCodeAsked("bob")
	from := len(l.told("bob"))
	l.move(5 * time.Minute)
	l.awaitTold("bob", from, unsent)
	l.sayAndAwait("bob", l.code("bob", 0), tooLate)
	l.sayAndAwait("bob", "a.txt", "error: send a.txt: not sent: I am still busy with another question here that needs a code of bob. Ask for this again in a minute.")
	l.move(time.Minute)
	l.requestFile("a.txt")
	l.checkCodeAsked("bob")
	l.sendFileCode(l.code("bob", 0))
	l.checkArrived("a.txt")
	l.checkAudit(map[string]int{"stepup": 1, "stepup.late": 1, "approval.allowed": 1, "approval.denied": 2})
	if n := len(l.model.Requests()); n != 6 {
		t.Errorf("the model was asked %d times, want twice for each of three files", n)
	}
}

// An effect that needs a code is denied if the user has no second factor. It is also denied in a
// group, where others would read the code. The user is told why.
func TestStepUp_NoFactorOrInGroup_IsDenied(t *testing.T) {
	t.Parallel()
	l := approvalService{newGatedService(t, sendFileModel, "", "alice, role: admin, totp: 'off'", "bob, approvals: {send_file: step_up}")}
	l.writeHomeFile("a.txt", "hello\n")
	l.open()
	l.sayAndAwait("bob", "a.txt", "error: send a.txt: not sent: This needs a code, but bob has no second factor.")
	l.shut()
	l.enrol("bob")
	l.open()
	l.sayAndAwait("bob", l.code("bob", 0), unlocked)
	l.bot.Say(flatChat, l.telegramUser("alice"), "/allow")
	l.awaitInFlat("")
	l.bot.Say(flatChat, l.telegramUser("bob"), "@mews_bot a.txt")
	l.bot.WaitUntil(t, "bob to be asked for a code", func() bool {
		return strings.Contains(lastOf(l.told("bob")),
			"Your message in another chat waits")
	})
	l.move(30 * time.Second)
	l.say("bob", l.code("bob", 0))
	l.awaitInFlat("This needs a code of bob, and I take codes only in our private chat.")
	l.checkArrived()
}

// A command waits for the code as a tool does. It changes nothing before the code comes.
func TestCommand_NeedsCode_WaitsForCode(t *testing.T) {
	t.Parallel()
	l := approvalService{newGatedService(t, sendFileModel, "", "alice, role: admin, totp: required, approvals: {invite: step_up, settings: step_up}")}
	l.enrol("alice")
	l.open()
	l.sayAndAwait("alice", l.code("alice", 0), unlocked)
	for _, c := range []struct{ command, asks, done, table string }{
		{"/settings stream off", "Change your setting stream from ", "From now on stream is off",
			"setting WHERE user <> ''"},
		{"/invite carol", "Invite carol? ", "carol is now a user", "invite"},
	} {
		kept := func(want int) {
			t.Helper()
			if n := l.QueryCount("SELECT count(*) FROM " + c.table); n != want {
				t.Errorf("%s: %d rows are kept, want %d", c.command, n, want)
			}
		}
		l.move(2 * time.Minute)
		l.sayAndAwait("alice", c.command, c.asks)
		l.checkCodeAsked("alice")
		l.WaitUntilTrue(apptest.DefaultTestTimeout, "the question to be delivered", l.allDelivered)
		from := len(l.told("alice"))
		l.move(5 * time.Minute)
		l.awaitTold("alice", from, "alice was asked and did not answer in time, so it was not done.")
		l.move(time.Minute)
		l.sayAndAwait("alice", c.command, c.asks)
		l.sayAndAwait("alice", l.wrongCode("alice"), "Wrong code. 4 tries are left")
		l.sayAndAwait("alice", l.code("alice", -30*time.Second), refreshed)
		kept(0)
		l.say("alice", l.code("alice", 0))
		l.bot.WaitUntil(t, "the command to be done", func() bool { // the message with the invite is deleted again
			return slices.ContainsFunc(append(l.bot.BotMessages(l.telegramUser("alice").ID), l.bot.DeletedMessages(l.telegramUser("alice").ID)...),
				func(m telegramtest.Message) bool { return strings.HasPrefix(m.Text, c.done) })
		})
		kept(1)
	}
	l.checkAudit(map[string]int{"stepup": 2, "stepup.refused": 4, "approval.allowed": 2, "approval.denied": 2})
}
