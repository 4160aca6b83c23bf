package sqlite_test

import (
	"testing"

	"mews/supervisor"
)

// A "yes" in reply to an older message does not answer the question.
func TestReply_OtherMessage_AnswersNoQuestion(t *testing.T) {
	for to, want := range map[string]string{"": "answered", "12": "answered", "11": "new"} {
		s := newStory(t)
		older := s.notice(s.home, "It rains.")
		ask(s, approvalQuestion(s, s.startTurn("send it")), nonceA)
		pending, err := s.db.Outbox().ListPending(t.Context(), s.home.ID, older.ID, 10)
		s.must(err)
		for i, d := range []supervisor.Delivery{older, pending[0]} {
			p, err := s.db.Posts().MarkSending(t.Context(), s.home.ID, supervisor.Post{Delivery: d.ID,
				Content: supervisor.RichText{Text: d.Text}})
			s.must(err)
			p.State, p.Message = supervisor.PostSent, []string{"11", "12"}[i]
			s.must(s.db.Posts().StorePostResult(t.Context(), p))
			s.close(d, supervisor.OutcomeSent, "")
		}
		kept, err := s.db.Inbox().StoreBatch(t.Context(), supervisor.InboundBatch{Source: "test",
			Items: []supervisor.BatchItem{{RepliesTo: to,
				Inbound: supervisor.Inbound{Conversation: s.home, Key: "yes", Kind: supervisor.KindText, Text: "yes"}}}})
		s.must(err)
		s.same("a yes to "+to, s.state(kept.Stored[0].ID), want)
	}
}

// A "yes" below a question answers it, even if answers of commands came after the question. Other
// messages may have asked something else.
func TestYes_BelowCommandAnswer_AnswersQuestion(t *testing.T) {
	for name, c := range map[string]struct {
		command *supervisor.Delivery // answer of a command below the question; nil means a notice instead
		want    string
	}{
		"command":                     {&supervisor.Delivery{Text: "Two messages wait."}, "answered"},
		"command that asks by button": {&supervisor.Delivery{Text: "Delete all?", Buttons: yesNo}, "new"},
		"notice":                      {nil, "new"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t)
			ask(s, approvalQuestion(s, s.startTurn("send it")), nonceA)
			deliverAll(s)
			for range 2 {
				if c.command == nil {
					s.notice(s.home, "It rains.")
				} else {
					in := s.put(s.home, supervisor.KindCommand, "/queue")
					_, err := s.db.Outbox().AnswerCommand(t.Context(), in.ID, *c.command)
					s.must(err)
				}
			}
			deliverAll(s)
			kept, err := s.db.Inbox().StoreBatch(t.Context(), supervisor.InboundBatch{Source: "test",
				Items: []supervisor.BatchItem{{Inbound: supervisor.Inbound{Conversation: s.home, Key: "yes",
					Kind: supervisor.KindText, Text: "yes"}}}})
			s.must(err)
			s.same("the yes", s.state(kept.Stored[0].ID), c.want)
		})
	}
}
