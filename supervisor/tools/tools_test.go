package tools_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/tools"
)

func tool(family, name, description string) protocol.Tool {
	return protocol.Tool{Name: name, Family: family, Description: description, Schema: []byte(`{"type":"object"}`)}
}

func opened(names ...string) (list []supervisor.OpenedTool) {
	for _, name := range names {
		list = append(list, supervisor.OpenedTool{Name: name})
	}
	return list
}

// some are the tools of a user, sorted by name.
var some = []protocol.Tool{
	tool("uploads", "delete_upload", "Move a file below uploads/ to the trash."),
	tool("memory", "forget", "Have what is remembered of something be gone."),
	tool("", "read_file", "Read a text file."),
	tool("history", "search_history", "Find what was said before."),
	tool("terminal", "terminal", "Programs that go on between calls."),
	tool("memory", "update_memory", "Correct what is remembered."),
	tool("", "write_file", "Write a text file."),
}

func TestListOffered_AddedTools_ComeLast(t *testing.T) {
	got := tools.Names(tools.ListOfferedTools(some, opened("update_memory", "gone", "read_file", "delete_upload")))
	if want := []string{"read_file", "write_file", "update_memory", "delete_upload"}; !slices.Equal(got, want) {
		t.Errorf("offered are %q, want %q", got, want)
	}
}

func TestFindTools_BestMatch_ComesFirst(t *testing.T) {
	for words, want := range map[string]string{
		"memory": "forget update_memory", "UPDATE_MEMORY": "update_memory", " terminal ": "terminal",
		"what was said in the history": "search_history", "correct a memory": "update_memory forget",
		"delete an uploaded file": "delete_upload", "a thing to be written": "",
		"": "", "x": "", "вчера": "", "wetter": "", "../": "",
	} {
		if got := strings.Join(tools.Names(tools.FindTools(some, words)), " "); got != want {
			t.Errorf("%q finds %q, want %q", words, got, want)
		}
	}
}

// many returns n tools of one family, each of the same size.
func many(n, size int) (all []protocol.Tool) {
	for i := range n {
		t := tool("mcp", fmt.Sprintf("mcp_%04d", i), "weather ")
		t.Description += strings.Repeat("x", size-tools.DefinitionSize(t))
		all = append(all, t)
	}
	return all
}

// The limits hold for any number of tools of a server, and for any descriptions.
func TestOfferedTools_OverLimit_AreLeftOut(t *testing.T) {
	for _, test := range []struct{ n, size, found, open int }{
		{200, 100, 12, 40}, {200, 1000, 8, 24}, {256, 2000, 4, 12}, {3, 9 << 10, 0, 2}, {1, 25 << 10, 0, 0},
	} {
		all := many(test.n, test.size)
		found := tools.FindTools(all, "weather")
		open, full := tools.AddOpenedTools(all, nil, opened(tools.Names(all)...)...)
		if len(found) != test.found || len(open) != test.open || len(full) != test.n-test.open {
			t.Errorf("%d tools of %d bytes: %d found, %d open, %d without room", test.n, test.size, len(found), len(open), len(full))
		}
		if got := tools.ListOfferedTools(all, opened(tools.Names(all)...)); len(got) != test.open {
			t.Errorf("%d tools of %d bytes: %d are offered, want %d", test.n, test.size, len(got), test.open)
		}
		left := open[len(tools.ListToolsToClose(all, open)):]
		if gone := tools.ListToolsToClose(nil, append(opened("a", "b"), supervisor.OpenedTool{Name: "c",
			Pinned: true})); !slices.Equal(gone, []string{"a", "b"}) {
			t.Errorf("of tools that are gone %q are closed", gone)
		}
		if _, full := tools.AddOpenedTools(all, left, opened(tools.Names(found)...)...); len(full) > 0 {
			t.Errorf("%d tools of %d bytes: after a trim there is no room for %d", test.n, test.size, len(full))
		}
	}
	if closed := tools.ListToolsToClose(some, opened("terminal", "forget")); closed != nil {
		t.Errorf("closed for no want of room: %q", closed)
	}
}

func TestFamilies_AnyTools_AreSortedByName(t *testing.T) {
	var got []string
	for _, f := range tools.Families(some) {
		got = append(got, f.Name+": "+strings.Join(tools.Names(f.Tools), ", "))
	}
	want := []string{"history: search_history", "memory: forget, update_memory", "terminal: terminal", "uploads: delete_upload"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
