package sqlite

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// Replied is what a message of ours says, to which a person replies.
type Replied struct {
	Text string // as the chat shows it; of a recording what it says
	// the model sees it anyway: it is the conversation's newest answer, or what is being said
	Seen   bool
	Secret bool // it stands in the chat for a while, and what it says is for nobody else
}

const findReplied = `SELECT coalesce(nullif(p.content ->> 'text', ''), (SELECT d.text FROM speech s JOIN outbox d ON d.id = s.delivery
			WHERE s.recording = o.id), o.text, ''),
		c.thread = ?4 AND NOT EXISTS (SELECT 1 FROM outbox n WHERE n.conversation = c.id AND n.id > o.id AND n.kind = 'answer')
			AND EXISTS (SELECT 1 FROM message m WHERE m.turn = p.turn AND m.conversation = c.id AND m.id >= c.window_from),
		coalesce(o.vanish, 0) > 0
	FROM conversation c JOIN post p ON p.conversation = c.id AND p.message = ?5 AND p.message <> '' LEFT JOIN outbox o ON o.id = p.delivery
	WHERE c.user = ?1 AND c.channel = ?2 AND c.chat = ?3 ORDER BY p.id DESC LIMIT 1`

// Replied is the message of a chat with the channel's name message, as one says it who replies to
// it in conversation c, which need not have an ID. It is not ok where it is none that was sent to
// c's user.
func (s Posts) Replied(ctx context.Context, c supervisor.Conversation, message string) (r Replied, ok bool, err error) {
	return engine.One(s.db.reader(ctx, "find message %s of %s in chat %s", message, c.User, c.Chat), scanReplied, findReplied,
		c.User, c.Channel, c.Chat, c.Thread, message)
}

func scanReplied(row *engine.Row) (r Replied) {
	row.Scan(&r.Text, &r.Seen, &r.Secret)
	return r
}
