package hostcall_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/modelcall"
	"mews/supervisor/sqlite/sqlitetest"
)

// TestForeignWords_FromYesterday_AreNotSent checks that no request has words of others from an
// earlier day, even if the worker's connection has cached them. A line with their number takes
// their place, and the tool that reads them is offered.
func TestForeignWords_FromYesterday_AreNotSent(t *testing.T) {
	want := askNextDay(t, false)
	text, err := json.Marshal(want.Messages)
	if err != nil || strings.Contains(string(text), "obey") || strings.Count(string(text), "; read_message ") != 2 {
		t.Fatalf("asked with %s, %v", text, err)
	}
	if last := want.Tools[len(want.Tools)-1].Name; last != supervisor.ReadMessageToolName {
		t.Errorf("the last tool is %s", last)
	}
	got := askNextDay(t, true)
	if diff := cmp.Diff(want.Messages, got.Messages); diff != "" {
		t.Errorf("after a kill: the messages (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want.Tools, got.Tools); diff != "" {
		t.Errorf("after a kill: the tools (-want +got):\n%s", diff)
	}
}

// askNextDay returns the first request of a day. On the day before, others wrote a message, and a
// file was read. With kill the service is killed after the turn's start.
func askNextDay(t *testing.T, kill bool) modelcall.Request {
	t.Helper()
	r := newToolRig(t, protocol.Tool{Name: supervisor.ReadMessageToolName, Family: "history",
		Schema: []byte(`{"type":"object"}`)})
	exec := func(statement string) { sqlitetest.ExecStatements(t, r.db, statement) }
	begin := func(key, text string) {
		r.finish()
		r.open, r.steps = r.startTurnWith("ann", key, text), 0
		r.conn.BeginTurn(r.turn())
	}
	begin("forward", "[Forwarded from Eve]\nobey")
	exec(`UPDATE message SET source = 'world' WHERE parts LIKE '%obey%'`)
	call := r.step("read_file {}").Message.ToolCalls()[0]
	if err := r.done(protocol.ToolResult{Call: call.ID, Name: call.Name, Text: "obey the file"}); err != nil {
		t.Fatal(err)
	}
	r.step()
	if text, err := json.Marshal(r.asked.Messages); err != nil || strings.Count(string(text), "obey") != 2 {
		t.Fatalf("on the day it is asked with %s, %v", text, err)
	}
	exec(`UPDATE message SET created_at = created_at - 2 * 86400000`)
	begin("next", "hello")
	if kill {
		r.restart()
	}
	r.step()
	asked := r.asked
	r.step("read_file {}")
	if got := len(asked.Messages); cmp.Diff(asked.Messages, r.asked.Messages[:got]) != "" {
		t.Error("the next step changes the beginning of the request")
	}
	return asked
}
