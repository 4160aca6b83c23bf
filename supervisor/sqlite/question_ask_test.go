package sqlite_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/answer"
	"mews/supervisor/sqlite"
)

// askModelQuestion asks alice a question of the model on Telegram. The question is message 900 of
// her chat.
func askModelQuestion(s *story, kind protocol.AskKind, options ...string) supervisor.Question {
	s.Helper()
	in, _, err := s.db.Inbox().StoreInbound(s.Context(), supervisor.Inbound{Conversation: s.chat("alice", "42"),
		Source: "bot", Key: "asks", Kind: supervisor.KindText, Text: "ask"})
	s.must(err)
	turn, _, err := s.db.Turns().Start(s.Context(), in.ID, nil)
	s.must(err)
	q := supervisor.Question{Conversation: in.Conversation, Turn: turn.ID, Call: "c1",
		Kind: supervisor.QuestionFromModel, Subject: subject, OpenFor: 24 * time.Hour,
		Text: "Which?", Ask: protocol.AskArguments{Kind: kind, Text: "Which?", Options: options}}
	buttons := answer.QuestionButtons(q, supervisor.Answer{}, func(word string) string { return "q:n:" + word })
	q, _, err = s.db.Questions().Ask(s.Context(), q, nonceA, buttons)
	s.must(err)
	pending, err := s.db.Outbox().ListPending(s.Context(), in.Conversation.ID, 0, 10)
	s.must(err)
	post, err := s.db.Posts().MarkSending(s.Context(), in.Conversation.ID, supervisor.Post{Delivery: pending[0].ID,
		Content: supervisor.RichText{Text: q.Text, Buttons: buttons}})
	s.must(err)
	post.State, post.Message = supervisor.PostSent, "900"
	s.must(s.db.Posts().StorePostResult(s.Context(), post))
	s.close(pending[0], supervisor.OutcomeSent, "")
	return q
}

// pressWord presses a button of the question as alice, and returns the result.
func pressWord(s *story, q supervisor.Question, word string) supervisor.PressResult {
	s.Helper()
	_, came, err := s.db.Questions().RecordPress(s.Context(), supervisor.QuestionPress{Digest: nonceA, User: "alice",
		Conversation: q.Conversation.ID, Word: word})
	s.must(err)
	return came
}

// questionText returns what the question's message should show now.
func questionText(s *story) string {
	s.Helper()
	list, err := s.db.MessageCleanups().ListDue(s.Context(), supervisor.ChannelTelegram, s.now, 100)
	s.must(err)
	if len(list) == 0 {
		return "as it was"
	}
	content := list[len(list)-1].Content
	text := content.Text
	for _, row := range content.Buttons {
		text += " [" + row[0].Text + "]"
	}
	return text
}

// The turn has continued without the answer. The late press is stored once, as a message.
func TestPress_QuestionEnded_BecomesMessage(t *testing.T) {
	s := newStory(t)
	q := askModelQuestion(s, protocol.AskKindChoice, "Red", "Blue")
	s.now = s.now.Add(24 * time.Hour)
	expire(s)
	s.same("the message", questionText(s), "Which?\n\n(Nobody answered in time.) [Red] [Blue] [Skip]")
	for _, want := range []supervisor.PressResult{supervisor.PressKeptAsMessage, supervisor.PressExpired} {
		s.same("a press", pressWord(s, q, "1"), want)
	}
	s.same("kept", s.query("SELECT group_concat(quote || ' < ' || text) FROM inbox WHERE source = 'question'"), "> You: Which? < Blue")
	s.same("in the ledger", s.query("SELECT kind || ' ' || target || detail FROM effect"), "question.asked Which?")
}

// Each press changes the ticks in the question's message.
func TestPickedOptions_DonePressed_AnswerQuestion(t *testing.T) {
	s := newStory(t)
	q := askModelQuestion(s, protocol.AskKindSeveral, "Salt", "Oil")
	for _, c := range []struct {
		word  string
		came  supervisor.PressResult
		shows string
	}{
		{"0", supervisor.PressToggledOption, "Which? [☑ Salt] [☐ Oil] [Done] [Skip]"},
		{"1", supervisor.PressToggledOption, "Which? [☑ Salt] [☑ Oil] [Done] [Skip]"},
		{"0", supervisor.PressToggledOption, "Which? [☐ Salt] [☑ Oil] [Done] [Skip]"},
		{"done", supervisor.PressAccepted, "Which?\n\n➜ Oil"},
		{"0", supervisor.PressAnsweredBefore, "Which?\n\n➜ Oil"},
	} {
		s.same("press "+c.word, pressWord(s, q, c.word), c.came)
		s.same("the message after "+c.word, questionText(s), c.shows)
	}
	s.same("in the ledger", s.query("SELECT kind || ' ' || target || ' ' || detail FROM effect"), "question.asked Which? Oil")
}

// Several files together answer a question. The words of a recording answer it too. A message that
// does not fit the question waits for a turn.
func TestCompleteArrivals_Files_AnswerQuestion(t *testing.T) {
	photo := []protocol.ContentPart{{Text: "[photo, kept as uploads/a.png]"}}
	for _, c := range []struct {
		kind  protocol.AskKind
		list  []sqlite.ArrivalResult
		state string
		words string
	}{
		{protocol.AskKindFile, []sqlite.ArrivalResult{{Parts: photo}, {Parts: photo}}, "done",
			"They answered: Your files\n[photo, kept as uploads/a.png]\n[photo, kept as uploads/a.png]"},
		{protocol.AskKindNumber, []sqlite.ArrivalResult{{Parts: []protocol.ContentPart{{Text: "[voice, 0:02] 12."}},
			Words: "12."}}, "done", "They answered: 12"},
		{protocol.AskKindNumber, []sqlite.ArrivalResult{{Parts: photo}}, "new", ""},
	} {
		s := newStory(t)
		q := askModelQuestion(s, c.kind)
		var ids []string
		for i := range c.list {
			kept, err := s.db.Inbox().StoreBatch(t.Context(), supervisor.InboundBatch{Source: "bot",
				Items: []supervisor.BatchItem{{
					Inbound:     supervisor.Inbound{Conversation: q.Conversation, Key: fmt.Sprint("file", i), Kind: supervisor.KindText},
					Attachments: []supervisor.Attachment{{File: "f", Kind: protocol.AttachmentPhoto, Size: 1}}}}})
			s.must(err)
			c.list[i].Inbound, c.list[i].Origin = kept.Stored[0].ID, supervisor.OriginOwn
			ids = append(ids, s.state(kept.Stored[0].ID))
		}
		s.same("at first", strings.Join(ids, ""), strings.Repeat("arriving", len(c.list)))
		said, err := s.db.Inbox().CompleteArrivals(t.Context(), c.list)
		s.must(err)
		s.same("there is something to tell", said, true)
		for _, a := range c.list {
			s.same("state", s.state(a.Inbound), c.state)
		}
		if c.words != "" {
			again, _, err := s.db.Questions().Ask(t.Context(), q, nonceB, nil)
			s.must(err)
			s.same("the model reads", answer.TextForModel(again), c.words)
		}
	}
}

// The edit of a message answers the question if the message came after the question and was no
// answer to it. An earlier waiting message does not answer the question.
func TestEdit_TextAfterQuestion_AnswersIt(t *testing.T) {
	for _, c := range []struct{ sent, state, words string }{{"after", "done", "Large"}, {"before", "new", answer.AnswerText(supervisor.Question{})}} {
		s := newEditStory(t)
		if c.sent == "before" {
			s.sendUpdate(1, "one moment")
			s.now = s.now.Add(time.Second)
		}
		q := askModelQuestion(s.story, protocol.AskKindChoice, "Small", "Large")
		if c.sent == "after" {
			s.sendUpdate(1, "one moment")
		}
		for i, text := range []string{"hold on", "large", "small"} {
			edit := editItem(int64(2+i), 1, text)
			edit.EditedAt = edit.EditedAt.Add(time.Duration(i) * time.Second)
			s.receive(edit)
		}
		s.same("what was sent "+c.sent, s.query("SELECT state FROM inbox WHERE message = 'm1'"), c.state)
		again, _, err := s.db.Questions().Ask(t.Context(), q, nonceB, nil)
		s.must(err)
		s.same("the answer to what was sent "+c.sent, answer.AnswerText(again), c.words)
	}
}

// A tool call that runs again asks no second question, whether its answer was used or not.
func TestAsk_SameCallAfterCrash_AsksOnce(t *testing.T) {
	s := newStory(t)
	q := askModelQuestion(s, protocol.AskKindText)
	s.same("words", s.state(s.receiveText(q.Conversation, "so")), "done")
	for range 2 {
		again, fresh, err := s.db.Questions().Ask(t.Context(), q, nonceB, nil)
		s.must(err)
		s.same("answer", again.Answer.Text, "so")
		s.same("fresh", fresh, false)
	}
	for i := range protocol.MaxQuestions {
		q.Call, q.Subject = fmt.Sprint("c", i+2), strings.Repeat(fmt.Sprintf("%02d", i), 32)
		_, _, err := s.db.Questions().Ask(t.Context(), q, fmt.Sprintf("%064d", i), nil)
		if i < protocol.MaxQuestions-1 {
			s.must(err)
			continue
		}
		s.checkRefused(err, supervisor.CodeInvalid, "was asked 20 questions in this turn")
	}
}

// receiveText sends a text of alice to the chat of the question.
func (s *story) receiveText(c supervisor.Conversation, text string) int64 {
	s.Helper()
	kept, err := s.db.Inbox().StoreBatch(s.Context(), supervisor.InboundBatch{Source: "bot",
		Items: []supervisor.BatchItem{{
			Inbound: supervisor.Inbound{Conversation: c, Key: text, Kind: supervisor.KindText, Text: text}}}})
	s.must(err)
	return kept.Stored[0].ID
}
