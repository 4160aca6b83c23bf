package workspace

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mews/protocol"
)

// newWorkspace makes a workspace beside a canary file that must stay untouched. All kinds of links
// lead to the canary.
func newWorkspace(tb testing.TB) (ws *Workspace, canary string) {
	tb.Helper()
	top := tb.TempDir()
	canary = filepath.Join(top, "canary")
	dir := filepath.Join(top, "folder")
	for _, made := range []string{canary, filepath.Join(dir, "sub")} {
		if err := os.MkdirAll(made, 0o755); err != nil {
			tb.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(canary, "bird"), []byte("alive"), 0o644); err != nil {
		tb.Fatal(err)
	}
	for name, target := range map[string]string{
		"abs": canary, "rel": "../canary", "sub/up": "../../canary", "bird": "../canary/bird", "sub/top": "..", "sub/chain": "up",
	} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			tb.Fatal(err)
		}
	}
	ws, err := Open(dir, protocol.FilePolicy{})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := ws.Close(); err != nil {
			tb.Error(err)
		}
	})
	return ws, canary
}

// outsideOf returns the names and contents of all files beside the workspace, where the canary is.
func outsideOf(tb testing.TB, canary string) string {
	tb.Helper()
	var b strings.Builder
	top := filepath.Dir(canary)
	err := filepath.WalkDir(top, func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == filepath.Join(top, "folder") {
			return fs.SkipDir
		}
		b.WriteString(name + "\n")
		if d.Type().IsRegular() {
			held, err := os.ReadFile(name)
			b.Write(held)
			return err
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	return b.String()
}

// FuzzPath tries every operation with a path. For any path, no file outside is read or changed, and
// a clean path does not change if it is cleaned again.
func FuzzPath(f *testing.F) {
	for _, seed := range []string{
		"a", "../canary/bird", "abs/bird", "rel/bird", "sub/up/bird", "bird", "sub/top/../canary/bird", "sub/../../canary/x",
		"/", "~/..", "~", "./~", "a\x00b", "sub/chain/x", "//../canary", "sub/top/sub/top/rel", ".trash/x", ".mews-1.tmp", "a/",
		"sub/top/..", "..", "...", "sub/./top//rel/../bird", strings.Repeat("../", 50) + "tmp/x", "\xff\xfe", "a\nb",
	} {
		f.Add(seed)
	}
	ws, canary := newWorkspace(f)
	before := outsideOf(f, canary)
	f.Fuzz(func(t *testing.T, path string) {
		if name, err := ws.CleanPath(path); err == nil {
			again, err := ws.CleanPath(name)
			if err != nil || again != name || filepath.IsAbs(name) || isOutside(name) || !filepath.IsLocal(name) {
				t.Fatalf("%q is clean as %q, and that as %q, %v", path, name, again, err)
			}
		}
		ctx := context.Background()
		if file, err := ws.Open(path); err == nil {
			held := make([]byte, 5)
			if n, _ := file.Read(held); string(held[:n]) == "alive" {
				t.Fatalf("%q reads the canary", path)
			}
			must(t, file.Close())
		}
		// Most of these calls are refused. Their errors do not matter, only their effects.
		_, _ = ws.WriteFile(path, []byte("dead"), ModeReplace)
		_, _ = ws.AppendFile(path, []byte("dead"))
		_, _ = ws.MoveFile(ctx, path, "kept")
		_, _ = ws.WriteFile("mine", []byte("dead"), ModeReplace)
		_, _ = ws.MoveFile(ctx, "mine", path)
		_ = ws.Walk(ctx, path, func(e Entry) error {
			if strings.Contains(e.Path, "..") && isOutside(e.Path) {
				t.Fatalf("%q lists %q", path, e.Path)
			}
			return nil
		})
		if path != "bird" && path != "abs" && path != "rel" && !strings.HasPrefix(path, "sub") {
			_, _ = ws.MoveToTrash(ctx, path, noon) // later paths need the links
		}
		if after := outsideOf(t, canary); after != before {
			t.Fatalf("%q changed what is outside: it was\n%s\nand is\n%s", path, before, after)
		}
		must(t, ws.root.RemoveAll(trash))
	})
}
