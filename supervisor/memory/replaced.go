package memory

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"mews/protocol"
	"mews/protocol/facts"
	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/sqlite"
)

// wordOld begins the press that restores a replaced fact; the id of its effect follows.
const wordOld = "old"

// offerOldFact tells a user, once for each call, that a new fact has replaced an old fact. The
// notice has a button that restores the old fact.
func (m *Memory) offerOldFact(ctx context.Context, t feature.Turn, call protocol.ToolCall, old facts.Fact) error {
	var remembered protocol.MemoryArguments
	if err := json.Unmarshal(call.Arguments, &remembered); err != nil {
		return err
	}
	replaced := sqlite.ReplacedFact{User: t.User, Turn: t.ID, Call: call.ID, ID: old.ID, Text: old.Text}
	said, err := m.o.Store.PutReplacedFact(ctx, replaced, t.Destination, m.o.PrivateChat(t.User),
		func(effect int64) supervisor.Delivery {
			press := fmt.Sprintf("%s%s %d", prefix, wordOld, effect)
			text := fmt.Sprintf(textReplaced, old.ID, quoted(remembered.Text), quoted(old.Text))
			return supervisor.Delivery{Text: text,
				Buttons: [][]supervisor.Button{{{Text: textRestoreOld, Press: press}}}}
		})
	if said != 0 {
		m.o.Queued(said)
	}
	return err
}

// restoreFact gives a replaced fact its old words again.
func (m *Memory) restoreFact(ctx context.Context, user, rest string) (d supervisor.Delivery, err error) {
	id, _ := strconv.ParseInt(rest, 10, 64) // an invalid id becomes 0, which no effect has
	old, found, err := m.o.Store.FindReplacedFact(ctx, user, id)
	if err != nil || !found {
		return supervisor.Delivery{Text: feature.DeadButtonText}, err
	}
	return m.oneFact(ctx, user, protocol.MemoryParameters{Action: protocol.MemoryActionCorrect, ID: old.ID,
		Text: old.Text}, textFactCorrected)
}
