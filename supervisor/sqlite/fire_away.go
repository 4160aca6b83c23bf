package sqlite

import (
	"fmt"
	"time"

	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// maxAway is how long a person may have written nothing before what asks a model for them by itself
// rests.
const maxAway = 30 * 24 * time.Hour

const (
	lastWritten = `SELECT coalesce((SELECT received_at FROM inbox WHERE user = ? AND kind IN ('text', 'command', 'press') ORDER BY id DESC LIMIT 1), 0)`
	pauseAway   = `UPDATE job SET state = 'paused', next = NULL, version = version + 1, changed_at = ? WHERE user = ? AND state = 'active'
		AND (kind = 'agent' OR kind = 'routine' AND (name = 'heartbeat' OR name = 'digest' AND options ->> '$.written')
			OR kind = 'check' AND (options ->> '$.look.ask' <> '' OR options ->> '$.look.task')) AND max(created_at, coalesce(options ->> '$.resumed', 0)) < ?`
)

// isAway says whether a job asks a model for somebody who has written nothing for too long, nor had
// it go on, as from a shell.
func (t *tx) isAway(j supervisor.Job) bool {
	since := t.Now - maxAway.Milliseconds()
	return j.AsksModel() && max(j.CreatedAt.UnixMilli(), j.Options.Resumed) < since && value(t, engine.Integer, lastWritten, j.User) < since
}

// pauseAway pauses those of a person's jobs for which they are away, so that nothing of them
// begins, and says so once, where nobody else reads and not in their quiet hours.
func (t *tx) pauseAway(user string, private supervisor.Conversation) (said []supervisor.Delivery) {
	paused := t.Change(pauseAway, t.Now, user, t.Now-maxAway.Milliseconds())
	t.Exec(skipPaused, t.Now, user)
	d, _ := t.sayOrHold(supervisor.Delivery{Conversation: private, Text: fmt.Sprintf(supervisor.TextAway, amount.Plural(paused, "task", "tasks"))}, noticeSubject{})
	if d.ID != 0 {
		said = append(said, d)
	}
	return said
}
