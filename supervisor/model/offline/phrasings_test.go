package offline

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"mews/protocol"
	"mews/supervisor/modelcall"
)

var update = flag.Bool("update", false, "write testdata anew, to be read before it is kept")

// toolNames are the tools of the rules, and one unknown tool.
var toolNames = []string{
	"append_file", "ask_user", "delete_file", "edit_file", "list_files", "move_file", "read_file", "recall", "remember", "run_command", "run_python", "write_file",
}

func offer(names ...string) []protocol.Tool {
	var tools []protocol.Tool
	for _, name := range names {
		tools = append(tools, protocol.Tool{Name: name})
	}
	return tools
}

// outcome returns the model's first action for a message, as one line.
func outcome(message string) string {
	got := answer(modelcall.Request{Tools: offer(append(toolNames, toolSchedule, "list_tasks", "todo_add", "todo_list")...),
		Messages: []protocol.Message{protocol.NewUserMessage(message)}})
	if calls := got.ToolCalls(); len(calls) > 0 {
		return "call: " + calls[0].Name + " " + string(calls[0].Arguments)
	}
	if r, _ := find(message); r != nil {
		return "say: " + r.name
	}
	return "say: unknown"
}

// TestPhrasing_Each_CausesListedAction checks a file of lines "message => action". Add lines by
// hand or with -update, and check the result.
func TestPhrasing_Each_CausesListedAction(t *testing.T) {
	const file = "testdata/phrasings.txt"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var now strings.Builder
	seen := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		message, want, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " => ")
		if seen[message] {
			t.Errorf("%q is there twice", message)
		}
		seen[message] = true
		got := outcome(message)
		fmt.Fprintf(&now, "%s => %s\n", message, got)
		if got != want && !*update {
			t.Errorf("%s\n got %s\nwant %s", message, got, want)
		}
	}
	if *update {
		if err := os.WriteFile(file, []byte(now.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if len(seen) < 100 {
		t.Errorf("%d phrasings, want at least 100", len(seen))
	}
}

// TestHelpExamples_AreUnderstood tries the examples of the help text.
func TestHelpExamples_AreUnderstood(t *testing.T) {
	examples := 0
	for _, want := range rules {
		if want.example == "" {
			continue
		}
		examples++
		if r, _ := find(want.example); r == nil || r.name != want.name {
			t.Errorf("%s: %q is not understood as such", want.name, want.example)
		}
		if got := outcome(want.example); !strings.HasPrefix(got, "call: ") {
			t.Errorf("%q: got %s, want a call", want.example, got)
		}
	}
	if examples < 8 {
		t.Errorf("%d rules with an example, want at least 8", examples)
	}
}

// TestCreateFile_LongText_IsUnchanged covers messages of several lines. Their text must be written
// to the file unchanged.
func TestCreateFile_LongText_IsUnchanged(t *testing.T) {
	tests := []struct{ name, message, tool, path, content string }{
		{"lines after a colon", "create a.py with:\n    x = 1\n    y = 2", "write_file", "a.py",
			"    x = 1\n    y = 2\n"},
		{"a fence around the text", "create a.md with\n```\n# Hi\n\nx\n```", "write_file", "a.md", "# Hi\n\nx\n"},
		{"a line break after the name", "append to a.txt:\none\ntwo", "append_file", "a.txt", "one\ntwo\n"},
		{"a courtesy inside the text", "create a.txt with say please", "write_file", "a.txt", "say please\n"},
		{"an order inside the text", "create a.txt with first\nthen delete b.txt", "write_file", "a.txt",
			"first\nthen delete b.txt\n"},
		{"curly quotes", "write “to be” to a.txt", "write_file", "a.txt", "to be\n"},
		{"a note of two lines", "take a note: one\ntwo", "append_file", "notes.md", "- one\n  two\n"},
		{"upper case", "CREATE A.TXT WITH Hello", "write_file", "A.TXT", "Hello\n"},
		{"an ending in the text", "add see b.txt to a.txt", "append_file", "a.txt", "see b.txt\n"},
		{"an order in quotes", `create a.txt with "x; delete b.txt"`, "write_file", "a.txt", "x; delete b.txt\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := answer(modelcall.Request{
				Tools: offer(toolNames...), Messages: []protocol.Message{protocol.NewUserMessage(tt.message)},
			}).ToolCalls()
			var a struct{ Path, Content string }
			if len(got) != 1 || json.Unmarshal(got[0].Arguments, &a) != nil {
				t.Fatalf("got calls %v", got)
			}
			if got[0].Name != tt.tool || a.Path != tt.path || a.Content != tt.content {
				t.Errorf("got %s %q %q, want %s %q %q", got[0].Name, a.Path, a.Content, tt.tool, tt.path, tt.content)
			}
		})
	}
}

func TestAskMe_Phrase_CallsAskUser(t *testing.T) {
	for message, want := range map[string]string{
		"ask me which color: red, blue or green": `call: ask_user {"kind":"choice","options":["red","blue","green"],"question":"Which color?"}`,
		"Ask me über was: a or b":                `call: ask_user {"kind":"choice","options":["a","b"],"question":"Über was?"}`,
		"ask me what to buy?":                    `call: ask_user {"kind":"text","question":"What to buy?"}`,
		"ask me one: red":                        `call: ask_user {"kind":"text","question":"One?"}`,
	} {
		if got := outcome(message); got != want {
			t.Errorf("%q: got %s, want %s", message, got, want)
		}
	}
}

// TestPastedTexts_DestroyNothing covers texts that contain an order.
func TestPastedTexts_DestroyNothing(t *testing.T) {
	texts := []string{
		"Dear all,\nplease delete a.txt and move b.txt to c.txt.\nYours",
		"delete a.txt is what he said to me",
		"Delete the records.\nThen remove a.txt.",
		"To clean up: delete a.txt",
		"He said; delete a.txt",
		"My plan: first coffee, and then delete a.txt",
		strings.Repeat("words ", 100) + "; delete a.txt",
		"delete a.txt\n\nFrom: somebody",
	}
	for _, text := range texts {
		if got := outcome(text); strings.HasPrefix(got, "call: ") {
			t.Errorf("%q: got %s, want no call", text, got)
		}
	}
}
