package sqlite_test

import (
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/effect"
)

// sendingStory has a turn of alice in Telegram that sends a text and three files in one delivery.
type sendingStory struct {
	postStory
	chat  supervisor.Conversation
	turn  supervisor.Turn
	files []supervisor.File
	sent  supervisor.Delivery
}

func newSendingStory(t *testing.T, text string, names ...string) *sendingStory {
	return newToolSendingStory(t, "read_file", text, names...)
}

// newToolSendingStory is newSendingStory with another tool.
func newToolSendingStory(t *testing.T, tool, text string, names ...string) *sendingStory {
	s := &sendingStory{postStory: postStory{newStory(t)}}
	s.turn = s.startTelegramTurn("7")
	s.chat = s.turn.AnswerConversation()
	called := step(s.turn, "", "c1")
	called.Message.Parts[0].Call.Name = tool
	_, err := s.db.Turns().CommitStep(t.Context(), called)
	s.must(err)
	for i, name := range names {
		f := supervisor.File{SHA256: strings.Repeat(string(rune('a'+i))+"0", 32), Size: 12, Name: name,
			MediaType: "image/png"}
		s.must(s.db.Blobs().AddOwner(t.Context(), "alice", protocol.BlobRef{SHA256: f.SHA256, Size: f.Size}, s.turn.ID))
		s.files = append(s.files, f)
	}
	_, err = s.db.Turns().SendMessage(t.Context(), s.turn.ID, "c1", supervisor.Delivery{Text: text, Files: s.files})
	s.must(err)
	list, err := s.db.Outbox().ListPending(t.Context(), s.chat.ID, 0, 10)
	s.must(err)
	s.sent = list[0]
	return s
}

// post makes the posts of a delivery, with these contents and states.
func (s *sendingStory) post(contents []supervisor.RichText, states ...supervisor.PostState) {
	s.Helper()
	posts, err := s.db.Posts().CreatePosts(s.Context(), s.sent.ID, contents)
	s.must(err)
	for i, state := range states {
		p, err := s.db.Posts().MarkSending(s.Context(), s.chat.ID, posts[i])
		s.must(err)
		s.settle(p, state, "5")
	}
}

// ledger returns the words about all effects.
func (s *sendingStory) ledger() (words []string) {
	list, err := s.db.Effects().List(s.Context(), supervisor.EffectQuery{User: "alice", Limit: 10})
	s.must(err)
	for i := range list {
		words = append(words, effect.Describe(list[len(list)-1-i], nil))
	}
	return words
}

// TestStoreOutcome_SentEffects_GetThatOutcome: a message counts as sent only when the channel has
// taken it.
func TestStoreOutcome_SentEffects_GetThatOutcome(t *testing.T) {
	file := func(f supervisor.File) supervisor.RichText { return supervisor.RichText{File: &f} }
	lost := func(f supervisor.File) supervisor.RichText {
		return supervisor.RichText{Text: "not sent", Refused: &supervisor.RefusedFile{SHA256: f.SHA256, Why: "400"}}
	}
	const ok, bad, maybe = supervisor.PostSent, supervisor.PostFailed, supervisor.PostUnknown
	for name, c := range map[string]struct {
		text    string
		names   []string
		post    func(s *sendingStory)
		outcome supervisor.DeliveryResult
		want    []string
		note    string // note that the model reads in the next turn
	}{
		"nothing yet": {"", []string{"a"}, nil, "", []string{"being sent: a (image/png, 12 bytes)"}, ""},
		"taken":       {"", []string{"a"}, nil, supervisor.OutcomeSent, []string{"sent a (image/png, 12 bytes)"}, ""},
		"refused": {"", []string{"a"}, func(s *sendingStory) { s.post([]supervisor.RichText{lost(s.files[0])}, ok) },
			supervisor.OutcomeSent,
			[]string{"could not send a (400)"}, "[The chat did not accept what you sent: a (400).]\n"},
		"never reached": {"", []string{"a"}, nil, supervisor.OutcomeFailed, []string{"could not send a (blocked)"},
			"[The chat did not accept what you sent: a (blocked).]\n"},
		"perhaps": {"", []string{"a"}, func(s *sendingStory) { s.post([]supervisor.RichText{file(s.files[0])}, maybe) },
			supervisor.OutcomeUnknown,
			[]string{"may not have arrived: a (image/png, 12 bytes)"}, ""},
		"the second of three": {"", []string{"a", "b", "c"},
			func(s *sendingStory) {
				s.post([]supervisor.RichText{file(s.files[0]), lost(s.files[1]), file(s.files[2])}, ok, ok, ok)
			},
			supervisor.OutcomeSent, []string{"sent a (image/png, 12 bytes)", "could not send b (400)",
				"sent c (image/png, 12 bytes)"},
			"[The chat did not accept what you sent: b (400).]\n"},
		"the first arrived": {"", []string{"a", "b"},
			func(s *sendingStory) { s.post([]supervisor.RichText{file(s.files[0]), file(s.files[1])}, ok, bad) },
			supervisor.OutcomeFailed, []string{"sent a (image/png, 12 bytes)", "could not send b (blocked)"},
			"[The chat did not accept what you sent: b (blocked).]\n"},
		"an album": {"", []string{"a", "b"}, func(s *sendingStory) {
			s.post([]supervisor.RichText{{File: &s.files[0], Album: s.files[1:]}}, ok)
		}, supervisor.OutcomeUnknown, []string{"sent a (image/png, 12 bytes)", "sent b (image/png, 12 bytes)"}, ""},
		"a message":       {"hello", nil, nil, "", []string{"being sent: a message (5 bytes)"}, ""},
		"a taken message": {"hello", nil, nil, supervisor.OutcomeSent, []string{"sent a message (5 bytes)"}, ""},
		"a refused message": {"hello", nil, nil, supervisor.OutcomeFailed,
			[]string{"could not send a message (blocked)"},
			"[The chat did not accept what you sent: a message (blocked).]\n"},
		"a lost message": {"hello", nil, nil, supervisor.OutcomeUnknown,
			[]string{"may not have arrived: a message (5 bytes)"}, ""},
		"a name with brackets": {"", []string{"a]\n[b"}, nil, supervisor.OutcomeFailed,
			[]string{"could not send a] [b (blocked)"},
			"[The chat did not accept what you sent: a) (b (blocked).]\n"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSendingStory(t, c.text, c.names...)
			if c.post != nil {
				c.post(s)
			}
			if c.outcome != "" {
				s.close(s.sent, c.outcome, "blocked")
			}
			s.same("ledger", s.ledger(), c.want)
			d := s.finish(s.turn, "There it is.")
			s.same("lines below the answer", d.Effects, c.want)
			s.startTelegramTurn("7")
			said := s.transcript(s.chat)
			s.same("told the model", strings.HasPrefix(said[len(said)-1].Text(), "[The chat did not accept"),
				c.note != "")
			if got := said[len(said)-1].Text(); !strings.HasPrefix(got, c.note) {
				s.Errorf("the model is told %q, want %q", got, c.note)
			}
		})
	}
}

// TestEffectLines_OutcomeBeforePost_AreUpdated: the effect lines show the outcomes at the time
// when the answer is posted.
func TestEffectLines_OutcomeBeforePost_AreUpdated(t *testing.T) {
	s := newSendingStory(t, "", "a")
	d := s.finish(s.turn, "There it is.")
	s.same("on its way", d.Effects, []string{"being sent: a (image/png, 12 bytes)"})
	s.close(s.sent, supervisor.OutcomeFailed, "blocked")
	pending, err := s.db.Outbox().ListPending(t.Context(), s.chat.ID, 0, 10)
	s.must(err)
	s.same("to post", []any{len(pending), pending[0].Effects}, []any{1, []string{"could not send a (blocked)"}})
}

// TestStoreOutcome_LateRefusal_TellsUser: after a late refusal the user gets a message that
// replies to the answer. The ledger changes, and the model is told once.
func TestStoreOutcome_LateRefusal_TellsUser(t *testing.T) {
	s := newSendingStory(t, "", "a")
	d := s.finish(s.turn, "There it is.")
	posts, err := s.db.Posts().CreatePosts(t.Context(), d.ID, richTexts("There it is."))
	s.must(err)
	p, err := s.db.Posts().MarkSending(t.Context(), s.chat.ID, posts[0])
	s.must(err)
	s.settle(p, supervisor.PostSent, "77")
	s.close(d, supervisor.OutcomeSent, "")
	s.close(s.sent, supervisor.OutcomeFailed, "blocked")
	pending, err := s.db.Outbox().ListPending(t.Context(), s.chat.ID, 0, 10)
	s.must(err)
	s.same("notices", len(pending), 1)
	notice := pending[0]
	s.same("notice", []any{notice.Kind, notice.Text, notice.Message}, []any{supervisor.DeliveryNotice,
		"I could not send this: `a` (blocked).", "77"})
	s.same("ledger", s.ledger(), []string{"could not send a (blocked)"})
	s.close(notice, supervisor.OutcomeSent, "")

	next := s.startTelegramTurn("7")
	said := s.transcript(s.chat)
	if got := said[len(said)-1].Text(); !strings.HasPrefix(got,
		"[The chat did not accept what you sent: a (blocked).]\n") {
		t.Errorf("the model is told %q", got)
	}
	s.finish(next, "Oh.")
	s.now = s.now.Add(time.Minute)
	s.startTelegramTurn("7")
	said = s.transcript(s.chat)
	if got := said[len(said)-1].Text(); strings.Contains(got, "did not accept") {
		t.Errorf("the model is told again: %q", got)
	}

	s.same("sent again", s.resend(s.chat, 9), 1)
	s.same("on its way again", s.ledger(), []string{"being sent: a (image/png, 12 bytes)"})
	s.close(s.sent, supervisor.OutcomeSent, "")
	s.same("taken", s.ledger(), []string{"sent a (image/png, 12 bytes)"})
	s.same("waiting", s.pendingTexts(s.chat), []string{"Oh."})
}
