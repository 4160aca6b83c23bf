package session

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/reply"
	"mews/supervisor/sqlite"
)

func toolCall(id string) protocol.ToolCall {
	return protocol.ToolCall{ID: id, Name: "read_file", Arguments: json.RawMessage(`{}`)}
}

// asks returns a message of the model with these tool calls.
func asks(id int64, text string, calls ...string) protocol.Message {
	m := protocol.Message{ID: id, Role: protocol.RoleAssistant, Parts: []protocol.ContentPart{{Text: text}}}
	for _, c := range calls {
		call := toolCall(c)
		m.Parts = append(m.Parts, protocol.ContentPart{Call: &call})
	}
	return m
}

func answers(id int64, call string) protocol.Message {
	return protocol.Message{ID: id, Role: protocol.RoleTool, Parts: []protocol.ContentPart{
		{Result: &protocol.ToolResult{Call: call, Name: "read_file", Text: "ok"}}}}
}

// more returns a message that the user sent during the turn.
func more(id int64) protocol.Message {
	m := protocol.NewUserMessage("more")
	m.ID = id
	return m
}

func TestTurn_ContinuesFromCommittedSteps(t *testing.T) {
	question := protocol.Message{ID: 5, Role: protocol.RoleUser, Parts: []protocol.ContentPart{{Text: "hi"}}}
	for name, c := range map[string]struct {
		messages []protocol.Message
		begun    []string
		want     progress
	}{
		"only the question": {
			messages: []protocol.Message{question},
			want:     progress{first: 5, last: 5},
		},
		"the model has asked, no tool has ended": {
			messages: []protocol.Message{question, asks(6, "I look.", "a", "b")},
			want: progress{first: 5, step: 1, last: 6, said: "I look.", recent: []protocol.ToolCall{toolCall("a"), toolCall("b")},
				pending: []protocol.PendingCall{{Call: toolCall("a")}, {Call: toolCall("b")}}},
		},
		"one tool has begun": {
			messages: []protocol.Message{question, asks(6, "", "a", "b")},
			begun:    []string{"b"},
			want: progress{first: 5, step: 1, last: 6, recent: []protocol.ToolCall{toolCall("a"), toolCall("b")},
				pending: []protocol.PendingCall{{Call: toolCall("a")}, {Call: toolCall("b"), Begun: true}}},
		},
		"results came in another order, one is missing": {
			messages: []protocol.Message{question, asks(6, "", "a", "b", "c"), answers(7, "c"), answers(8, "a")},
			want: progress{first: 5, step: 1, last: 8, recent: []protocol.ToolCall{toolCall("a"), toolCall("b"), toolCall("c")},
				pending: []protocol.PendingCall{{Call: toolCall("b")}}},
		},
		"every result is there, the model has not gone on": {
			messages: []protocol.Message{question, asks(6, "I look.", "a"), answers(7, "a")},
			want:     progress{first: 5, step: 1, last: 7, said: "I look.", recent: []protocol.ToolCall{toolCall("a")}},
		},
		"a second step waits for its tool": {
			messages: []protocol.Message{question, asks(6, "One.", "a"), answers(7, "a"), asks(8, "Two.", "b")},
			want: progress{first: 5, step: 2, last: 8, said: "One.\n\nTwo.", recent: []protocol.ToolCall{toolCall("a"), toolCall("b")},
				pending: []protocol.PendingCall{{Call: toolCall("b")}}},
		},
		"the model has answered": {
			messages: []protocol.Message{question, asks(6, "One.", "a"), answers(7, "a"), asks(8, "Done.")},
			want: progress{first: 5, step: 2, last: 8, said: "One.\n\nDone.", recent: []protocol.ToolCall{toolCall("a")},
				answered: true},
		},
		"it had taken in one message before its first step and two after it": {
			messages: []protocol.Message{question, more(6), asks(7, "One.", "a"), answers(8, "a"), more(9), more(10), asks(11, "Two.", "b"),
				answers(12, "b"), more(13)},
			want: progress{first: 5, taken: 4, step: 2, last: 13,
				// the reply does not mention the last message yet
				said: "One.\n\n" + reply.LineAboutReadMessages(2) + "\n\nTwo."},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := progressOf(sqlite.RunningTurn{Messages: c.messages, Begun: c.begun})
			if d := cmp.Diff(c.want, got, cmp.AllowUnexported(progress{})); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

func TestTurnStart_ManyCalls_FitsInOneLine(t *testing.T) {
	var open sqlite.RunningTurn
	text := append(append([]byte(`{"text":"`), bytes.Repeat([]byte("x"), 500<<10)...), `"}`...)
	for i := range int64(50) {
		call := protocol.ToolCall{ID: string(rune('a' + i)), Name: "write_file", Arguments: text}
		if i%2 == 0 {
			call.Arguments = json.RawMessage(`{"text":"short"}`)
		}
		open.Messages = append(open.Messages, protocol.Message{ID: i + 1, Role: protocol.RoleAssistant,
			Parts: []protocol.ContentPart{{Call: &call}}})
	}
	start := progressOf(open).start(supervisor.Turn{}, protocol.TurnLimits{})
	line, err := json.Marshal(start)
	if err != nil {
		t.Fatal(err)
	}
	if len(line) >= 1<<20 || len(start.PendingCalls) != 1 {
		t.Errorf("the start has %d KiB and %d pending calls", len(line)>>10, len(start.PendingCalls))
	}
	short := []protocol.ToolCall{toolCall("a"), toolCall("b"), toolCall("c")}
	if got := newest(short, 5); len(got) != 2 || got[1].ID != "c" {
		t.Errorf("of three calls of 2 bytes, 5 bytes hold %d", len(got))
	}
}

// TestTurnStart_NamesChannelCapabilities checks that a model is told the capabilities of the
// channel that gets the answer.
func TestTurnStart_NamesChannelCapabilities(t *testing.T) {
	phone := supervisor.Conversation{Channel: supervisor.ChannelTelegram, Chat: "42"}
	group := supervisor.Conversation{Channel: supervisor.ChannelTelegram, Chat: "-42"}
	type chat struct {
		channel      string
		group, files bool
	}
	for _, c := range []struct {
		turn supervisor.Turn
		want chat
	}{
		{supervisor.Turn{Conversation: phone}, chat{"telegram", false, true}},
		{supervisor.Turn{Conversation: group}, chat{"telegram", true, true}},
		{supervisor.Turn{Conversation: supervisor.Conversation{Channel: supervisor.ChannelTerminal}}, chat{"terminal", false, false}},
		{supervisor.Turn{Conversation: supervisor.Conversation{Channel: "job"}, Destination: group}, chat{"telegram", true, true}},
	} {
		start := progress{}.start(c.turn, protocol.TurnLimits{})
		if got := (chat{start.Channel, start.Group, start.ShowsFiles}); got != c.want {
			t.Errorf("%+v is started with %+v, want %+v", c.turn, got, c.want)
		}
	}
}
