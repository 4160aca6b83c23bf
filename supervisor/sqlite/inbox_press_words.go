package sqlite

import (
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// typedAnswerTime is how long a typed yes or no presses a button of a command's answer.
const typedAnswerTime = 15 * time.Minute

const (
	// newestInChat selects the newest delivery in the chat of conversation ?1. It selects nothing
	// if the delivery was sent before ?2 or not at all, or if it is no command's answer in that
	// conversation. It also selects nothing if inbound ?3 is not the first that came after the
	// command.
	newestInChat = `SELECT o.id, o.buttons FROM outbox o JOIN conversation c ON c.id = ?1
		WHERE o.conversation = c.id AND o.kind = 'command' AND o.buttons <> '' AND o.outcome = 'sent' AND o.delivered_at >= ?2
		AND o.id = (SELECT max(l.id) FROM conversation n JOIN outbox l ON l.conversation = n.id
			WHERE n.channel = c.channel AND n.chat = c.chat)
		AND NOT EXISTS (SELECT 1 FROM conversation n JOIN inbox i ON i.conversation = n.id
			WHERE n.channel = c.channel AND n.chat = c.chat AND i.id > o.inbound AND i.id <> ?3)`
	// newestPostInChat selects the delivery of the newest message in the chat of a conversation; 0
	// means a running answer.
	newestPostInChat = `SELECT coalesce(p.delivery, 0) FROM conversation c JOIN conversation n ON n.channel = c.channel
		AND n.chat = c.chat JOIN post p ON p.conversation = n.id WHERE c.id = ? AND p.message <> '' ORDER BY p.id DESC LIMIT 1`

	makePress = `UPDATE inbox SET kind = 'press', text = ?, message = ? WHERE id = ?`
)

// answerWithButtons is a command's answer with its buttons.
type answerWithButtons struct {
	id      int64
	buttons [][]supervisor.Button
}

func scanAnswerWithButtons(row *engine.Row) (a answerWithButtons) {
	row.Scan(&a.id, columnDecoder{&a.buttons})
	return a
}

// pressInWords makes a typed yes or no the press of the button with that Answer. The button must be
// below the answer to a command of the same user, and nothing newer may have been said in the chat.
func (t *batchTx) pressInWords(in supervisor.Inbound, repliesTo string) (_ supervisor.Inbound, ok bool) {
	said := t.policies.Questions.YesOrNo(in.Text)
	if said == supervisor.AnswerChoiceNone || in.Origin != supervisor.OriginOwn ||
		in.Priority == supervisor.PriorityFollowup {
		return in, false
	}
	after := t.Now - typedAnswerTime.Milliseconds()
	d, found := one(t.tx, scanAnswerWithButtons, newestInChat, in.Conversation.ID, after, in.ID)
	press := pressOf(d.buttons, said)
	if !found || press == "" || repliesTo != "" && !t.shows(d.id, repliesTo) {
		return in, false
	}
	if shown, posted := one(t.tx, engine.ScanInteger, newestPostInChat, in.Conversation.ID); posted && shown != d.id {
		return in, false
	}
	in.Kind, in.Text, in.Message = supervisor.KindPress, press, ""
	for _, p := range t.postsOf(d.id) {
		in.Message = p.Message
	}
	t.Exec(makePress, in.Text, in.Message, in.ID)
	return in, true
}

// pressOf returns the press of the button with a typed answer; "" means that no button has it.
func pressOf(buttons [][]supervisor.Button, said supervisor.AnswerChoice) string {
	for _, row := range buttons {
		for _, b := range row {
			if b.Answer == said {
				return b.Press
			}
		}
	}
	return ""
}
