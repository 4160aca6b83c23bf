package sqlite_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/answer"
)

// askOnTelegram asks a question of a turn in alice's chat on Telegram, and posts it.
func askOnTelegram(s *story, kind supervisor.QuestionKind) supervisor.Question {
	s.Helper()
	in := s.put(s.chat("alice", "42"), supervisor.KindText, "ask")
	turn, _, err := s.db.Turns().Start(s.Context(), in.ID, nil)
	s.must(err)
	q := approvalQuestion(s, turn)
	q.Kind = kind
	q, _, err = s.db.Questions().Ask(s.Context(), q, nonceA, answer.QuestionButtons(q, supervisor.Answer{},
		func(word string) string { return "q:n:" + word }))
	s.must(err)
	s.postPending(q.Conversation)
	return q
}

// postPending posts the pending deliveries of a conversation. Each message is named by its
// delivery.
func (s *story) postPending(c supervisor.Conversation) {
	s.Helper()
	pending, err := s.db.Outbox().ListPending(s.Context(), c.ID, 0, 100)
	s.must(err)
	for _, d := range pending {
		p, err := s.db.Posts().MarkSending(s.Context(), c.ID, supervisor.Post{Delivery: d.ID,
			Content: supervisor.RichText{Text: d.Text, Buttons: d.Buttons}})
		s.must(err)
		p.State, p.Message = supervisor.PostSent, fmt.Sprint("m", d.ID)
		s.must(s.db.Posts().StorePostResult(s.Context(), p))
		s.close(d, supervisor.OutcomeSent, "")
	}
}

// cleanings lists the pending changes of messages on Telegram.
func (s *story) cleanings() (list []string) {
	s.Helper()
	due, err := s.db.MessageCleanups().ListDue(s.Context(), supervisor.ChannelTelegram, s.now, 100)
	s.must(err)
	for _, k := range due {
		buttons := 0
		for _, row := range k.Content.Buttons {
			buttons += len(row)
		}
		list = append(list, fmt.Sprintf("%s %s %d", k.Kind, k.Message, buttons))
	}
	return list
}

func TestQuestionReminder_WaitingText_HasButtons(t *testing.T) {
	for _, kind := range []supervisor.QuestionKind{supervisor.QuestionBudget, supervisor.QuestionLoginCode} {
		s := newStory(t)
		q := askOnTelegram(s, kind)
		for _, text := range []string{"what is the weather?", "and tomorrow?", "hello?", "hello?"} {
			s.same(text, s.state(s.receiveText(q.Conversation, text)), "new") // the last text repeats the third
		}
		reminders, err := s.db.Outbox().ListPending(t.Context(), q.Conversation.ID, 0, 10)
		s.must(err)
		s.same("reminders", len(reminders), 3)
		for _, d := range reminders {
			if !strings.Contains(d.Text, "/stop") || !strings.Contains(d.Text, q.Text) {
				t.Errorf("the reminder is %q", d.Text)
			}
			press := func(word string) string { return "q:n:" + word }
			s.same("buttons", d.Buttons, answer.QuestionButtons(q, supervisor.Answer{}, press))
		}
		first, rest := reminders[0].ID, reminders[1:]
		post, err := s.db.Posts().MarkSending(t.Context(), q.Conversation.ID, supervisor.Post{Delivery: first})
		s.must(err)
		s.same("a press", pressWord(s, q, "skip"), supervisor.PressAccepted)
		post.State, post.Message = supervisor.PostSent, "late"
		s.must(s.db.Posts().StorePostResult(t.Context(), post))
		s.close(reminders[0], supervisor.OutcomeSent, "")
		s.same("changes", s.cleanings(), []string{"edit m1 0", "unbutton late 0"})
		for _, d := range rest {
			s.same("buttons of what is not sent yet", s.query("SELECT buttons FROM outbox WHERE id = ?", d.ID), "")
		}
		s.same("its turn goes on", resumable(s), []int64{q.Conversation.ID})
	}
}

// Ticks show in every message with the buttons. All ticks go away when the question ends.
func TestQuestionReminder_OptionPicked_ShowsTick(t *testing.T) {
	s := newStory(t)
	q := askModelQuestion(s, protocol.AskKindSeveral, "Salt", "Oil")
	s.receiveText(q.Conversation, "one moment")
	s.postPending(q.Conversation)
	s.same("press", pressWord(s, q, "1"), supervisor.PressToggledOption)
	s.same("after a press", s.cleanings(), []string{"edit m2 4", "edit 900 4"})
	s.same("ticks", questionText(s), "Which? [☐ Salt] [☑ Oil] [Done] [Skip]")
	s.receiveText(q.Conversation, "hold on")
	again, err := s.db.Outbox().ListPending(t.Context(), q.Conversation.ID, 0, 10)
	s.must(err)
	s.same("ticks of a new one", again[0].Buttons[1][0].Text, "☑ Oil")
	s.postPending(q.Conversation)
	s.same("words", s.state(s.receiveText(q.Conversation, "done")), "done")
	s.same("at the end", s.cleanings()[2:], []string{"edit 900 0", "unbutton m2 0", "unbutton m3 0"})
}

// Words that do not answer an approval end it, and become the answer's text. The message needs no
// turn.
func TestApproval_TextIsNoAnswer_IsEnded(t *testing.T) {
	for text, want := range map[string]string{
		"what is in it?": `done {"say":"deny","text":"what is in it?","skipped":true}`,
		"yes":            `done {"say":"once"}`,
		"nein, danke":    `done {"say":"deny"}`,
		"one moment":     "new ",
		"/etc is what?":  `done {"say":"deny","text":"/etc is what?","skipped":true}`,
	} {
		s := newStory(t)
		q := askOnTelegram(s, supervisor.QuestionApproval)
		state := s.state(s.receiveText(q.Conversation, text))
		s.same(text, state+" "+s.query("SELECT coalesce(answer, '') FROM question"), want)
	}
}

// A message gets its turn although a question of a job, of a command or of nobody is open.
func TestQuestion_NotOfChatTurn_BlocksNoMessage(t *testing.T) {
	s := newStory(t)
	chat := s.chat("alice", "42")
	job, _, err := s.db.Inbox().StoreInbound(t.Context(), supervisor.Inbound{Source: "job", Key: "1",
		Kind: supervisor.KindJob, Destination: chat, Text: "work",
		Conversation: supervisor.Conversation{User: "alice", Channel: supervisor.ChannelJob, Chat: "1"}})
	s.must(err)
	turn, _, err := s.db.Turns().Start(t.Context(), job.ID, nil)
	s.must(err)
	command := s.put(chat, supervisor.KindCommand, "/invite eve")
	for i, by := range []supervisor.Question{{Turn: turn.ID}, {Inbound: command.ID}, {}} {
		q := approvalQuestion(s, turn)
		q.Conversation, q.Turn, q.Inbound = chat, by.Turn, by.Inbound
		_, _, err := s.db.Questions().Ask(t.Context(), q, fmt.Sprintf("%064d", i), onceDeny)
		s.must(err)
		s.postPending(chat)
		s.same("kept", s.state(s.receiveText(chat, fmt.Sprint("what is in it, ", i))), "new")
	}
	s.same("reminders", s.query("SELECT count(*) FROM question_reminder"), "0")
	s.same("open", s.query("SELECT count(*) FROM question WHERE why IS NULL"), "3")
}

// A message that was sent before its user could read the question does not end it.
func TestApproval_TextBeforeDelivery_StaysOpen(t *testing.T) {
	s := newStory(t)
	turn := s.startTelegramTurn("42")
	q := approvalQuestion(s, turn)
	_, _, err := s.db.Questions().Ask(t.Context(), q, nonceA, onceDeny)
	s.must(err)
	s.same("kept", s.state(s.receiveText(q.Conversation, "what is the weather?")), "new")
	s.same("open", s.query("SELECT count(*) FROM question WHERE why IS NULL"), "1")
	s.now = s.now.Add(time.Second)
	s.postPending(q.Conversation)
	s.same("below the reminder", s.state(s.receiveText(q.Conversation, "yes")), "done")
}

// react reacts with an emoji to a message in alice's chat.
func (s *story) react(chat, message, emoji string, d supervisor.GateDecision) []supervisor.Inbound {
	s.Helper()
	in := supervisor.Inbound{Key: "react " + message, Kind: supervisor.KindText, Text: emoji,
		Conversation: supervisor.Conversation{User: "alice", Channel: supervisor.ChannelTelegram, Chat: chat}}
	kept, err := s.db.Inbox().StoreBatch(s.Context(), supervisor.InboundBatch{Source: "bot",
		Items: []supervisor.BatchItem{{Reacts: true, RepliesTo: message, Decision: d, Inbound: in}}})
	s.must(err)
	return kept.Stored
}

// A thumb on a question's message, or on its reminder, is a yes or a no. Any other emoji answers
// nothing and is not stored. The same holds for a thumb on another message or in another chat.
func TestReaction_OnQuestion_Answers(t *testing.T) {
	for name, c := range map[string]struct {
		kind                 supervisor.QuestionKind
		chat, message, emoji string
		locked               bool
		want                 string
	}{
		"an approval":     {supervisor.QuestionApproval, "42", "m1", "👍", false, `{"say":"once"}`},
		"its reminder":    {supervisor.QuestionApproval, "42", "m2", "👍", false, `{"say":"once"}`},
		"a no":            {supervisor.QuestionApproval, "42", "m1", "👎", false, `{"say":"deny"}`},
		"money":           {supervisor.QuestionBudget, "42", "m1", "👍", false, `{"say":"once"}`},
		"a code":          {supervisor.QuestionLoginCode, "42", "m1", "👍", false, ""},
		"a heart":         {supervisor.QuestionApproval, "42", "m1", "❤", false, ""},
		"another message": {supervisor.QuestionApproval, "42", "m9", "👍", false, ""},
		"another chat":    {supervisor.QuestionApproval, "43", "m1", "👍", false, ""},
		"a closed gate":   {supervisor.QuestionApproval, "42", "m1", "👍", true, ""},
	} {
		s := newStory(t)
		q := askOnTelegram(s, c.kind)
		s.receiveText(q.Conversation, "one moment")
		s.postPending(q.Conversation)
		d := supervisor.GateDecision{}
		if c.locked {
			d.Check = &supervisor.GateCheck{IdleTimeout: time.Hour, Lifetime: time.Hour}
		}
		before := s.query("SELECT count(*) FROM inbox")
		for range 2 { // the second round repeats the update
			s.react(c.chat, c.message, c.emoji, d)
		}
		s.same(name, s.query("SELECT coalesce(answer, '') FROM question"), c.want)
		if kept := s.query("SELECT count(*) FROM inbox") != before; kept != (c.want != "") {
			t.Errorf("%s: kept: %t", name, kept)
		}
	}
}

// In a topic a reaction does not name the topic. The question is found by the message that has the
// reaction.
func TestReaction_InTopic_FindsQuestion(t *testing.T) {
	s := newStory(t)
	topic, err := s.db.Conversations().FindOrCreate(t.Context(), "alice", supervisor.ChannelTelegram, "-42", "7")
	s.must(err)
	in := s.put(topic, supervisor.KindText, "ask")
	turn, _, err := s.db.Turns().Start(t.Context(), in.ID, nil)
	s.must(err)
	_, _, err = s.db.Questions().Ask(t.Context(), approvalQuestion(s, turn), nonceA, onceDeny)
	s.must(err)
	s.postPending(topic)
	kept := s.react("-42", "m1", "👍", supervisor.GateDecision{})
	s.same("kept", len(kept), 1)
	s.same("topic", kept[0].Conversation.ID, topic.ID)
	s.same("its turn goes on", resumable(s), []int64{topic.ID})
}
