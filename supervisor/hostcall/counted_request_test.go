package hostcall

import (
	"fmt"
	"testing"

	"mews/protocol"
	"mews/supervisor/modelcall"
)

// TestTokenCount_MeasuresSharedMessages checks that a token count also measures other requests that
// share messages with the counted request, at any position.
func TestTokenCount_MeasuresSharedMessages(t *testing.T) {
	talk := func(texts ...string) (list []protocol.Message) {
		for _, text := range texts {
			list = append(list, protocol.NewUserMessage(text))
		}
		return list
	}
	counted := newCountedRequest(modelcall.Request{System: "s", Messages: talk("a", "b", "c")},
		modelcall.Answer{Spec: "p/m", Usage: protocol.Usage{Input: 9}})
	for name, c := range map[string]struct {
		req  modelcall.Request
		want string
	}{
		"goes on":             {modelcall.Request{System: "s", Messages: talk("a", "b", "c", "d")}, "d p/m false"},
		"ends otherwise":      {modelcall.Request{System: "s", Messages: talk("a", "b", "C", "d")}, "Cd p/m false"},
		"is shorter amid":     {modelcall.Request{System: "s", Messages: talk("a", "B", "c", "d")}, "Bd p/m false"},
		"says one twice":      {modelcall.Request{System: "s", Messages: talk("a", "a", "b", "c")}, "a p/m false"},
		"without the oldest":  {modelcall.Request{System: "s", Messages: talk("b", "c", "d")}, "d p/m false"},
		"after something new": {modelcall.Request{System: "s", Messages: talk("z", "a", "b", "c")}, "z p/m false"},
		"of other messages":   {modelcall.Request{System: "s", Messages: talk("x", "y")}, "  false"},
		"of nothing":          {modelcall.Request{System: "s"}, "  false"},
		"after another text":  {modelcall.Request{System: "t", Messages: talk("a", "b")}, " p/m true"},
		"with tools":          {modelcall.Request{System: "s", Tools: []protocol.Tool{{Name: "x"}}, Messages: talk("a")}, " p/m true"},
	} {
		m := counted.measure(c.req)
		fresh := ""
		for _, one := range m.New {
			fresh += one.Text()
		}
		if got := fmt.Sprintf("%s %s %v", fresh, m.Spec, m.Other); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	estimated := newCountedRequest(modelcall.Request{Messages: talk("a")}, modelcall.Answer{Spec: "p/m", Usage: protocol.Usage{Input: 9, Estimated: true}})
	if got := estimated.measure(modelcall.Request{Messages: talk("a")}); got.Spec != "" {
		t.Errorf("what is estimated is no count: %+v", got)
	}
}
