package sqlite

import (
	"encoding/json"
	"regexp"
	"strings"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// exchange is a turn with its child turns and all inbounds that they answer. An inbound without a
// turn is an exchange of its own.
type exchange struct {
	turns, inbounds string // ids of the turns and ids of the inbounds, each as a JSON array
	err             error
}

const (
	turnsBelow = `WITH RECURSIVE below (id) AS (SELECT ?1 WHERE ?1 > 0 UNION SELECT t.id FROM below JOIN turn t ON t.parent = below.id)
		SELECT json_group_array(id) FROM below`
	inboundsOf = `SELECT json_group_array(id) FROM (SELECT ?2 id UNION SELECT inbound FROM turn WHERE id = ?1 AND inbound IS NOT NULL
		UNION SELECT id FROM inbox WHERE turn = ?1)`
	// isBusy selects whether the exchange still runs, waits for an answer, or has an undelivered
	// answer.
	isBusy = `SELECT EXISTS (SELECT 1 FROM turn WHERE id IN (SELECT value FROM json_each(?1)) AND ended_at IS NULL)
		OR EXISTS (SELECT 1 FROM inbox WHERE id IN (SELECT value FROM json_each(?2)) AND state IN ('arriving', 'new', 'running'))
		OR EXISTS (SELECT 1 FROM outbox WHERE id IN ` + deliveriesOfExchange + ` AND delivered_at IS NULL)
		OR EXISTS (SELECT 1 FROM speech WHERE delivery IN ` + deliveriesOfExchange + ` OR recording IN ` + deliveriesOfExchange + `)
		OR EXISTS (SELECT 1 FROM question WHERE why IS NULL AND (` + ofTurns + ` OR` + ofInbounds + `))
		OR EXISTS (SELECT 1 FROM operation WHERE state IN ('waiting', 'running') AND` + ofInbounds + `)
		OR EXISTS (SELECT 1 FROM post p JOIN cleaning k ON k.conversation = p.conversation AND k.message = p.message
			WHERE k.what = 'edit' AND p.delivery IN ` + deliveriesOfExchange + `)`
	countExchange = `SELECT (SELECT count(*) FROM inbox WHERE id IN (SELECT value FROM json_each(?2)) AND kind <> 'press' AND (text <> '' OR parts IS NOT NULL)),
		(SELECT count(*) FROM message WHERE` + ofTurns + ` AND role = 'assistant'), (SELECT count(*) FROM message WHERE` + ofTurns + ` AND role = 'tool'),
		(SELECT count(*) FROM undo WHERE` + ofTurns + ` AND length(before) = 64 AND kept = 0),
		(SELECT count(*) FROM attachment WHERE` + ofInbounds + `)`
	listChanged = `SELECT DISTINCT path FROM undo WHERE` + ofTurns +
		` AND to_point = 0 AND path <> 'MEMORY.md' AND path NOT LIKE 'memory/%'`
)

func exchangeOf(q engine.Querier, item forgettableInbound) (e exchange) {
	e.turns = e.selectIDs(q, turnsBelow, item.turn)
	e.inbounds = e.selectIDs(q, inboundsOf, item.turn, item.inbound)
	return e
}

func (e *exchange) selectIDs(q engine.Querier, query string, args ...any) (text string) {
	if e.err == nil {
		text, e.err = engine.FirstValue(q, engine.ScanString, query, args...)
	}
	return text
}

func (e *exchange) busy(q engine.Querier) (busy bool) {
	if e.err == nil {
		busy, e.err = engine.FirstValue(q, engine.ScanBool, isBusy, e.turns, e.inbounds)
	}
	return busy
}

func (e *exchange) count(q engine.Querier) (n supervisor.ForgetCounts) {
	if e.err == nil {
		n, e.err = engine.FirstValue(q, func(r *engine.Row) (n supervisor.ForgetCounts) {
			r.Scan(&n.Messages, &n.Answers, &n.Results, &n.Undos, &n.Files)
			return n
		}, countExchange, e.turns, e.inbounds)
	}
	return n
}

// changedFiles lists the files that the turns of the exchange changed.
func (e *exchange) changedFiles(q engine.Querier) (paths []string) {
	if e.err == nil {
		paths, e.err = engine.AllRows(q, engine.ScanString, listChanged, e.turns)
	}
	return paths
}

const (
	listMessageIDs = `SELECT id FROM message WHERE` + ofTurns
	// markConversationBegun keeps a conversation from counting as new after all its messages are
	// forgotten.
	markConversationBegun = `UPDATE conversation SET window_from = 1 WHERE window_from = 0 AND id IN (SELECT conversation FROM message WHERE` + ofTurns + `)`
)

// forgetExchange removes an exchange. It returns the counts of removed rows, and the ids of removed
// messages. If the exchange is still busy, forgetExchange only counts the messages as waiting.
func (t *tx) forgetExchange(item forgettableInbound, f supervisor.ForgetRequest) (gone supervisor.ForgetCounts,
	messages []int64) {
	e := exchangeOf(t, item)
	busy := e.busy(t)
	gone = e.count(t)
	t.fail(e.err)
	if busy {
		return supervisor.ForgetCounts{Waiting: max(1, gone.Messages)}, nil
	}
	messages = all(t, engine.ScanInteger, listMessageIDs, e.turns)
	if !f.Expired { // expiry does not touch the user's home and newer messages
		t.Exec(insertForgottenTurns, e.turns)
		t.forgetQuotes(e)
	}
	t.Exec(markConversationBegun, e.turns)
	t.markForgottenBlobs(e, f.User)
	for _, row := range forgetTable {
		if row.exchange != "" {
			t.Exec(row.exchange, numberedArguments(row.exchange, e.turns, e.inbounds, t.endsTurn)...)
		}
	}
	return gone, messages
}

// numberedArguments returns the first args, as many as the statement has numbered parameters.
func numberedArguments(statement string, args ...any) []any {
	for len(args) > 0 && !strings.Contains(statement, "?"+string(rune('0'+len(args)))) {
		args = args[:len(args)-1]
	}
	return args
}

const (
	// listQuotes selects the inbounds that quote a message of the exchange. They lose the quote
	// even if they are not forgotten themselves.
	listQuotes = `SELECT q.id, q.quote, coalesce(t.id, q.turn, 0) FROM (SELECT conversation, message FROM inbox WHERE message <> ''
			AND id IN (SELECT value FROM json_each(?2)) UNION SELECT conversation, message FROM post WHERE message <> '' AND (` + ofTurns + ` OR delivery IN ` + deliveriesOfExchange + `)) m
		CROSS JOIN inbox q ON q.conversation = m.conversation AND q.replies_to = m.message AND q.replies_to <> '' LEFT JOIN turn t ON t.inbound = q.id`
	forgetQuote  = `UPDATE inbox SET quote = '', replies_to = '' WHERE id = ?`
	listQuoting  = selectWhole + `WHERE turn = ? AND role = 'user'`
	replaceParts = `UPDATE message SET parts = ? WHERE id = ?`
)

type quoting struct {
	inbound, turn int64
	quote         string
}

// forgetQuotes removes quotes of an exchange from later inbounds.
func (t *tx) forgetQuotes(e exchange) {
	for _, q := range all(t, func(r *engine.Row) (q quoting) { r.Scan(&q.inbound, &q.quote, &q.turn); return q }, listQuotes, e.turns, e.inbounds) {
		t.Exec(forgetQuote, q.inbound)
		for _, m := range all(t, scanMessage, listQuoting, q.turn) {
			if json.Unmarshal([]byte(m.parts), &m.Parts) != nil {
				continue
			}
			cut := false
			for i, part := range m.Parts {
				if strings.Contains(part.Text, q.quote) {
					m.Parts[i].Text, cut = strings.TrimPrefix(strings.ReplaceAll(part.Text, q.quote, ""), "\n"), true
				}
			}
			if cut {
				t.Exec(replaceParts, columnEncoder{m.Parts}, m.ID)
			}
		}
	}
}

const (
	// listBlobMentions selects texts of an exchange that name blobs: received files, file contents,
	// whole outputs, and old files.
	listBlobMentions = `SELECT parts FROM message WHERE` + ofTurns + ` UNION ALL SELECT parts FROM inbox WHERE id IN (SELECT value FROM json_each(?2))
			AND parts IS NOT NULL UNION ALL SELECT sha256 FROM attachment WHERE sha256 IS NOT NULL AND` + ofInbounds + `
		UNION ALL SELECT sha256 FROM blob WHERE` + ofTurns + ` UNION ALL SELECT files FROM outbox WHERE files <> '' AND id IN ` + deliveriesOfExchange
	// markForgottenBlob does not mark a blob that came again later or in another exchange.
	markForgottenBlob = `UPDATE blob SET forgotten = 1, turn = NULL WHERE user = ?3 AND sha256 = ?4 AND (turn IS NULL OR` + ofTurns + `)
		AND created_at <= (SELECT max(at) FROM (SELECT max(ended_at) at FROM turn WHERE id IN (SELECT value FROM json_each(?1))
			UNION ALL SELECT max(changed_at) FROM inbox WHERE id IN (SELECT value FROM json_each(?2))))
		AND NOT EXISTS (SELECT 1 FROM attachment a WHERE a.sha256 = ?4 AND a.user = ?3 AND NOT` + ofInbounds + `)`
)

var anyDigest = regexp.MustCompile(`\b[0-9a-f]{64}\b`)

// markForgottenBlobs marks the blobs that only this exchange names. Marked blobs are deleted from
// the spool later.
func (t *tx) markForgottenBlobs(e exchange, user string) {
	marked := map[string]bool{}
	for _, text := range all(t, engine.ScanString, listBlobMentions, e.turns, e.inbounds) {
		for _, sha := range anyDigest.FindAllString(text, -1) {
			if !marked[sha] {
				marked[sha] = true
				t.Exec(markForgottenBlob, e.turns, e.inbounds, user, sha)
			}
		}
	}
}
