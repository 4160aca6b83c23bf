package filehistory

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const storyFiles = 5000

// TestUndoSpan_WholeHome_ComesBack undoes the accidents that people fear most, one by one.
func TestUndoSpan_WholeHome_ComesBack(t *testing.T) {
	f := newFixture(memoryTB{t})
	f.fill(storyFiles)
	f.write("repo/.git/config", "[core]")
	f.write("repo/untracked", "not in git")
	f.program(func() {})
	for _, story := range []struct {
		name string
		run  func()
	}{
		{"rm -rf ./*", func() {
			for name := range f.contents() {
				if !strings.Contains(name, "/") {
					f.check(os.RemoveAll(f.path(name)))
				}
			}
		}},
		{"sed -i", func() {
			for name := range f.contents() { // sed writes a new file and renames it
				if info, err := os.Lstat(f.path(name)); err == nil && info.Mode().IsRegular() {
					f.write("sedNew", strings.ToUpper(f.read(name)))
					f.check(os.Rename(f.path("sedNew"), f.path(name)))
				}
			}
		}},
		{"git clean -fdx", func() { f.check(os.Remove(f.path("repo/untracked"))) }},
		{"chmod -R", func() {
			for name := range f.contents() {
				f.check(os.Chmod(f.path(name), 0o700))
			}
		}},
		{"npm install", func() {
			for i := range 1000 {
				f.write(fmt.Sprintf("node_modules/p%d/index.js", i), "code")
			}
			f.write("package-lock.json", "{}")
		}},
	} {
		was := f.contents()
		p := f.begin()
		if n := p.NotKept(); n.Count > 0 {
			t.Errorf("%s: not kept: %+v", story.name, n)
		}
		story.run()
		span := f.end(p)
		undone := f.undo(span, false, "undo of "+story.name)
		if n := undone.Unkept; n.Count > 0 && n.Named[0] == "node_modules" { // nothing could restore these files
			undone = f.undo(span, true, "forced undo of "+story.name)
		}
		if diff := cmp.Diff(was, f.contents()); diff != "" {
			t.Errorf("%s: got %+v\n%.1000s", story.name, undone, diff)
		}
	}
}
