package sqlite

import (
	"context"

	"mews/protocol"
	"mews/protocol/foreign"
	"mews/supervisor/internal/engine"
)

const (
	// findToCorrect selects the edited inbounds of turn ?1 that the turn must be told about. Their
	// texts must fit into ?2 bytes.
	findToCorrect = `SELECT i.id, i.told FROM turn t JOIN inbox i ON i.conversation = t.conversation WHERE t.id = ?1 AND t.inbound IS NOT NULL
		AND i.told IS NOT NULL AND (i.turn = t.id OR i.id = t.inbound) AND octet_length(i.text) <= ?2 ORDER BY i.id`
	clearTold = `UPDATE inbox SET told = NULL WHERE id = ?`
)

// toCorrect is an inbound whose text has changed since its turn read it.
type toCorrect struct {
	inbound int64
	told    string
}

func scanToCorrect(r *engine.Row) (c toCorrect) {
	r.Scan(&c.inbound, &c.told)
	return c
}

// AppendEdits appends edits of a turn's inbounds to the turn, and returns their number. An edit
// longer than room, in bytes, waits for the end of the turn. All edits wait if the model's last
// message has open calls, or has no calls and so ends the turn. AppendEdits fails if the turn has
// ended.
func (s Turns) AppendEdits(ctx context.Context, turn int64, room int) (told int, err error) {
	_, waits, err := engine.FirstRow(s.db.reader(ctx, "list corrections for turn %d", turn), scanToCorrect,
		findToCorrect, turn, room)
	if err != nil || !waits { // usually there is no edit, and then no commit is needed
		return 0, err
	}
	return inTurn(ctx, s.db, turn, func(t turnTx) int { return t.correct(room) }, "add corrections to turn %d", turn)
}

func (t turnTx) correct(room int) int {
	if !t.isModelNext() {
		return 0
	}
	list := all(t.tx, scanToCorrect, findToCorrect, t.turn.ID, room)
	for _, c := range list {
		in := t.inbound(c.inbound)
		text := t.policies.Edits.CorrectionText(c.told, foreign.IndentStamps(in.Text))
		t.insertMessage(newMessage{role: protocol.RoleUser, parts: []protocol.ContentPart{{Text: text}},
			origin: in.Origin,
			stamp:  t.stamp(in, true)})
		t.Exec(clearTold, in.ID)
	}
	return len(list)
}

const clearAllTold = `UPDATE inbox SET told = NULL WHERE told IS NOT NULL AND conversation = ? AND (turn = ? OR id = ?) RETURNING id`

// offerUntold offers new answers to edits that came too late for the turn. The end of the turn
// calls it.
func (t turnTx) offerUntold() {
	for _, id := range all(t.tx, engine.ScanInteger, clearAllTold, t.turn.Conversation.ID, t.turn.ID, t.turn.Inbound) {
		text, buttons := t.policies.Edits.Offer(id)
		t.putNoticeOf(t.inbound(id), text, buttons)
	}
}
