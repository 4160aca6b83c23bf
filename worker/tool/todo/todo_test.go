package todo_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mews/protocol"
	"mews/worker"
	format "mews/worker/todo"
	"mews/worker/tool/todo"
	"mews/worker/workspace"
)

const list = `# Todos

- [ ] Buy groceries +shopping
  effort: small
  <!-- id:1 user:42 created:2026-02-19T10:00:00 updated:2026-02-19T10:00:00 -->

- [x] Write report +work
  <!-- id:2 user:42 created:2026-02-18T08:00:00 updated:2026-02-19T12:00:00 completed:2026-02-19T12:00:00 -->
`

// wantDate is the end of an error about a date.
const wantDate = "want a date such as 2026-12-01, or 2026-12-01 15:00; today is Monday, 2026-11-30"

type parameters = protocol.TodoParameters

// rig is a home with the tools of its list.
type rig struct {
	*testing.T
	home  string
	list  *todo.List
	tools map[string]worker.Tool
	kept  func() // runs when a tool keeps the file before a change
}

func newRig(t *testing.T, text string) *rig {
	t.Helper()
	r := &rig{T: t, home: t.TempDir(), tools: map[string]worker.Tool{}, kept: func() {}}
	if text != "" {
		r.save(text)
	}
	ws, err := workspace.Open(r.home, protocol.FilePolicy{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ws.Close() })
	zone := time.FixedZone("test", 3600)
	r.list = todo.NewList(ws, func() time.Time { return time.Date(2026, 11, 30, 9, 15, 0, 0, time.UTC) }, zone)
	for _, tool := range todo.Tools(r.list) {
		r.tools[tool.Name] = tool
	}
	return r
}

func (r *rig) save(text string) {
	r.Helper()
	if err := os.WriteFile(filepath.Join(r.home, "todos.md"), []byte(text), 0o600); err != nil {
		r.Fatal(err)
	}
}

func (r *rig) text() string {
	r.Helper()
	text, err := os.ReadFile(filepath.Join(r.home, "todos.md"))
	if err != nil {
		r.Fatal(err)
	}
	return string(text)
}

func (r *rig) run(name, arguments string) (worker.Result, error) {
	return r.tools[name].Run(r.Context(), worker.Call{ID: "c", Arguments: json.RawMessage(arguments),
		KeepBefore: func(_ context.Context, file io.Reader, most int64) (protocol.BlobRef, error) {
			text, err := io.ReadAll(io.LimitReader(file, most))
			r.kept()
			return protocol.BlobRef{SHA256: protocol.UploadKey(string(text)), Size: int64(len(text))}, err
		}})
}

// TestTools_Calls_ChangeOnlyTheirItem goes from a new list to a deleted item.
func TestTools_Calls_ChangeOnlyTheirItem(t *testing.T) {
	r := newRig(t, "")
	for _, c := range []struct{ tool, arguments, text, change string }{
		{"todo_list", `{}`, "No to-do fits.", ""},
		{"todo_add", `{"title":"Buy milk +shopping","due":"2026-12-01","effort":"tiny"}`,
			"Added 1 [ ] Buy milk +shopping; due 2026-12-01 (tomorrow); effort tiny", "added 1: Buy milk"},
		{"todo_add", `{"title":"Buy milk","tags":["shopping"],"due":"2026-12-01","effort":"tiny"}`,
			"Is on the list already: 1 [ ] Buy milk +shopping; due 2026-12-01 (tomorrow); effort tiny", ""},
		{"todo_add", `{"title":"Paint the door","description":"Green.\nTwice.","status":"in_progress"}`,
			"Added 2 [~] Paint the door; Green. Twice.", "added 2: Paint the door"},
		{"todo_list", `{"max_effort":"small"}`, "1 [ ] Buy milk +shopping; due 2026-12-01 (tomorrow); effort tiny", ""},
		{"todo_update", `{"id":1,"status":"done"}`, "Done 1 [x] Buy milk +shopping; due 2026-12-01; effort tiny",
			"done 1: Buy milk"},
		{"todo_update", `{"id":"1","status":"done"}`,
			"It has these values already: 1 [x] Buy milk +shopping; due 2026-12-01; effort tiny", ""},
		{"todo_update", `{"id":"2","due":"2026-11-30 09:00","description":""}`,
			"Changed 2 [~] Paint the door; due 2026-11-30 09:00 (overdue)", "changed 2: Paint the door"},
		{"todo_update", `{"id":"2","due":"none"}`, "Changed 2 [~] Paint the door", "changed 2: Paint the door"},
		{"todo_list", `{}`, "2 [~] Paint the door\nNot shown: 1 done; status done lists them.", ""},
		{"todo_remove", `{"id":"1"}`, "Deleted 1 [x] Buy milk +shopping; due 2026-12-01; effort tiny",
			"deleted 1: Buy milk"},
	} {
		got, err := r.run(c.tool, c.arguments)
		if err != nil || got.Text != c.text {
			t.Errorf("%s %s: got %q, %v, want %q", c.tool, c.arguments, got.Text, err, c.text)
		}
		change := ""
		if len(got.Changes) > 0 {
			change = got.Changes[0].Detail
			if got.Changes[0].Undo == nil {
				t.Errorf("%s %s has no undo", c.tool, c.arguments)
			}
		}
		if change != c.change {
			t.Errorf("%s %s: the change is %q, want %q", c.tool, c.arguments, change, c.change)
		}
	}
	want := "# Todos\n\n- [~] Paint the door\n  <!-- id:2 created:2026-11-30T10:15:00 updated:2026-11-30T10:15:00 -->\n"
	if got := r.text(); got != want {
		t.Errorf("got\n%s", got)
	}
}

func TestTools_BadCall_SaysWhatToDo(t *testing.T) {
	r := newRig(t, list)
	for call, want := range map[string]string{
		`todo_add {}`:                              "todo_add: the title is missing; say what is to be done",
		`todo_add {"title":"+x"}`:                  "add a to-do: the title is empty; say what is to be done",
		`todo_add {"title":"a","due":"tomorrow"}`:  "add a to-do: due \"tomorrow\": " + wantDate,
		`todo_update {"id":"9","status":"done"}`:   "change to-do 9: no to-do has this id; todo_list shows the ids",
		`todo_update {"id":"1","status":"x"}`:      `change to-do 1: status "x": want one of todo, in_progress, done`,
		`todo_update {"id":true}`:                  `todo_update: arguments: id: want the id of a to-do, such as 7`,
		`todo_remove {"id":9}`:                     "delete to-do 9: no to-do has this id; todo_list shows the ids",
		`todo_list {"status":"open"}`:              `status "open": want one of todo, in_progress, done`,
		`todo_list {"max_effort":"huge"}`:          `max_effort "huge": want one of tiny, small, medium, large, epic`,
		`todo_list {"due_before":"next week"}`:     "list to-dos: due_before \"next week\": " + wantDate,
		`todo_add {"title":"a","priority":"high"}`: `todo_add: arguments: json: unknown field "priority"`,
	} {
		name, arguments, _ := strings.Cut(call, " ")
		if _, err := r.run(name, arguments); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", call, err, want)
		}
	}
	if r.text() != list {
		t.Errorf("the list has changed:\n%s", r.text())
	}
	r.save("caf\xe9\n")
	_, err := r.run("todo_add", `{"title":"a"}`)
	if err == nil || !strings.Contains(err.Error(), "save it as UTF-8 first") {
		t.Errorf("got %v", err)
	}
}

// TestEdit_SavedMeanwhile_KeepsBoth saves the file from an editor between the tool's read and its
// write.
func TestEdit_SavedMeanwhile_KeepsBoth(t *testing.T) {
	r := newRig(t, list)
	saved := strings.Replace(list, "Buy groceries", "Buy food", 1)
	r.kept = sync.OnceFunc(func() { r.save(saved) })
	if _, err := r.run("todo_update", `{"id":"1","status":"done"}`); err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(strings.Replace(saved, "- [ ] Buy food", "- [x] Buy food", 1),
		"updated:2026-02-19T10:00:00 -->", "updated:2026-11-30T10:15:00 completed:2026-11-30T10:15:00 -->", 1)
	if got := r.text(); got != want {
		t.Errorf("got\n%s", cmp.Diff(want, got))
	}

	r.kept = sync.OnceFunc(func() { _ = os.Remove(filepath.Join(r.home, "todos.md")) })
	if _, err := r.run("todo_add", `{"title":"New"}`); err != nil {
		t.Fatal(err)
	}
	want = "# Todos\n\n- [ ] New\n  <!-- id:1 created:2026-11-30T10:15:00 updated:2026-11-30T10:15:00 -->\n"
	if got := r.text(); got != want {
		t.Errorf("got\n%s", cmp.Diff(want, got))
	}

	always := 0
	r.kept = func() { always++; r.save(fmt.Sprintf("%s\n%d\n", list, always)) }
	if _, err := r.run("todo_update", `{"id":"1","status":"done"}`); !errors.Is(err, workspace.ErrChanged) {
		t.Errorf("an editor that never stops: %v after %d", err, always)
	}
}

func TestList_ManyItems_ShowsFifty(t *testing.T) {
	text := ""
	for n := range 60 {
		text += fmt.Sprintf("- [ ] Number %d\n", n)
	}
	got, err := newRig(t, text).run("todo_list", `{"text":"number"}`)
	if err != nil || got.Brief != "60 to-dos" || strings.Count(got.Text, "\n") != 50 ||
		!strings.HasSuffix(got.Text, "\n... and 10 more; narrow the list by tag, text, max_effort or due_before") {
		t.Errorf("got %q, %v", got.Text, err)
	}
}

// mark returns the TodoItem.Created of an item.
func (r *rig) mark(id string) string {
	r.Helper()
	got, err := r.list.RunOperation(r.Context(), parameters{Action: protocol.TodoActionShow, ID: id})
	if err != nil || len(got.Items) != 1 {
		r.Fatalf("got %+v, %v", got, err)
	}
	return got.Items[0].Created
}

// TestOperation_Repeated_ChangesNothingMore runs each operation twice, as after a crash between the
// write and the answer.
func TestOperation_Repeated_ChangesNothingMore(t *testing.T) {
	r := newRig(t, list)
	at := "2026-11-30T10:20:00"
	called := format.Item{Title: "Call mum", Created: at}.Mark()
	for _, c := range []struct {
		p      parameters
		want   string // title of the item
		second string
	}{
		{parameters{Action: protocol.TodoActionAdd, Text: "Call mum +family due:2026-12-24", At: at}, "Call mum",
			"Call mum"},
		{parameters{Action: protocol.TodoActionDone, ID: "1", Created: r.mark("1"), At: at},
			"Buy groceries", "Buy groceries"},
		{parameters{Action: protocol.TodoActionDue, ID: "3", Created: called, Due: "2026-12-01", At: at},
			"Call mum", "Call mum"},
		{parameters{Action: protocol.TodoActionDelete, ID: "3", Created: called, At: at}, "Call mum", ""},
	} {
		for n, want := range []string{c.want, c.second} {
			got, err := r.list.RunOperation(t.Context(), c.p)
			title := ""
			if len(got.Items) > 0 {
				title = got.Items[0].Title
			}
			if err != nil || title != want || got.Changed != (want != "") || got.Refused != "" ||
				got.Validate() != nil {
				t.Errorf("%s, run %d: got %+v, %v", c.p.Action, n, got, err)
			}
		}
	}
	want := strings.Replace(strings.Replace(list, "- [ ] Buy", "- [x] Buy", 1), "updated:2026-02-19T10:00:00 -->",
		"updated:2026-11-30T10:20:00 completed:2026-11-30T10:20:00 -->", 1)
	if got := r.text(); got != want {
		t.Errorf("got\n%s", cmp.Diff(want, got))
	}
}

// TestOperation_OldCard_ChangesNoNewItem uses the id of a deleted item for a new one, which was made
// in the same second.
func TestOperation_OldCard_ChangesNoNewItem(t *testing.T) {
	r := newRig(t, list+"\n- [ ] By hand\n")
	card := r.mark("1")
	r.save(strings.Replace(r.text(), "Buy groceries", "Buy a car", 1))
	before := r.text()
	for _, p := range []parameters{
		{Action: protocol.TodoActionDone, ID: "1", Created: card},
		{Action: protocol.TodoActionDelete, ID: "1", Created: card},
		{Action: protocol.TodoActionDone, ID: "h000000", Created: "000000000000"},
		{Action: protocol.TodoActionShow, ID: "77"},
	} {
		got, err := r.list.RunOperation(t.Context(), p)
		if err != nil || len(got.Items) > 0 || got.Changed {
			t.Errorf("%+v: got %+v, %v", p, got, err)
		}
	}
	if r.text() != before {
		t.Errorf("got\n%s", r.text())
	}
	got, err := r.list.RunOperation(t.Context(), parameters{Action: protocol.TodoActionList, Words: "hand"})
	if err != nil || got.Total != 1 || got.Done != 1 || len(got.Items) != 1 || got.Items[0].Created == "" {
		t.Fatalf("got %+v, %v", got, err)
	}
	p := parameters{Action: protocol.TodoActionDone, ID: got.Items[0].ID, Created: got.Items[0].Created}
	if got, err := r.list.RunOperation(t.Context(), p); err != nil || len(got.Items) != 1 || got.Items[0].ID != "3" {
		t.Errorf("got %+v, %v", got, err)
	}
	if got, err = r.list.RunOperation(t.Context(), parameters{Action: protocol.TodoActionAdd}); err != nil ||
		got.Refused != "the title is empty; say what is to be done" {
		t.Errorf("got %+v, %v", got, err)
	}
}
