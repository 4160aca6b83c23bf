package workspace

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"mews/protocol"
)

func TestRules_EachPolicy_AllowsItsPaths(t *testing.T) {
	r, err := newRules(protocol.FilePolicy{
		Include: []string{"**/*.md", "/logs/**"}, Exclude: []string{"**/docs/**", ".git/**", "private/"},
		AppendOnly: []string{"logs/*.md", "**/todo.md", "diary"},
	})
	must(t, err)
	for _, c := range []struct {
		name         string
		folder       bool
		hidden, kept bool
	}{
		{"a.md", false, false, false},
		{"a.txt", false, true, false},
		{"sub", true, false, false},
		{"sub/deep/a.md", false, false, false},
		{"docs", true, true, false},
		{"sub/docs/a.md", false, true, false},
		{".git", true, true, false},
		{"private/x/y.md", false, true, false},
		{"logs/any.txt", false, false, false},
		{"logs/a.md", false, false, true},
		{"todo.md", false, false, true},
		{"x/todo.md", false, false, true},
		{"diary/2026/a.md", false, false, true},
		{".", true, false, false},
		{".trash", true, false, false},
		{".trash/s-1", true, false, false},
		{".trash/s-1/a.md", false, false, false},
		{".trash/s-1/private/a.md", false, true, false},
	} {
		if got := r.hidden(c.name, c.folder); got != c.hidden {
			t.Errorf("%s hidden: got %v", c.name, got)
		}
		if got := r.isAppendOnly(c.name); got != c.kept {
			t.Errorf("%s kept: got %v", c.name, got)
		}
	}
	for _, bad := range []string{"", "[", "{a"} {
		if _, err := Open(t.TempDir(), protocol.FilePolicy{AppendOnly: []string{bad}}); err == nil {
			t.Errorf("pattern %q was taken", bad)
		}
	}
}

func TestRules_HiddenPaths_AreAbsent(t *testing.T) {
	ws, dir := open(t, protocol.FilePolicy{Exclude: []string{"secret"}}, map[string]string{
		"secret/key": "k", "a": "a", "box/b": "b",
	})
	must(t, os.Symlink("secret", filepath.Join(dir, "way")))
	for _, path := range []string{"secret", "secret/key", "way", "way/key", "x/../secret/key"} {
		_, err := ws.Stat(path)
		wantError(t, err, fs.ErrNotExist, path)
		if path != "way" { // way is a link: it is visible itself, and may be deleted
			_, err = ws.MoveToTrash(t.Context(), path, noon)
			wantError(t, err, fs.ErrNotExist, path)
		}
		wantError(t, ws.Walk(t.Context(), path, nil), fs.ErrNotExist, path)
	}
	for _, path := range []string{"secret/key", "secret/new", "way/key", "way/new"} {
		_, err := ws.WriteFile(path, nil, ModeReplace)
		wantError(t, err, ErrForbiddenByRules, path)
		_, err = ws.MoveFile(t.Context(), "a", path)
		wantError(t, err, ErrForbiddenByRules, path)
	}
	if got := names(t, ws, "."); !slices.Equal(got, []string{"a", "box", "box/b", "way"}) {
		t.Fatalf("the walk shows %v", got)
	}
}

func TestRules_AppendOnlyFile_RefusesOverwrite(t *testing.T) {
	ws, dir := open(t, protocol.FilePolicy{AppendOnly: []string{"logs/**"}, Exclude: []string{"**/hid"}}, map[string]string{
		"logs/a": "one\n", "b": "b", "box/hid": "", "deep/er/f": "",
	})
	must(t, os.Symlink("logs/a", filepath.Join(dir, "alias")))
	for _, path := range []string{"logs/a", "alias"} {
		_, err := ws.WriteFile(path, []byte("x"), ModeReplace)
		wantError(t, err, ErrAppendOnly, "write "+path)
	}
	_, err := ws.MoveToTrash(t.Context(), "logs/a", noon)
	wantError(t, err, ErrAppendOnly, "delete logs/a")
	_, err = ws.MoveToTrash(t.Context(), "logs", noon)
	wantError(t, err, ErrAppendOnly, "delete logs")
	_, err = ws.MoveFile(t.Context(), "logs/a", "b2")
	wantError(t, err, ErrAppendOnly, "move logs/a")
	_, err = ws.MoveFile(t.Context(), "box", "crate")
	wantError(t, err, ErrHoldsProtectedFiles, "move box")
	_, err = ws.MoveToTrash(t.Context(), "box", noon)
	wantError(t, err, ErrHoldsProtectedFiles, "delete box")
	for _, change := range []func() error{
		func() error { _, err := ws.AppendFile("alias", []byte("two\n")); return err },
		func() error { _, err := ws.WriteFile("logs/new", []byte("x"), ModeReplace); return err },
		func() error { _, err := ws.MoveFile(t.Context(), "b", "logs/b"); return err },
		func() error { _, err := ws.MoveFile(t.Context(), "deep", "flat"); return err },
	} {
		must(t, change())
	}
	if got := content(t, filepath.Join(dir, "logs/a")); got != "one\ntwo\n" {
		t.Fatalf("got %q", got)
	}
}

func TestRules_IncludedFile_MayBeMoved(t *testing.T) {
	ws, _ := open(t, protocol.FilePolicy{Include: []string{"**/*.md"}}, map[string]string{"a.md": "", "one/b.md": "", "mix/c.md": "", "mix/d": ""})
	for _, c := range [][3]string{{"a.md", "archive/", "archive/a.md"}, {"one", "two", "two"}} {
		if got, err := ws.MoveFile(t.Context(), c[0], c[1]); got != c[2] || err != nil {
			t.Fatalf("move %s to %s: %s, %v", c[0], c[1], got, err)
		}
	}
	_, err := ws.MoveFile(t.Context(), "mix", "other")
	wantError(t, err, ErrHoldsProtectedFiles, "move mix")
	_, err = ws.MoveFile(t.Context(), "two/b.md", "two/b.txt")
	wantError(t, err, ErrForbiddenByRules, "two/b.txt")
}
