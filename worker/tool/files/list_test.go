package files

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"mews/protocol"
)

func TestListFiles_EachCall_ListsEntries(t *testing.T) {
	d := newFixture(t, protocol.FilePolicy{Exclude: []string{".git"}}, map[string]string{
		"b.md": strings.Repeat("x", 1500), "a.txt": "x", "notes/one.md": "", "notes/deep/two.md": "xx", ".git/config": "",
		".trash/s-1/gone": "", ".mews-X.tmp": "", "odd\nname": "",
	})
	if err := os.Symlink("notes", d.path("link")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ arguments, text, brief string }{
		{``, "a.txt  1 byte  2026-11-20 13:00\nb.md  1.5 KB  2026-11-20 13:00\nlink  link\nnotes/\n" +
			"\"odd\\nname\"  0 bytes  2026-11-20 13:00", "4 files, 1 folder"},
		{`{"path":"notes"}`, "notes/deep/\nnotes/one.md  0 bytes  2026-11-20 13:00", "1 file, 1 folder"},
		{`{"path":"link/"}`, "notes/deep/\nnotes/one.md  0 bytes  2026-11-20 13:00", "1 file, 1 folder"},
		{`{"path":"/","pattern":"*.md"}`, "b.md  1.5 KB  2026-11-20 13:00", "1 file"},
		{`{"pattern":"*.md","recursive":true,"limit":2}`, "b.md  1.5 KB  2026-11-20 13:00\n" +
			"notes/deep/two.md  2 bytes  2026-11-20 13:00\n" +
			"... and 1 more of 3 files and 0 folders; narrow it with path or pattern, or raise limit.", "3 files"},
		{`{"pattern":"notes/**/*.md"}`, "notes/deep/two.md  2 bytes  2026-11-20 13:00\nnotes/one.md  0 bytes  2026-11-20 13:00", "2 files"},
		{`{"path":"notes","pattern":"deep/*"}`, "notes/deep/two.md  2 bytes  2026-11-20 13:00", "1 file"},
		{`{"path":"a.txt"}`, "a.txt  1 byte  2026-11-20 13:00", "1 file"},
		{`{"pattern":"*.jpg"}`, `Nothing in the folder matches "*.jpg".`, "0 files"},
		{`{"path":".trash","recursive":true}`, ".trash/s-1/\n.trash/s-1/gone  0 bytes  2026-11-20 13:00", "1 file, 1 folder"},
	} {
		if r := d.mustRun("list_files", c.arguments, c.text); r.Brief != c.brief {
			t.Errorf("%s: brief %q, want %q", c.arguments, r.Brief, c.brief)
		}
	}
	d.mustFail("list_files", `{"path":".git"}`, "list .git: there is no such file or folder")
	d.mustFail("list_files", `{"path":"nowhere"}`, "list nowhere: there is no such file or folder")
	d.mustFail("list_files", `{"pattern":"["}`, "not a pattern that can be used")
	d.mustFail("list_files", fmt.Sprintf(`{"pattern":%q}`, strings.Repeat("{a,b}", 40)), "not a pattern")
	empty := newFixture(t, protocol.FilePolicy{}, nil)
	empty.mustRun("list_files", `{}`, "The folder is empty.")
}
