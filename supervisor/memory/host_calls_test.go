package memory_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"mews/protocol"
	"mews/protocol/facts"
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
	if uses, err := r.CountFactUses(t.Context(), "alice"); err != nil || fmt.Sprint(uses) != "map[k1:1]" {
		t.Errorf("got %v, %v", uses, err)
	}
}

func TestMemoryChanged_WrongCall_EndsWorker(t *testing.T) {
	const text = "- Takes oolong <!-- k1 -->\n"
	for name, c := range map[string]struct {
		call, gone string
		offends    bool
	}{
		"remembers":         {call: "a"},
		"another fact":      {call: "b", gone: `{"id":"k2","text":"Takes oolong"}`, offends: true},
		"other words":       {call: "b", gone: `{"id":"k1","text":"Takes"}`, offends: true},
		"says none is gone": {call: "b", offends: true},
		"forgets":           {call: "b", gone: `{"id":"k1","text":"Takes oolong"}`},
		"remember forgets":  {call: "a", gone: `{"id":"k1","text":"x"}`, offends: true},
		"another tool":      {call: "c", offends: true},
		"a fact without id": {call: "b", gone: `{"id":"","text":"x"}`, offends: true},
	} {
		r := newRig(t, "", "please forget that I take oolong")
		turn := featuretest.NewTurn("alice", protocol.ToolCall{ID: "a", Name: "remember"},
			protocol.ToolCall{ID: "b", Name: "forget", Arguments: json.RawMessage(`{"ids":["k1"]}`)},
			protocol.ToolCall{ID: "c", Name: "read_file"})
		turn.ID = r.turn.ID
		r.putInForce(text)
		params := fmt.Sprintf(`{"turn":1,"call":%q,"before":%q,"after":%q,"gone":[%s]}`, c.call,
			facts.FileStateOf(text), facts.FileStateOf(""), c.gone)
		_, err := featuretest.MakeHostCall(t, r.Feature(), turn, protocol.MethodMemoryChanged, params)
		if featuretest.IsOffence(err) != c.offends || !c.offends && err != nil {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
