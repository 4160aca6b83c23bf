package uploads

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/worker"
	"mews/worker/workspace"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// tools are those over a folder with these files.
func tools(t *testing.T, files ...string) (dir string, run func(name, arguments string) (worker.Result, error)) {
	t.Helper()
	dir = t.TempDir()
	for _, name := range files {
		path := filepath.Join(dir, name)
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil {
			err = os.WriteFile(path, []byte("abc"), 0o600)
		}
		if err == nil {
			err = os.Chtimes(path, noon, noon)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	ws, err := workspace.Open(dir, protocol.FilePolicy{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := ws.Close(); err != nil {
			t.Error(err)
		}
	})
	known := map[string]worker.Tool{}
	for _, tool := range Tools(ws, func() time.Time { return noon }, time.UTC) {
		known[tool.Name] = tool
	}
	return dir, func(name, arguments string) (worker.Result, error) {
		return known[name].Run(t.Context(), worker.Call{Arguments: json.RawMessage(arguments)})
	}
}

func TestList(t *testing.T) {
	_, run := tools(t)
	if r, err := run("list_uploads", `{}`); err != nil || r.Text != "There are no files in uploads/." || r.World {
		t.Errorf("none: %+v, %v", r, err)
	}
	_, run = tools(t, "uploads/2026-11-19/235900-b.pdf", "uploads/2026-11-20/080000-c.txt", "uploads/2026-11-18/080000-a.txt", "uploads/mine.md", "x.md")
	r, err := run("list_uploads", `{"limit":3}`)
	want := "uploads/mine.md  3 bytes  2026-11-20 12:00\nuploads/2026-11-20/080000-c.txt  3 bytes  2026-11-20 08:00\n" +
		"uploads/2026-11-19/235900-b.pdf  3 bytes  2026-11-19 23:59\n... and 1 older ones; raise limit."
	if err != nil || r.Text != want || r.Brief != "4 files" || !r.World {
		t.Errorf("got %+v, %v", r, err)
	}
}

func TestDelete(t *testing.T) {
	dir, run := tools(t, "uploads/2026-11-20/080000-c.txt", "x.md")
	if err := os.Symlink("../x.md", filepath.Join(dir, "uploads/link.md")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"x.md", "uploads", "uploads/2026-11-20", "uploads/../x.md", "../x", "uploads/none", ""} {
		if r, err := run("delete_upload", `{"path":"`+path+`"}`); err == nil {
			t.Errorf("%q: got %+v", path, r)
		}
	}
	r, err := run("delete_upload", `{"path":"uploads/2026-11-20/080000-c.txt"}`)
	if err != nil || len(r.Changes) != 1 || r.Changes[0].Target != "uploads/2026-11-20/080000-c.txt" || !strings.Contains(r.Text, "in the trash now, at .trash/") {
		t.Errorf("got %+v, %v", r, err)
	}
	if _, err := run("delete_upload", `{"path":"uploads/link.md"}`); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "x.md")); err != nil {
		t.Errorf("what a link leads to is gone: %v", err)
	}
	if r, err := run("list_uploads", `{}`); err != nil || r.World {
		t.Errorf("got %+v, %v", r, err)
	}
}
