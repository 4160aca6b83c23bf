package sqlite

import (
	"cmp"
	"slices"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

const (
	// Of several inbounds with the same name in a chat the newest counts: a text that was queued
	// again keeps the name of the earlier one.
	findLastEdit = `SELECT i.id, i.edited_at, i.edited_by, i.changed_at FROM inbox i JOIN conversation c ON c.id = i.conversation
		WHERE c.user = ? AND c.channel = ? AND c.chat = ? AND c.thread = ? AND i.message = ? AND i.message <> '' AND i.kind <> 'press'
		ORDER BY i.id DESC LIMIT 1`
	editInbound = `UPDATE inbox SET text = ?, origin = ?, edited_at = ?, edited_by = ? WHERE id = ?`
	// If the user changes a text back to what the turn knows, the turn needs no correction.
	keepTold = `UPDATE inbox SET told = CASE WHEN told IS ?1 THEN NULL ELSE coalesce(told, text) END WHERE id = ?2`
	// A replaced file that is still arriving starts a new wait.
	replaceFiles      = `UPDATE inbox SET first_file = ?, parts = NULL, changed_at = iif(state = 'arriving', ?, changed_at) WHERE id = ?`
	deleteAttachments = `DELETE FROM attachment WHERE inbound = ?`
)

// lastEdit is the last known edit of an inbound.
type lastEdit struct {
	inbound   int64
	at        time.Time
	by        int64
	changedAt time.Time // when its state changed
}

func scanLastEdit(r *engine.Row) (e lastEdit) {
	r.Scan(&e.inbound, &e.at, &e.by, &e.changedAt)
	return e
}

// before reports whether an item's edit is later. The source's numbers order the edits of the same
// second.
func (e lastEdit) before(item supervisor.Item) bool {
	return cmp.Or(e.at.Compare(item.EditedAt), cmp.Compare(e.by, item.Update)) < 0
}

// edit is the edit of a stored inbound, in a transaction that stores a batch.
type edit struct {
	*batchTx
	lastEdit
	was   supervisor.Inbound
	files []supervisor.Attachment // the files before the edit
	note  string                  // text that was added to the user's own
	item  supervisor.Item         // the new version
}

// EditPolicy decides and words what follows from an edit or from unreadable messages.
type EditPolicy struct {
	// Split separates a text from what Unread or Instead added to it.
	Split func(text string) (own, notes string)
	// Unread returns a note for a text that follows unreadable messages with these names.
	Unread func(names []string) (note string)
	// Instead returns a note for the message that replaces one with a text.
	Instead func(text string) (note string)
	// Correction tells a running turn the old and the new text of a message.
	Correction func(was, now string) string
	// OffersAnew reports whether to offer a new answer for an edit so long after the answer, and
	// Offer words the offer.
	OffersAnew   func(age time.Duration) bool
	Offer        func(inbound int64) (text string, buttons [][]supervisor.Button)
	AnsweredAnew string // a note below the earlier answer when the text is answered again
}

// editEffects lists what an edit does to a text, by its state. Edits of other states have no
// effect.
var editEffects = map[supervisor.InboundState]func(edit) []supervisor.Inbound{
	supervisor.InboundArriving: edit.replaceWaiting,
	supervisor.InboundNew:      edit.replaceWaiting,
	supervisor.InboundRunning:  edit.correct,
	supervisor.InboundAnswered: edit.offerAnew,
	supervisor.InboundDone:     edit.offerAnew,
	supervisor.InboundParked:   edit.offerAnew,
}

// putEdit stores an edit and returns the inbounds that need work because of it. It returns nothing
// if the message was never stored, is no text or did not change, or if the edit was handled before.
// An edit that is a code counts as a code.
func (t *batchTx) putEdit(item supervisor.Item) []supervisor.Inbound {
	c := item.Inbound.Conversation
	last, kept := one(t.tx, scanLastEdit, findLastEdit, c.User, c.Channel, c.Chat, c.Thread, item.Inbound.Message)
	if !kept || !last.before(item) {
		return nil
	}
	e := edit{batchTx: t, lastEdit: last, was: t.inbound(last.inbound)}
	t.recheckGate(&item)
	e.item, e.files = item, all(t.tx, scanAttachment, listAttachments, e.was.ID)
	e.item.Inbound.Conversation = e.was.Conversation
	_, e.note = t.policies.Edits.Split(e.was.Text)
	effect, changes := editEffects[e.was.State]
	switch {
	case e.was.Kind != supervisor.KindText || !changes:
	case item.Decision.Decide != nil:
		return []supervisor.Inbound{t.putItem(item)}
	case item.Answer != "":
		e.say(item.Answer, nil)
	case e.isSame() || !e.passesGate():
	case item.Inbound.Kind == supervisor.KindCommand:
		return e.runCommand()
	default:
		return effect(e)
	}
	return nil
}

// isSame reports whether the edit changes neither the text nor the files.
func (e edit) isSame() bool { return e.item.Inbound.Text+e.note == e.was.Text && e.hasSameFiles() }

func (e edit) hasSameFiles() bool {
	return slices.EqualFunc(e.files, e.item.Attachments, func(a, b supervisor.Attachment) bool {
		return a.File == b.File || a.ContentID != "" && a.ContentID == b.ContentID
	})
}

// passesGate reports whether the gate lets the edit through. If the gate holds the inbound already,
// the inbound stays held in its new version.
func (e edit) passesGate() bool {
	g := e.item.Decision.Guard
	switch {
	case g == nil || e.was.Held:
		return true
	case g.AnswerOnly:
		e.say(g.Challenge, nil)
		return false
	case e.useLogin(e.was.Conversation, *g):
		return true
	}
	e.say(e.policies.Gate.EditRefusal, nil)
	return false
}

// say tells the user something about the edit, once.
func (e edit) say(text string, buttons [][]supervisor.Button) {
	if e.sayOf(e.was, text, buttons) {
		e.queued(e.was.Conversation)
	}
}

// sayOf sends a notice about an inbound, once.
func (t *tx) sayOf(in supervisor.Inbound, text string, buttons [][]supervisor.Button) (fresh bool) {
	if _, said := one(t, scanDelivery, findSaid, in.ID, text, 0); said {
		return false
	}
	t.putDelivery(
		supervisor.Delivery{
			Conversation: in.Conversation,
			Inbound:      in.ID,
			Kind:         supervisor.DeliveryNotice,
			Text:         text,
			Buttons:      buttons,
		},
	)
	return true
}

// runCommand runs the edited text as a command, once. It drops a text that waits.
func (e edit) runCommand() (changed []supervisor.Inbound) {
	switch e.was.State {
	case supervisor.InboundArriving, supervisor.InboundNew:
		if e.was.Held {
			e.releaseAll([]supervisor.Inbound{e.was})
			e.was.Held = false
		}
		e.transition(e.was, supervisor.InboundDropped)
		e.endArriving(e.was.ID)
		e.was.State = supervisor.InboundDropped
		changed = append(changed, e.was)
	case supervisor.InboundRunning:
	default:
		return nil
	}
	return append(changed, e.putItem(e.item))
}

// replace stores the new version of the inbound.
func (e *edit) replace() {
	in := &e.was
	in.Text, in.Origin = e.item.Inbound.Text+e.note, cmp.Or(e.item.Inbound.Origin, supervisor.OriginOwn)
	e.Exec(editInbound, in.Text, in.Origin, e.item.EditedAt, e.item.Update, in.ID)
	if !e.hasSameFiles() {
		// so that results for the old files do not count for the new ones
		in.FirstFile += max(1, len(e.files))
		e.Exec(deleteAttachments, in.ID)
		e.Exec(replaceFiles, in.FirstFile, e.Now, in.ID)
		e.putAttachments(*in, e.item.Attachments)
	}
	if e.item.Notice != "" {
		e.say(e.item.Notice, nil)
	}
	e.putRaw(*in, e.item)
}

// replaceWaiting stores the new version of a text that no turn has taken. New files are fetched
// again.
func (e edit) replaceWaiting() []supervisor.Inbound {
	if !e.hasSameFiles() {
		e.endArriving(e.was.ID)
		if e.was.State == supervisor.InboundNew {
			free := e.was
			free.Held = false // held and waiting texts go through the same states
			e.transition(free, supervisor.InboundArriving)
			e.was.State = supervisor.InboundArriving
		}
	}
	e.replace()
	return []supervisor.Inbound{e.meetLaterQuestion()}
}

// meetLaterQuestion lets a waiting text that answered no question answer the open one now. A text
// that was sent before the question does not answer it.
func (e edit) meetLaterQuestion() supervisor.Inbound {
	q, stands := one(e.tx, scanQuestion, findStanding, e.was.Conversation.ID)
	if !stands || e.changedAt.Before(q.CreatedAt) || e.was.Held || e.was.State != supervisor.InboundNew ||
		e.was.Priority == supervisor.PriorityFollowup {
		return e.was
	}
	return e.meetQuestion(e.was, e.item.RepliesTo)
}

// correct stores the correction for the running turn. A replaced file counts as a new message.
func (e edit) correct() []supervisor.Inbound {
	if e.hasSameFiles() {
		e.Exec(keepTold, e.item.Inbound.Text+e.note, e.was.ID)
		e.replace()
		return nil
	}
	e.item.Inbound.Text += e.policies.Edits.Instead(e.was.Text)
	e.item.Inbound.Together = ""
	in := e.putItem(e.item)
	e.Exec(editInbound, in.Text, in.Origin, e.item.EditedAt, e.item.Update, in.ID)
	return []supervisor.Inbound{in}
}

// offerAnew offers a new answer to an edited text, unless the answer is old.
func (e edit) offerAnew() []supervisor.Inbound {
	if e.policies.Edits.OffersAnew(fromMillis(e.Now).Sub(e.changedAt)) {
		e.replace()
		e.say(e.policies.Edits.Offer(e.was.ID))
	}
	return nil
}
