package offline

import (
	"context"
	"strings"
	"testing"

	"mews/protocol"
	"mews/supervisor"
)

// TestResultsAreTold are tools' results and what the person is told of them.
func TestResultsAreTold(t *testing.T) {
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
			[]string{"more bytes are not shown"}, 1},
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
		{"the time", "what time is it",
			map[string]protocol.ToolResult{"get_time": ok("2026-11-20T14:03:05+01:00 (Friday, Europe/Madrid)")},
			[]string{"It is 14:03 on Friday, 20 November 2026 (UTC+01:00)."}, 1},
		{"a time that it cannot read", "what time is it",
			map[string]protocol.ToolResult{"get_time": ok("half past two")},
			[]string{"half past two"}, 1},
		{"a change in the tool's words", "delete a.md",
			map[string]protocol.ToolResult{"delete_file": ok("moved a.md to .trash/1/a.md")},
			[]string{"Done: moved a.md to .trash/1/a.md"}, 1},
		{"a change without a word", "delete a.md", map[string]protocol.ToolResult{"delete_file": ok("")},
			[]string{"Done: `a.md` is deleted."}, 1},
		{"a file that is there already", "create a.md with hi",
			map[string]protocol.ToolResult{"write_file": failed("a.md is there already")},
			[]string{"a.md is there already", "overwrite a.md with"}, 1},
		{"no notes yet", "show my notes", map[string]protocol.ToolResult{"read_file": failed("notes.md is not there")},
			[]string{"notes.md is not there", "take a note"}, 1},
		{"a to-do that is not there", "mark milk as done",
			map[string]protocol.ToolResult{"edit_file": failed("no match")},
			[]string{"no match", "show my to-do list"}, 1},
		{"nothing found", "search for milk", map[string]protocol.ToolResult{"search_files": ok("no matches")},
			[]string{"found `milk` nowhere"}, 1},
		{"something found", "search for milk", map[string]protocol.ToolResult{"search_files": ok("a.md:3: milk")},
			[]string{"a.md:3: milk"}, 1},
		{"no file of that name", "find shopping",
			map[string]protocol.ToolResult{"list_files": ok("Nothing in the folder matches \"x\".")},
			[]string{"found nothing"}, 1},
		{"files of that name", "find shopping",
			map[string]protocol.ToolResult{"list_files": ok("shopping.md\t12 B")}, []string{"shopping.md"}, 1},
		{"the one file that is described", "read the shopping list", map[string]protocol.ToolResult{
			"list_files": ok("docs/shopping list.md\t12 bytes\t2026-01-02 10:00\n"), "read_file": ok("milk")},
			[]string{"docs/shopping list.md", "milk"}, 2},
		{"the one file about it", "read the file about milk", map[string]protocol.ToolResult{
			"search_files": ok("a.md:3: milk\na.md:9: milk\n"), "read_file": ok("all of it")}, []string{"`a.md`",
			"all of it"}, 2},
		{"no file about it", "read the file about milk",
			map[string]protocol.ToolResult{"search_files": ok("no matches")}, []string{"found no file"}, 1},
		{"how many lines", "count the lines in a.md", map[string]protocol.ToolResult{"read_file": ok("a b\nc\n")},
			[]string{"2 lines, 3 words and 6 characters"}, 1},
		{"how many lines of a long file", "count the lines in a.md", map[string]protocol.ToolResult{
			"read_file": ok("a.md: lines 1-2 of 1,812\na b\nc\n")}, []string{"1,812 lines"}, 1},
		{"how many lines of a file that was cut", "count the lines in a.md", map[string]protocol.ToolResult{
			"read_file": {Text: "a", Rest: &protocol.BlobRef{}}}, []string{"too long"}, 1},
		{"how many files", "how many files do I have",
			map[string]protocol.ToolResult{"list_files": ok("a.md\ndocs/\ndocs/b.md\n")}, []string{"in it: 2."}, 1},
		{"how many files at least", "how many files do I have", map[string]protocol.ToolResult{
			"list_files": ok("a.md\nb.md\n... and 12 more of 14 files and 1 folder; narrow it with path or pattern, or raise limit.\n")}, []string{"in it: 14."}, 1},
		{"how many files when a folder cannot be read", "how many files do I have", map[string]protocol.ToolResult{
			"list_files": ok("a.md  1 byte  2026-01-02 10:00\nCould not list docs: no right to do so.")},
			[]string{"at least 1."}, 1},
		{"a folder that is empty in the tool's words", "list my files", map[string]protocol.ToolResult{
			"list_files": ok("The folder is empty.")}, []string{"nothing in your folder"}, 1},
		{"a file that is empty in the tool's words", "count the lines in docs/a.md", map[string]protocol.ToolResult{
			"read_file": ok("docs/a.md: empty\n")}, []string{"0 lines, 0 words"}, 1},
		{"a file in another encoding", "count the lines in a.md", map[string]protocol.ToolResult{
			"read_file": ok("a.md: read as UTF-16\none\n")}, []string{"1 line, 1 word"}, 1},
		{"a file of very many lines", "show the last line of a.md", map[string]protocol.ToolResult{
			"read_file": ok("a.md: lines 1-2000 of very many\none\n")}, []string{"too long"}, 1},
		{"how big", "how big is docs/a.md", map[string]protocol.ToolResult{"list_files": ok("docs/a.md  12 bytes")},
			[]string{"12 bytes"}, 1},
		{"the end of a short file", "show the last 2 lines of a.md",
			map[string]protocol.ToolResult{"read_file": ok("one\ntwo\nthree\n")},
			[]string{"```\ntwo\nthree\n```"}, 1},
		{"the end of a long file", "show the last 2 lines of a.md", map[string]protocol.ToolResult{
			"read_file": ok("a.md: lines 1-2000 of 2001\nx\n")}, []string{"x"}, 2},
		{"a note whose outcome is unknown", "take a note: milk", map[string]protocol.ToolResult{
			"append_file": failed("interrupted: the outcome of this call is unknown; look before doing it again"),
			"read_file":   ok("- milk\n")},
			[]string{"I do not know whether", "outcome is unknown", "how `notes.md` is now", "- milk"}, 2},
		{"an unknown outcome and nothing to see", "take a note: milk", map[string]protocol.ToolResult{
			"append_file": failed("interrupted: unknown"), "read_file": failed("notes.md is not there")},
			[]string{"outcome is unknown", "notes.md is not there"}, 2},
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

// TestSeveralFilesFit: where a description fits several files it asks, and takes the answer.
func TestSeveralFilesFit(t *testing.T) {
	c := newChat(t, map[string]protocol.ToolResult{"list_files": ok("list.md\nold/list.md\n"), "read_file": ok("milk")})
	if answer := c.say("what time is it; read the shopping list"); !strings.Contains(answer, "There are 2 files") ||
		!strings.HasSuffix(answer, which) {
		t.Errorf("got %q", answer)
	}
	if answer := c.say("old/list.md"); !strings.Contains(answer, "milk") {
		t.Errorf("got %q", answer)
	}
	c.made(`get_time {}`, `list_files {"pattern":"*{shopping,Shopping}*{list,List}*","recursive":true}`,
		`read_file {"path":"old/list.md"}`)
}

func TestAToolThatIsNotThere(t *testing.T) {
	c := newChat(t, nil)
	c.tools = offer("list_files")
	if answer := c.say("read a.md"); !strings.Contains(answer, "read_file, and I do not have it here") {
		t.Errorf("got %q", answer)
	}
	c.made()
}

func TestManyFilesAreNotDeletedAtOnce(t *testing.T) {
	c := newChat(t, nil)
	if answer := c.say("delete a.txt, b.txt, c.txt, d.txt and e.txt"); !strings.Contains(answer, "Nothing is deleted") {
		t.Errorf("got %q", answer)
	}
	c.made()
	c.say("delete a.txt and b.txt")
	c.made(`delete_file {"path":"a.txt"}`, `delete_file {"path":"b.txt"}`)
}

// TestATurnOfAnotherModel: the turn was begun by one that did something else; the rules cannot go on with it.
func TestATurnOfAnotherModel(t *testing.T) {
	call := &protocol.ToolCall{ID: "x", Name: "web_search"}
	answer, err := New().Stream(context.Background(), supervisor.ModelRequest{
		Tools: offer(toolNames...),
		Messages: []protocol.Message{
			protocol.UserText("read a.md"),
			{Role: protocol.RoleAssistant, Parts: []protocol.Part{{Call: call}}},
			{Role: protocol.RoleTool, Parts: []protocol.Part{{Result: &protocol.ToolResult{Call: "x", Text: "?"}}}},
		},
	}, func(supervisor.ModelDelta) {})
	if err != nil || !strings.Contains(answer.Message.Text(), "web_search where I would use read_file") {
		t.Errorf("got %q, %v", answer.Message.Text(), err)
	}
}

// TestACallWithoutAResult: a transcript that lacks one is told as an unknown outcome, and the turn ends.
func TestACallWithoutAResult(t *testing.T) {
	b := newBook()
	got := b.answer(supervisor.ModelRequest{Tools: offer(toolNames...), Messages: []protocol.Message{
		protocol.UserText("delete a.md"),
		{Role: protocol.RoleAssistant, Parts: []protocol.Part{{Call: &protocol.ToolCall{ID: "1",
			Name: "delete_file"}}}},
	}})
	if !strings.Contains(got.Text(), "I do not know whether") {
		t.Errorf("got %q", got.Text())
	}
}

func TestCutKeepsLinesAndLetters(t *testing.T) {
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
