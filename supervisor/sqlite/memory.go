package sqlite

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/engine"
	"mews/supervisor/internal/quotes"
	"mews/supervisor/taint"
)

// Memories stores users' forgotten facts, and how often each fact was used. The facts themselves
// are in the users' homes.
type Memories struct{ db *DB }

// Memories returns the store of data about users' memory.
func (db *DB) Memories() Memories { return Memories{db} }

// trustedTools lists the tools whose results have no words of others, as a JSON array.
var trustedTools = func() string {
	list, _ := json.Marshal(taint.OwnTools()) // a list of names can always be encoded
	return string(list)
}()

// findMemorySource treats recaps and quoted messages as words of others, even if the assistant
// wrote the messages.
const findMemorySource = `SELECT m.id, m.source, m.parts, m.created_at,
	EXISTS (SELECT 1 FROM message w WHERE w.conversation = c.id AND w.id >= max(c.window_from,
		c.foreign_from) AND (w.source = 'world' OR w.recap <> ''
		OR w.role = 'user' AND EXISTS (SELECT 1 FROM json_each(w.parts) p WHERE p.value ->> 'text' LIKE '>%')))
	OR EXISTS (SELECT 1 FROM tool_call k WHERE k.conversation = c.id AND k.result >= max(c.window_from,
		c.foreign_from) AND k.name NOT IN (SELECT value FROM json_each(?3)))
	FROM turn t JOIN conversation c ON c.id = t.conversation JOIN message m ON m.conversation = c.id
	WHERE t.id = ?1 AND t.ended_at IS NULL AND m.role = 'user' AND m.user = t.user AND (m.id = ?2 OR ?2 = 0 AND m.turn = t.id)
	ORDER BY m.id DESC LIMIT 1`

// FindFactBasis finds the message that a fact is based on. It searches the conversation of a
// running turn. The message 0 means the newest message of the turn.
func (s Memories) FindFactBasis(ctx context.Context, turn, message int64) (source supervisor.FactBasis, found bool,
	err error) {
	return engine.FirstRow(s.db.reader(ctx, "find message %d of turn %d", message, turn),
		func(r *engine.Row) (m supervisor.FactBasis) {
			raw, parts := "", []protocol.ContentPart{}
			r.Scan(&m.Message, &m.Origin, &raw, &m.At, &m.HasMaterial)
			if json.Unmarshal([]byte(raw), &parts) == nil { // a message that can't be decoded counts as empty
				for _, p := range parts {
					m.Words += quotes.RemoveQuotes(p.Text) + "\n"
				}
			}
			return m
		}, findMemorySource, turn, message, trustedTools)
}

const (
	insertForgotten = `INSERT INTO forgotten (user, message, digest, fact, forgotten_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`
	insertFact      = `INSERT INTO forgotten_fact (user, fact, text) VALUES (?, ?, ?)`
	deleteUses      = `DELETE FROM fact_use WHERE user = ? AND fact = ?`
	// findForgotten selects the newest matching request to forget. Words that the user said later
	// may be remembered.
	findForgotten = `SELECT coalesce(max(message = ?2 AND message > 0), 0), coalesce(max(forgotten_at), 0) FROM forgotten
		WHERE user = ?1 AND (message = ?2 AND message > 0 OR digest = ?3)`
	listDigests      = `SELECT digest FROM forgotten WHERE user = ? AND digest <> '' ORDER BY forgotten_at DESC LIMIT ?`
	highestForgotten = `SELECT coalesce(max(fact), 0) FROM forgotten WHERE user = ? AND fact < ?`
)

// ForgetFacts records that facts must not be remembered again. EraseFactWords removes their words
// later.
func (s Memories) ForgetFacts(ctx context.Context, user string, facts []supervisor.ForgottenFact) error {
	return s.db.write(ctx, func(t *tx) {
		var texts []string
		for _, f := range facts {
			// A fact that a person wrote by hand has an id without a number, so its number is 0.
			number, _ := strconv.Atoi(strings.TrimPrefix(f.ID, "k"))
			t.Exec(insertForgotten, user, f.Message, protocol.DigestWords(f.Text), number, t.Now)
			t.Exec(insertFact, user, f.ID, f.Text)
			t.Exec(deleteUses, user, f.ID)
			texts = append(texts, f.Text)
		}
		t.blankMemory(user, texts)
	}, "store forgotten facts of %s", user)
}

// FindForgottenFact reports whether a fact was forgotten. The result byMessage means that its
// message was forgotten. The result at is when the fact's words were forgotten; zero means never.
// The result number is the highest number among the forgotten facts.
func (s Memories) FindForgottenFact(ctx context.Context, user string, message int64, text string) (byMessage bool,
	at time.Time, number int, err error) {
	read := s.db.reader(ctx, "find a forgotten fact of %s", user)
	if _, _, err = engine.FirstRow(read, func(r *engine.Row) (none struct{}) {
		r.Scan(&byMessage, &at)
		return none
	}, findForgotten, user, message, protocol.DigestWords(text)); err != nil {
		return false, at, 0, err
	}
	highest, err := engine.FirstValue(read, engine.ScanInteger, highestForgotten, user, protocol.MaxFactNumber)
	return byMessage, at, int(highest), err
}

// ListForgottenDigests lists the digests of forgotten facts, newest first. It lists at most
// protocol.MaxForgottenDigests. protocol.DigestWords makes the digests.
func (s Memories) ListForgottenDigests(ctx context.Context, user string) ([]string, error) {
	return engine.AllRows(s.db.reader(ctx, "list forgotten facts of %s", user), func(r *engine.Row) (digest string) {
		r.Scan(&digest)
		return digest
	}, listDigests, user, protocol.MaxForgottenDigests)
}

const (
	addUse   = `INSERT INTO fact_use (user, fact, day, uses) VALUES (?, ?, ?, 1) ON CONFLICT DO UPDATE SET uses = uses + 1`
	listUses = `SELECT fact, sum(uses) FROM fact_use WHERE user = ? AND day >= ? GROUP BY fact`
)

// RecordFactUses counts one use of each given fact on a day.
func (s Memories) RecordFactUses(ctx context.Context, user, day string, facts []string) error {
	return s.db.write(ctx, func(t *tx) {
		for _, fact := range facts {
			t.Exec(addUse, user, fact, day)
		}
	}, "count fact uses of %s", user)
}

// ListFactUses returns the number of uses of each fact since a day.
func (s Memories) ListFactUses(ctx context.Context, user, since string) (map[string]int, error) {
	uses := map[string]int{}
	_, err := engine.AllRows(s.db.reader(ctx, "count fact uses of %s", user), func(r *engine.Row) (none struct{}) {
		fact, n := "", 0
		r.Scan(&fact, &n)
		uses[fact] = n
		return none
	}, listUses, user, since)
	return uses, err
}
