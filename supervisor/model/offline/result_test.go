package offline

import (
	"context"
	"strings"
	"testing"

	"mews/protocol"
	"mews/supervisor/modelcall"
)

// TestToolResult_Each_BecomesAnswer compares the answers to tools' results.
func TestToolResult_Each_BecomesAnswer(t *testing.T) {
	long := strings.Repeat("a line of text\n", 2000)
	tests := []struct {
		name, message string
		results       map[string]protocol.ToolResult
		want          []string
		calls         int
	}{
		{"a file", "read a.md", map[string]protocol.ToolResult{"read_file": ok("# Hi\n")},
			[]string{"`a.md`:\n```\n# Hi\n```"}, 1},
		{"a file with a fence in it", "read a.md", map[string]protocol.ToolResult{"read_file": ok("```\nx\n```\n")},
			[]string{"````\n```\nx\n```\n````"}, 1},
		{"an empty file", "read a.md", map[string]protocol.ToolResult{"read_file": ok("")},
			[]string{"`a.md` is empty."}, 1},
		{"a long file", "read a.md", map[string]protocol.ToolResult{"read_file": ok(long)},
			[]string{"That is only the beginning. Not shown: "}, 1},
		{"a missing file", "read a.md",
			map[string]protocol.ToolResult{"read_file": failed("read a.md: there is no such file")},
			[]string{"I could not read `a.md`: read a.md: there is no such file"}, 1},
		{"a failure of many lines", "read a.md", map[string]protocol.ToolResult{"read_file": failed("one\ntwo")},
			[]string{"I could not read `a.md`:\n```\none\ntwo\n```"}, 1},
		{"a failure without a word", "delete a.md", map[string]protocol.ToolResult{"delete_file": failed("")},
			[]string{"did not say why"}, 1},
		{"a listing", "list my files", map[string]protocol.ToolResult{"list_files": ok("a.md\ndocs/\n")},
			[]string{"a.md\ndocs/"}, 1},
		{"an empty folder", "list my files", map[string]protocol.ToolResult{"list_files": ok("")},
			[]string{"nothing in your folder"}, 1},
		{"a change in the tool's words", "delete a.md",
			map[string]protocol.ToolResult{"delete_file": ok("moved a.md to .trash/1/a.md")},
			[]string{"Done: moved a.md to .trash/1/a.md"}, 1},
		{"a file that is there already", "create a.md with hi",
			map[string]protocol.ToolResult{"write_file": failed("a.md is there already")},
			[]string{"a.md is there already"}, 1},
		{"no notes yet", "show my notes", map[string]protocol.ToolResult{"read_file": failed("notes.md is not there")},
			[]string{"notes.md is not there", "take a note"}, 1},
		{"a folder that is empty in the tool's words", "list my files", map[string]protocol.ToolResult{
			"list_files": ok("The folder is empty.")}, []string{"nothing in your folder"}, 1},
		{"a deletion whose outcome is unknown", "delete a.md",
			map[string]protocol.ToolResult{"delete_file": failed("interrupted: unknown")},
			[]string{"I do not know whether I could delete `a.md`"}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := newChat(t, tt.results)
			answer := c.say(tt.message)
			for _, want := range tt.want {
				if !strings.Contains(answer, want) {
					t.Errorf("the answer does not say %q:\n%s", want, answer)
				}
			}
			if len(c.calls) != tt.calls {
				t.Errorf("%d calls, want %d: %v", len(c.calls), tt.calls, c.calls)
			}
			if len(answer) > maxQuoted+1000 {
				t.Errorf("an answer of %d bytes", len(answer))
			}
		})
	}
}

func TestMissingTool_AnswerNamesTool(t *testing.T) {
	c := newChat(t, nil)
	c.tools = offer("list_files")
	if answer := c.say("read a.md"); !strings.Contains(answer, "read_file, and I do not have it here") {
		t.Errorf("got %q", answer)
	}
	c.wantCalls()
}

// TestTurn_BegunByAnotherModel_AnswerSaysSo covers a turn with another model's calls, which the
// rules can't continue.
func TestTurn_BegunByAnotherModel_AnswerSaysSo(t *testing.T) {
	call := &protocol.ToolCall{ID: "x", Name: "web_search"}
	answer, err := Provider{}.Stream(context.Background(), modelcall.Request{
		Tools: offer(toolNames...),
		Messages: []protocol.Message{
			protocol.NewUserMessage("read a.md"),
			{Role: protocol.RoleAssistant, Parts: []protocol.ContentPart{{Call: call}}},
			{Role: protocol.RoleTool, Parts: []protocol.ContentPart{{Result: &protocol.ToolResult{Call: "x",
				Text: "?"}}}},
		},
	}, func(modelcall.Delta) {})
	if err != nil || !strings.Contains(answer.Message.Text(), "web_search, but I would use read_file") {
		t.Errorf("got %q, %v", answer.Message.Text(), err)
	}
}

// TestCall_WithoutResult_OutcomeIsUnknown also checks that the turn ends.
func TestCall_WithoutResult_OutcomeIsUnknown(t *testing.T) {
	got := answer(modelcall.Request{Tools: offer(toolNames...), Messages: []protocol.Message{
		protocol.NewUserMessage("delete a.md"),
		{Role: protocol.RoleAssistant, Parts: []protocol.ContentPart{{Call: &protocol.ToolCall{ID: "1",
			Name: "delete_file"}}}},
	}})
	if !strings.Contains(got.Text(), "I do not know whether") {
		t.Errorf("got %q", got.Text())
	}
}

func TestCutText_KeepsWholeLinesAndCharacters(t *testing.T) {
	for _, tt := range []struct {
		text  string
		limit int
		want  string
	}{{"abc", 3, "abc"}, {"ab\ncd", 4, "ab"}, {"ééé", 3, "é"}, {"\nabc", 2, "\na"}} {
		if got, left := cut(tt.text, tt.limit); got != tt.want || left != len(tt.text)-len(got) {
			t.Errorf("cut(%q, %d) = %q, %d, want %q", tt.text, tt.limit, got, left, tt.want)
		}
	}
}
