package sqlite_test

import (
	"testing"
	"time"

	"mews/supervisor"
)

func lockItem(update int64, l supervisor.GateLock) supervisor.BatchItem {
	item := textItem("alice", update, "/lock")
	item.Inbound.Kind, item.Decision.Lock = supervisor.KindCommand, l
	return item
}

func TestGateLock_LaterItemsOfBatch_AreHeld(t *testing.T) {
	s := batchStory{newStory(t)}
	s.receive(codeItem("alice", 1, 7), inChat("43", codeItem("alice", 2, 8)), codeItem("bob", 3, 1))
	batch := []supervisor.BatchItem{guardedItem("alice", 4, "before"), lockItem(5, supervisor.LockChatGate),
		guardedItem("alice", 6, "behind"),
		inChat("43", guardedItem("alice", 7, "elsewhere")), guardedItem("bob", 8, "bob's")}
	want := []string{"new before", "new /lock", "held new behind", "new elsewhere", "new bob's"}
	s.same("kept", texts(s.receive(batch...).Stored), want)

	s.receive(codeItem("alice", 9, 9))
	s.receive(batch...) // the repeat after a crash does not close the gate again
	s.same("after a code", texts(s.receive(guardedItem("alice", 10, "open")).Stored), []string{"new open"})

	r := s.receive(inChat("44", lockItem(11, supervisor.LockAllGates)), guardedItem("alice", 12, "here"), inChat("43",
		guardedItem("alice", 13, "there")),
		guardedItem("bob", 14, "bob's"))
	s.same("kept behind it", texts(r.Stored), []string{"new /lock", "held new here", "held new there", "new bob's"})
	n, err := s.db.UserAccessStores().Logins.EndAllLogins(t.Context(), "alice")
	s.must(err)
	s.same("closed by the command", n, int64(2))
}

func TestLoginCode_GateClosedMeanwhile_IsNotStored(t *testing.T) {
	s := batchStory{newStory(t)}
	digits := func(update, step int64) supervisor.BatchItem {
		item := guardedItem("alice", update, "999999")
		item.Decision.Check.CheckCode = acceptStep(step)
		return item
	}
	s.receive(codeItem("alice", 1, 7))
	s.same("open", texts(s.receive(digits(2, 8)).Stored), []string{"new 999999"})
	s.now = s.now.Add(idle)
	r := s.receive(guardedItem("alice", 3, "one"), digits(4, 8), digits(5, 9))
	s.same("closed, and then open", texts(r.Stored), []string{"held new one", "answered (a code)", "new 999999"})
	s.same("released", texts(r.Released), []string{"new one"})
	s.same("audited", s.query("SELECT action FROM audit ORDER BY id"), "login login")
	s.same("what came of the code", s.query(`SELECT text FROM inbox WHERE key LIKE '4.%' UNION ALL
		SELECT raw FROM received WHERE id = 4`), "(a code)")
}

func TestClosedGate_Press_IsAnswered(t *testing.T) {
	s := batchStory{newStory(t)}
	press := func(update int64) supervisor.BatchItem {
		item := guardedItem("alice", update, "q:1")
		item.Inbound.Kind = supervisor.KindPress
		return item
	}
	elsewhere := inChat("-100", press(3))
	elsewhere.Decision.Check.ChallengeIn = supervisor.Conversation{User: "alice", Channel: supervisor.ChannelTelegram, Chat: "42"}
	s.receive(codeItem("alice", 1, 7))
	s.now = s.now.Add(time.Hour)
	r := s.receive(press(2), elsewhere, codeItem("alice", 4, 8), press(5))
	s.same("kept", texts(r.Stored), []string{"answered q:1", "answered q:1", "answered (a code)", "new q:1"})
	s.same("released", len(r.Released), 0)
	s.same("said", s.pendingTexts(s.chat("alice", "42")), []string{"Come in.", "Locked. Send your code, then press " +
		"the button again.", "Come in."})
	s.same("in the group", s.pendingTexts(s.chat("alice", "-100")), []string{
		"Locked. Write a message here. I then ask for your code in our private chat. Send the code there, then " +
			"press the button again."})
}
