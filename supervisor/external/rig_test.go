package external_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/external"
	"mews/supervisor/feature"
	"mews/supervisor/spool"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// page is the result of the calls of these tests.
type page struct {
	Text string `json:"text"`
	Blob string `json:"blob,omitempty"`
}

// toolName is the name of the tool that these tests call.
const toolName = "web_search"

// startTurn starts a turn of ann in which the model has made calls of toolName.
func startTurn(ctx context.Context, db *sqlite.DB, calls ...string) (supervisor.Turn, error) {
	in, _, err := db.Inbox().StoreInbound(ctx, supervisor.Inbound{Kind: supervisor.KindText, Text: "look",
		Conversation: supervisor.Conversation{User: "ann", Channel: supervisor.ChannelTerminal}, Source: "terminal",
		Key: "1"})
	if err != nil {
		return supervisor.Turn{}, err
	}
	turn, _, err := db.Turns().Start(ctx, in.ID, nil)
	if err != nil {
		return turn, err
	}
	m := protocol.Message{Role: protocol.RoleAssistant}
	for _, id := range calls {
		m.Parts = append(m.Parts, protocol.ContentPart{Call: &protocol.ToolCall{ID: id, Name: toolName,
			Arguments: json.RawMessage(`{}`)}})
	}
	_, err = db.Turns().CommitStep(ctx, sqlite.Step{Turn: turn.ID, Message: m, Model: "offline"})
	return turn, err
}

func newCalls(db *sqlite.DB, s *spool.Spool) *external.Calls {
	return external.New(external.Options{Store: db.ExternalCalls(), Spool: s, Blobs: db.Blobs(), Now: time.Now})
}

func newCall(turn int64, id string, repeatable bool) external.Call {
	return external.Call{Repeatable: repeatable, Call: protocol.ToolCall{ID: id, Name: toolName},
		Turn: feature.Turn{User: "ann", ID: turn, Kept: new(sync.Map),
			Commit: func(_ context.Context, do func() error) error { return do() }}}
}

func newResult(id, text string) protocol.ToolResult {
	return protocol.ToolResult{Call: id, Name: toolName, Text: text}
}

func openSpool(t *testing.T, dir string) *spool.Spool {
	t.Helper()
	s, err := spool.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// checkRefusal checks that an error is a text for the model.
func checkRefusal(t *testing.T, err error) {
	t.Helper()
	var refusal *protocol.Error
	if !errors.As(err, &refusal) || refusal.Code != protocol.CodeFailed {
		t.Errorf("got error %v, want a refusal", err)
	}
}

// queryFile returns the first column of a query's rows in a database that no process has open.
func queryFile(t *testing.T, path, query string) []string {
	t.Helper()
	return sqlitetest.QueryColumnInCopy(t, path, query)
}
