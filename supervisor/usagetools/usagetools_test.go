package usagetools_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/feature/featuretest"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
	"mews/supervisor/usage"
	"mews/supervisor/usagetools"
)

// newTools returns the tools, over the calls of two users on two models.
func newTools(t *testing.T) (*sqlite.DB, *usagetools.Tools) {
	t.Helper()
	db := sqlitetest.Open(t)
	for user, specs := range map[string][]string{"ann": {"near/small", "near/small", "far/large"},
		"bob": {"far/secret"}} {
		for _, spec := range specs {
			cost := int64(20_000)
			call := sqlite.ModelCall{User: user, Spec: spec, Cost: &cost, Usage: protocol.Usage{Input: 1200,
				Output: 30}}
			if err := db.Usage().PutCall(t.Context(), call); err != nil {
				t.Fatal(err)
			}
		}
	}
	free := func(spec string) bool { return strings.HasPrefix(spec, "near/") }
	return db, usagetools.New(usagetools.Options{Sums: usage.Calculator{Store: db.Usage(),
		Conversations: db.Conversations(), Free: free},
		Conversations: db.Conversations(), Zone: func(string) *time.Location { return time.UTC }, Now: time.Now})
}

// ask makes a call of a tool in a private chat with Ann.
func ask(t *testing.T, db *sqlite.DB, tools *usagetools.Tools, chat, tool, arguments string) (string, error) {
	t.Helper()
	c, err := db.Conversations().FindOrCreate(t.Context(), "ann", supervisor.ChannelTelegram, chat, "")
	if err != nil {
		t.Fatal(err)
	}
	turn := featuretest.NewTurn("ann", protocol.ToolCall{ID: "c1", Name: tool, Arguments: json.RawMessage(arguments)})
	turn.Destination = c.ID
	result, err := featuretest.MakeHostCall(t, tools.Feature(), turn, protocol.MethodUsageRead,
		`{"turn":1,"call":"c1"}`)
	answer, _ := result.(protocol.UsageReadResult)
	return answer.Text, err
}

func TestTokenTools_OwnUsage_IsTold(t *testing.T) {
	db, tools := newTools(t)
	today := time.Now().UTC().Format(time.DateOnly)
	for _, c := range []struct{ tool, arguments, want string }{
		{"get_token_usage", `{}`, "today: 3 calls, 3,600 tokens in, 90 out, $0.06\n- near/small: 2 calls"},
		{"get_token_usage", `{"time":"7d"}`, "7d: 3 calls"},
		{"get_token_usage", `{"time":"2001"}`, "2001: nothing"},
		{"token_stats", `{}`, "7d in all: 3 calls, 3,600 tokens in, 90 out, $0.06\n" + today + " near/small: 2 calls"},
		{"token_stats", `{"model":"LARGE","day":"` + today + `"}`, today +
			" in all: 1 call, 1,200 tokens in, 30 out, $0.02\n" + today + " far/large: 1 call"},
		{"token_stats", `{"model":"none"}`, "7d in all: nothing"},
	} {
		text, err := ask(t, db, tools, "42", c.tool, c.arguments)
		if err != nil || !strings.HasPrefix(text, c.want) || strings.Contains(text, "secret") {
			t.Errorf("%s %s: got %q, %v, want %q", c.tool, c.arguments, text, err, c.want)
		}
	}
}

func TestTokenTools_BadCalls_AreRefused(t *testing.T) {
	db, tools := newTools(t)
	for _, c := range []struct{ chat, tool, arguments, want string }{
		{"-100", "get_token_usage", `{}`, "not shown in a group"},
		{"-100", "token_stats", `{}`, "not shown in a group"},
		{"42", "get_token_usage", `{"time":"soon"}`, "no time"},
		{"42", "token_stats", `{"day":5}`, "not read"},
	} {
		text, err := ask(t, db, tools, c.chat, c.tool, c.arguments)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: got %q, %v, want %q", c.tool, c.arguments, text, err, c.want)
		}
	}
	if _, err := ask(t, db, tools, "42", "read_file", `{}`); !featuretest.IsOffence(err) {
		t.Errorf("a call of another tool: %v", err)
	}
}
