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
	// What has kept a fact, changed it, or shown it to a model: its words are looked for in the
	// turns of these.
	listMemoryCalls = `SELECT k.turn, m.parts FROM conversation c JOIN tool_call k ON k.conversation = c.id JOIN message m ON m.id IN (k.message, k.result)
		WHERE c.user = ?1 AND k.name IN ('remember', 'update_memory', 'forget', 'recall', 'read_file', 'search_files')`
	listKept   = `SELECT turn, detail FROM effect WHERE user = ?1 AND kind IN ('remember', 'update') AND target = ?2 AND turn IS NOT NULL`
	listFacts  = `SELECT id, user, fact, text FROM forgotten_fact WHERE ?1 IN ('', user) ORDER BY id`
	deleteFact = `DELETE FROM forgotten_fact WHERE id = ?`
	// one repeats what its person answers to, and what stands above the button that was pressed
	deleteUpdates = `DELETE FROM received WHERE user = ?`

	turnRuns = `EXISTS (SELECT 1 FROM turn r WHERE r.id = turn AND r.ended_at IS NULL)`
	countRun = `SELECT count(*) FROM turn WHERE id IN (SELECT value FROM json_each(?1)) AND ended_at IS NULL`
	ofPerson = ` user = ?2`
	doneJob  = ` AND state = 'done'`
	sentTo   = ofTurns + ` OR turn IS NULL AND conversation IN (SELECT id FROM conversation WHERE user = ?2)`
)

// factColumns are where the words of a fact may stand: in what came of the turns ?1, but for what
// their person ?2 has said, and in what no turn has said to the person.
var factColumns = []struct{ table, column, rows, waits string }{
	{"message", "parts", ` role <> 'user' AND` + ofTurns, turnRuns},
	{"effect", "detail", ofTurns, turnRuns},
	{"question", "text", ofTurns, `why IS NULL`}, {"question", "ask", ofTurns, `why IS NULL`},
	{"question", "draft", ofTurns, `why IS NULL`}, {"question", "answer", ofTurns, `why IS NULL`},
	{"post", "content", ` delivery IN (SELECT id FROM outbox WHERE` + sentTo + `)`, `EXISTS (SELECT 1 FROM outbox o WHERE o.id = delivery AND o.delivered_at IS NULL)`},
	{"outbox", "text", sentTo, `delivered_at IS NULL`}, {"outbox", "buttons", sentTo, `delivered_at IS NULL`}, {"outbox", "effects", sentTo, `delivered_at IS NULL`},
	{"fire", "text", ofPerson, `0`}, {"held_notice", "text", ofPerson, `0`}, {"held_notice", "effects", ofPerson, `0`},
	// others are as they were set
	{"job", "text", ofPerson + doneJob, `0`}, {"job", "name", ofPerson + doneJob, `0`}, {"job", "options", ofPerson + doneJob, `0`},
}

// BlankFacts takes the words of forgotten facts out of wherever they stand but in what their person
// has said: of a person's, or with "" of everybody's. What a running turn has said, what is asked
// and what is not delivered yet keeps them until it is done: left is how many facts that is the
// case with. remove takes messages out of the index before their words go, so that after a crash
// they are found again.
func (s Memories) BlankFacts(ctx context.Context, user string, remove func(ctx context.Context, user string, messages []int64) error) (left int, err error) {
	read := s.db.reader(ctx, "take out the words of forgotten facts")
	facts, err := engine.All(read, func(r *engine.Row) (f forgottenFact) { r.Scan(&f.row, &f.user, &f.ID, &f.Text); return f }, listFacts, user)
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
			err = s.db.write(ctx, func(t *tx) { waits = t.blank(list) || waits; t.blanked(f, waits) }, "take a forgotten fact out of what is kept of %s", f.user)
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

// forgottenFact is a row of the table, and whose it is.
type forgottenFact struct {
	supervisor.ForgottenFact
	row  int64
	user string
}

// blank takes words out of what has not changed since they were found, and says whether anything
// has, or waits.
func (t *tx) blank(list []mention) (again bool) {
	for _, m := range list {
		again = again || m.waits || t.Change(`UPDATE `+m.table+` SET `+m.column+` = ?1 WHERE rowid = ?2 AND `+m.column+` = ?3`, m.left, m.id, m.text) == 0
	}
	return again
}

func (t *tx) blanked(f forgottenFact, waits bool) {
	if !waits {
		t.Exec(deleteFact, f.row)
	}
	t.Exec(deleteUpdates, f.user)
	t.reread(f.user)
	t.Scrub()
}

// CountMentions counts the rows in which the words of a fact stand, by table.
func (s Memories) CountMentions(ctx context.Context, user string, f supervisor.ForgottenFact) (map[string]int64, error) {
	list, _, err := mentionsOf(s.db.reader(ctx, "count where a fact of %s stands", user), user, f)
	counts, seen := map[string]int64{}, map[mention]bool{}
	for _, m := range list {
		if row := (mention{table: m.table, id: m.id}); !seen[row] {
			seen[row] = true
			counts[m.table]++
		}
	}
	return counts, err
}

// mention is a text with the words of a fact.
type mention struct {
	table, column string
	id            int64
	waits         bool // it is needed as it is for now
	text, left    string
}

// mentionsOf lists where the words of a fact stand, and says whether a turn that it is in goes on.
func mentionsOf(q engine.Querier, user string, f supervisor.ForgottenFact) (list []mention, goesOn bool, err error) {
	turns, words, err := keptIn(q, user, f)
	if err != nil {
		return nil, false, err
	}
	run, err := engine.Value(q, engine.Integer, countRun, encoded{turns})
	for _, c := range factColumns {
		if err != nil {
			return nil, false, err
		}
		query := `SELECT rowid, coalesce(` + c.column + `, ''), ` + c.waits + ` FROM ` + c.table + ` WHERE` + c.rows
		err = q.Query(func(r *engine.Row) bool {
			m := mention{table: c.table, column: c.column}
			r.Scan(&m.id, &m.text, &m.waits)
			if m.left = blankText(m.text, words); m.left != m.text {
				list = append(list, m)
			}
			return true
		}, query, arguments(query, encoded{turns}, user)...)
	}
	return list, run > 0, err
}

// keptIn are the turns that a fact was in, and the words that it has had.
func keptIn(q engine.Querier, user string, f supervisor.ForgottenFact) (turns []int64, words *regexp.Regexp, err error) {
	type keptRow struct {
		turn int64
		text string
	}
	scan := func(r *engine.Row) (k keptRow) { r.Scan(&k.turn, &k.text); return k }
	kept, err := engine.All(q, scan, listKept, user, f.ID)
	if err != nil {
		return nil, nil, err
	}
	texts := []string{f.Text}
	for _, k := range kept {
		turns, texts = append(turns, k.turn), append(texts, k.text)
	}
	calls, err := engine.All(q, scan, listMemoryCalls, user)
	named, digest := regexp.MustCompile(`\b`+regexp.QuoteMeta(f.ID)+`\b`), protocol.DigestOfWords(f.Text)
	for _, k := range calls {
		var parts []protocol.Part
		if json.Unmarshal([]byte(k.text), &parts) != nil {
			continue
		}
		for _, p := range parts {
			var args protocol.MemoryArguments
			if p.Call != nil && json.Unmarshal(p.Call.Arguments, &args) == nil && args.Text != "" && protocol.DigestOfWords(args.Text) == digest {
				turns, texts = append(turns, k.turn), append(texts, args.Text)
			}
		}
		if named.MatchString(k.text) {
			turns = append(turns, k.turn)
		}
	}
	slices.Sort(turns)
	return slices.Compact(turns), anyOf(texts), err
}

// shortSide is how much of a fact stands at least where it is cut, in characters: on a button.
const shortSide = 40

// anyOf matches texts, and those that are cut, where they are whole words.
func anyOf(texts []string) *regexp.Regexp {
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
		if begins := []rune(strings.Join(strings.Fields(text), " ")); len(begins) > shortSide {
			forms = append(forms, regexp.QuoteMeta(string(begins[:shortSide]))+`[^…\n]*…`)
		}
	}
	return regexp.MustCompile(`(?i)(^|[^\pL\pN])(` + strings.Join(forms, "|") + `)($|[^\pL\pN])`)
}

// blankText is a text, or JSON, in which dots stand for words: as many, so that what names places
// in it still holds.
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
		_ = e.Encode(blanked) // what was read from JSON can be JSON
		return strings.TrimSuffix(b.String(), "\n")
	}
	return text
}

// blankWords has a dot for each UTF-16 unit of the words. Words side by side share what is between
// them, so they are looked for again.
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

// blankValue does what blankText does to all texts in a value. What a model thought goes as a
// whole: it is only good word for word.
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
