package sqlite

import (
	"slices"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// isNextAlone is true if an inbound is the only unfinished inbound of its conversation, and no turn
// runs there.
const isNextAlone = `SELECT NOT EXISTS (SELECT 1 FROM inbox WHERE conversation = ?1 AND state = 'new' AND held = 0 AND id <> ?2)
	AND NOT EXISTS (SELECT 1 FROM inbox WHERE conversation = ?1 AND state = 'arriving' AND id <> ?2)
	AND NOT EXISTS (SELECT 1 FROM turn WHERE conversation = ?1 AND ended_at IS NULL)`

// startReserved starts the turn of a reserved conversation if the batch has brought one text for
// that conversation. If anything else is unfinished there, it starts no turn.
func (t *batchTx) startReserved(r supervisor.TurnReservation) {
	i := slices.IndexFunc(t.receipt.Stored, func(in supervisor.Inbound) bool {
		return in.Conversation.ID == r.Conversation && in.Kind == supervisor.KindText &&
			in.State == supervisor.InboundNew &&
			!in.Held && in.Priority == supervisor.PriorityUsual
	})
	if i < 0 || t.err != nil || !value(t, engine.ScanBool, isNextAlone, r.Conversation, t.receipt.Stored[i].ID) {
		return
	}
	started := supervisor.StartedTurn{Request: r.Lease}
	started.Turn, started.Lease = t.startTurn(t.receipt.Stored[i].ID, r.Lease)
	if t.err != nil {
		return
	}
	var err error
	started.Messages, err = t.messageReader().messages(listTurnMessages, started.Turn.ID)
	t.fail(err)
	t.receipt.Stored[i].State = supervisor.InboundRunning
	t.receipt.Started = append(t.receipt.Started, started)
}
