package workspace_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"mews/protocol"
	"mews/worker/workspace"
)

func TestReplaceUnchanged_OtherContent_KeepsFile(t *testing.T) {
	dir := t.TempDir()
	ws, err := workspace.Open(dir, protocol.FilePolicy{AppendOnly: []string{"log.md"}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ws.Close() }()
	put := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	put("a.md", "one")
	put("log.md", "one")
	put("empty.md", "")
	for _, c := range []struct {
		name     string
		old      []byte
		refused  error
		contains string
	}{
		{"a.md", []byte("on"), workspace.ErrChanged, "one"},
		{"a.md", []byte("other"), workspace.ErrChanged, "one"},
		{"a.md", nil, workspace.ErrChanged, "one"},
		{"a.md", []byte("one"), nil, "new"},
		{"log.md", []byte("one"), workspace.ErrAppendOnly, "one"},
		{"empty.md", []byte{}, nil, "new"},
		{"sub/b.md", []byte{}, workspace.ErrChanged, ""},
		{"sub/b.md", nil, nil, "new"},
	} {
		if err := ws.ReplaceUnchanged(c.name, c.old, []byte("new")); !errors.Is(err, c.refused) {
			t.Errorf("%s, %q: got %v, want %v", c.name, c.old, err, c.refused)
		}
		if got, _ := os.ReadFile(filepath.Join(dir, c.name)); string(got) != c.contains { // a missing file is empty
			t.Errorf("%s, %q: the file is %q, want %q", c.name, c.old, got, c.contains)
		}
	}
	if info, err := os.Stat(filepath.Join(dir, "a.md")); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("got %v, %v", info, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 4 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}
