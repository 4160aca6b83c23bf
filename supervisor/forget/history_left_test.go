package forget_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/forget"
	"mews/supervisor/sqlite/sqlitetest"
)

// oneFact is a memory with one fact.
type oneFact struct{}

func (oneFact) RunAction(context.Context, string, protocol.MemoryParameters) (protocol.MemoryResult, error) {
	return protocol.MemoryResult{Facts: []protocol.MemoryFact{{ID: "k7", Text: "takes oolong"}}}, nil
}

func (oneFact) CountMentions(context.Context, string, protocol.MemoryFact) (map[string]int64, error) {
	return nil, nil
}

// TestForget_HistoryOutOfReach_IsNamed: the question names versions that stay. No worker can delete
// them. The answer names them again.
func TestForget_HistoryOutOfReach_IsNamed(t *testing.T) {
	const left = "\n\nEarlier versions stay in `/histories/alice.history`."
	db, h := sqlitetest.Open(t), &fakeHome{}
	in, _, err := db.Inbox().StoreInbound(t.Context(), supervisor.Inbound{Source: "terminal", Key: "1",
		Kind: supervisor.KindText, Text: "a secret",
		Conversation: supervisor.Conversation{User: "alice", Channel: supervisor.ChannelTerminal}})
	if err != nil {
		t.Fatal(err)
	}
	sqlitetest.ExecStatements(t, db, `UPDATE inbox SET state = 'done'`)
	f := forget.New(forget.Options{Store: db.ForgetRequestStore(), Index: h, Home: h, Turns: db.ForgetRequestStore(),
		Facts: db.Memories(), Memories: oneFact{}, HistoryLeft: func(string) string { return left },
		FactPress: func(string) string { return "" }, People: fakePeople{}, Now: time.Now,
		Remove: func(string) error { return nil }, Audit: func(string, string, string) {}, Log: hclog.NewNullLogger()})
	command := f.Feature().Commands[0]
	ask := feature.CommandRequest{Inbound: in.ID + 1, Conversation: in.Conversation, At: time.Now().Add(time.Minute)}
	for _, arguments := range []string{"fact k7", "conversation"} {
		ask.Arguments = arguments
		d, err := command.Run(t.Context(), ask)
		if err != nil || !strings.HasSuffix(d.Text, left) {
			t.Fatalf("%s: asked %q, %v", arguments, d.Text, err)
		}
		ask.Arguments = strings.TrimPrefix(d.Buttons[0][0].Press, command.Prefix)
	}
	if d, err := command.Press(t.Context(), ask); err != nil || !strings.HasSuffix(d.Text, left) {
		t.Errorf("told %q, %v", d.Text, err)
	}
}
