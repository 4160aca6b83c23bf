package sqlite

import (
	"context"

	"mews/protocol"
	"mews/supervisor/internal/engine"
)

// ChildExchange is a child turn that asks a model one question.
type ChildExchange struct {
	Turn         int64
	Conversation int64            // the child's conversation
	Asked        protocol.Message // the question to the model
	Answer       protocol.Message // the model's answer; without an ID there is none yet
}

const (
	findChild = selectTurn + `WHERE t.parent = ? AND t.name = ?`
	nameTurn  = `UPDATE turn SET name = nullif(?, '') WHERE id = ?`
	// forgetAsked deletes the long material in the questions. Nobody reads it after the parent turn
	// has ended.
	forgetAsked = `UPDATE message SET parts = '[]' WHERE role = 'user' AND turn IN (SELECT id FROM turn WHERE parent = ?)`
)

// OpenChildTurn returns the named child of a running turn. If it does not exist, OpenChildTurn
// starts it in an empty window. Only one child runs at a time: another running child ends without
// an answer.
func (s Turns) OpenChildTurn(ctx context.Context, parent int64, name, text string) (ChildExchange, error) {
	return inTurn(ctx, s.db, parent, func(t turnTx) ChildExchange { return t.openChild(name, text) },
		"open child %q of turn %d", name, parent)
}

func (t turnTx) openChild(name, text string) ChildExchange {
	if found, ok := one(t, scanTurn, findChild, t.turn.ID, name); ok {
		w := t.window(found.ID, found.Conversation.ID)
		if !found.ended || w.Answer.ID != 0 {
			return w
		}
		t.Exec(nameTurn, "", found.ID)
	}
	for _, id := range all(t, engine.ScanInteger, listChildren, t.turn.ID) {
		turnTx{tx: t.tx, turn: t.runningTurn(id)}.finish(TurnEnding{Why: protocol.TurnEndError})
	}
	below := t.turn.Conversation
	below.ID, below.Thread = 0, below.Thread+"/below"
	turn := t.startChild(ChildTurn{Kind: t.turn.Kind, Conversation: below, Text: text})
	t.Exec(nameTurn, name, turn.ID)
	return t.window(turn.ID, turn.Conversation.ID)
}

func (t turnTx) window(turn, conversation int64) ChildExchange {
	w := ChildExchange{Turn: turn, Conversation: conversation}
	list, err := t.messageReader().messages(listTurnMessages, turn)
	t.fail(err)
	for _, m := range list {
		if m.Role == protocol.RoleAssistant {
			w.Answer = m
		} else {
			w.Asked = m
		}
	}
	return w
}
