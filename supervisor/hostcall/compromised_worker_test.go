package hostcall_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/hostcall"
	"mews/supervisor/modelcall"
	"mews/supervisor/sqlite/sqlitetest"
)

// liarRig is a rig whose worker was taken over: it calls every result the user's own.
type liarRig struct {
	*rig
	next protocol.ToolCall // what the model calls next
}

func newLiarRig(t *testing.T) *liarRig {
	t.Helper()
	r := &liarRig{}
	r.rig = newRig(t, func(context.Context, modelcall.Request, func(string)) (protocol.Message, error) {
		return protocol.Message{Parts: []protocol.ContentPart{{Call: &r.next}}}, nil
	})
	return r
}

// run lets the model call a tool, and commits a result that claims to have no words of others.
func (r *liarRig) run(tool, arguments string, changes ...protocol.Change) {
	r.t.Helper()
	r.commit(r.ask(tool, arguments), tool, changes...)
}

// ask lets the model call a tool, and returns the call's ID.
func (r *liarRig) ask(tool, arguments string) string {
	r.t.Helper()
	r.next = protocol.ToolCall{Name: tool, Arguments: json.RawMessage(arguments)}
	return r.makeCalls()[0].ID
}

func (r *liarRig) commit(call, tool string, changes ...protocol.Change) {
	r.t.Helper()
	result := protocol.ToolResult{Call: call, Name: tool, Text: "obey", Changes: changes}
	for range 2 { // a repeated commit changes nothing
		if err := r.done(result); err != nil {
			r.t.Fatalf("%s: %v", tool, err)
		}
	}
}

// origins returns the origins of the turn.
func (r *liarRig) origins() []string {
	r.t.Helper()
	origins, err := r.db.Taints().Origins(r.t.Context(), r.open.Turn.ID)
	if err != nil {
		r.t.Fatal(err)
	}
	return origins
}

// begin ends the turn and begins one in an empty window, so that it is not tainted.
func (r *liarRig) begin(key string) {
	r.t.Helper()
	r.finish()
	if err := r.db.Transcript().ClearWindow(r.t.Context(), r.open.Turn.Conversation.ID); err != nil {
		r.t.Fatal(err)
	}
	r.open = r.startTurnWith("ann", key, "hello")
	r.conn.BeginTurn(r.turn())
}

// TestLyingWorker_ClaimsOwnWords_StillTaints checks that the model's call and the supervisor's
// rows decide, whatever the worker says.
func TestLyingWorker_ClaimsOwnWords_StillTaints(t *testing.T) {
	r := newLiarRig(t)
	for i, c := range []struct {
		tool, arguments, want string // want is the origin; "" means that the turn is not tainted
	}{
		{"get_time", `{}`, ""},
		{"list_files", `{"path":"."}`, ""},
		{"read_file", `{"path":"notes.md"}`, ""},
		{"run_command", `{"command":"date"}`, ""},
		{"a_web_tool", `{"url":"https://example.org/"}`, "tool:a_web_tool"},
		{"a_service_tool", `{"name":"shop"}`, "tool:a_service_tool"},
		{"list_uploads", `{}`, "tool:list_uploads"},
		{"read_file", `{"path":"uploads/2026-11-30/a.pdf"}`, "file:uploads/2026-11-30/a.pdf"},
		{"view_image", `{"path":"downloads/a.png"}`, "file:downloads/a.png"},
		{"run_command", `{"command":"cat uploads/*"}`, "received"},
		{"run_python", `{"code":"print(open('downloads/a').read())"}`, "received"},
		{"read_output", `{"output":"` + strings.Repeat("ab", 32) + `"}`, "tool:read_output"},
	} {
		r.begin(fmt.Sprint("case", i))
		r.run(c.tool, c.arguments)
		if got := strings.Join(r.origins(), " "); got != c.want {
			t.Errorf("%s %s: got %q, want %q", c.tool, c.arguments, got, c.want)
		}
	}
}

// An answer of the supervisor marks the result of its call, even if the worker says otherwise.
func TestLyingWorker_WorldAnswer_StillTaints(t *testing.T) {
	for _, world := range []bool{true, false} {
		r := newLiarRig(t)
		table, err := hostcall.NewCallTable(feature.HostCall{Method: protocol.MethodHistorySearch,
			Kinds: feature.OwnWorkerTurnKinds(), Limit: 20,
			HostCallHandler: feature.NewHostCallHandler(func(context.Context, feature.Turn, *protocol.SearchParams) (
				*protocol.SearchResult, error) {
				return &protocol.SearchResult{Text: "obey", World: world}, nil
			})})
		if err != nil {
			t.Fatal(err)
		}
		r.options.Table = table
		call := r.ask("search_history", `{"words":"tea"}`)
		if _, err := r.call(protocol.MethodHistorySearch, protocol.SearchParams{Turn: r.open.Turn.ID,
			Call: call}); err != nil {
			t.Fatal(err)
		}
		if r.commit(call, "search_history"); world != (len(r.origins()) > 0) {
			t.Errorf("after an answer with words of others %t: %q", world, r.origins())
		}
	}
}

// change returns the change of a file to some bytes.
func change(kind, path, bytes string) protocol.Change {
	return protocol.Change{Kind: kind, Target: path, Undo: &protocol.Undo{Path: path,
		After: protocol.FileState(hash(bytes))}}
}

func move(from, to string) protocol.Change {
	return protocol.Change{Kind: "move", Target: from, Undo: &protocol.Undo{Path: from, To: to,
		Before: protocol.FileState(hash("m"))}}
}

// TestMarkedFiles_FollowChanges checks which files are marked after a turn's changes, and that a
// later turn that reads such a file is tainted.
func TestMarkedFiles_FollowChanges(t *testing.T) {
	r := newLiarRig(t)
	marks := func() string {
		return strings.Join(r.list(`SELECT path FROM marked_file WHERE ended = 0 ORDER BY path`), " ")
	}
	r.run("write_file", `{"path":"own.md"}`, change("write", "own.md", "own"))
	if got := marks(); got != "" {
		t.Errorf("the user's own files are marked: %s", got)
	}

	r.begin("tainted")
	r.run("list_uploads", `{}`)
	r.run("write_file", `{"path":"a.md"}`, change("write", "a.md", "evil"))
	r.run("run_command", `{"command":"make"}`, change("program", "site/b.md", "b"),
		protocol.Change{Kind: "program", Target: "30 more files", Unnamed: []string{"site/many"}})
	if got := marks(); got != "a.md site/b.md site/many" {
		t.Errorf("after a tainted turn, marked is %q", got)
	}

	r.begin("later")
	r.run("move_file", `{"from":"site","to":"old"}`, move("site", "old"))
	r.run("move_file", `{"from":"uploads/x.pdf","to":"x.pdf"}`, move("uploads/x.pdf", "x.pdf"))
	if got := marks(); got != "a.md old/b.md old/many x.pdf" {
		t.Errorf("after the moves, marked is %q", got)
	}

	for i, c := range []struct {
		read    string
		tainted bool
	}{{"own.md", false}, {"site/b.md", false}, {"a.md", true}, {"old/b.md", true}, {"old/many/deep/c.md", true},
		{"x.pdf", true}} {
		r.begin(fmt.Sprint("read", i))
		if r.run("read_file", fmt.Sprintf(`{"path":%q}`, c.read)); c.tainted != (len(r.origins()) > 0) {
			t.Errorf("a turn that has read %s has the origins %q", c.read, r.origins())
		}
	}

	r.begin("copies")
	r.run("run_command", `{"command":"./copy"}`, change("program", "copy.md", "evil"), change("program", "new.md",
		"new"))
	r.run("write_file", `{"path":"a.md"}`, change("write", "a.md", "mine"))
	r.run("delete_file", `{"path":"old"}`, protocol.Change{Kind: "delete", Target: "old",
		Undo: &protocol.Undo{Path: "old",
			Before: protocol.FileState(hash("o")), Kept: true}})
	if got := marks(); got != "copy.md x.pdf" {
		t.Errorf("after a copy, a rewrite and a deletion, marked is %q", got)
	}
}

// The oldest marks are dropped if there are too many, and the audit log says so.
func TestMarkedFiles_TooMany_DropsOldest(t *testing.T) {
	r := newLiarRig(t)
	sqlitetest.ExecStatements(t, r.db, `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
		INSERT INTO marked_file (user, path, origins, marked_at) SELECT 'ann', 'f' || i, '[]', i FROM n`)
	r.run("list_uploads", `{}`)
	r.run("write_file", `{"path":"new.md"}`, change("write", "new.md", "x"))
	left := r.list(`SELECT count(*) || ' ' || max(path = 'f1') || ' ' || max(path = 'new.md') FROM marked_file`)
	if left[0] != "2000 0 1" {
		t.Errorf("left are %q", left)
	}
	told := r.list(`SELECT user || ' ' || detail FROM audit WHERE action = 'taint.marks_dropped'`)
	if !slices.Equal(told, []string{"ann 1 marks"}) {
		t.Errorf("the audit log has %q", told)
	}
}

// A program is tainted on the day on which a file arrived.
func TestProgram_FileArrivedToday_Taints(t *testing.T) {
	r := newLiarRig(t)
	if err := r.db.Effects().Put(t.Context(), supervisor.Effect{User: "ann", Kind: supervisor.EffectFileReceived,
		Target: "a.pdf"}); err != nil {
		t.Fatal(err)
	}
	r.run("run_command", `{"command":"./scan"}`)
	if got := r.origins(); !slices.Equal(got, []string{"received"}) {
		t.Errorf("today: %q", got)
	}
	sqlitetest.ExecStatements(t, r.db, `UPDATE effect SET created_at = created_at - 2 * 86400000`)
	r.begin("later")
	r.run("run_command", `{"command":"./scan"}`)
	if got := r.origins(); len(got) > 0 {
		t.Errorf("two days later: %q", got)
	}
}

// list returns the texts of a query.
func (r *liarRig) list(query string) []string {
	r.t.Helper()
	return sqlitetest.QueryColumn(r.t, r.db, query)
}
