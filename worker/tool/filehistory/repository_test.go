package filehistory

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A folder counts as a repository if git keeps it, also as a worktree. Missing folders are not
// named.
func TestWithoutRepository_Worktree_IsRepository(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(os.MkdirAll(path("code/.git"), 0o700), os.Mkdir(path("worktree"), 0o700),
		os.WriteFile(path("worktree/.git"), []byte("gitdir: elsewhere\n"), 0o600), os.Mkdir(path("site"), 0o700),
		os.WriteFile(path("file"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	got := withoutRepository([]string{path("code"), path("worktree"), path("site"), path("file"), path("gone")})
	if !slices.Equal(got, []string{path("site")}) {
		t.Errorf("without a repository: %q", got)
	}
}
