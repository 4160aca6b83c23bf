package sqlite

import (
	"cmp"
	"slices"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

const (
	// findLastEdit selects the newest inbound with a name in a chat. Several inbounds may have the
	// name, since a text that is queued again keeps its name.
	findLastEdit = `SELECT i.id, i.edited_at, i.edited_by, i.changed_at FROM inbox i JOIN conversation c ON c.id = i.conversation
		WHERE c.user = ? AND c.channel = ? AND c.chat = ? AND c.thread = ? AND i.message = ? AND i.message <> '' AND i.kind <> 'press'
		ORDER BY i.id DESC LIMIT 1`
	editInbound = `UPDATE inbox SET text = ?, origin = ?, own_text = ?, edited_at = ?, edited_by = ? WHERE id = ?`
	// setTold stores the version of a text that the turn knows. If the user changes the text back
	// to that version, the turn needs no correction.
	setTold = `UPDATE inbox SET told = CASE WHEN told IS ?1 THEN NULL ELSE coalesce(told, text) END WHERE id = ?2`
	// replaceFiles starts a new wait if the replaced files are still arriving.
	replaceFiles      = `UPDATE inbox SET first_file = ?, parts = NULL, changed_at = iif(state = 'arriving', ?, changed_at) WHERE id = ?`
	deleteAttachments = `DELETE FROM attachment WHERE inbound = ?`
)

// lastEdit is the last known edit of an inbound.
type lastEdit struct {
	inbound   int64
	at        time.Time
	update    int64
	changedAt time.Time // when the inbound's state changed
}

func scanLastEdit(r *engine.Row) (e lastEdit) {
	r.Scan(&e.inbound, &e.at, &e.update, &e.changedAt)
	return e
}

// before reports whether an item's edit is later than e. Edits of the same second are ordered by
// the source's numbers.
func (e lastEdit) before(item supervisor.BatchItem) bool {
	return cmp.Or(e.at.Compare(item.EditedAt), cmp.Compare(e.update, item.Update)) < 0
}

// edit is the edit of a stored inbound, within the transaction of a batch.
type edit struct {
	*batchTx
	lastEdit
	old   supervisor.Inbound
	files []supervisor.Attachment // files of the inbound before the edit
	note  string                  // notes that Mews added to the user's text
	item  supervisor.BatchItem    // the new version of the inbound
}

// EditPolicy decides about edits, and makes the texts about edits and unreadable messages.
type EditPolicy struct {
	// SplitNotes separates the user's text from the notes that UnreadNote and ReplacementNote made.
	SplitNotes func(text string) (own, notes string)
	// UnreadNote returns a note for a text that follows unreadable messages with these names.
	UnreadNote func(names []string) (note string)
	// ReplacementNote returns a note for a message that replaces an earlier message. The argument
	// text is the text of the earlier message.
	ReplacementNote func(text string) (note string)
	// CorrectionText returns the model's text about an edit: the old and the new text of a message.
	CorrectionText func(was, now string) string
	// Offer returns the offer of a new answer for an edit.
	Offer func(inbound int64) (text string, buttons [][]supervisor.Button)
	// RetryButtons returns the buttons below the answer of a parked turn.
	RetryButtons  func(turn int64) [][]supervisor.Button
	NewAnswerNote string // note below the earlier answer after the text is answered again
	CommandNote   string // answer to an edited command, which does not run again
	// answer to a text that was edited into a command after its answer; the command does not run
	LateCommandNote string
}

// editEffects maps the state of a text to the function that handles its edit. In other states an
// edit has no effect.
var editEffects = map[supervisor.InboundState]func(edit) []supervisor.Inbound{
	supervisor.InboundArriving: edit.replaceWaiting,
	supervisor.InboundNew:      edit.replaceWaiting,
	supervisor.InboundRunning:  edit.correct,
	supervisor.InboundAnswered: edit.offerAnew,
	supervisor.InboundDone:     edit.offerAnew,
	supervisor.InboundParked:   edit.offerAnew,
}

// putEdit stores an edit and returns the inbounds that need work afterwards. It ignores an edit
// that was handled before or changes nothing. It also ignores an edit of a message that was never
// stored. An edit that is a code counts as a code. A command runs once, so its edit gets a notice.
func (t *batchTx) putEdit(item supervisor.BatchItem) []supervisor.Inbound {
	c := item.Inbound.Conversation
	last, kept := one(t.tx, scanLastEdit, findLastEdit, c.User, c.Channel, c.Chat, c.Thread, item.Inbound.Message)
	if !kept || !last.before(item) {
		return nil
	}
	e := edit{batchTx: t, lastEdit: last, old: t.inbound(last.inbound)}
	t.recheckGate(&item)
	e.item, e.files = item, all(t.tx, scanAttachment, listAttachments, e.old.ID)
	e.item.Inbound.Conversation = e.old.Conversation
	_, e.note = t.policies.Edits.SplitNotes(e.old.Text)
	effect, changes := editEffects[e.old.State]
	switch {
	case e.old.Kind == supervisor.KindCommand:
		e.noteCommand()
	case e.old.Kind != supervisor.KindText || !changes:
	case item.Decision.CheckCode != nil:
		return []supervisor.Inbound{t.putItem(item)}
	case item.Answer != "":
		e.notify(item.Answer, nil)
	case e.isSame() || !e.passesGate():
	case item.Inbound.Kind == supervisor.KindCommand:
		return e.runCommand()
	default:
		return effect(e)
	}
	return nil
}

// noteCommand tells the user that an edited command does not run again.
func (e edit) noteCommand() {
	if e.item.Decision.CheckCode == nil && !e.isSame() && e.passesGate() {
		e.notify(e.policies.Edits.CommandNote, nil)
	}
}

// isSame reports whether the edit changes neither the text nor the files.
func (e edit) isSame() bool { return e.item.Inbound.Text+e.note == e.old.Text && e.hasSameFiles() }

func (e edit) hasSameFiles() bool {
	return slices.EqualFunc(e.files, e.item.Attachments, func(a, b supervisor.Attachment) bool {
		return a.File == b.File || a.ContentID != "" && a.ContentID == b.ContentID
	})
}

// passesGate reports whether the gate lets the edit through. A held inbound stays held and gets the
// new version.
func (e edit) passesGate() bool {
	g := e.item.Decision.Check
	switch {
	case g == nil || e.old.Held:
		return true
	case g.AnswerOnly:
		e.notify(g.Challenge, nil)
		return false
	case e.useLogin(e.old.Conversation, *g):
		return true
	}
	e.notify(e.policies.Gate.EditRefusal, nil)
	return false
}

// notify sends a notice about the edit, once.
func (e edit) notify(text string, buttons [][]supervisor.Button) {
	if e.putNoticeOf(e.old, text, buttons) {
		e.noteQueued(e.old.Conversation)
	}
}

// putNoticeOf sends a notice about an inbound, once.
func (t *tx) putNoticeOf(in supervisor.Inbound, text string, buttons [][]supervisor.Button) (fresh bool) {
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

// runCommand runs a text that was edited into a command, once. If the text waits, it is dropped. If
// it was answered, the command does not run, and a notice says so.
func (e edit) runCommand() (changed []supervisor.Inbound) {
	switch e.old.State {
	case supervisor.InboundArriving, supervisor.InboundNew:
		if e.old.Held {
			e.releaseAll([]supervisor.Inbound{e.old})
			e.old.Held = false
		}
		e.transition(e.old, supervisor.InboundDropped)
		e.endArriving(e.old.ID)
		e.old.State = supervisor.InboundDropped
		changed = append(changed, e.old)
	case supervisor.InboundRunning:
	default:
		e.notify(e.policies.Edits.LateCommandNote, nil)
		return nil
	}
	return append(changed, e.putItem(e.item))
}

// replace stores the new version of the inbound.
func (e *edit) replace() {
	in := &e.old
	in.Text, in.Origin = e.item.Inbound.Text+e.note, cmp.Or(e.item.Inbound.Origin, supervisor.OriginOwn)
	in.OwnText = e.item.Inbound.OwnText
	e.Exec(editInbound, in.Text, in.Origin, in.OwnText, e.item.EditedAt, e.item.Update, in.ID)
	if !e.hasSameFiles() {
		// The new files get new positions, so that results for the old files do not count for the
		// new files.
		in.FirstFile += max(1, len(e.files))
		e.Exec(deleteAttachments, in.ID)
		e.Exec(replaceFiles, in.FirstFile, e.Now, in.ID)
		e.putAttachments(*in, e.item.Attachments)
	}
	if e.item.Notice != "" {
		e.notify(e.item.Notice, nil)
	}
	e.putRaw(*in, e.item)
}

// replaceWaiting stores the new version of a text that no turn has taken. New files are fetched.
func (e edit) replaceWaiting() []supervisor.Inbound {
	if !e.hasSameFiles() {
		e.endArriving(e.old.ID)
		if e.old.State == supervisor.InboundNew {
			free := e.old
			free.Held = false // held texts go through the same states as waiting texts
			e.transition(free, supervisor.InboundArriving)
			e.old.State = supervisor.InboundArriving
		}
	}
	e.replace()
	return []supervisor.Inbound{e.answerLaterQuestion()}
}

// answerLaterQuestion lets the new version of a waiting text answer the open question. A text that
// was sent before the question does not answer it.
func (e edit) answerLaterQuestion() supervisor.Inbound {
	q, stands := one(e.tx, scanQuestion, findOpenQuestion, e.old.Conversation.ID)
	if !stands || e.changedAt.Before(q.CreatedAt) || e.old.Held || e.old.State != supervisor.InboundNew {
		return e.old
	}
	return e.answerOpenQuestion(e.old, e.item.RepliesTo)
}

// correct stores an edit as a correction for the running turn. A replaced file counts as a new
// message.
func (e edit) correct() []supervisor.Inbound {
	if e.hasSameFiles() {
		e.Exec(setTold, e.item.Inbound.Text+e.note, e.old.ID)
		e.replace()
		return nil
	}
	e.item.Inbound.Text += e.policies.Edits.ReplacementNote(e.old.Text)
	e.item.Inbound.Group = ""
	in := e.putItem(e.item)
	in.OwnText = e.item.Inbound.OwnText
	e.Exec(editInbound, in.Text, in.Origin, in.OwnText, e.item.EditedAt, e.item.Update, in.ID)
	return []supervisor.Inbound{in}
}

// offerAnew offers a new answer to an edited text, however old its answer is.
func (e edit) offerAnew() []supervisor.Inbound {
	e.replace()
	e.notify(e.policies.Edits.Offer(e.old.ID))
	return nil
}
