package offline

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/modelcall"
)

// maxCalls is the maximum number of tool calls for one message.
const maxCalls = 1

// chat is a conversation with the model. Its tools give scripted results.
type chat struct {
	t       *testing.T
	tools   []protocol.Tool
	history []protocol.Message
	results map[string]protocol.ToolResult // results by tool; other tools answer "ok"
	calls   []string                       // all calls so far, each as "name arguments"

	meanwhile  string // a message that the user sends while the next tool runs
	first      int64  // the id of the message that started the turn; 0 means the last message
	extraCalls int    // allowed calls beyond maxCalls
}

func newChat(t *testing.T, results map[string]protocol.ToolResult) *chat {
	return &chat{t: t, tools: offer(toolNames...), results: results}
}

// addUnanswered adds messages that the next turn must answer first.
func (c *chat) addUnanswered(texts ...string) {
	c.first, c.extraCalls = int64(len(c.history))+1, len(texts)
	for _, text := range texts {
		c.add(protocol.NewUserMessage(text))
	}
}

func (c *chat) add(m protocol.Message) {
	m.ID = int64(len(c.history)) + 1
	c.history = append(c.history, m)
}

// say sends a message, runs the tools, and returns the answer.
func (c *chat) say(text string) string {
	c.t.Helper()
	c.add(protocol.NewUserMessage(text))
	for range c.extraCalls + maxCalls + 1 {
		answer, err := Provider{}.Stream(context.Background(), modelcall.Request{Tools: c.tools,
			Messages: c.history, First: c.first},
			func(modelcall.Delta) {})
		if err != nil {
			c.t.Fatalf("%q: %v", text, err)
		}
		c.add(answer.Message)
		if len(answer.Message.ToolCalls()) == 0 {
			c.first, c.extraCalls = 0, 0
			return answer.Message.Text()
		}
		c.run(answer.Message.ToolCalls())
		if c.meanwhile != "" {
			c.add(protocol.NewUserMessage(c.meanwhile))
			c.meanwhile = ""
		}
	}
	c.t.Fatalf("%q: more than %d calls", text, maxCalls)
	return ""
}

func (c *chat) run(calls []protocol.ToolCall) {
	for _, call := range calls {
		c.calls = append(c.calls, call.Name+" "+string(call.Arguments))
		result, ok := c.results[call.Name]
		if !ok {
			result.Text = "ok"
		}
		result.Call, result.Name = call.ID, call.Name
		c.add(protocol.Message{Role: protocol.RoleTool, Parts: []protocol.ContentPart{{Result: &result}}})
	}
}

// wantCalls compares the calls so far with want.
func (c *chat) wantCalls(want ...string) {
	c.t.Helper()
	if got := strings.Join(c.calls, "\n"); got != strings.Join(want, "\n") {
		c.t.Errorf("calls:\n%s\nwant:\n%s", got, strings.Join(want, "\n"))
	}
}

func ok(text string) protocol.ToolResult     { return protocol.ToolResult{Text: text} }
func failed(text string) protocol.ToolResult { return protocol.ToolResult{Text: text, Failed: true} }

// TestTurn_AnswersEachMessage checks that messages are answered in order, and that tools run one
// after the other. A message that a stopped turn left unanswered stays unanswered.
func TestTurn_AnswersEachMessage(t *testing.T) {
	c := newChat(t, map[string]protocol.ToolResult{"read_file": ok("milk"),
		"delete_file": failed("there is no such file")})
	c.addUnanswered("delete z.md")
	c.addUnanswered("read a.md", "hi", "delete b.md")
	got := c.say("read c.md")
	c.wantCalls(`read_file {"path":"a.md"}`, `delete_file {"path":"b.md"}`, `read_file {"path":"c.md"}`)
	want := []string{"milk", textHello, "I could not delete `b.md`: there is no such file", "milk"}
	for _, part := range want {
		_, rest, found := strings.Cut(got, part)
		if !found {
			t.Fatalf("the rest of the answer is %q, want %q in it", got, part)
		}
		got = rest
	}
	c.tools = offer("read_file")
	c.addUnanswered("delete b.md")
	if got := c.say("read c.md"); !strings.Contains(got, "the tool delete_file") || !strings.Contains(got, "milk") {
		t.Errorf("without one of the tools: %q", got)
	}
	c.addUnanswered("read a.md")
	c.meanwhile = "help"
	if got := c.say("hi"); !strings.HasPrefix(got, "`a.md`:") || !strings.Contains(got, textHello) || !strings.Contains(got, textHelp) {
		t.Errorf("with one that came meanwhile: %q", got)
	}
	c.addUnanswered("hi", "hello")
	if got := c.say("hey"); got != textHello {
		t.Errorf("the same three times: %q", got)
	}
}

func TestStream_Deltas_AddUpToMessage(t *testing.T) {
	var pieces []string
	answer, err := Provider{}.Stream(context.Background(),
		modelcall.Request{Messages: []protocol.Message{protocol.NewUserMessage("hello")}},
		func(d modelcall.Delta) { pieces = append(pieces, d.Text) })
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(pieces, ""); got != answer.Message.Text() || got == "" {
		t.Errorf("the pieces make %q, the message is %q", got, answer.Message.Text())
	}
	for _, p := range pieces {
		if len(strings.Fields(p)) != 1 {
			t.Errorf("a piece %q, want one word", p)
		}
	}
	if answer.Message.Role != protocol.RoleAssistant || answer.Model != Name || answer.Usage.Output == 0 {
		t.Errorf("got role %q, model %q, usage %v", answer.Message.Role, answer.Model, answer.Usage)
	}
}

func TestStream_EndsWithContext(t *testing.T) {
	stop := errors.New("the person said stop")
	ctx, cancel := context.WithCancelCause(context.Background())
	pieces := 0
	_, err := (Provider{}).Stream(ctx, modelcall.Request{Messages: []protocol.Message{protocol.NewUserMessage("hello")}},
		func(modelcall.Delta) {
			pieces++
			cancel(stop)
		})
	if !errors.Is(err, stop) || pieces != 1 {
		t.Errorf("got error %v after %d pieces, want the context's cause after 1", err, pieces)
	}
	if _, err := (Provider{}).Stream(ctx, modelcall.Request{}, nil); !errors.Is(err, stop) {
		t.Errorf("with an ended context: got error %v, want its cause", err)
	}
}

func TestUsage_IsEstimated(t *testing.T) {
	req := modelcall.Request{System: strings.Repeat("s", 400), Messages: []protocol.Message{
		{Role: protocol.RoleTool, Parts: []protocol.ContentPart{{Result: &protocol.ToolResult{Text: strings.Repeat("r",
			400)}}}},
		{Role: protocol.RoleAssistant, Parts: []protocol.ContentPart{{Call: &protocol.ToolCall{Name: "abcd",
			Arguments: json.RawMessage(`{}  `)}}}},
	}}
	if got := estimate(req, textMessage("four")); got.Input != 202 || got.Output != 1 {
		t.Errorf("got %+v, want 202 in and 1 out", got)
	}
}

// TestAnswersAboutModel_MatchGoldenFiles compares the model's texts about itself with
// testdata/*.golden. The flag -update writes these files.
func TestAnswersAboutModel_MatchGoldenFiles(t *testing.T) {
	for name, message := range map[string]string{
		"help": "help", "unknown": "What is the capital of France?", "identity": "are you a real AI?",
	} {
		t.Run(name, func(t *testing.T) {
			file := "testdata/" + name + ".golden"
			got := newChat(t, nil).say(message) + "\n"
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

// TestUnknownMessage_ExplainsModelAndSetup covers messages that the model does not understand.
func TestUnknownMessage_ExplainsModelAndSetup(t *testing.T) {
	for _, message := range []string{"Why is the sky blue?", "asdf", "", "   ", "\x00\xff", "how do I cook pasta?"} {
		answer := newChat(t, nil).say(message)
		for _, want := range []string{"offline model", "not an AI", "OPENAI_BASE_URL", "OPENAI_MODEL", "mews.yaml"} {
			if !strings.Contains(answer, want) {
				t.Errorf("%q: the answer does not say %q:\n%s", message, want, answer)
			}
		}
	}
}

// TestReminderRequest_NamesCommand checks that the answer names the command that sets a reminder.
func TestReminderRequest_NamesCommand(t *testing.T) {
	for _, message := range []string{"remind me tomorrow at 9 to call", "Please set a reminder for the bins", "could you wake me at 7"} {
		if answer := newChat(t, nil).say(message); !strings.Contains(answer, "/remind tomorrow at 9: call Ann") {
			t.Errorf("%q: %s", message, answer)
		}
	}
}

func BenchmarkFirstCall(b *testing.B) {
	for b.Loop() {
		find("what is the capital of France?")
	}
}

// BenchmarkLongMessage measures the longest message that the supervisor accepts. Its words begin
// many phrases.
func BenchmarkLongMessage(b *testing.B) {
	text := strings.Repeat("add to in with ", supervisor.MaxInboundText/15)
	for b.Loop() {
		find(text)
	}
}
