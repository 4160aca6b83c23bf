package sqlite_test

import (
	"cmp"
	"fmt"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/sqlite/sqlitetest"
)

// forgetOrKeep are the buttons of a command that asks. Their texts are neither yes nor no.
var forgetOrKeep = [][]supervisor.Button{
	{{Text: "Forget it", Press: "forget:do", Answer: supervisor.AnswerChoiceOnce}},
	{{Text: "Keep it", Press: "forget:no", Answer: supervisor.AnswerChoiceNo}}}

// A typed yes or no presses a button of the newest answer to a command, and of nothing else.
func TestTypedAnswer_BelowCommand_PressesButton(t *testing.T) {
	group := func(user string) supervisor.Conversation {
		return supervisor.Conversation{User: user, Channel: supervisor.ChannelTelegram, Chat: "-100"}
	}
	private := supervisor.Conversation{User: "alice", Channel: supervisor.ChannelTelegram, Chat: "42"}
	for name, c := range map[string]struct {
		in, from supervisor.Conversation // chat of the command, and of the typed answer
		text     string
		before   func(s *story, in supervisor.Conversation) // what happens before the answer is typed
		inbound  supervisor.Inbound                         // more fields of the typed answer
		outcome  supervisor.DeliveryResult                  // of the command's answer; "" means sent
		repliesTo,
		want string // the press; "" means that the model gets the text
	}{
		"yes":              {in: private, from: private, text: "yes", want: "forget:do"},
		"ja":               {in: private, from: private, text: "Ja!", want: "forget:do"},
		"thumb":            {in: private, from: private, text: "👍", want: "forget:do"},
		"no":               {in: private, from: private, text: "no", want: "forget:no"},
		"group":            {in: group("alice"), from: group("alice"), text: "yes", want: "forget:do"},
		"reply to it":      {in: private, from: private, text: "yes", repliesTo: "7", want: "forget:do"},
		"reply to another": {in: private, from: private, text: "yes", repliesTo: "6"},
		"other words":      {in: private, from: private, text: "yes, but why?"},
		"somebody else":    {in: group("alice"), from: group("bob"), text: "yes"},
		"another chat":     {in: private, from: group("alice"), text: "yes"},
		"forwarded": {in: private, from: private, text: "yes",
			inbound: supervisor.Inbound{Origin: supervisor.OriginWorld}},
		"follow-up": {in: private, from: private, text: "yes",
			inbound: supervisor.Inbound{Priority: supervisor.PriorityFollowup}},
		"below a notice": {in: private, from: private, text: "yes",
			before: func(s *story, in supervisor.Conversation) { s.notice(in, "It rains.") }},
		"below another yes": {in: private, from: private, text: "yes",
			before: func(s *story, in supervisor.Conversation) { s.put(in, supervisor.KindText, "hm") }},
		"of another in group": {in: group("alice"), from: group("alice"), text: "yes",
			before: func(s *story, _ supervisor.Conversation) { s.put(group("bob"), supervisor.KindText, "hm") }},
		"below a running answer": {in: private, from: private, text: "yes",
			before: func(s *story, in supervisor.Conversation) {
				turn := s.startTurn("talk")
				sqlitetest.ExecStatements(s, s.db, fmt.Sprintf(`INSERT INTO post (user, conversation, turn, part, state, message,
				content,
				changed_at) VALUES ('alice', %d, %d, 0, 'sent', '8', '{}', 1)`, in.ID, turn.ID))
			}},
		"late": {in: private, from: private, text: "yes",
			before: func(s *story, _ supervisor.Conversation) {
				s.now = s.now.Add(16 * time.Minute)
			}},
		"not sent": {in: private, from: private, text: "yes", outcome: supervisor.OutcomeFailed},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t)
			find := func(c supervisor.Conversation) supervisor.Conversation {
				c, err := s.db.Conversations().FindOrCreate(t.Context(), c.User, c.Channel, c.Chat, "")
				s.must(err)
				return c
			}
			in := find(c.in)
			command := s.put(in, supervisor.KindCommand, "/forget today")
			d, err := s.db.Outbox().AnswerCommand(t.Context(), command.ID,
				supervisor.Delivery{Text: "I delete this for good.", Buttons: forgetOrKeep})
			s.must(err)
			p, err := s.db.Posts().MarkSending(t.Context(), in.ID, supervisor.Post{Delivery: d.ID,
				Content: supervisor.RichText{Text: d.Text}})
			s.must(err)
			p.State, p.Message = supervisor.PostSent, "7"
			s.must(s.db.Posts().StorePostResult(t.Context(), p))
			s.close(d, cmp.Or(c.outcome, supervisor.OutcomeSent), "")
			if c.before != nil {
				c.before(s, in)
			}
			c.inbound.Conversation, c.inbound.Key, c.inbound.Kind = find(c.from), "typed", supervisor.KindText
			c.inbound.Text, c.inbound.Message = c.text, "9"
			kept, err := s.db.Inbox().StoreBatch(t.Context(), supervisor.InboundBatch{Source: "test",
				Items: []supervisor.BatchItem{{RepliesTo: c.repliesTo, Inbound: c.inbound}}})
			s.must(err)
			want := "text " + c.text + " 9"
			if c.want != "" {
				want = "press " + c.want + " 7"
			}
			got := kept.Stored[0]
			s.same("returned", string(got.Kind)+" "+got.Text+" "+got.Message, want)
			const stored = "SELECT kind || ' ' || text || ' ' || message FROM inbox WHERE id = ?"
			s.same("stored", s.query(stored, got.ID), want)
		})
	}
}
