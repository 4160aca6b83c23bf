package sqlite

import (
	"context"
	"fmt"

	"mews/supervisor"
)

const listHolding = `SELECT DISTINCT user FROM inbox WHERE held = 1 ORDER BY user`

// Holding lists the people of whom a closed gate holds something.
func (s Inbox) Holding(ctx context.Context) ([]string, error) {
	rows, err := s.db.read(ctx, listHolding)
	list, err := all(rows, err, scanText)
	return list, during(err, "list the people of whom something is held")
}

// LetIn lets through what is held of a person who is asked for no code any more, where they are still served, and returns it,
// oldest first: they were told that it is kept and answered. What that was is in the audit log. It opens no gate: codes that
// are asked for again are asked for anew.
func (s Inbox) LetIn(ctx context.Context, user string, serves func(supervisor.Conversation) bool) ([]supervisor.Inbound, error) {
	let, err := inTransaction(ctx, s.db.writer, func(t *tx) (let []supervisor.Inbound, err error) {
		rows, err := t.query(listAllHeld, user)
		held, err := all(rows, err, scanReleased)
		if err != nil {
			return nil, err
		}
		for _, in := range held {
			if !serves(in.Conversation) {
				continue
			}
			if err := t.exec(releaseHeld, t.now, in.ID); err != nil {
				return nil, err
			}
			let = append(let, in)
		}
		if len(let) == 0 {
			return nil, nil
		}
		return let, t.audit(user, "gate.gone", fmt.Sprintf("%d held inbounds let in, for no code is asked for any more", len(let)))
	})
	return let, during(err, "let in what is held of %s", user)
}
