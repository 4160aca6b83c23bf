package sqlite

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// RepliedMessage is the assistant's message to which a user's message replies.
type RepliedMessage struct {
	Text string // text as the chat shows it, or the words of a recording
	// the model sees the message without a quote: the message is the newest answer, or part of the
	// running reply
	Seen bool
	// the message stays in the chat only for a while, and must not be quoted elsewhere
	Secret bool
	Files  []supervisor.File // the files of the delivery that sent the message
}

const findReplied = `SELECT coalesce(nullif(p.content ->> 'text', ''), (SELECT d.text FROM speech s JOIN outbox d ON d.id = s.delivery
			WHERE s.recording = o.id), o.text, ''),
		c.thread = ?4 AND NOT EXISTS (SELECT 1 FROM outbox n WHERE n.conversation = c.id AND n.id > o.id AND n.kind = 'answer')
			AND EXISTS (SELECT 1 FROM message m WHERE m.turn = p.turn AND m.conversation = c.id AND m.id >= c.window_from),
		coalesce(o.vanish, 0) > 0, coalesce(o.files, '')
	FROM conversation c JOIN post p ON p.conversation = c.id AND p.message = ?5 AND p.message <> '' LEFT JOIN outbox o ON o.id = p.delivery
	WHERE c.user = ?1 AND c.channel = ?2 AND c.chat = ?3 ORDER BY p.id DESC LIMIT 1`

// FindRepliedMessage finds the assistant's message that c's user replies to. The argument message
// is the id of that message on the channel. The conversation needs no ID. ok is false if no such
// message was sent to the user.
func (s Posts) FindRepliedMessage(ctx context.Context, c supervisor.Conversation, message string) (r RepliedMessage,
	ok bool,
	err error) {
	return engine.FirstRow(s.db.reader(ctx, "find message %s of %s in chat %s", message, c.User, c.Chat), scanReplied,
		findReplied,
		c.User, c.Channel, c.Chat, c.Thread, message)
}

func scanReplied(row *engine.Row) (r RepliedMessage) {
	row.Scan(&r.Text, &r.Seen, &r.Secret, columnDecoder{&r.Files})
	return r
}

const wasSentTo = `SELECT EXISTS (SELECT 1 FROM conversation c JOIN post p ON p.conversation = c.id AND p.message = ?4 AND p.message <> ''
	WHERE c.user = ?1 AND c.channel = ?2 AND c.chat = ?3)`

// WasSentTo reports whether a message of the assistant in c's chat was sent for c's user. The
// argument message is the id of that message on the channel. The conversation needs no ID.
func (s Posts) WasSentTo(ctx context.Context, c supervisor.Conversation, message string) (bool, error) {
	return engine.FirstValue(s.db.reader(ctx, "find whose message %s is in chat %s", message, c.Chat), engine.ScanBool,
		wasSentTo, c.User, c.Channel, c.Chat, message)
}
