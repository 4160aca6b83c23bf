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
	// pauseChat pauses the user's jobs that speak in the chat, and the jobs whose message the chat
	// has just refused.
	pauseChat = `UPDATE job SET state = 'paused', next = NULL, version = version + 1, changed_at = ?1 WHERE state = 'active' AND user = ?2
		AND (conversation IN (SELECT id FROM conversation WHERE user = ?2 AND channel = ?3 AND chat = ?4)
			OR id IN (SELECT job FROM fire WHERE delivery = ?5))`
	skipPaused = `UPDATE fire SET state = 'skipped', begin_at = NULL, ended_at = ?1 WHERE state = 'claimed' AND user = ?2
		AND job IN (SELECT id FROM job WHERE user = ?2 AND state = 'paused')`
)

// handleRefused handles a delivery whose thread is deleted, or whose chat refuses everything.
func (t *tx) handleRefused(d outcomeRow, c supervisor.DeliveryOutcome) {
	switch at := t.conversationByID(d.conversation); c.Reason {
	case supervisor.SendReasonThreadGone:
		t.moveToPrivateChat(d, c)
	case supervisor.SendReasonChatGone:
		t.pauseJobsIn(at, d, c)
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

// pauseJobsIn pauses a user's jobs in a chat that refuses everything. It sends one notice to
// another conversation of the user.
func (t *tx) pauseJobsIn(at supervisor.Conversation, d outcomeRow, c supervisor.DeliveryOutcome) {
	paused := t.ExecCount(pauseChat, t.Now, at.User, at.Channel, at.Chat, d.id)
	if paused == 0 {
		return
	}
	t.Exec(skipPaused, t.Now, at.User)
	e := c.NoticeTo
	if e.Channel == "" {
		return
	}
	if e.Channel.Capabilities().Private { // the user reads the message only in a private channel
		if _, has := one(t, scanConversation, findConversation, e.User, e.Channel, e.Chat, e.Thread); !has {
			return
		}
	}
	if to := t.conversation(e); to.ID != at.ID {
		t.putNotice(supervisor.Delivery{Conversation: to, Text: t.policies.Jobs.PausedInChatText(paused, c.Why)})
	}
}
