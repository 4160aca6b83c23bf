package sqlite

import (
	"context"
	"fmt"
	"time"

	"mews/supervisor/internal/engine"
)

const findTurnStart = `SELECT started_at FROM turn WHERE id = ?`

// FindStart returns the time when a turn started.
func (s Turns) FindStart(ctx context.Context, turn int64) (time.Time, error) {
	at, ok, err := engine.FirstRow(s.db.reader(ctx, "find the start of turn %d", turn),
		func(row *engine.Row) (at time.Time) {
			row.Scan(&at)
			return at
		}, findTurnStart, turn)
	if err == nil && !ok {
		err = fmt.Errorf("find the start of turn %d: there is no such turn", turn)
	}
	return at, err
}
