package sqlite_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/sqlite"
)

const (
	idle, life = 30 * time.Minute, 12 * time.Hour
	locked     = "Send your code."
)

// guardedItem is an update with a gate to check.
func guardedItem(user string, update int64, text string) supervisor.BatchItem {
	item := textItem(user, update, text)
	item.Decision.Check = &supervisor.GateCheck{IdleTimeout: idle, Lifetime: life, Challenge: locked}
	return item
}

// codeItem is an update with the code of a step. The code is right unless a code of a later step
// was accepted.
func codeItem(user string, update, step int64) supervisor.BatchItem {
	item := textItem(user, update, fmt.Sprint("99999", step))
	item.Decision.CheckCode = acceptStep(step)
	return item
}

// acceptStep accepts the code of a step, once.
func acceptStep(step int64) supervisor.LoginCodeChecker {
	return func(f supervisor.SecondFactor, _ time.Time) (supervisor.SecondFactor, supervisor.LoginCodeResult) {
		if step <= f.LastPeriod {
			f.Failures++
			return f, supervisor.LoginCodeResult{Action: "login.refused", Text: "That is not the code."}
		}
		f.Secret, f.Confirmed, f.LastPeriod, f.Failures = []byte("sealed"), true, step, 0
		return f, supervisor.LoginCodeResult{Right: true, Action: "login", Text: "Come in."}
	}
}

// inChat returns an update in another chat.
func inChat(chat string, item supervisor.BatchItem) supervisor.BatchItem {
	item.Inbound.Conversation.Chat = chat
	return item
}

// challengedIn returns an update whose challenge goes to another chat.
func challengedIn(chat string, item supervisor.BatchItem) supervisor.BatchItem {
	c := item.Inbound.Conversation
	item.Decision.Check.ChallengeIn = supervisor.Conversation{User: c.User, Channel: c.Channel, Chat: chat}
	return item
}

func (s batchStory) receive(items ...supervisor.BatchItem) supervisor.BatchReceipt {
	s.Helper()
	r, err := s.db.Inbox().StoreBatch(s.Context(), supervisor.InboundBatch{Source: bot, Next: 100, Items: items})
	s.must(err)
	return r
}

// texts returns the states and texts of inbounds. Held inbounds are marked.
func texts(list []supervisor.Inbound) (texts []string) {
	for _, in := range list {
		text := string(in.State) + " " + in.Text
		if in.Held {
			text = "held " + text
		}
		texts = append(texts, text)
	}
	return texts
}

func TestClosedGate_RightCode_ReleasesInbounds(t *testing.T) {
	s := batchStory{newStory(t)}
	batch := []supervisor.BatchItem{guardedItem("alice", 1, "one"), guardedItem("alice", 2, "two"), codeItem("alice", 3,
		7),
		guardedItem("alice", 4, "three")}
	before := s.receive(batch[:2]...)
	c := before.Stored[0].Conversation
	s.same("kept at first", texts(before.Stored), []string{"held new one", "held new two"})
	s.same("told", before.Queued, []int64{c.ID})
	_, next, err := s.db.Inbox().NextInbound(t.Context(), c.ID)
	s.must(err)
	s.same("there is a next", next, false)

	for range 2 { // the second round repeats the batch
		s.now = s.now.Add(time.Minute)
		r := s.receive(batch...)
		if s.now == noon.Add(time.Minute) {
			s.same("kept", texts(r.Stored), []string{"held new one", "held new two", "answered (a code)", "new three"})
			s.same("released", texts(r.Released), []string{"new one", "new two"})
			s.same("told", r.Queued, []int64{c.ID})
		} else {
			s.same("kept again", texts(r.Stored), []string{"new one", "new two", "answered (a code)", "new three"})
			s.same("again", len(r.Released)+len(r.Queued), 0)
		}
		s.same("said", s.pendingTexts(c), []string{locked, "Come in."})
		s.same("audited", s.query("SELECT user || action || detail FROM audit"), "aliceloginin telegram chat 42")
		s.same("to be taken away", s.query("SELECT user || what || message FROM cleaning"), "alicedeletem3")
		s.same("factor", s.query("SELECT last_step || secret FROM totp"), "7sealed")
	}
	first, _, err := s.db.Inbox().NextInbound(t.Context(), c.ID)
	s.must(err)
	s.same("next", first.Text, "one")
	s.same("kind", s.query("SELECT kind FROM inbox WHERE text LIKE '%code%'"), "code")
	s.same("words of the code", s.query(`SELECT text FROM inbox WHERE text LIKE '%99999%' UNION ALL
		SELECT raw FROM received WHERE raw LIKE '%99999%' UNION ALL SELECT detail FROM audit WHERE detail LIKE '%99999%'`), "")
	// the gate is open now, so the repeated code looks like a text
	again := textItem("alice", 3, "999997")
	s.same("the code sent again", texts(s.receive(again).Stored), []string{"answered (a code)"})
	s.same("words of it", s.query("SELECT raw FROM received WHERE raw LIKE '%99999%'"), "")
}

func TestClosedGate_WrongCode_ReleasesNothing(t *testing.T) {
	s := batchStory{newStory(t)}
	s.receive(codeItem("alice", 1, 7))
	s.must(s.db.UserAccessStores().Logins.EndLogin(t.Context(), "alice", supervisor.ChannelTelegram, "42"))
	r := s.receive(guardedItem("alice", 2, "one"), codeItem("alice", 3, 7), guardedItem("alice", 4, "two"))
	s.same("kept", texts(r.Stored), []string{"held new one", "answered (a code)", "held new two"})
	s.same("released", len(r.Released), 0)
	s.same("said", s.pendingTexts(r.Stored[0].Conversation), []string{"Come in.", locked, "That is not the code."})
	s.same("audited", s.query("SELECT action FROM audit ORDER BY id"), "login login.refused")
	s.same("to be taken away", s.query("SELECT message FROM cleaning ORDER BY id"), "m1 m3")
	f, ok, err := s.db.UserAccessStores().Factors.Find(t.Context(), "alice")
	s.must(err)
	s.same("failures", f.Failures, 1)
	s.same("is there", ok, true)
	n, err := s.db.Inbox().CountHeldInbounds(t.Context(), "alice")
	s.must(err)
	s.same("held", n, int64(2))
	unnamed := codeItem("alice", 5, 7)
	unnamed.Inbound.Message = ""
	s.receive(unnamed)
	s.same("what has no name stays", s.query("SELECT count(*) FROM cleaning"), "2")
}

func TestGate_IdleOrLifetimeOver_Closes(t *testing.T) {
	for name, c := range map[string]struct {
		steps []time.Duration // time before each message
		held  bool            // the last message is held
	}{
		"at once":                    {[]time.Duration{0}, false},
		"in time":                    {[]time.Duration{idle - 1e6}, false},
		"idle for too long":          {[]time.Duration{idle}, true},
		"kept open by use":           {[]time.Duration{20 * time.Minute, 20 * time.Minute, 20 * time.Minute}, false},
		"open for too long":          {append(repeated(25*time.Minute, 28), 20*time.Minute), true},
		"just below the lifetime":    {repeated(25*time.Minute, 28), false},
		"clock set back":             {[]time.Duration{-time.Second}, true},
		"clock set back after a use": {[]time.Duration{10 * time.Minute, -5 * time.Minute}, false},
		"held inbound counts as use": {[]time.Duration{idle, 1}, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := batchStory{newStory(t)}
			s.receive(codeItem("alice", 1, 7))
			var last supervisor.Inbound
			for i, step := range c.steps {
				s.now = s.now.Add(step)
				last = s.receive(guardedItem("alice", int64(i)+2, "hello")).Stored[0]
			}
			s.same("held", last.Held, c.held)
		})
	}
}

func repeated(step time.Duration, n int) (steps []time.Duration) {
	for range n {
		steps = append(steps, step)
	}
	return steps
}

func TestHeldInbound_NoListHasIt(t *testing.T) {
	s := batchStory{newStory(t)}
	command := guardedItem("alice", 2, "/status")
	command.Inbound.Kind = supervisor.KindCommand
	stop := textItem("alice", 4, "/stop")
	stop.Inbound.Kind = supervisor.KindCommand
	r := s.receive(guardedItem("alice", 1, "one"), command, guardedItem("alice", 3, "two"), stop)
	held := r.Stored[0]
	lists := func() (n []int) {
		box := s.db.Inbox()
		unfinished, err := box.ListUnfinishedConversations(t.Context())
		s.must(err)
		commands, err := box.ListCommands(t.Context())
		s.must(err)
		presses, err := box.ListPresses(t.Context())
		s.must(err)
		counts, err := s.db.StatusCounts(t.Context())
		s.must(err)
		ahead, err := box.PrecedingText(t.Context(), r.Stored[3].ID)
		s.must(err)
		return []int{len(unfinished), len(commands), len(presses), int(counts.Inbounds[supervisor.InboundNew]),
			ahead.Waiting,
			int(counts.Held)}
	}
	s.same("while it is held", lists(), []int{0, 1, 0, 0, 0, 3})
	_, _, err := s.db.Turns().Start(t.Context(), held.ID, nil)
	s.checkRefused(err, supervisor.CodeInvalid, "is held")
	_, err = s.db.Outbox().AnswerCommand(t.Context(), r.Stored[1].ID, supervisor.Delivery{Text: "All is well."})
	s.checkRefused(err, supervisor.CodeInvalid, "is held")
	s.same("told", s.pendingTexts(held.Conversation), []string{locked})

	s.receive(codeItem("alice", 5, 1))
	s.same("after the code", lists(), []int{1, 2, 0, 2, 2, 0})
	_, _, err = s.db.Turns().Start(t.Context(), held.ID, nil)
	s.must(err)
}

func TestChallenge_ManyMessages_IsSentEvery10Min(t *testing.T) {
	s := batchStory{newStory(t)}
	group := func(update int64) supervisor.BatchItem {
		return inChat("-100", challengedIn("42", guardedItem("alice", update, "hello")))
	}
	s.receive(group(1), group(2))
	private := s.chat("alice", "42")
	told := func(when string, want int) {
		s.Helper()
		s.same(when, len(s.pendingTexts(private)), want)
	}
	told("at first", 1)
	s.same("in the group", s.pendingTexts(s.chat("alice", "-100")), []string(nil))
	s.now = s.now.Add(9 * time.Minute)
	s.receive(group(3))
	told("soon", 1)
	s.now = s.now.Add(time.Minute)
	s.receive(group(4), group(5))
	told("ten minutes later", 2)
	s.receive(guardedItem("alice", 6, "privately"))
	told("in another chat", 3)
	s.receive(inChat("-100", guardedItem("bob", 7, "hello")))
	s.same("another person", s.pendingTexts(s.chat("bob", "-100")), []string{locked})
	s.now = s.now.Add(-time.Hour)
	s.receive(group(8))
	told("after the clock was set back", 4)
	r := s.receive(codeItem("alice", 9, 1))
	s.same("released", len(r.Released), 7)
	s.same("open", s.query("SELECT user || chat FROM login ORDER BY chat"), "alice-100 alice42")
	s.must(s.db.UserAccessStores().Logins.EndLogin(t.Context(), "alice", supervisor.ChannelTelegram, "-100"))
	s.receive(group(10))
	told("closed again", 6) // the new challenge and the code's answer are in the chat
}

func TestChallenge_LikelyCode_IsRepeatedSoon(t *testing.T) {
	s := batchStory{newStory(t)}
	meant := func(update int64) supervisor.BatchItem {
		item := guardedItem("alice", update, "my code is 716708")
		item.Decision.Check.RepeatSoon, item.Decision.Check.Challenge = true, fmt.Sprint("no code ", update)
		return item
	}
	s.receive(guardedItem("alice", 1, "hello"), meant(2), guardedItem("alice", 3, "hello?"), meant(4), meant(5),
		meant(6), meant(7))
	s.same("told", s.pendingTexts(s.chat("alice", "42")), []string{locked, "no code 2", "no code 4", "no code 5"})
}

// A code opens the gate of its chat, and the gates of groups whose challenge was sent to that chat.
// So somebody who took over another account of the user releases nothing.
func TestLoginCode_OneChat_OpensNoOtherAccount(t *testing.T) {
	terminal := func(item supervisor.BatchItem) supervisor.BatchItem {
		item.Inbound.Conversation.Channel, item.Inbound.Conversation.Chat = supervisor.ChannelTerminal, ""
		return item
	}
	for name, c := range map[string]struct {
		code     supervisor.BatchItem
		released []string
		open     string
	}{
		"in the terminal": {terminal(codeItem("alice", 9, 1)), []string{"new at the terminal"}, "terminal"},
		"in a private chat": {codeItem("alice", 9, 1), []string{"new privately", "new in the group"},
			"telegram-100 telegram42"},
		"in the other one":           {inChat("43", codeItem("alice", 9, 1)), []string{"new with the other", "new in the group as the other"}, "telegram-100 telegram43"},
		"chat without held inbounds": {inChat("44", codeItem("alice", 9, 1)), nil, "telegram44"},
	} {
		t.Run(name, func(t *testing.T) {
			s := batchStory{newStory(t)}
			s.receive(terminal(guardedItem("alice", 1, "at the terminal")), guardedItem("alice", 2, "privately"),
				inChat("43", guardedItem("alice", 3, "with the other")), inChat("-100", challengedIn("42", guardedItem("alice", 4, "in the group"))),
				inChat("-100", challengedIn("43", guardedItem("alice", 5, "in the group as the other"))), guardedItem("bob", 6, "bob's"),
				inChat("side", terminal(guardedItem("alice", 7, "in another conversation there"))))
			s.same("told the other one too", s.pendingTexts(s.chat("alice", "43")), []string{locked, locked})
			waits, err := s.db.Inbox().CountReleasableInbounds(t.Context(), c.code.Inbound.Conversation)
			s.must(err)
			s.same("waits for a code from there", waits, int64(len(c.released)))
			s.same("released", texts(s.receive(c.code).Released), c.released)
			s.same("open", s.query("SELECT channel || chat FROM login ORDER BY channel, chat"), c.open)
			s.same("still held", s.query("SELECT count(*) FROM inbox WHERE held = 1"), fmt.Sprint(7-len(c.released)))
		})
	}
}

func TestClosedGate_HundredHeld_RefusesMore(t *testing.T) {
	s := batchStory{newStory(t)}
	for n := range int64(100) {
		item := guardedItem("alice", n+1, "hello")
		s.same("kept", texts(s.receive(inChat(fmt.Sprint(n%3+1), item)).Stored), []string{"held new hello"})
	}
	r := s.receive(inChat("50", guardedItem("alice", 101, "one more")), inChat("50", guardedItem("bob", 102, "bob's")))
	s.same("kept", texts(r.Stored), []string{"answered one more", "held new bob's"})
	s.same("told", r.Queued, []int64{r.Stored[0].Conversation.ID, r.Stored[1].Conversation.ID})
	s.same("said", s.pendingTexts(r.Stored[0].Conversation),
		[]string{"I did not take this message, because too many of your messages wait for a code. Send a code first, then send this message again."})
	n, err := s.db.Inbox().CountHeldInbounds(t.Context(), "alice")
	s.must(err)
	s.same("held", n, int64(100))
	s.same("released", len(s.receive(inChat("1", codeItem("alice", 103, 1))).Released), 34)
	s.same("taken again", texts(s.receive(inChat("2", guardedItem("alice", 104, "again"))).Stored), []string{"held new again"})
}

func TestAnswerOnlyMessage_OpenGate_GetsNoTurn(t *testing.T) {
	s := batchStory{newStory(t)}
	s.receive(codeItem("alice", 1, 7)) // the gate is open; that makes no difference for AnswerOnly
	never := guardedItem("alice", 2, "hello")
	never.Decision.Check.AnswerOnly, never.Decision.Check.Challenge = true, "Ask an admin."
	photo := guardedItem("alice", 3, "(a photo)")
	photo.Answer = "I can't look at photos."
	r := s.receive(never, photo)
	s.same("kept", texts(r.Stored), []string{"answered hello", "answered (a photo)"})
	s.same("said", s.pendingTexts(r.Stored[0].Conversation), []string{"Come in.", "Ask an admin.", "I can't look at photos."})
}

func TestLoginCode_BatchFails_ChangesNothing(t *testing.T) {
	s := batchStory{newStory(t)}
	s.receive(guardedItem("alice", 1, "one"))
	nobody := textItem("", 3, "of nobody")
	_, err := s.db.Inbox().StoreBatch(t.Context(), supervisor.InboundBatch{Source: bot, Next: 200,
		Items: []supervisor.BatchItem{codeItem("alice", 2, 7), nobody}})
	s.checkRefused(err, supervisor.CodeInternal, "item 1: ")
	for what, query := range map[string]string{
		"codes": "SELECT count(*) FROM inbox WHERE kind = 'code'", "logins": "SELECT count(*) FROM login",
		"factors": "SELECT count(*) FROM totp", "audit": "SELECT count(*) FROM audit",
		"cleanings": "SELECT count(*) FROM cleaning", "released": "SELECT count(*) FROM inbox WHERE held = 0",
	} {
		s.same(what, s.query(query), "0")
	}
	s.same("taken in the end", len(s.receive(codeItem("alice", 2, 7)).Released), 1)
}

func TestRenameChat_OpenGate_StaysOpen(t *testing.T) {
	s := batchStory{newStory(t)}
	access := s.db.UserAccessStores()
	s.must(access.Groups.Allow(t.Context(), sqlite.Group{Channel: supervisor.ChannelTelegram, Chat: "-1"}))
	s.receive(inChat("-1", challengedIn("42", guardedItem("alice", 1, "hello"))), codeItem("alice", 2, 1))
	for range 2 {
		_, err := s.db.Conversations().RenameChat(t.Context(), supervisor.ChannelTelegram, "-1", "-100")
		s.must(err)
	}
	s.same("open", strings.Fields(s.query("SELECT chat FROM login ORDER BY chat")), []string{"-100", "42"})
	groups, err := access.Groups.List(t.Context())
	s.must(err)
	s.same("groups", groups, []sqlite.Group{{Channel: supervisor.ChannelTelegram, Chat: "-100"}})
	s.same("passes", s.receive(inChat("-100", guardedItem("alice", 3, "hello"))).Stored[0].Held, false)
}
