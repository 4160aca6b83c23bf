package sqlite

import (
	"context"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// endsTopic says of a command n that it ends what came before it, or parts it from what comes
// behind it: it has one of the names in ?2, a JSON array.
const endsTopic = `n.held = 0 AND n.command IN (SELECT value FROM json_each(?2))`

// takable is what a turn may take in. What stands behind a command that ends a topic stays where it
// is until that has an answer: it must not be in the turn that the command ends, nor in the topic
// that it closes. Any other command may wait for its person's word for an hour, and holds up
// nothing.
//
// A turn in which a worker has ended takes nothing, so that nothing is parked for a death that it
// had no part in.
const takable = `JOIN turn t ON t.conversation = i.conversation WHERE t.id = ?1 AND t.deaths = 0 AND i.state = 'new'
	AND i.kind = 'text' AND i.held = 0 AND i.priority >= ?4 AND NOT EXISTS (SELECT 1 FROM inbox n WHERE n.conversation = i.conversation
		AND n.state = 'new' AND n.id < i.id AND ` + endsTopic + `)
	AND ` + nothingArrives

const (
	findTakable = `SELECT i.id FROM inbox i ` + takable + ` LIMIT 1`
	listTakable = selectInbound + takable + ` ORDER BY i.priority DESC, i.id`
	bindInbound = `UPDATE inbox SET turn = ? WHERE id = ?`
	newestRole  = `SELECT role FROM message WHERE turn = ? ORDER BY id DESC LIMIT 1`
)

// Take has what waits in a turn's conversation become part of the turn. Each such text is running,
// and stands in the transcript behind all that the turn has come to: first what its person wants
// next, and each in the order in which they were sent. Those below the priority least stay. It is
// answered, parked and done with the inbound that the turn began with.
//
// It takes at most room bytes of text, and nothing that came behind a text for which there was no
// room: nothing overtakes. What was sent together is taken whole or not at all. It takes nothing
// where a worker has ended in the turn, and nothing where the model's last message has calls
// without a result, or has none and so ends the turn: what waits is for a turn of its own then.
// Refused if the turn has ended.
func (s Turns) Take(ctx context.Context, turn int64, room int, least supervisor.Priority) (taken int, err error) {
	_, waits, err := engine.One(s.db.reader(ctx, "look for what turn %d may take in", turn), engine.Integer, findTakable, turn,
		s.db.endsTurn, s.db.engine.Now(), int(least))
	if err != nil || !waits { // almost always: it costs no commit then
		return 0, err
	}
	return inTurn(ctx, s.db, turn, func(t turnTx) int { return t.takeWaiting(room, least) }, "take into turn %d what waits", turn)
}

func (t turnTx) takeWaiting(room int, least supervisor.Priority) (taken int) {
	if !t.betweenSteps() {
		return 0
	}
	list := all(t, scanInbound, listTakable, t.turn.ID, t.endsTurn, t.Now, int(least))
	for taken < len(list) {
		end := taken
		for end == taken || end < len(list) && list[end].Together != "" && list[end].Together == list[taken].Together {
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

// take has an inbound become part of the turn.
func (t turnTx) take(in supervisor.Inbound) {
	t.transition(in, supervisor.InboundRunning)
	t.Exec(bindInbound, t.turn.ID, in.ID)
	t.putInboundMessage(in)
}

// Those that follow an inbound and belong to it, up to the first that does not, whether that has
// arrived or not.
const listTogether = selectInbound + `WHERE i.conversation = ?1 AND i.id > ?2 AND i.together = ?3 AND i.state = 'new' AND i.held = 0
	AND NOT EXISTS (SELECT 1 FROM inbox n WHERE n.conversation = i.conversation AND n.id > ?2 AND n.id < i.id
		AND n.state IN ('new', 'arriving') AND n.held = 0 AND n.together <> ?3) ORDER BY i.id`

// takeTogether has the turn that an inbound begins take those that were sent with it.
func (t turnTx) takeTogether(first supervisor.Inbound) {
	if first.Together == "" {
		return
	}
	for _, in := range all(t, scanInbound, listTogether, first.Conversation.ID, first.ID, first.Together) {
		t.take(in)
	}
}

// betweenSteps says whether the next thing in the turn is the model's to say.
func (t turnTx) betweenSteps() bool {
	return len(t.openCalls()) == 0 && value(t, engine.String, newestRole, t.turn.ID) != string(protocol.RoleAssistant)
}

const (
	listTaken       = selectInbound + `WHERE i.turn = ? ORDER BY i.id`
	listTakenBeside = selectInbound + `WHERE i.turn = (SELECT id FROM turn WHERE inbound = ?) AND i.state = 'answered'
		ORDER BY i.id`
)

// inbounds are all that the turn answers: what it began with, and what it has taken in since.
func (t turnTx) inbounds() []supervisor.Inbound {
	if t.turn.Inbound == 0 {
		return nil
	}
	return append([]supervisor.Inbound{t.inbound(t.turn.Inbound)}, all(t, scanInbound, listTaken, t.turn.ID)...)
}
