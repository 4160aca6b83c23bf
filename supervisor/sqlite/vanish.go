package sqlite

import "mews/supervisor"

// vanished stands for what a delivery said that is not kept.
const vanished = "(This was for a moment, and is not kept.)"

const (
	cleanPosts = `INSERT INTO cleaning (user, conversation, message, what, due_at)
		SELECT user, conversation, message, 'delete', ? FROM post
		WHERE delivery = ? AND state <> 'deleted' AND state IN ('sent', 'surplus') AND message <> '' ORDER BY part`
	// In a terminal nothing stands that could be taken away but the bytes of the files, which nobody else sees to there.
	cleanFiles = `INSERT INTO cleaning (user, conversation, message, what, due_at)
		SELECT o.user, o.conversation, f.value ->> 'sha256', 'delete', ?
		FROM outbox o JOIN conversation c ON c.id = o.conversation, json_each(nullif(o.files, '')) f
		WHERE o.id = ? AND c.channel = ?`
	blankPosts    = `UPDATE post SET content = '{"text":""}', changed_at = ? WHERE delivery = ? AND state <> 'deleted'`
	blankDelivery = `UPDATE outbox SET text = ?, files = '' WHERE id = ?`
)

// vanish is for a delivery that was closed, and may stand in its chat for so many milliseconds: its messages there are to
// be deleted then, and what they say is kept no longer, in the journal neither. Its buttons stay: they may be pressed. Of one
// in a terminal it is the files that are to be deleted from the spool then, each named by its SHA-256.
func (t closeTx) vanish(delivery, after int64) error {
	t.scrub = true
	if err := t.exec(cleanPosts, t.now+after, delivery); err != nil {
		return err
	}
	if err := t.exec(cleanFiles, t.now+after, delivery, supervisor.ChannelTerminal); err != nil {
		return err
	}
	if err := t.exec(blankPosts, t.now, delivery); err != nil {
		return err
	}
	return t.exec(blankDelivery, vanished, delivery)
}
