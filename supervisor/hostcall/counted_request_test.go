package hostcall

import (
	"fmt"
	"testing"

	"mews/protocol"
	"mews/supervisor"
)

// What was counted of a request tells of another that has messages of it, also where the oldest are left out or the newest is another.
func TestACountHoldsForTheMessagesThatAreInIt(t *testing.T) {
	talk := func(texts ...string) (list []protocol.Message) {
		for _, text := range texts {
			list = append(list, protocol.UserText(text))
		}
		return list
	}
	counted := newCountedRequest(supervisor.ModelRequest{System: "s", Messages: talk("a", "b", "c")},
		supervisor.ModelAnswer{Spec: "p/m", Usage: protocol.Usage{Input: 9}})
	for name, c := range map[string]struct {
		req  supervisor.ModelRequest
		want string
	}{
		"goes on":             {supervisor.ModelRequest{System: "s", Messages: talk("a", "b", "c", "d")}, "3 false"},
		"ends otherwise":      {supervisor.ModelRequest{System: "s", Messages: talk("a", "b", "C", "d")}, "2 false"},
		"without the oldest":  {supervisor.ModelRequest{System: "s", Messages: talk("b", "c", "d")}, "2 false"},
		"after something new": {supervisor.ModelRequest{System: "s", Messages: talk("z", "a", "b", "c")}, "0 false"},
		"of nothing":          {supervisor.ModelRequest{System: "s"}, "0 false"},
		"after another text":  {supervisor.ModelRequest{System: "t", Messages: talk("a", "b")}, "2 true"},
		"with tools":          {supervisor.ModelRequest{System: "s", Tools: []protocol.Tool{{Name: "x"}}, Messages: talk("a")}, "1 true"},
	} {
		m := counted.of(c.req)
		if got := fmt.Sprint(m.Messages, m.Other); got != c.want || (m.Spec != "") != (m.Messages > 0) {
			t.Errorf("%s: %+v, want %s", name, m, c.want)
		}
	}
	estimated := newCountedRequest(supervisor.ModelRequest{Messages: talk("a")}, supervisor.ModelAnswer{Spec: "p/m", Usage: protocol.Usage{Input: 9, Estimated: true}})
	if got := estimated.of(supervisor.ModelRequest{Messages: talk("a")}); got != (supervisor.Measured{}) {
		t.Errorf("what is estimated is no count: %+v", got)
	}
}
