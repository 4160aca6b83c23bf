package sqlite_test

import (
	"testing"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/sqlite"
	"mews/supervisor/voice"
)

// speakAnswer runs a new turn in a chat of alice, which ends with an answer to speak.
func (s *story) speakAnswer(chat string, mode supervisor.VoiceMode) (supervisor.Turn, sqlite.LastStepResult) {
	s.Helper()
	turn := s.startTelegramTurn(chat)
	l := lastStep(turn, "hello")
	l.Post, l.End.Voice = nil, mode
	e, err := s.db.Turns().CommitLastStep(s.Context(), l)
	s.must(err)
	return turn, e
}

func (s *story) speeches() (list []sqlite.SpokenAnswer) {
	s.Helper()
	list, err := s.db.SpokenAnswers().List(s.Context())
	s.must(err)
	return list
}

// dueTexts lists the pending deliveries to a chat: their texts, or the names of their recordings.
func (s *story) dueTexts(chat string) (list []string) {
	s.Helper()
	pending, err := s.db.Outbox().ListPendingInChat(s.Context(), supervisor.ChannelTelegram, chat, 10)
	s.must(err)
	list = []string{}
	for _, d := range pending {
		for _, f := range d.Files {
			d.Text += f.Name
		}
		list = append(list, d.Text)
	}
	return list
}

var recording = supervisor.File{SHA256: digest("5"), Size: 5, Name: "voice.ogg", MediaType: "audio/ogg"}

// closeNewestDelivery stores the outcome of the newest delivery to a chat.
func (s *story) closeNewestDelivery(chat string, outcome supervisor.DeliveryResult) {
	s.Helper()
	pending, err := s.db.Outbox().ListPendingInChat(s.Context(), supervisor.ChannelTelegram, chat, 10)
	s.must(err)
	s.must(
		s.db.Outbox().
			StoreOutcome(s.Context(), supervisor.DeliveryOutcome{Delivery: pending[len(pending)-1].ID,
				Outcome: outcome}),
	)
}

func TestRecording_VoiceOn_FollowsText(t *testing.T) {
	s := newStory(t)
	turn, e := s.speakAnswer("7", supervisor.VoiceOn)
	s.same("sent at once", s.dueTexts("7"), []string{"hello"})
	s.same(
		"to be said",
		s.speeches(),
		[]sqlite.SpokenAnswer{{Delivery: e.Delivery.ID, Text: "hello", Conversation: turn.Conversation,
			Turn: supervisor.Turn{
				ID:           turn.ID,
				Conversation: supervisor.Conversation{ID: turn.Conversation.ID, User: "alice"},
				Destination:  turn.Conversation,
			}}},
	)
	op, err := s.db.Operations().
		Put(t.Context(), supervisor.Operation{User: "alice", Kind: protocol.OperationKindSpeak, Parameters: "{}"})
	s.must(err)
	s.must(s.db.SpokenAnswers().PutOperations(t.Context(), e.Delivery.ID, []int64{op.ID}))
	s.same("the operations", s.speeches()[0].Operations, []int64{op.ID})
	s.must(s.db.Operations().ChangeState(t.Context(), op.ID, supervisor.OperationFailed, ""))
	s.must(s.db.SpokenAnswers().PutRecordings(t.Context(), e.Delivery.ID, []supervisor.File{recording}))
	s.same("behind it", s.dueTexts("7"), []string{"hello", "voice.ogg"})
	s.same("recordings that are made", len(s.speeches()), 0)
	s.same("operations", s.query("SELECT count(*) FROM operation"), "0")
	s.checkRefused(
		s.db.SpokenAnswers().PutRecordings(t.Context(), e.Delivery.ID, []supervisor.File{recording}),
		supervisor.CodeNotFound,
		"",
	)
	s.closeNewestDelivery("7", supervisor.OutcomeFailed)
	s.same("without it", s.dueTexts("7"), []string{"hello"})
	s.closeNewestDelivery("7", supervisor.OutcomeSent)
	s.same("the inbound", s.state(turn.Inbound), "done")
	s.same("rows", s.query("SELECT count(*) FROM speech"), "0")
}

func TestRecording_VoiceOnly_DelaysText(t *testing.T) {
	for outcome, want := range map[supervisor.DeliveryResult][]string{
		supervisor.OutcomeSent: {}, supervisor.OutcomeFailed: {"hello"}, supervisor.OutcomeUnknown: {"hello"},
	} {
		t.Run(string(outcome), func(t *testing.T) {
			s := newStory(t)
			turn, e := s.speakAnswer("7", supervisor.VoiceOnly)
			s.same("held back", s.dueTexts("7"), []string{})
			due, err := s.db.Outbox().ListDueConversations(t.Context(), supervisor.ChannelTelegram)
			s.must(err)
			s.same("at a start", len(due), 0)
			s.same("the inbound meanwhile", s.state(turn.Inbound), "answered")
			s.must(s.db.SpokenAnswers().PutRecordings(t.Context(), e.Delivery.ID, []supervisor.File{recording}))
			s.same("its voice", s.dueTexts("7"), []string{"voice.ogg"})
			s.closeNewestDelivery("7", outcome)
			s.same("then", s.dueTexts("7"), want)
			s.same("rows", s.query("SELECT count(*) FROM speech"), "0")
			if len(want) == 0 {
				s.same("the inbound", s.state(turn.Inbound), "done")
			}
		})
	}
}

func TestRecording_Failed_SendsText(t *testing.T) {
	s := newStory(t)
	_, e := s.speakAnswer("7", supervisor.VoiceOnly)
	s.must(s.db.SpokenAnswers().MarkFailed(t.Context(), e.Delivery.ID, "No voice."))
	s.same("sent", s.dueTexts("7"), []string{"hello", "No voice."})
	s.checkRefused(s.db.SpokenAnswers().MarkFailed(t.Context(), e.Delivery.ID, ""), supervisor.CodeNotFound, "")
}

// A text is not held back if a part of it is in the chat already, or if the answer has a file.
func TestRecording_ReplyAlreadyShown_KeepsText(t *testing.T) {
	s := newStory(t)
	turn := s.startTelegramTurn("7")
	_, err := s.db.Posts().
		MarkSending(t.Context(), turn.Conversation.ID, supervisor.Post{Turn: turn.ID,
			Content: supervisor.RichText{Text: "hel"}})
	s.must(err)
	_, err = s.db.Turns().
		Finish(t.Context(), sqlite.TurnEnding{Turn: turn.ID, Why: protocol.TurnEndDone,
			State: supervisor.InboundAnswered,
			Text:  "hello", Voice: supervisor.VoiceOnly})
	s.must(err)
	s.same("sent", s.dueTexts("7"), []string{"hello", voice.TextWrittenBecauseOfFiles})

	turn = s.startTelegramTurn("8")
	s.must(
		s.db.Blobs().
			AddOwner(t.Context(), "alice", protocol.BlobRef{SHA256: recording.SHA256, Size: recording.Size}, turn.ID),
	)
	_, err = s.db.Turns().CommitStep(t.Context(), step(turn, "I send it.", "c1"))
	s.must(err)
	_, err = s.db.Turns().SendMessage(t.Context(), turn.ID, "c1",
		supervisor.Delivery{Files: []supervisor.File{recording}})
	s.must(err)
	_, err = s.db.Turns().
		Finish(t.Context(), sqlite.TurnEnding{Turn: turn.ID, Why: protocol.TurnEndDone,
			State: supervisor.InboundAnswered,
			Text:  "There it is.", Voice: supervisor.VoiceOnly, Unanswered: "x"})
	s.must(err)
	s.same("with the file", s.dueTexts("8"), []string{"voice.ogg", "There it is.", voice.TextWrittenBecauseOfFiles})
	s.same("to be said", len(s.speeches()), 2)
}

// If the text is held back, the recordings have the effect lines.
func TestRecording_TextHeldBack_ShowsEffects(t *testing.T) {
	for mode, want := range map[supervisor.VoiceMode][]string{supervisor.VoiceOnly: {"edited notes.md (1 line)"}, supervisor.VoiceOn: nil} {
		s := newStory(t)
		turn := s.startTelegramTurn("7")
		_, err := s.db.Turns().CommitStep(t.Context(), step(turn, "", "c1"))
		s.must(err)
		s.commitChanges(turn, "c1", edited)
		d, err := s.db.Turns().
			Finish(t.Context(), sqlite.TurnEnding{Turn: turn.ID, Why: protocol.TurnEndDone,
				State: supervisor.InboundAnswered,
				Text:  "hello", Voice: mode})
		s.must(err)
		s.must(s.db.SpokenAnswers().PutRecordings(t.Context(), d.ID, []supervisor.File{recording}))
		pending, err := s.db.Outbox().ListPendingInChat(t.Context(), supervisor.ChannelTelegram, "7", 10)
		s.must(err)
		s.same(string(mode), pending[len(pending)-1].Effects, want)
	}
}
