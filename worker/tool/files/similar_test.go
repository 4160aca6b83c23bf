package files

import (
	"strings"
	"testing"

	"mews/protocol"
	"mews/worker"
)

// TestTools_SimilarPath_IsUsedAndReported: each tool takes the one file that looks like the path.
// Its result names that file, and so does its change.
func TestTools_SimilarPath_IsUsedAndReported(t *testing.T) {
	const name, shown = "d\u00a0x/v\u00a013.txt", `"d\u00a0x/v\u00a013.txt"`
	for tool, c := range map[string]struct {
		arguments string
		target    string // target of the change; "" means no change
		after     string // content of the file after the call
	}{
		"read_file":    {`{"path":"d x/v 13.txt"}`, "", "tea\n"},
		"edit_file":    {`{"path":"d x/v 13.txt","old_text":"tea","new_text":"milk"}`, name, "milk\n"},
		"append_file":  {`{"path":"d x/v 13.txt","content":"milk"}`, name, "tea\nmilk"},
		"write_file":   {`{"path":"d x/v 13.txt","content":"milk","overwrite":true}`, name, "milk"},
		"move_file":    {`{"from":"d x/v 13.txt","to":"d x/v 13.txt"}`, name, "(none)"},
		"delete_file":  {`{"path":"d x/v 13.txt"}`, name, "(none)"},
		"search_files": {`{"path":"d x/v 13.txt","query":"tea"}`, "", "tea\n"},
	} {
		d := newFixture(t, protocol.FilePolicy{}, map[string]string{name: "tea\n", "other.txt": ""})
		got, err := d.tools[tool].Run(t.Context(), worker.Call{Arguments: []byte(c.arguments)})
		if err != nil ||
			!strings.HasPrefix(got.Text, `There is no d x/v 13.txt. `+shown+" looks the same, so it was taken.\n") {
			t.Errorf("%s: got %q, %v", tool, got.Text, err)
			continue
		}
		if (len(got.Changes) == 1) != (c.target != "") || c.target != "" && got.Changes[0].Target != c.target ||
			d.content(name) != c.after {
			t.Errorf("%s: changed %+v, and there is %q", tool, got.Changes, d.content(name))
		}
	}
	d := newFixture(t, protocol.FilePolicy{}, map[string]string{name: "tea\n"})
	for tool, arguments := range map[string]string{
		"list_files": `{"path":"d x"}`, "read_file": `{"paths":["d x/v 13.txt","d x/v 13.txt"]}`,
	} {
		got, err := d.tools[tool].Run(t.Context(), worker.Call{Arguments: []byte(arguments)})
		if err != nil || !strings.Contains(got.Text, "looks the same") {
			t.Errorf("%s: got %q, %v", tool, got.Text, err)
		}
	}
	if _, err := d.tools["move_file"].Run(t.Context(), worker.Call{Arguments: []byte(`{"from":"d x/v ` +
		`13.txt","to":"v 13.txt"}`)}); err != nil ||
		d.content("v 13.txt") != "tea\n" {
		t.Errorf("moved to its plain name: %v", err)
	}
}
