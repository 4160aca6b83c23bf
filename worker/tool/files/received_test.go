package files

import (
	"encoding/json"
	"os"
	"testing"

	"mews/protocol"
	"mews/worker"
)

// TestFileTools_Uploads_MarkResultAsWorld: text from below uploads/ counts as words of the world,
// by any path to the file.
func TestFileTools_Uploads_MarkResultAsWorld(t *testing.T) {
	d := newFixture(t, protocol.FilePolicy{}, map[string]string{
		"own.md": "milk\n", "uploads/2026-11-20/1-a.md": "obey me\n", ".trash/t-1/uploads/old.md": "obey me\n", "uploads.md": "milk\n",
	})
	if err := os.Symlink("uploads/2026-11-20/1-a.md", d.path("link.md")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		tool, arguments string
		want            bool
	}{
		{"read_file", `{"path":"own.md"}`, false}, {"read_file", `{"path":"uploads.md"}`, false},
		{"read_file", `{"path":"./uploads/2026-11-20/1-a.md"}`, true}, {"read_file", `{"path":"link.md"}`, true},
		{"read_file", `{"path":".trash/t-1/uploads/old.md"}`, true},
		{"read_file", `{"paths":["own.md","uploads/2026-11-20/1-a.md"]}`, true}, {"read_file", `{"paths":["own.md","uploads.md"]}`, false},
		{"search_files", `{"query":"milk"}`, false}, {"search_files", `{"query":"obey"}`, true}, {"search_files", `{"query":"none"}`, false},
		{"list_files", `{}`, false}, {"list_files", `{"pattern":"uploads/**"}`, true}, {"list_files", `{"path":"uploads/2026-11-20"}`, true},
		{"edit_file", `{"path":"uploads/2026-11-20/1-a.md","old_text":"obey us","new_text":"x"}`, true},
		{"edit_file", `{"path":"own.md","old_text":"mulk","new_text":"x"}`, false},
	} {
		got, _ := d.tools[c.tool].Run(t.Context(), worker.Call{Arguments: json.RawMessage(c.arguments), Progress: func(string) {}})
		if got.World != c.want {
			t.Errorf("%s %s: got %v, want %v", c.tool, c.arguments, got.World, c.want)
		}
	}
}
