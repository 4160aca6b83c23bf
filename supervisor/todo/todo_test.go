package todo

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/feature/featuretest"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// fakeWorker is a user's worker that answers each operation with one result.
type fakeWorker struct {
	kept   sqlite.Operations
	result protocol.TodoResult
	fails  string // why operations fail; "" means that they do not
	asked  []protocol.TodoParameters
}

func (w *fakeWorker) Start(ctx context.Context, op supervisor.Operation) (supervisor.Operation, error) {
	var p protocol.TodoParameters
	if err := json.Unmarshal([]byte(op.Parameters), &p); err != nil {
		return op, err
	}
	w.asked = append(w.asked, p)
	stored, err := w.kept.Put(ctx, op)
	if err != nil || stored.State == supervisor.OperationDone {
		return stored, err
	}
	result, state := "", supervisor.OperationFailed
	if result = w.fails; result == "" {
		encoded, _ := json.Marshal(w.result) // never fails
		result, state = string(encoded), supervisor.OperationDone
	}
	err = w.kept.ChangeState(ctx, stored.ID, supervisor.OperationRunning, "")
	if err == nil {
		err = w.kept.ChangeState(ctx, stored.ID, state, result)
	}
	return stored, err
}

func (w *fakeWorker) Wait(ctx context.Context, id int64) (supervisor.Operation, error) {
	op, _, err := w.kept.Find(ctx, id)
	return op, err
}

// rig is the feature with a real database and a fake worker of ann.
type rig struct {
	*testing.T
	db     *sqlite.DB
	worker *fakeWorker
	todos  *Todos
	in     supervisor.Inbound
}

const done = protocol.TodoActionDone

var asked = time.Date(2026, 11, 30, 23, 30, 0, 0, time.UTC) // the next day in Madrid

func newRig(t *testing.T) *rig {
	t.Helper()
	db := sqlitetest.Open(t)
	zone, err := time.LoadLocation("Europe/Madrid")
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{T: t, db: db, worker: &fakeWorker{kept: db.Operations()}}
	r.todos = New(Options{Operations: r.worker, Kept: db.Operations(), Effects: db.Effects(),
		Zone: func(string) *time.Location { return zone }, Now: func() time.Time { return asked }})
	return r
}

// runs stores an inbound of ann, and runs its command. A text that begins with the prefix is a
// press.
func (r *rig) runs(key, text string) supervisor.Delivery {
	r.Helper()
	in := supervisor.Inbound{Source: "terminal", Key: key, Kind: supervisor.KindText, Text: text,
		Origin: supervisor.OriginOwn, ReceivedAt: asked,
		Conversation: supervisor.Conversation{User: "ann", Channel: supervisor.ChannelTerminal}}
	if strings.HasPrefix(text, pressPrefix) {
		in.Kind = supervisor.KindPress
	}
	stored, _, err := r.db.Inbox().StoreInbound(r.Context(), in)
	if err != nil {
		r.Fatal(err)
	}
	in.ID = stored.ID
	r.in = in
	return r.again()
}

// again runs the last command again, as after a crash.
func (r *rig) again() supervisor.Delivery {
	return featuretest.RunCommand(r.T, r.todos.Feature(), r.in)
}

func (r *rig) ledger() (lines []string) {
	r.Helper()
	list, err := r.db.Effects().List(r.Context(), supervisor.EffectQuery{User: "ann", Limit: 10})
	if err != nil {
		r.Fatal(err)
	}
	for _, e := range list {
		lines = append(lines, e.Kind+" "+e.Target+" ("+e.Detail+")")
	}
	return lines
}

func TestCommand_Arguments_ChooseAction(t *testing.T) {
	r := newRig(t)
	item := protocol.TodoItem{ID: "7", Title: "Buy milk", Status: "todo", Effort: "medium", Created: "x"}
	r.worker.result = protocol.TodoResult{Items: []protocol.TodoItem{item}, Total: 1}
	at := "2026-12-01T00:30:00"
	for text, want := range map[string][]protocol.TodoParameters{
		"/todo":                    {{Action: protocol.TodoActionList}},
		"/todo list":               {{Action: protocol.TodoActionList}},
		"/todo done":               {{Action: protocol.TodoActionList, Done: true}},
		"/todo +home +work":        {{Action: protocol.TodoActionList, Words: "home work"}},
		"/todo 7":                  {{Action: protocol.TodoActionShow, ID: "7"}},
		"/todo #7":                 {{Action: protocol.TodoActionShow, ID: "7"}},
		"/todo h12ab34-2":          {{Action: protocol.TodoActionShow, ID: "h12ab34-2"}},
		"/todo done 7":             {{Action: done, ID: "7"}},
		"/todo Done #7, 8":         {{Action: done, ID: "7"}, {Action: done, ID: "8"}},
		"/todo tomorrow 7":         {{Action: protocol.TodoActionDue, ID: "7", Due: "2026-12-02"}},
		"/todo delete 7":           {{Action: protocol.TodoActionDelete, ID: "7"}},
		"/todo due 7 friday":       {{Action: protocol.TodoActionDue, ID: "7", Due: "2026-12-04"}},
		"/todo due 7 friday 15:00": {{Action: protocol.TodoActionDue, ID: "7", Due: "2026-12-04 15:00"}},
		"/todo due #7 none":        {{Action: protocol.TodoActionDue, ID: "7"}},
		"/todo due 7 2026-11-01":   {{Action: protocol.TodoActionDue, ID: "7", Due: "2026-11-01"}},
		"/todo delete old photos":  {{Action: protocol.TodoActionAdd, Text: "delete old photos"}},
		"/todo done with taxes":    {{Action: protocol.TodoActionAdd, Text: "done with taxes"}},
		"/todo due diligence":      {{Action: protocol.TodoActionAdd, Text: "due diligence"}},
		"/todo Milk due:today":     {{Action: protocol.TodoActionAdd, Text: "Milk due:2026-12-01"}},
		"/todo Milk due:none +x":   {{Action: protocol.TodoActionAdd, Text: "Milk  +x"}},
		"/todo - [ ] Milk\n* Bread": {
			{Action: protocol.TodoActionAdd, Text: "Milk"}, {Action: protocol.TodoActionAdd, Text: "Bread"}},
		"/todo help":                  {},
		"/todo Milk due:soon":         {},
		"/todo due 7 soon":            {},
		"/todo due 7 every monday":    {},
		"t:done 7 2026-11-30":         {{Action: done, ID: "7", Created: "2026-11-30"}},
		"t:delete 7 2026-11-30":       {{Action: protocol.TodoActionDelete, ID: "7", Created: "2026-11-30"}},
		"t:tomorrow 7 x":              {{Action: protocol.TodoActionDue, ID: "7", Created: "x", Due: "2026-12-02"}},
		"t:from 8":                    {{Action: protocol.TodoActionList, Offset: 8}},
		"t:from -1":                   {},
		"t:from x":                    {},
		"t:done 7":                    {},
		"t:add 7 x":                   {},
		"t:" + strings.Repeat("x", 9): {},
	} {
		r.worker.asked = nil
		d := r.runs(text, text)
		for n := range want {
			want[n].At = at
		}
		got, _ := json.Marshal(r.worker.asked)
		wanted, _ := json.Marshal(want)
		if len(want) == 0 {
			wanted = []byte("null")
		}
		if string(got) != string(wanted) || d.Text == "" {
			t.Errorf("%q: got %s, want %s; the answer is %q", text, got, wanted, d.Text)
		}
	}
}

// TestCommand_AgainAfterCrash_SaysAndRecordsOnce also covers a crash after the ledger's row.
func TestCommand_AgainAfterCrash_RecordsOnce(t *testing.T) {
	r := newRig(t)
	item := protocol.TodoItem{ID: "7", Title: "Buy milk", Status: "todo", Effort: "small", Due: "2026-12-02",
		Tags: []string{"home"}, Created: "2026-12-01T00:30:00"}
	r.worker.result = protocol.TodoResult{Items: []protocol.TodoItem{item}, Changed: true}
	want := "Added: 7 ☐ `Buy milk` +home, due tomorrow, small"
	d := r.runs("1", "/todo Buy milk +home due:tomorrow")
	if d.Text != want || len(d.Buttons) != 1 || len(d.Buttons[0]) != 3 {
		t.Errorf("got %+v", d)
	}
	r.worker.result.Changed = false // a worker that is asked again would say so
	if d := r.again(); d.Text != want {
		t.Errorf("again: got %q", d.Text)
	}
	if got := r.ledger(); len(got) != 1 || got[0] != "edit todos.md (added 7: Buy milk)" {
		t.Errorf("the ledger has %q", got)
	}
	want = "This is on your list already: 7 ☐ `Buy milk` +home, due tomorrow, small"
	if d := r.runs("2", "/todo Buy milk"); d.Text != want {
		t.Errorf("got %q", d.Text)
	}
	for _, b := range (supervisor.Delivery{Buttons: [][]supervisor.Button{buttons(protocol.TodoItem{
		ID: strings.Repeat("9", 15), Created: strings.Repeat("x", 26)}, "")}}).Buttons[0] {
		if len(b.Press) > 64 {
			t.Errorf("the press %q is too long for Telegram", b.Press)
		}
	}
}

func TestCommand_Failure_SaysWhy(t *testing.T) {
	r := newRig(t)
	r.worker.fails = "the worker has stopped"
	if d := r.runs("1", "/todo"); d.Text != "I could not open your to-do list. the worker has stopped" {
		t.Errorf("got %q", d.Text)
	}
	r.worker.fails, r.worker.result = "", protocol.TodoResult{Refused: "todos.md is not text in UTF-8"}
	if d := r.runs("2", "/todo Milk"); d.Text != "Your list is unchanged: todos.md is not text in UTF-8." {
		t.Errorf("got %q", d.Text)
	}
	list, err := r.db.Operations().List(t.Context(), "ann")
	if err != nil || len(list) != 1 || list[0].Inbound == 0 {
		t.Errorf("the operations are %+v, %v", list, err)
	}
	r.worker.result = protocol.TodoResult{}
	for text, want := range map[string]string{
		"/todo": textEmpty, "/todo done": textNoneDone, "/todo +x": textNoneFits,
		"/todo done 9": "Your list has no to-do `9`. /todo lists all.", "t:done 9 x": textGone,
		"/todo 9":                            "Your list has no to-do `9`. /todo lists all.",
		"/todo due 9 friday":                 "Your list has no to-do `9`. /todo lists all.",
		"/todo " + strings.Repeat("x\n", 21): fmt.Sprintf(textTooMany, 20),
	} {
		if d := r.runs(text, text); d.Text != want {
			t.Errorf("%q: got %q", text, d.Text)
		}
	}
}

func TestList_LongList_HasPages(t *testing.T) {
	r := newRig(t)
	for range protocol.TodoPageSize {
		r.worker.result.Items = append(r.worker.result.Items, protocol.TodoItem{ID: "7", Title: "a",
			Status: "in_progress", Effort: "medium"})
	}
	r.worker.result.Total = 20
	d := r.runs("1", "/todo")
	if !strings.HasPrefix(d.Text, "Your list has 20 to-dos.\n7 ◐ `a`\n") || len(d.Buttons) != 9 ||
		d.Buttons[8][0] != (supervisor.Button{Text: "12 more", Press: "t:from 8"}) {
		t.Errorf("got %+v", d)
	}
	d = r.runs("2", "/todo done")
	if !strings.HasSuffix(d.Text, "\n… and 12 more. All are in todos.md.") || len(d.Buttons) > 0 {
		t.Errorf("got %+v", d)
	}
	r.worker.result = protocol.TodoResult{Done: 3}
	if d := r.runs("3", "/todo"); d.Text != "All 3 to-dos are done. /todo done lists them." {
		t.Errorf("got %q", d.Text)
	}
}

func TestDescribeDue_Dates_AreWords(t *testing.T) {
	now := time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)
	for due, want := range map[string]string{"2026-11-30": "today", "2026-11-30 09:00": "today 09:00",
		"2026-12-01":       "tomorrow",
		"2026-12-04 15:00": "Fri 4 Dec 15:00", "2027-01-02": "Sat 2 Jan 2027", "2026-11-29": "since Sun 29 Nov",
		"x": "x"} {
		if got := describeDue(due, now); got != want {
			t.Errorf("%s: got %q, want %q", due, got, want)
		}
	}
}
