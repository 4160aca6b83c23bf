package sqlite

import (
	"context"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

const (
	// selectHomeTurns selects the facts, notes and log entries that turns may have left in the
	// home.
	selectHomeTurns = `SELECT t.id, t.user, coalesce((SELECT min(i.received_at) FROM inbox i WHERE i.id = t.inbound OR i.turn = t.id), t.started_at),
		(SELECT json_group_array(m.id) FROM message m WHERE m.turn = t.id AND m.role = 'user'),
		(SELECT json_group_array(p.value ->> '$.call.arguments.text') FROM message m, json_each(m.parts) p WHERE m.turn = t.id
			AND m.role = 'assistant' AND p.value ->> '$.call.name' = 'note_today')
		FROM turn t WHERE t.id IN (SELECT value FROM json_each(?1))`
	insertForgottenTurns = `INSERT INTO forgotten_turn (turn, user, since, messages, notes) ` + selectHomeTurns + ` ON CONFLICT DO NOTHING`
	listForgottenTurns   = `SELECT turn, user, since, messages, notes FROM forgotten_turn WHERE user = ? AND turn > ? ORDER BY turn LIMIT ?`
	deleteForgottenTurn  = `DELETE FROM forgotten_turn WHERE user = ? AND turn = ?`
)

// maxHomeTurns is the largest number of turns in one request to a worker.
const maxHomeTurns = 5000

// turnInHome is a turn that may have left data in the user's home.
type turnInHome struct {
	turn     int64
	since    time.Time
	messages []int64
	notes    []string
}

func scanHomeTurn(r *engine.Row) (h turnInHome) {
	user := ""
	r.Scan(&h.turn, &user, &h.since, columnDecoder{&h.messages}, columnDecoder{&h.notes})
	return h
}

// homeSearch returns the search that a worker makes for some turns. The search covers each turn's
// day in every time zone.
func homeSearch(list []turnInHome) (of protocol.TurnDataQuery) {
	for _, h := range list {
		of.Turns, of.Messages, of.Notes = append(of.Turns, h.turn), append(of.Messages, h.messages...), append(of.Notes, h.notes...)
		from, to := h.since.UTC().AddDate(0, 0, -1).Format(time.DateOnly), h.since.UTC().AddDate(0, 0, 1).Format(time.DateOnly)
		if of.From == "" || from < of.From {
			of.From = from
		}
		of.To = max(of.To, to)
	}
	return of
}

// WalkForgottenTurns passes to each the searches for a request's turns in the user's home.
func (s ForgetRequestStore) WalkForgottenTurns(ctx context.Context, f supervisor.ForgetRequest,
	each func(protocol.TurnDataQuery) error) error {
	read := s.db.reader(ctx, "list the turns that %s wants forgotten", f.User)
	return s.walk(ctx, f, 0, func(list []forgettableInbound, _ int64) (bool, error) {
		var turns []int64
		for _, item := range list {
			if item.turn != 0 {
				turns = append(turns, item.turn)
			}
		}
		found, err := engine.AllRows(read, scanHomeTurn, selectHomeTurns, columnEncoder{turns})
		if err == nil && len(found) > 0 {
			err = each(homeSearch(found))
		}
		return true, err
	})
}

// FindTurnsLeftInHome returns a search for data of forgotten turns in a user's home.
func (s ForgetRequestStore) FindTurnsLeftInHome(ctx context.Context, user string) (protocol.TurnDataQuery, error) {
	list, err := engine.AllRows(s.db.reader(ctx, "list the forgotten turns of %s", user), scanHomeTurn,
		listForgottenTurns, user, 0, maxHomeTurns)
	return homeSearch(list), err
}

// MarkTurnsGoneFromHome records that some forgotten turns are gone from a user's home. The home has
// none of their data left.
func (s ForgetRequestStore) MarkTurnsGoneFromHome(ctx context.Context, user string, turns []int64) error {
	return s.db.write(ctx, func(t *tx) {
		for _, turn := range turns {
			t.Exec(deleteForgottenTurn, user, turn)
		}
	}, "record that the home of %s has nothing left of some turns", user)
}
