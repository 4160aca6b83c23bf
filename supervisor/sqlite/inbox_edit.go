package sqlite

import (
	"cmp"
	"slices"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

const (
	// Of what has one name in a chat the newest counts: what was answered anew has the name of what
	// that was before.
	findLastEdit = `SELECT i.id, i.edited_at, i.edited_by, i.changed_at FROM inbox i JOIN conversation c ON c.id = i.conversation
		WHERE c.user = ? AND c.channel = ? AND c.chat = ? AND c.thread = ? AND i.message = ? AND i.message <> '' AND i.kind <> 'press'
		ORDER BY i.id DESC LIMIT 1`
	editInbound = `UPDATE inbox SET text = ?, origin = ?, edited_at = ?, edited_by = ? WHERE id = ?`
	// What a turn was told of last may be what its person has come back to.
	keepTold = `UPDATE inbox SET told = CASE WHEN told IS ?1 THEN NULL ELSE coalesce(told, text) END WHERE id = ?2`
	// What arrives anew is waited for anew.
	replaceFiles      = `UPDATE inbox SET first_file = ?, parts = NULL, changed_at = iif(state = 'arriving', ?, changed_at) WHERE id = ?`
	deleteAttachments = `DELETE FROM attachment WHERE inbound = ?`
)

// lastEdit is what is known of the edits of an inbound.
type lastEdit struct {
	inbound   int64
	at        time.Time
	by        int64
	changedAt time.Time // its state
}

func scanLastEdit(r *engine.Row) (e lastEdit) {
	r.Scan(&e.inbound, &e.at, &e.by, &e.changedAt)
	return e
}

// before says whether an item is of a later edit. The source's numbers order those of one second.
func (e lastEdit) before(item supervisor.Item) bool {
	return cmp.Or(e.at.Compare(item.EditedAt), cmp.Compare(e.by, item.Update)) < 0
}

// edit is one of something that is kept, in a transaction that keeps a batch.
type edit struct {
	*batchTx
	lastEdit
	was   supervisor.Inbound
	files []supervisor.Attachment // that it had
	note  string                  // what was added to its text
	item  supervisor.Item         // what it is now
}

// EditPolicy is what is decided and said of a message that its person has edited, or that follows
// what could not be looked at.
type EditPolicy struct {
	// Split takes off a text what Unread or Instead have added to it.
	Split func(text string) (own, notes string)
	// Unread is added to a text that follows what has these names.
	Unread func(names []string) (note string)
	// Instead is added to what takes the place of a message that had a text.
	Instead func(text string) (note string)
	// Correction tells a turn that runs what a message was and what it is now.
	Correction func(was, now string) string
	// OffersAnew says whether somebody is asked who has edited a message so long after its answer,
	// and Offer asks them.
	OffersAnew   func(age time.Duration) bool
	Offer        func(inbound int64) (text string, buttons [][]supervisor.Button)
	AnsweredAnew string // stands below the earlier answer of what is answered anew
}

// editEffects are what an edit does to a text, by its state. What is not named is not wanted any
// more.
var editEffects = map[supervisor.InboundState]func(edit) []supervisor.Inbound{
	supervisor.InboundArriving: edit.replaceWaiting,
	supervisor.InboundNew:      edit.replaceWaiting,
	supervisor.InboundRunning:  edit.correct,
	supervisor.InboundAnswered: edit.offerAnew,
	supervisor.InboundDone:     edit.offerAnew,
	supervisor.InboundParked:   edit.offerAnew,
}

// putEdit keeps that a person has changed something, and returns what there is to be worked on
// because of that. It is nothing where that was never kept, is no text, or is as it was, and where
// the edit has come before. A code is one wherever it is typed.
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

// isSame says whether nothing has changed that anybody reads.
func (e edit) isSame() bool { return e.item.Inbound.Text+e.note == e.was.Text && e.hasSameFiles() }

func (e edit) hasSameFiles() bool {
	return slices.EqualFunc(e.files, e.item.Attachments, func(a, b supervisor.Attachment) bool {
		return a.File == b.File || a.ContentID != "" && a.ContentID == b.ContentID
	})
}

// passesGate says whether what was changed may be taken. Where the gate holds it already, it stays
// held, as it is now.
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

// say tells the person something about what they have changed, unless they were told.
func (e edit) say(text string, buttons [][]supervisor.Button) {
	if e.sayOf(e.was, text, buttons) {
		e.queued(e.was.Conversation)
	}
}

// sayOf says something of an inbound, unless that was said.
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

// runCommand has what waits or runs be a command, once: what waits is not wanted as it was.
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

// replace has the inbound be as it is now.
func (e *edit) replace() {
	in := &e.was
	in.Text, in.Origin = e.item.Inbound.Text+e.note, cmp.Or(e.item.Inbound.Origin, supervisor.OriginOwn)
	e.Exec(editInbound, in.Text, in.Origin, e.item.EditedAt, e.item.Update, in.ID)
	if !e.hasSameFiles() {
		// so that whoever works on the earlier ones is not taken to speak of these
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

// replaceWaiting has what no turn has taken be as it is now. Other files are fetched anew.
func (e edit) replaceWaiting() []supervisor.Inbound {
	if !e.hasSameFiles() {
		e.endArriving(e.was.ID)
		if e.was.State == supervisor.InboundNew {
			free := e.was
			free.Held = false // it stays held, and has as far to go as any other
			e.transition(free, supervisor.InboundArriving)
			e.was.State = supervisor.InboundArriving
		}
	}
	e.replace()
	return []supervisor.Inbound{e.meetLaterQuestion()}
}

// meetLaterQuestion has what waits because it answered no question answer that now. What was sent
// before the question is not meant for it.
func (e edit) meetLaterQuestion() supervisor.Inbound {
	q, stands := one(e.tx, scanQuestion, findStanding, e.was.Conversation.ID)
	if !stands || e.changedAt.Before(q.CreatedAt) || e.was.Held || e.was.State != supervisor.InboundNew ||
		e.was.Priority == supervisor.PriorityFollowup {
		return e.was
	}
	return e.meetQuestion(e.was, e.item.RepliesTo)
}

// correct keeps what the turn that runs is to be told. Another file comes as something that was
// sent next.
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

// offerAnew asks whether what has its answer is to be answered as it is now, where that answer is
// not old.
func (e edit) offerAnew() []supervisor.Inbound {
	if e.policies.Edits.OffersAnew(fromMillis(e.Now).Sub(e.changedAt)) {
		e.replace()
		e.say(e.policies.Edits.Offer(e.was.ID))
	}
	return nil
}
