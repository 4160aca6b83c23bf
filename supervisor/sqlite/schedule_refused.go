package sqlite

import (
	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

const (
	isOfFire   = `SELECT EXISTS (SELECT 1 FROM fire WHERE delivery = ?)`
	deliveryOf = selectDelivery + `WHERE o.id = ?`
	moveFire   = `UPDATE fire SET delivery = ?, told = 0 WHERE delivery = ?`
	// The column told is 2 if the text was sent to another conversation. It is 1 if the user only
	// got a notice.
	markElsewhere = `UPDATE outbox SET told = 2 WHERE id = ?`

	findRefusing = `SELECT tries, retry_at IS NOT NULL FROM refusing_chat WHERE channel = ? AND chat = ? AND user = ?`
	putRefusing  = `INSERT INTO refusing_chat (channel, chat, user, tries, retry_at) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT DO UPDATE SET tries = excluded.tries, retry_at = excluded.retry_at`
	// restoreDue makes a job due again at the time of its refused fire, in the conversation that
	// refused the fire. A job that its user has paused, deleted or forgotten stays unchanged. A job
	// that was never started waits for its user's consent again.
	restoreDue = `UPDATE job SET state = iif(` + neverStarted + `, 'proposed', 'active'), next = iif(` + neverStarted +
		`, NULL, f.due),
		expires_at = iif(` + neverStarted + `, f.due, NULL), fired = max(job.fired - 1, 0), conversation = ?2,
		version = version + 1, changed_at = ?3
		FROM fire f WHERE f.job = job.id AND f.delivery = ?1 AND job.text <> '' AND job.options ->> '$.deleted' IS NULL
		AND job.state IN ('active', 'done') AND (job.next IS NULL OR job.next > f.due) AND ` + neverCame
	// neverCame is true for a fire f that was only a message, so that the message can be sent
	// again.
	neverCame = `(f.state = 'missed' OR f.state = 'said' AND job.kind = 'reminder')`
	// neverStarted is true for a job that has ended without its user's consent.
	neverStarted = `(job.state = 'done' AND job.fired = 0)`
	dropRestored = `DELETE FROM fire WHERE delivery = ?
		AND EXISTS (SELECT 1 FROM job WHERE id = fire.job AND coalesce(next, expires_at) = fire.due)`
	countWaiting = `SELECT count(*) FROM job WHERE user = ?1 AND state = 'active'
		AND conversation IN (SELECT id FROM conversation WHERE user = ?1 AND channel = ?2 AND chat = ?3)`
)

// handleRefused handles a delivery whose thread is deleted, or whose chat refuses everything.
func (t *tx) handleRefused(d outcomeRow, c supervisor.DeliveryOutcome) {
	switch at := t.conversationByID(d.conversation); c.Reason {
	case supervisor.SendReasonThreadGone:
		t.moveToPrivateChat(d, c)
	case supervisor.SendReasonChatGone:
		t.holdJobsIn(at, d, c)
	}
}

// moveToPrivateChat sends a job's message to another conversation, since its thread is deleted. It
// moves all jobs of the thread to that conversation.
func (t *tx) moveToPrivateChat(d outcomeRow, c supervisor.DeliveryOutcome) {
	if c.NoticeTo.Channel == "" || !value(t, engine.ScanBool, isOfFire, d.id) {
		return
	}
	to := t.conversation(c.NoticeTo)
	if to.ID == d.conversation {
		return
	}
	said := byID(t, "delivery", scanDelivery, deliveryOf, d.id)
	again := t.putNotice(
		supervisor.Delivery{Conversation: to, Text: t.policies.Jobs.DeletedTopicText(said.Text), Buttons: said.Buttons,
			Files: said.Files, Effects: said.Effects, Silent: said.Silent},
	)
	t.Exec(moveFire, again.ID, d.id)
	t.Exec(markElsewhere, d.id)
	t.Exec(redirectJobs, to.ID, d.conversation)
}

// holdJobsIn makes a user's jobs wait in a chat that refuses everything. The jobs go on once the
// user is back, and are tried again from time to time. A refused reminder is due again at such a
// try. At the first refusal another conversation of the user gets one notice.
func (t *tx) holdJobsIn(at supervisor.Conversation, d outcomeRow, c supervisor.DeliveryOutcome) {
	before, known := one(t, scanRefusal, findRefusing, at.Channel, at.Chat, at.User)
	if !before.holds {
		t.Exec(putRefusing, at.Channel, at.Chat, at.User, before.tries+1,
			t.Now+t.policies.Jobs.RefusedRetryDelay(before.tries).Milliseconds())
	}
	if t.ExecCount(restoreDue, d.id, at.ID, t.Now) > 0 {
		t.Exec(dropRestored, d.id)
		t.Exec(markElsewhere, d.id)
	}
	waiting, e := value(t, engine.ScanInteger, countWaiting, at.User, at.Channel, at.Chat), c.NoticeTo
	if known || waiting == 0 || e.Channel == "" {
		return
	}
	if e.Channel.Capabilities().Private { // the user reads the message only in a private channel
		if _, has := one(t, scanConversation, findConversation, e.User, e.Channel, e.Chat, e.Thread); !has {
			return
		}
	}
	if to := t.conversation(e); to.ID != at.ID {
		t.putNotice(supervisor.Delivery{Conversation: to, Text: t.policies.Jobs.WaitingInChatText(waiting, c.Why)})
	}
}

// refusal says how often a chat has refused messages, and whether its jobs wait now.
type refusal struct {
	tries int64
	holds bool
}

func scanRefusal(r *engine.Row) (f refusal) { r.Scan(&f.tries, &f.holds); return f }
