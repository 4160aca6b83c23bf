package search_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/feature/featuretest"
	"mews/supervisor/index"
	"mews/supervisor/search"
)

// fakeIndex is a fake index that finds 15 sections of files for any words.
type fakeIndex struct{}

func (fakeIndex) Search(_ context.Context, q index.Query) (r index.Result, err error) {
	for i := range 15 {
		r.Hits = append(r.Hits, index.Hit{Source: index.ScopeHome, Path: fmt.Sprintf("%d.md", i),
			Text: q.User + " asks for " + q.Text})
	}
	return r, nil
}

// fakeInbounds knows only one message of ann, with the id 1.
type fakeInbounds struct{ in supervisor.Inbound }

func (s fakeInbounds) Find(_ context.Context, user string, inbound int64) (in supervisor.Inbound, ok bool, err error) {
	return s.in, user == s.in.Conversation.User && inbound == s.in.ID, nil
}

func newSearcher(in supervisor.Inbound) *search.Searcher {
	return search.New(search.Options{Index: fakeIndex{}, Sent: fakeInbounds{in}, Now: time.Now,
		Zone: func(string) *time.Location { return time.UTC }})
}

// The button names only the inbound of the search, whose words the next page uses. No button can
// name a command of another conversation.
func TestSearch_NextPage_UsesSameWords(t *testing.T) {
	in := supervisor.Inbound{ID: 1, Conversation: supervisor.Conversation{ID: 3, User: "ann"},
		Kind: supervisor.KindCommand, Command: "search",
		Text: "/search green tea"}
	f := newSearcher(in).Feature()
	d := featuretest.RunCommand(t, f, in)
	if !strings.HasPrefix(d.Text, "1. ") || strings.Count(d.Text, "`ann asks for green tea`") != 10 ||
		len(d.Buttons) != 1 {
		t.Fatalf("told %q %v", d.Text, d.Buttons)
	}
	press := supervisor.Inbound{ID: 2, Conversation: in.Conversation, Kind: supervisor.KindPress,
		Text: d.Buttons[0][0].Press}
	d = featuretest.RunCommand(t, f, press)
	if !strings.HasPrefix(d.Text, "11. ") || strings.Count(d.Text, "`ann asks for green tea`") != 5 ||
		len(d.Buttons) != 0 {
		t.Errorf("the next page is %q", d.Text)
	}
	for _, text := range []string{"h:999 10", "h:" + strings.Repeat("9", 30), "h:1 -1", "h:x"} {
		press.Text = text
		if got := featuretest.RunCommand(t, f, press).Text; got == "" || strings.Contains(got, "green") {
			t.Errorf("%q shows %q", text, got)
		}
	}
}

func TestSearchHome_FromAnotherTool_EndsWorker(t *testing.T) {
	f := newSearcher(supervisor.Inbound{}).Feature()
	turn := featuretest.NewTurn("ann", protocol.ToolCall{ID: "c1", Name: "search_home",
		Arguments: []byte(`{"words":"tea"}`)},
		protocol.ToolCall{ID: "c2", Name: "read_file", Arguments: []byte(`{"words":"tea"}`)})
	found, err := featuretest.MakeHostCall(t, f, turn, protocol.MethodHomeSearch, `{"turn":1,"call":"c1"}`)
	if err != nil || !strings.Contains(found.(protocol.SearchResult).Text, "ann asks for tea") {
		t.Errorf("got %+v, %v", found, err)
	}
	for _, call := range []string{"c2", "c3", strings.Repeat("x", 65)} {
		if _, err := featuretest.MakeHostCall(t, f, turn, protocol.MethodHomeSearch,
			`{"turn":1,"call":"`+call+`"}`); !featuretest.IsOffence(err) {
			t.Errorf("%s: got %v", call, err)
		}
	}
}
