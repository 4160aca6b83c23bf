package prompt_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mews/protocol"
	"mews/worker/prompt"
	"mews/worker/workspace"
)

func TestTheHomesOwnFilesAreRead(t *testing.T) {
	for _, test := range []struct {
		name                 string
		agents               string // "" for no file
		directory            bool   // AGENTS.md is one
		instructions, memory string
		fails                bool
	}{
		{name: "none there", memory: "- tea"},
		{name: "both", agents: "be kind", instructions: "be kind", memory: "- tea"},
		{name: "one that cannot be read leaves the other", directory: true, memory: "- tea", fails: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, "MEMORY.md", "- tea")
			if test.agents != "" {
				write(t, dir, "AGENTS.md", test.agents)
			}
			if test.directory {
				if err := os.Mkdir(filepath.Join(dir, "AGENTS.md"), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			var parts prompt.Parts
			err := parts.ReadFiles(open(t, dir))
			if parts.Instructions != test.instructions || parts.Memory != test.memory || (err != nil) != test.fails {
				t.Errorf("got %+v, %v", parts, err)
			}
		})
	}
}

func TestAHugeFileIsNotReadWhole(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "AGENTS.md", strings.Repeat("rule\n", 1_000_000))
	var parts prompt.Parts
	if err := parts.ReadFiles(open(t, dir)); err != nil {
		t.Fatal(err)
	}
	if n := len(parts.Instructions); n < 16<<10 || n > 17<<10 {
		t.Errorf("%d bytes were read", n)
	}
	if !strings.Contains(prompt.Text(parts), "[the rest of AGENTS.md is left out") {
		t.Error("the prompt does not say that the file was cut")
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, dir string) *workspace.Workspace {
	t.Helper()
	home, err := workspace.Open(dir, protocol.FilePolicy{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { home.Close() })
	return home
}
