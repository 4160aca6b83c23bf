package sqlite

import (
	"context"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// endsTopic is true for a command n that ends the running turn or separates later texts from it. ?2
// is a JSON array of the names of these commands.
const endsTopic = `n.held = 0 AND n.command IN (SELECT value FROM json_each(?2))`

// isTakable selects the inbounds that may join a turn. Inbounds after an unanswered command that
// ends a topic stay in the queue. They must not join the turn that the command ends. Other commands
// may wait an hour for their user's answer, and do not delay inbounds.
//
// No inbound joins a turn in which a worker has crashed. Otherwise an inbound could be parked for a
// crash that it did not cause.
const isTakable = `JOIN turn t ON t.conversation = i.conversation WHERE t.id = ?1 AND t.deaths = 0 AND i.state = 'new'
	AND i.kind = 'text' AND i.held = 0 AND i.priority >= ?4 AND NOT EXISTS (SELECT 1 FROM inbox n WHERE n.conversation = i.conversation
		AND n.state = 'new' AND n.id < i.id AND ` + endsTopic + `)
	AND ` + nothingArrives

const (
	findTakable      = `SELECT i.id FROM inbox i ` + isTakable + ` LIMIT 1`
	listTakable      = selectInbound + isTakable + ` ORDER BY i.priority DESC, i.id`
	setTurnOfInbound = `UPDATE inbox SET turn = ? WHERE id = ?`
	newestRole       = `SELECT role FROM message WHERE turn = ? ORDER BY id DESC LIMIT 1`
)

// AddWaitingTexts lets waiting texts of a turn's conversation join the turn. Each text becomes
// running and goes to the end of the transcript. A text that joined is answered, parked and done
// together with the turn's first inbound.
//
// Urgent texts come first; then the order of sending counts. Texts below the priority least stay.
// The texts that join have at most room bytes. The first text that does not fit stays, with all
// texts behind it, so that the order stays. Of texts that were sent together, all join or none.
//
// No text joins if a worker has crashed in the turn. No text joins if the model's last message has
// open calls. If that message has no calls, the turn ends, and waiting texts start a turn of their
// own. AddWaitingTexts fails if the turn has ended.
func (s Turns) AddWaitingTexts(ctx context.Context, turn int64, room int, least supervisor.InboundPriority) (taken int,
	err error) {
	_, waits, err := engine.FirstRow(s.db.reader(ctx, "list texts for turn %d to take", turn), engine.ScanInteger,
		findTakable, turn,
		s.db.endsTurn, s.db.engine.Now(), int(least))
	if err != nil || !waits { // usually no text waits, and then no commit is needed
		return 0, err
	}
	return inTurn(ctx, s.db, turn, func(t turnTx) int { return t.takeWaiting(room, least) }, "take waiting texts into turn %d", turn)
}

func (t turnTx) takeWaiting(room int, least supervisor.InboundPriority) (taken int) {
	if !t.isModelNext() {
		return 0
	}
	list := all(t, scanInbound, listTakable, t.turn.ID, t.endsTurn, t.Now, int(least))
	for taken < len(list) {
		end := taken
		for end == taken || end < len(list) && list[end].Group != "" && list[end].Group == list[taken].Group {
			room -= len(list[end].Quote) + len(list[end].Text) + len(list[end].Parts)
			end++
		}
		if room < 0 {
			break
		}
		for ; taken < end; taken++ {
			t.take(list[taken])
		}
	}
	return taken
}

// take lets an inbound join the turn.
func (t turnTx) take(in supervisor.Inbound) {
	t.transition(in, supervisor.InboundRunning)
	t.Exec(setTurnOfInbound, t.turn.ID, in.ID)
	t.putInboundMessage(in)
}

// listTogether selects the inbounds of a group that directly follow an inbound, even if they are
// still arriving.
const listTogether = selectInbound + `WHERE i.conversation = ?1 AND i.id > ?2 AND i.together = ?3 AND i.state = 'new' AND i.held = 0
	AND NOT EXISTS (SELECT 1 FROM inbox n WHERE n.conversation = i.conversation AND n.id > ?2 AND n.id < i.id
		AND n.state IN ('new', 'arriving') AND n.held = 0 AND n.together <> ?3) ORDER BY i.id`

// takeTogether lets the inbounds join that were sent together with the turn's first inbound.
func (t turnTx) takeTogether(first supervisor.Inbound) {
	if first.Group == "" {
		return
	}
	for _, in := range all(t, scanInbound, listTogether, first.Conversation.ID, first.ID, first.Group) {
		t.take(in)
	}
}

// isModelNext reports whether the turn's next step is a call of the model.
func (t turnTx) isModelNext() bool {
	return len(t.openCalls()) == 0 && value(t, engine.ScanString, newestRole,
		t.turn.ID) != string(protocol.RoleAssistant)
}

const (
	listTaken       = selectInbound + `WHERE i.turn = ? ORDER BY i.id`
	listTakenBeside = selectInbound + `WHERE i.turn = (SELECT id FROM turn WHERE inbound = ?) AND i.state = 'answered'
		ORDER BY i.id`
)

// inbounds returns all inbounds that the turn answers: its first inbound, and the inbounds that
// joined.
func (t turnTx) inbounds() []supervisor.Inbound {
	if t.turn.Inbound == 0 {
		return nil
	}
	return append([]supervisor.Inbound{t.inbound(t.turn.Inbound)}, all(t, scanInbound, listTaken, t.turn.ID)...)
}
