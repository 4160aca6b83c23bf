package sqlite

import (
	"context"
	"fmt"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// RecordPress stores the press of a question's button. It returns the result, and the question
// after the press. There is no question if the press is not for a question of this user and
// conversation. SayAlways for an approval also stores a grant. Accepted and foreign presses go into
// the audit log.
func (s Questions) RecordPress(
	ctx context.Context,
	p supervisor.QuestionPress,
) (q supervisor.Question, came supervisor.PressResult, err error) {
	return inTransaction2(ctx, s.db, func(t *tx) (supervisor.Question, supervisor.PressResult) { return t.press(p) },
		"store a press of %s", p.User)
}

func (t *tx) press(p supervisor.QuestionPress) (none supervisor.Question, came supervisor.PressResult) {
	q := value(t, scanQuestion, findPressed, p.Digest)
	said, came := t.policies.Questions.DecidePress(q.Question, q.draft, p.Word)
	if q.ID == 0 || q.Conversation.User != p.User || q.Conversation.ID != p.Conversation ||
		came == supervisor.PressUnknown {
		t.audit(p.User, "question.foreign", fmt.Sprint("conversation ", p.Conversation))
		return none, supervisor.PressUnknown
	}
	switch {
	case q.End == supervisor.QuestionAnswered:
		return q.Question, supervisor.PressAnsweredBefore
	case q.End == supervisor.QuestionExpired && q.Kind == supervisor.QuestionFromModel &&
		came == supervisor.PressAccepted &&
		!said.Skipped:
		return q.Question, t.pressLate(q, said)
	case q.End == supervisor.QuestionExpired:
		return q.Question, supervisor.PressExpired
	case q.End != supervisor.QuestionOpen:
		return q.Question, supervisor.PressQuestionCancelled
	case came == supervisor.PressToggledOption:
		t.Exec(putDraft, columnEncoder{said}, q.ID)
		t.showPicks(q, said)
	case came == supervisor.PressAccepted:
		return t.endQuestion(q, supervisor.QuestionAnswered, said), came
	}
	return q.Question, came
}

// showPicks changes a question's message and its reminders so that they show the picked options.
func (t *tx) showPicks(q questionRow, draft supervisor.Answer) {
	for _, delivery := range append(all(t, engine.ScanInteger, listReminders, q.ID), q.delivery) {
		t.showQuestion(q, delivery, func(shown supervisor.RichText) supervisor.RichText {
			shown.Buttons = t.buttonsWith(q, shown.Buttons, draft)
			return shown
		})
	}
}

// pressLate stores a press after the end of a question, once: as a message that quotes the
// question.
func (t *tx) pressLate(q questionRow, said supervisor.Answer) supervisor.PressResult {
	q.Answer = said
	quote, text := t.policies.Questions.LateAnswerText(q.Question)
	_, fresh := t.putInbound(
		supervisor.Inbound{
			Conversation: q.Conversation,
			Source:       "question",
			Key:          fmt.Sprint(q.ID),
			Kind:         supervisor.KindText,
			Quote:        quote,
			Text:         text,
		},
	)
	if !fresh {
		return supervisor.PressExpired
	}
	return supervisor.PressKeptAsMessage
}
