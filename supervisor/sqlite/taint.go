package sqlite

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/engine"
	"mews/supervisor/internal/quotes"
	"mews/supervisor/taint"
)

// Taints knows which turns and files have words of others.
type Taints struct{ db *DB }

// Taints returns the store of words of others.
func (db *DB) Taints() Taints { return Taints{db} }

// listWorld selects the messages with words of others that a turn's model sees, newest first.
const listWorld = `SELECT m.id, m.role, m.parts, m.stamp, m.recap <> '', 0, m.user, -1, 1, m.created_at, octet_length(m.parts)
	FROM turn t JOIN conversation c ON c.id = t.conversation JOIN message m ON m.conversation = c.id AND ` + isSeen + `
	WHERE t.id = ? AND m.source = 'world' ORDER BY m.id DESC LIMIT 500`

// Origins returns the origins of the words of others in a turn's request. A turn without origins is
// not tainted.
func (s Taints) Origins(ctx context.Context, turn int64) ([]string, error) {
	return taintOf(s.db.reader(ctx, "list the origins of turn %d", turn), turn)
}

// taintOf returns the origins of the words of others that a turn's model sees.
func taintOf(q engine.Querier, turn int64) (origins []string, err error) {
	rows, err := engine.AllRows(q, scanMessage, listWorld, turn)
	if err != nil {
		return nil, err
	}
	for _, m := range rows {
		if json.Unmarshal([]byte(m.parts), &m.Parts) != nil {
			m.Parts = nil // then the message counts as words of others without a source
		}
		if m.recap {
			m.Recap = taint.OriginRecap
		}
		origins = append(origins, taint.OriginsOfMessage(m.Message)...)
	}
	return taint.Union(taint.Tainting(origins)), nil
}

// listTurnWords selects the user's messages of a turn.
const listTurnWords = `SELECT m.id, m.role, m.parts, '', 0, 0, m.user, coalesce(m.own_part, -1), m.source = 'world', m.created_at, 0
	FROM message m JOIN turn t ON t.id = m.turn WHERE m.turn = ? AND m.role = 'user' AND m.user = t.user ORDER BY m.id`

// OwnWords returns the words of a turn's user in that turn, without quotes.
func (s Taints) OwnWords(ctx context.Context, turn int64) (string, error) {
	return ownWordsOf(s.db.reader(ctx, "read the own words of turn %d", turn), turn)
}

func ownWordsOf(q engine.Querier, turn int64) (string, error) {
	rows, err := engine.AllRows(q, scanMessage, listTurnWords, turn)
	var words strings.Builder
	for _, m := range rows {
		if json.Unmarshal([]byte(m.parts), &m.Parts) != nil {
			continue // a message that can't be decoded counts as empty
		}
		for i, p := range m.Parts {
			if p.Text != "" && (!m.World || i == m.OwnPart) && !strings.HasPrefix(p.Text, supervisor.JobQuotePrefix) {
				words.WriteString(quotes.RemoveQuotes(p.Text) + "\n")
			}
		}
	}
	return words.String(), err
}

const hasResultOf = `SELECT EXISTS (SELECT 1 FROM turn t JOIN conversation c ON c.id = t.conversation
		JOIN tool_call k ON k.conversation = c.id AND k.result >= c.window_from
		WHERE t.id = ?1 AND k.name IN (SELECT value FROM json_each(?2)))`

// HasRead reports whether the window of a turn has a result of one of these tools. A result of an
// earlier day counts too, since the model still sees its own words about it.
func (s Taints) HasRead(ctx context.Context, turn int64, tools []string) (bool, error) {
	return engine.FirstValue(s.db.reader(ctx, "list what turn %d has read", turn), engine.ScanBool, hasResultOf, turn,
		encodedList(tools))
}

// markResult adds to a result what the database knows about its words. It also returns the origins
// of the words in the files that the result's call has changed.
func (t turnTx) markResult(r protocol.ToolResult) (protocol.ToolResult, []string) {
	words := taint.FindTool(r.Name).Words
	if words == taint.Own && !r.World && len(r.Changes) == 0 {
		return r, nil
	}
	turn, err := taintOf(t, t.turn.ID)
	t.fail(err)
	call := t.committedCall(r)
	facts := t.taintFacts(call, turn)
	r.Origins = taint.Judge(call, r, facts)
	r.World = len(r.Origins) > 0
	changed := taint.OriginsOfChange(call, r.Origins, facts)
	if len(r.Origins) == 0 || len(r.Origins) == 1 && r.Origins[0] == taint.OriginOfTool(r.Name) {
		r.Origins = nil // the result's name says it
	}
	return r, changed
}

const findCallMessage = `SELECT m.parts FROM tool_call k JOIN message m ON m.id = k.message
	WHERE k.conversation = ? AND k.call = ?`

// committedCall returns the call of a result as the model made it.
func (t turnTx) committedCall(r protocol.ToolResult) protocol.ToolCall {
	raw, _ := one(t, engine.ScanString, findCallMessage, t.turn.Conversation.ID, r.Call)
	var parts []protocol.ContentPart
	if raw != "" {
		t.fail(json.Unmarshal([]byte(raw), &parts))
	}
	for _, c := range (protocol.Message{Parts: parts}).ToolCalls() {
		if c.ID == r.Call {
			return c
		}
	}
	return protocol.ToolCall{ID: r.Call, Name: r.Name}
}

const (
	// hasArrived reports whether a file came into a folder of received files.
	hasArrived = `SELECT EXISTS (SELECT 1 FROM effect WHERE user = ?1 AND created_at >= ?2 AND kind = ?3)
		OR EXISTS (SELECT 1 FROM marked_file WHERE user = ?1 AND ended = 0 AND marked_at >= ?2 AND (path LIKE ?4 || '/%' OR path LIKE ?5 || '/%'))`
	listMarked = `SELECT path, origins FROM marked_file WHERE user = ? AND ended = 0 ORDER BY id DESC`
	// listOwnResults selects the results without words of others that a turn's model sees.
	listOwnResults = `SELECT m.parts FROM turn t JOIN conversation c ON c.id = t.conversation
		JOIN message m ON m.conversation = c.id AND ` + isSeen + `
		WHERE t.id = ? AND m.role = 'tool' AND m.source = 'own' ORDER BY m.id DESC LIMIT 500`
)

// taintFacts returns the facts about a call that taint.Judge needs. turn has the origins of the
// turn's request.
func (t turnTx) taintFacts(call protocol.ToolCall, turn []string) taint.Facts {
	f, user := taint.Facts{Turn: turn}, t.turn.Conversation.User
	tool := taint.FindTool(call.Name)
	if len(tool.Written) > 0 {
		var err error
		f.Said, err = ownWordsOf(t, t.turn.ID)
		t.fail(err)
	}
	switch tool.Words {
	case taint.InFiles, taint.BelowFolder:
		f.Marked = t.markedFiles(user)
	case taint.OfProgram:
		f.Marked, f.Arrived = t.markedFiles(user), t.hasArrived(user, t.midnight(user))
	case taint.OfOutput:
		f.Marked, f.Arrived = t.markedFiles(user), t.hasArrived(user, 0)
		f.OwnResults = t.ownResults()
	}
	return f
}

// hasArrived reports whether a file came into a user's folders of received files since a time.
func (t *tx) hasArrived(user string, since int64) bool {
	return value(t, engine.ScanBool, hasArrived, user, since, supervisor.EffectFileReceived, protocol.UploadsFolder,
		protocol.DownloadsFolder)
}

// markedFiles lists a user's marked files.
func (t *tx) markedFiles(user string) []taint.MarkedFile { return all(t, scanMarked, listMarked, user) }

// MarkedFiles lists a user's marked files. Those in folders of received files are left out.
func (s Taints) MarkedFiles(ctx context.Context, user string) ([]taint.MarkedFile, error) {
	return engine.AllRows(s.db.reader(ctx, "list the marked files of %s", user), scanMarked, listMarked, user)
}

func scanMarked(r *engine.Row) (m taint.MarkedFile) {
	r.Scan(&m.Path, columnDecoder{&m.Origins})
	return m
}

// ownResults lists the results without words of others that the turn's model sees.
func (t turnTx) ownResults() (list []protocol.ToolResult) {
	for _, raw := range all(t, engine.ScanString, listOwnResults, t.turn.ID) {
		var parts []protocol.ContentPart
		if json.Unmarshal([]byte(raw), &parts) != nil {
			continue // then the result counts as one with words of others
		}
		for _, p := range parts {
			if p.Result != nil {
				list = append(list, *p.Result)
			}
		}
	}
	return list
}

// midnight returns the beginning of a user's current day, in milliseconds.
func (t *tx) midnight(user string) int64 {
	now := fromMillis(t.Now).In(t.zoneOrUTC(user))
	return time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location()).UnixMilli()
}
