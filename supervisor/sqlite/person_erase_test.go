package sqlite

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mews/supervisor"
)

// insertEverything adds a row to each table that names a user. USER stands for the user's name and
// N for a number that no other user has.
const insertEverything = `
INSERT INTO person (name, role, account, timezone, created_at) VALUES ('USER', 'user', '', '', 1);
INSERT INTO setting (user, name, value) VALUES ('USER', 'model', 'offline');
INSERT INTO suspended (user, created_at) VALUES ('USER', 1);
INSERT INTO binding (channel, account, user, created_at) VALUES ('telegram', 'N', 'USER', 1);
INSERT INTO invite (digest, user, created_at, expires_at) VALUES ('secretDIGESTN', 'USER', 1, 2);
INSERT INTO totp (user, secret, changed_at) VALUES ('USER', CAST('secret' AS BLOB), 1);
INSERT INTO recovery (user, digest) VALUES ('USER', 'secretDIGESTN');
INSERT INTO login (user, channel, chat, opened_at, used_at) VALUES ('USER', 'telegram', '', 1, 1);
INSERT INTO spent (user, quarter, cost) VALUES ('USER', 0, 1);
INSERT INTO received (source, id, user, raw, received_at) VALUES ('bot', N, 'USER', '{}', 1);
INSERT INTO conversation (id, user, channel, chat, thread, created_at) VALUES (N, 'USER', 'telegram', '', '', 1);
INSERT INTO inbox (id, user, conversation, source, key, kind, text, state, received_at, changed_at)
	VALUES (N, 'USER', N, 'bot', 'N', 'text', '<hello>', 'done', 1, 1);
INSERT INTO turn (id, user, conversation, kind, inbound, why, started_at, ended_at) VALUES (N, 'USER', N, 'chat', N, 'done', 1, 1);
INSERT INTO message (id, user, conversation, turn, role, parts, created_at) VALUES (N, 'USER', N, N, 'assistant', '[]', 1);
INSERT INTO system_text (conversation, user, text, window_from, renewed_at) VALUES (N, 'USER', '', 0, 1);
INSERT INTO tool_call (conversation, call, user, turn, message, position, name, result) VALUES (N, 'c', 'USER', N, N, 0, 'x', N);
INSERT INTO external_call (turn, call, user, repeatable, created_at) VALUES (N, 'c', 'USER', 1, 1);
INSERT INTO calendar_subscription VALUES ('USER', 'work', 'example.org', CAST('N' AS BLOB), 'd', 1, 1);
INSERT INTO external_blob (user, sha256, turn, call, size) VALUES ('USER', 'publicDIGESTN', N, 'c', 1);
INSERT INTO web_address (turn, digest, source, user, created_at)
	VALUES (N, 'publicDIGESTN', 'page', 'USER', 1);
INSERT INTO web_fetch (turn, call, domain, user, created_at) VALUES (N, 'c', 'example.org', 'USER', 1);
INSERT INTO usage (id, user, conversation, turn, message, spec, model, purpose, input, output, cache_read, cache_write, request,
	created_at) VALUES (N, 'USER', N, N, N, '', '', 'chat', 0, 0, 0, 0, '', 1);
INSERT INTO effect (id, user, turn, call, kind, target, detail, reported_by, created_at) VALUES (N, 'USER', N, 'c', 'x', '', '', 'worker', 1);
INSERT INTO outbox (id, user, conversation, inbound, turn, kind, text, created_at) VALUES (N, 'USER', N, N, N, 'answer', '', 1);
INSERT INTO post (id, user, conversation, turn, delivery, part, state, content, changed_at)
	VALUES (N, 'USER', N, N, N, 0, 'sent', '{}', 1);
INSERT INTO blob (user, sha256, size, turn, created_at) VALUES ('USER', 'publicDIGESTN', 1, N, 1);
INSERT INTO cleaning (user, conversation, message, what, due_at) VALUES ('USER', N, 'm', 'delete', 1);
INSERT INTO question (digest, user, conversation, turn, kind, subject, text, stands, created_at, expires_at)
	VALUES ('secretDIGESTN', 'USER', N, N, 'budget', 'publicDIGESTN', '', 1, 1, 1);
INSERT INTO attachment (inbound, position, user, file, kind, name, media_type, size, seconds)
	VALUES (N, 0, 'USER', 'f', 'photo', '', '', 0, 0);
INSERT INTO operation (user, kind, parameters, state, created_at, updated_at) VALUES ('USER', 'archive', '{}', 'waiting', 1, 1);
INSERT INTO triage (user, repo, number, state, asked, wanted_at, due_at, updated_at) VALUES ('USER', 'acme/widget', 5, 'done', '', 1, 1, 1);
INSERT INTO review (user, repo, number, state, wanted_at, updated_at) VALUES ('USER', 'acme/widget', 5, 'done', 1, 1);
INSERT INTO review_finding (user, repo, number, fingerprint, state, found, seen, finding, updated_at)
	VALUES ('USER', 'acme/widget', 5, 'f', 'open', 'a', 'a', '{}', 1);
INSERT INTO review_mute (user, repo, kind, subject, created_at) VALUES ('USER', 'acme/widget', 'pull', '5', 1);
INSERT INTO host_uid (uid, user, created_at) VALUES (70000 + N, 'USER', 1);
INSERT INTO todo_section (user, digest, seen_at) VALUES ('USER', '9f86d081884c7d659a2feaa0', 1);
INSERT INTO granted (user, tool, subject, text, created_at) VALUES ('USER', 'x', 'publicDIGESTN', '', 1);
INSERT INTO lease (user, conversation, turn, spec, amount, created_at) VALUES ('USER', N, N, '', 1, 1);
INSERT INTO repository_notice (user, conversation, repo, key, event, due_at) VALUES ('USER', N, 'acme/widget', 'pull/#1', '{}', 1);
INSERT INTO repository_told (delivery, user, repo, number) VALUES (N, 'USER', 'acme/widget', 1);
INSERT INTO job (id, user, kind, state, text, rule, zone, conversation, made_by, since, created_at, changed_at)
	VALUES (N, 'USER', 'reminder', 'done', '', '{}', '', N, 'inbound/N', 1, 1, 1);
INSERT INTO fire (job, due, user, state, fired_at) VALUES (N, 1, 'USER', 'said', 1);
INSERT INTO speech (delivery, user, only) VALUES (N, 'USER', 1);
INSERT INTO extension (user, turn, amount, created_at) VALUES ('USER', N, 1, 1);
`

// addUserRows adds a row of a user to each table that names users.
func (r *rig) addUserRows(user string, number int) {
	r.Helper()
	n := fmt.Sprint(number)
	script := strings.NewReplacer("USER", user, "DIGESTN", strings.Repeat("d", 58-len(n))+n, "N", n).Replace(
		strings.NewReplacer("INSERT INTO", "insert into", "DELETE", "delete").Replace(insertEverything))
	for _, statement := range strings.Split(strings.TrimSpace(script), ";\n") {
		err := r.write(func(t *tx) error { return t.Query(nil, statement) })
		if err != nil {
			r.Fatalf("%s: %v", statement, err)
		}
	}
	for _, table := range r.userTables() {
		if table != "audit" && r.countOf(table, user) == 0 {
			r.addUserRow(table, user, n)
		}
	}
	r.same("audit", r.db.Audit().Append(r.Context(), user, "made", ""), nil)
}

// addUserRow adds a row of a user to a table that insertEverything lacks. References get the number
// of the user's other rows. CHECK constraints are off.
func (r *rig) addUserRow(table, user, n string) {
	r.Helper()
	columns := r.list(`SELECT name FROM pragma_table_info(?) WHERE "notnull" AND dflt_value IS NULL OR pk ORDER BY cid`, table)
	values := r.list(`SELECT CASE WHEN name = 'user' THEN quote(?) WHEN name IN ('secret', 'digest') THEN quote('secretDIGEST' || ?)
		WHEN type = 'TEXT' THEN quote('x' || ?) WHEN type = 'BLOB' THEN 'x' || quote('78') ELSE ? END
		FROM pragma_table_info(?) WHERE "notnull" AND dflt_value IS NULL OR pk ORDER BY cid`, user, n, n, n, table)
	err := r.write(func(t *tx) error {
		return errors.Join(t.Query(nil, `PRAGMA ignore_check_constraints = ON`),
			t.Query(nil, `INSERT INTO `+table+` (`+strings.Join(columns, ", ")+`) VALUES (`+strings.Join(values, ", ")+`)`),
			t.Query(nil, `PRAGMA ignore_check_constraints = OFF`))
	})
	if err != nil {
		r.Fatalf("a row in %s, which a statement of everything could also make: %v", table, err)
	}
}

// userTables lists the tables of the database with a column that names a user.
func (r *rig) userTables() []string {
	r.Helper()
	return r.list(`SELECT m.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c
		WHERE m.type = 'table' AND (c.name = 'user' OR m.name = 'person' AND c.name = 'name') ORDER BY 1`)
}

func (r *rig) countOf(table, user string) int {
	r.Helper()
	column := "user"
	if table == "person" {
		column = "name"
	}
	return r.count("SELECT count(*) FROM " + table + " WHERE " + column + " = '" + user + "'")
}

// notErased lists the tables from which Erase deletes nothing, and why.
var notErased = map[string]string{
	"audit":            "it is only ever added to, and says who was erased",
	"source":           "how far a source was read is nobody's",
	"freeze":           "until when a channel takes nothing is nobody's",
	"repository_check": "that a check has failed is nobody's",
	"allowed_group":    "a group is of all who speak in it",
}

// A new table must be erased and exported, or be listed here with a reason.
func TestEraseAndExport_EveryTable_IsCovered(t *testing.T) {
	r := newRig(t)
	defer r.run()()
	r.addUserRows("alice", 1)
	var out strings.Builder
	r.same("error", r.db.UserAccessStores().People.Export(t.Context(), "alice", &out), nil)
	erased, err := r.db.UserAccessStores().People.Erase(t.Context(), "alice")
	r.same("error", err, nil)
	for _, table := range r.list("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'") {
		why, stays := notErased[table]
		if (erased[table] > 0) == stays || stays && why == "" {
			t.Errorf("%s is erased: %t, and is not: %t (%s)", table, erased[table] > 0, stays, why)
		}
		if exported := strings.Contains(out.String(), `"table":"`+table+`"`); exported != (erased[table] > 0 || table == "audit") {
			t.Errorf("%s is exported: %t", table, exported)
		}
	}
}

func TestEraseUser_TwoUsers_DeletesOnlyOne(t *testing.T) {
	r := newRig(t)
	defer r.run()()
	r.addUserRows("alice", 1)
	r.addUserRows("bob", 2)
	want := map[string]int64{}
	for _, table := range r.userTables() {
		r.same(table+" before", r.countOf(table, "alice"), 1)
		if table != "audit" {
			want[table] = 1
		}
	}
	counts, err := r.db.UserAccessStores().People.CountUserRows(t.Context(), "alice")
	r.same("error", err, nil)
	if d := cmp.Diff(want, counts); d != "" {
		t.Errorf("counted before: (-want +got)\n%s", d)
	}
	counts, err = r.db.UserAccessStores().People.Erase(t.Context(), "alice")
	r.same("error", err, nil)
	if d := cmp.Diff(want, counts); d != "" {
		t.Errorf("counted: (-want +got)\n%s", d)
	}
	for _, table := range r.userTables() {
		left := 0
		if table == "audit" {
			left = 2 // the audit log keeps alice's row and the row about erasing her
		}
		r.same(table+" of alice", r.countOf(table, "alice"), left)
		r.same(table+" of bob", r.countOf(table, "bob"), 1)
	}
	counts, err = r.db.UserAccessStores().People.Erase(t.Context(), "alice")
	r.same("error", err, nil)
	r.same("erased again", len(counts), 0)
	_, err = r.db.UserAccessStores().People.Erase(t.Context(), "")
	r.same("the service itself", supervisor.ErrorCodeOf(err), supervisor.CodeInvalid)
}

func TestEraseUser_ManyRows_UsesSeveralCommits(t *testing.T) {
	r := newRig(t)
	defer r.run()()
	r.addUserRows("alice", 1)
	r.addUserRows("bob", 2)
	many := func(t *tx) error {
		return t.Query(nil, `WITH RECURSIVE n (i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i < 2999)
			INSERT INTO message (user, conversation, turn, role, parts, created_at)
			SELECT iif(i % 2, 'alice', 'bob'), 2 - i % 2, 2 - i % 2, 'user', '[]', i FROM n`)
	}
	r.same("fill", r.write(many), nil)
	calls := func(t *tx) error {
		return t.Query(nil, `INSERT INTO tool_call (conversation, call, user, turn, message, position, name, result)
			SELECT conversation, 'call' || id, user, turn, id, 0, 'x', id FROM message WHERE user = 'alice' AND id > 2`)
	}
	r.same("fill", r.write(calls), nil)
	r.commits = 0
	counts, err := r.db.UserAccessStores().People.Erase(t.Context(), "alice")
	r.same("error", err, nil)
	r.same("messages", counts["message"], int64(1501))
	r.same("calls", counts["tool_call"], int64(1501))
	r.same("of bob", r.countOf("message", "bob"), 1501)
	if r.commits < 30 {
		t.Errorf("it took %d commits: others who write had to wait", r.commits)
	}
}

func TestEraseUser_RowAddedMeanwhile_CanRunAgain(t *testing.T) {
	r := newRig(t)
	defer r.run()()
	r.addUserRows("alice", 1)
	late := func(t *tx) error { // this row of another user refers to alice's turn, so the turn must not be deleted
		return t.Query(nil, `INSERT INTO effect (user, turn, call, kind, target, detail, reported_by, created_at) VALUES ('carol', 1, 'c', 'x', '', '', 'worker', 1)`)
	}
	r.same("late", r.write(late), nil)
	if _, err := r.db.UserAccessStores().People.Erase(t.Context(), "alice"); err == nil ||
		!strings.Contains(err.Error(),
			"erase alice from turn") {
		t.Errorf("got %v", err)
	}
	r.same("dangling", r.count("SELECT count(*) FROM pragma_foreign_key_check"), 0)
}

func TestExportUser_Secrets_AreLeftOut(t *testing.T) {
	r := newRig(t)
	defer r.run()()
	r.addUserRows("alice", 1)
	r.addUserRows("bob", 2)
	many := func(t *tx) error {
		return t.Query(nil, `WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 1200)
			INSERT INTO granted (user, tool, subject, text, created_at) SELECT 'alice', 'x', printf('%064d', i), '', i FROM n`)
	}
	r.same("fill", r.write(many), nil)
	var out strings.Builder
	r.same("error", r.db.UserAccessStores().People.Export(t.Context(), "alice", &out), nil)
	if strings.Contains(out.String(), "secret") || strings.Contains(out.String(), "c2VjcmV0") || strings.Contains(out.String(), "bob") {
		t.Errorf("exported was\n%s", out.String())
	}
	lines := map[string]int{}
	for line := range strings.Lines(out.String()) {
		var row struct {
			Table string
			Row   map[string]any
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil || len(row.Row) == 0 {
			t.Fatalf("%q: %v", line, err)
		}
		lines[row.Table]++
		if row.Table == "inbox" && (row.Row["text"] != "<hello>" || row.Row["id"] != 1.0) {
			t.Errorf("the inbound is %s", line)
		}
	}
	for _, table := range r.userTables() {
		r.same("lines of "+table, lines[table], r.countOf(table, "alice"))
	}
	r.same("to somebody who has gone", errors.Is(r.db.UserAccessStores().People.Export(t.Context(), "alice",
		failingWriter{}), errGone), true)
}

var errGone = errors.New("gone")

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errGone }

// insertArriving adds the rows of a message whose recording is being transcribed, after
// insertEverything. N1 is a number that no other row has.
const insertArriving = `
INSERT INTO inbox (id, user, conversation, source, key, kind, text, state, received_at, changed_at)
	VALUES (N1, 'USER', N, 'bot', 'N1', 'text', '', 'arriving', 1, 1);
INSERT INTO attachment (inbound, position, user, file, kind, name, media_type, size, seconds)
	VALUES (N1, 0, 'USER', 'f', 'voice', '', '', 0, 9), (N1, 1, 'USER', 'g', 'photo', '', '', 0, 0);
INSERT INTO blob (user, sha256, size, turn, created_at) VALUES ('USER', 'arrivesDIGESTN', 1, NULL, 1);
INSERT INTO operation (id, user, kind, parameters, inbound, position, state, created_at, updated_at)
	VALUES (N1, 'USER', 'transcribe', '{}', N1, 0, 'running', 1, 1);
INSERT INTO operation_piece (operation, position, user, language, text) VALUES (N1, 0, 'USER', 'en', 'heard'), (N1, 1, 'USER', 'en', 'heard');
UPDATE speech SET operations = '[N1]', recording = N WHERE user = 'USER';
`

func TestEraseAndExport_ArrivingMessage_IsCovered(t *testing.T) {
	r := newRig(t)
	defer r.run()()
	r.addUserRows("alice", 1)
	r.addUserRows("bob", 2)
	for i, user := range []string{"alice", "bob"} {
		n := fmt.Sprint(i + 1)
		for _, statement := range strings.Split(strings.TrimSpace(strings.NewReplacer("USER", user, "DIGESTN", strings.Repeat("e", 56)+n,
			"NULL", "null", "INSERT INTO", "insert into", "N1", "10"+n, "N", n).Replace(insertArriving)), ";\n") {
			r.same(statement, r.write(func(t *tx) error { return t.Query(nil, statement) }), nil)
		}
	}
	var out strings.Builder
	r.same("error", r.db.UserAccessStores().People.Export(t.Context(), "alice", &out), nil)
	counts, err := r.db.UserAccessStores().People.Erase(t.Context(), "alice")
	r.same("error", err, nil)
	for table, want := range map[string]int{"inbox": 2, "attachment": 3, "blob": 2, "operation": 2, "operation_piece": 3, "speech": 1} {
		r.same("exported of "+table, strings.Count(out.String(), `"table":"`+table+`"`), want)
		r.same("erased of "+table, counts[table], int64(want))
		r.same("left of "+table, r.countOf(table, "alice"), 0)
		r.same("of another in "+table, r.countOf(table, "bob"), want)
	}
	r.same("dangling", r.count("SELECT count(*) FROM pragma_foreign_key_check"), 0)
}
