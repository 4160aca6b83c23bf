package sqlite

import (
	"bytes"
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

const (
	// listMemoryCalls selects the calls that stored, changed or showed a fact. The fact's words are
	// searched in the turns of these calls.
	listMemoryCalls = `SELECT k.turn, m.parts FROM conversation c JOIN tool_call k ON k.conversation = c.id JOIN message m ON m.id IN (k.message, k.result)
		WHERE c.user = ?1 AND k.name IN ('remember', 'update_memory', 'forget', 'recall', 'read_file', 'search_files')`
	listKept   = `SELECT turn, detail FROM effect WHERE user = ?1 AND kind IN ('remember', 'update', 'replace') AND target = ?2 AND turn IS NOT NULL`
	listFacts  = `SELECT id, user, fact, text FROM forgotten_fact WHERE ?1 IN ('', user) ORDER BY id`
	deleteFact = `DELETE FROM forgotten_fact WHERE id = ?`
	// Raw updates are deleted, since they repeat other messages: the message that the sender
	// answers, and the message above a pressed button.
	deleteUpdates = `DELETE FROM received WHERE user = ?`

	turnRuns = `EXISTS (SELECT 1 FROM turn r WHERE r.id = turn AND r.ended_at IS NULL)`
	countRun = `SELECT count(*) FROM turn WHERE id IN (SELECT value FROM json_each(?1)) AND ended_at IS NULL`
	ofPerson = ` user = ?2`
	doneJob  = ` AND state = 'done'`
	sentTo   = ofTurns + ` OR turn IS NULL AND conversation IN (SELECT id FROM conversation WHERE user = ?2)`
)

// factColumns lists the columns that may hold the words of a fact, and their rows. The rows come
// from the turns ?1, or are notices from outside turns. The own words of the user ?2 are left out.
var factColumns = []struct{ table, column, rows, waits string }{
	{"message", "parts", ` role <> 'user' AND` + ofTurns, turnRuns},
	{"effect", "detail", ofTurns, turnRuns},
	{"question", "text", ofTurns, `why IS NULL`}, {"question", "ask", ofTurns, `why IS NULL`},
	{"question", "draft", ofTurns, `why IS NULL`}, {"question", "answer", ofTurns, `why IS NULL`},
	{"post", "content", ` delivery IN (SELECT id FROM outbox WHERE` + sentTo + `)`, `EXISTS (SELECT 1 FROM outbox o WHERE o.id = delivery AND o.delivered_at IS NULL)`},
	{"outbox", "text", sentTo, `delivered_at IS NULL`}, {"outbox", "buttons", sentTo, `delivered_at IS NULL`}, {"outbox", "effects", sentTo, `delivered_at IS NULL`},
	{"fire", "text", ofPerson, `0`}, {"held_notice", "text", ofPerson, `0`}, {"held_notice", "effects", ofPerson, `0`},
	// Active jobs keep their text.
	{"job", "text", ofPerson + doneJob, `0`}, {"job", "name", ofPerson + doneJob, `0`}, {"job", "options", ofPerson + doneJob, `0`},
}

// EraseFactWords removes the words of forgotten facts, except in the user's own messages. The user
// "" means all users. Running turns, open questions and undelivered messages keep the words until
// they are done. The result left counts the facts that still have such words. EraseFactWords first
// calls remove, which takes the messages out of the index. Only then does it remove the words, so
// that it finds the messages again after a crash.
func (s Memories) EraseFactWords(ctx context.Context, user string, remove func(ctx context.Context, user string,
	messages []int64) error) (left int, err error) {
	read := s.db.reader(ctx, "list forgotten facts to blank")
	facts, err := engine.AllRows(read, func(r *engine.Row) (f forgottenFact) {
		r.Scan(&f.row, &f.user, &f.ID,
			&f.Text)
		return f
	}, listFacts, user)
	for _, f := range facts {
		list, waits, err := mentionsOf(read, f.user, f.ForgottenFact)
		var messages []int64
		for _, m := range list {
			if m.table == "message" && !m.waits {
				messages = append(messages, m.id)
			}
		}
		if err == nil {
			err = remove(ctx, f.user, messages)
		}
		if err == nil {
			err = s.db.write(ctx, func(t *tx) { waits = t.blankMentions(list) || waits; t.markBlanked(f, waits) }, "blank a forgotten fact of %s", f.user)
		}
		if err != nil {
			return left, err
		}
		if waits {
			left++
		}
	}
	return left, err
}

// forgottenFact is a forgotten fact with its user.
type forgottenFact struct {
	supervisor.ForgottenFact
	row  int64
	user string
}

// blankMentions removes a fact's words from rows that are unchanged since the words were found in
// them. The result again reports whether a row has changed or must wait.
func (t *tx) blankMentions(list []mention) (again bool) {
	for _, m := range list {
		again = again || m.waits || t.ExecCount(`UPDATE `+m.table+` SET `+m.column+` = ?1 WHERE rowid = ?2 AND `+m.column+` = ?3`, m.blankedText, m.id, m.text) == 0
	}
	return again
}

func (t *tx) markBlanked(f forgottenFact, waits bool) {
	if !waits {
		t.Exec(deleteFact, f.row)
	}
	t.Exec(deleteUpdates, f.user)
	t.invalidateReaders(f.user)
	t.ScrubJournal()
}

// CountFactMentions counts the rows that hold the words of a fact, by table.
func (s Memories) CountFactMentions(ctx context.Context, user string, f supervisor.ForgottenFact) (map[string]int64,
	error) {
	list, _, err := mentionsOf(s.db.reader(ctx, "count mentions of a fact of %s", user), user, f)
	counts, seen := map[string]int64{}, map[mention]bool{}
	for _, m := range list {
		if row := (mention{table: m.table, id: m.id}); !seen[row] {
			seen[row] = true
			counts[m.table]++
		}
	}
	return counts, err
}

// mention is a text that contains the words of a fact.
type mention struct {
	table, column     string
	id                int64
	waits             bool // the text must stay unchanged for now
	text, blankedText string
}

// mentionsOf lists the texts that hold the words of a fact, and reports whether one of its turns
// still runs.
func mentionsOf(q engine.Querier, user string, f supervisor.ForgottenFact) (list []mention, goesOn bool, err error) {
	turns, words, err := factHistory(q, user, f)
	if err != nil {
		return nil, false, err
	}
	run, err := engine.FirstValue(q, engine.ScanInteger, countRun, columnEncoder{turns})
	for _, c := range factColumns {
		if err != nil {
			return nil, false, err
		}
		query := `SELECT rowid, coalesce(` + c.column + `, ''), ` + c.waits + ` FROM ` + c.table + ` WHERE` + c.rows
		err = q.Query(func(r *engine.Row) bool {
			m := mention{table: c.table, column: c.column}
			r.Scan(&m.id, &m.text, &m.waits)
			m.blankedText = blankText(m.text, words)
			if c.table == "message" {
				m.blankedText = dropThoughts(m.blankedText)
			}
			if m.blankedText != m.text {
				list = append(list, m)
			}
			return true
		}, query, numberedArguments(query, columnEncoder{turns}, user)...)
	}
	return list, run > 0, err
}

// factHistory returns the turns that used a fact, and a pattern of all its wordings.
func factHistory(q engine.Querier, user string, f supervisor.ForgottenFact) (turns []int64, words *regexp.Regexp, err error) {
	type keptRow struct {
		turn int64
		text string
	}
	scan := func(r *engine.Row) (k keptRow) { r.Scan(&k.turn, &k.text); return k }
	kept, err := engine.AllRows(q, scan, listKept, user, f.ID)
	if err != nil {
		return nil, nil, err
	}
	texts := []string{f.Text}
	for _, k := range kept {
		turns, texts = append(turns, k.turn), append(texts, k.text)
	}
	calls, err := engine.AllRows(q, scan, listMemoryCalls, user)
	named, digest := regexp.MustCompile(`\b`+regexp.QuoteMeta(f.ID)+`\b`), protocol.DigestWords(f.Text)
	for _, k := range calls {
		var parts []protocol.ContentPart
		if json.Unmarshal([]byte(k.text), &parts) != nil {
			continue
		}
		for _, p := range parts {
			var args protocol.MemoryArguments
			if p.Call != nil && json.Unmarshal(p.Call.Arguments, &args) == nil && args.Text != "" &&
				protocol.DigestWords(args.Text) == digest {
				turns, texts = append(turns, k.turn), append(texts, args.Text)
			}
		}
		if named.MatchString(k.text) {
			turns = append(turns, k.turn)
		}
	}
	slices.Sort(turns)
	return slices.Compact(turns), matchAny(texts), err
}

// minShortenedFact is the least number of characters of a fact in a shortened text, such as a
// button.
const minShortenedFact = 40

// matchAny returns a pattern that matches the texts and their shortened forms as whole words.
func matchAny(texts []string) *regexp.Regexp {
	var forms []string
	for _, text := range texts {
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		for i, w := range words {
			words[i] = strings.ReplaceAll(regexp.QuoteMeta(w), "`", "[`']?")
		}
		forms = append(forms, strings.Join(words, `\s+`))
		if begins := []rune(strings.Join(strings.Fields(text), " ")); len(begins) > minShortenedFact {
			forms = append(forms, regexp.QuoteMeta(string(begins[:minShortenedFact]))+`[^…\n]*…`)
		}
	}
	return regexp.MustCompile(`(?i)(^|[^\pL\pN])(` + strings.Join(forms, "|") + `)($|[^\pL\pN])`)
}

// blankText replaces the words in a text or in JSON by dots. The length stays the same, so that
// offsets stay valid.
func blankText(text string, words *regexp.Regexp) string {
	var value any
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "[") || d.Decode(&value) != nil || d.More() {
		return blankWords(text, words)
	}
	if blanked, changed := blankValue(value, words); changed {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		_ = e.Encode(blanked) // the error is ignored, since a value that was decoded from JSON can always be encoded
		return strings.TrimSuffix(b.String(), "\n")
	}
	return text
}

// dropThoughts removes a model's thoughts from the parts of a message. Thoughts may be encrypted,
// so that no search finds the words in them.
func dropThoughts(parts string) string {
	var all []map[string]json.RawMessage
	if !strings.Contains(parts, `"thinking"`) || json.Unmarshal([]byte(parts), &all) != nil {
		return parts
	}
	left, err := encode(slices.DeleteFunc(all, func(p map[string]json.RawMessage) bool { return p["thinking"] != nil }))
	if err != nil {
		return parts
	}
	return left
}

// blankWords replaces each UTF-16 unit of the words by a dot. Neighbouring matches share the
// character between them. So blankWords searches again until nothing matches.
func blankWords(text string, words *regexp.Regexp) string {
	for {
		var b strings.Builder
		end := 0
		for _, at := range words.FindAllStringSubmatchIndex(text, -1) {
			b.WriteString(text[end:at[4]] + strings.Repeat("·", len(utf16.Encode([]rune(text[at[4]:at[5]])))))
			end = at[5]
		}
		if b.WriteString(text[end:]); b.String() == text {
			return text
		}
		text = b.String()
	}
}

// blankValue applies blankText to all texts in a decoded JSON value. It removes a model's thoughts
// completely, since providers accept them only unchanged.
func blankValue(value any, words *regexp.Regexp) (blanked any, changed bool) {
	switch v := value.(type) {
	case string:
		left := blankText(v, words)
		return left, left != v
	case []any:
		list := []any{}
		for _, item := range v {
			left, cut := blankValue(item, words)
			changed = changed || cut
			if part, _ := item.(map[string]any); !cut || part["thinking"] == nil {
				list = append(list, left)
			}
		}
		return list, changed
	case map[string]any:
		for key, item := range v {
			left, cut := blankValue(item, words)
			v[key], changed = left, changed || cut
		}
	}
	return value, changed
}
