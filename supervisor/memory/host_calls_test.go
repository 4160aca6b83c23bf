package memory_test

import (
	"fmt"
	"testing"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/feature/featuretest"
)

func TestMemoryRecalled_OverMCP_CountsNoUse(t *testing.T) {
	r := newRig(t, "", "hello")
	turn := featuretest.NewTurn("alice")
	for _, kind := range []supervisor.TurnKind{supervisor.TurnMCP, supervisor.TurnChat} {
		turn.Kind = kind
		if _, err := featuretest.MakeHostCall(t, r.Feature(), turn, protocol.MethodMemoryRecalled,
			`{"turn":1,"ids":["k1"]}`); err != nil {
			t.Fatal(err)
		}
	}
	if uses, err := r.CountUses(t.Context(), "alice"); err != nil || fmt.Sprint(uses) != "map[k1:1]" {
		t.Errorf("got %v, %v", uses, err)
	}
}

func TestMemoryChanged_WrongCall_EndsWorker(t *testing.T) {
	r := newRig(t, "", "please forget that I take oolong")
	turn := featuretest.NewTurn("alice", protocol.ToolCall{ID: "a", Name: "remember"},
		protocol.ToolCall{ID: "b", Name: "forget"},
		protocol.ToolCall{ID: "c", Name: "read_file"})
	turn.ID = r.turn.ID
	for name, c := range map[string]struct {
		call, gone string
		offends    bool
	}{
		"forgets":           {call: "b", gone: `{"id":"k1","text":"Takes oolong"}`},
		"remembers":         {call: "a"},
		"remember forgets":  {call: "a", gone: `{"id":"k1","text":"x"}`, offends: true},
		"another tool":      {call: "c", offends: true},
		"a fact without id": {call: "b", gone: `{"id":"","text":"x"}`, offends: true},
	} {
		params := fmt.Sprintf(`{"turn":1,"call":%q,"before":"","after":"","text":"","gone":[%s]}`, c.call, c.gone)
		_, err := featuretest.MakeHostCall(t, r.Feature(), turn, protocol.MethodMemoryChanged, params)
		if featuretest.IsOffence(err) != c.offends || !c.offends && err != nil {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
