package shell

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mews/protocol"
)

// fileLines returns a result's changes of files, as target and detail.
func fileLines(changes []protocol.Change) (lines []string) {
	for _, c := range changes {
		if c.Kind != "run" {
			lines = append(lines, strings.TrimSpace(c.Target+" "+c.Detail))
		}
	}
	return lines
}

// numbered returns 01 to n as deleted files.
func numbered(from, to int) (lines []string) {
	for i := from; i <= to; i++ {
		lines = append(lines, fmt.Sprintf("%02d deleted", i))
	}
	return lines
}

// TestRun_Deletions_AreCounted: all files that a program deletes are in its changes, however it
// deletes them.
func TestRun_Deletions_AreCounted(t *testing.T) {
	for name, test := range map[string]struct {
		files   []string
		command string
		want    []string
	}{
		"one file": {[]string{"diary.md"}, "rm diary.md", []string{"diary.md deleted"}},
		"everything": {[]string{"a", "d/b", "uploads/c"}, "rm -rf ./*", []string{"a deleted", "d/b deleted",
			"uploads/c deleted"}},
		"a move":               {[]string{"a"}, "mv a b", []string{"a deleted", "b 1 byte"}},
		"a moved folder":       {[]string{"d/a"}, "mv d e", []string{"d/a deleted", "e/a 1 byte"}},
		"a hidden file":        {[]string{".secret"}, "rm .secret", []string{".secret deleted"}},
		"a link":               {[]string{"a"}, "ln -s a to", nil},
		"a file for a link":    {[]string{"a"}, "rm a; ln -s b a", []string{"a 1 byte"}},
		"a file for a folder":  {[]string{"a"}, "rm a; mkdir a", []string{"a deleted"}},
		"the same again":       {[]string{"a"}, "cp -p a b; rm a; mv b a", []string{"a 1 byte"}},
		"a file of its own":    {[]string{"a"}, "echo > b; rm b", nil},
		"in vain":              {[]string{"a"}, "rm b", nil},
		"by another program":   {[]string{"a", "b"}, "find . -name a -delete", []string{"a deleted"}},
		"before it fails":      {[]string{"a"}, "rm a; false", []string{"a deleted"}},
		"an unreadable folder": {[]string{"d/a", "b"}, "rm b; mkdir e; chmod 0 e", []string{"b deleted"}},
		"more than are named": {[]string{"01", "02", "03", "04", "05", "06", "07", "08", "09", "10", "11", "12", "13",
			"14", "15", "16", "17", "18", "19", "20",
			"21", "22"}, "rm *; echo > new", append(numbered(1, 20), "1 more file", "2 more files deleted")},
		"one among many made": {[]string{"z"}, "rm z; for i in $(seq 30); do echo > $i; done",
			[]string{"1 1 byte", "10 1 byte", "11 1 byte", "12 1 byte", "13 1 byte", "14 1 byte", "15 1 byte",
				"16 1 byte", "17 1 byte", "18 1 byte", "19 1 byte",
				"2 1 byte", "20 1 byte", "21 1 byte", "22 1 byte", "23 1 byte", "24 1 byte", "25 1 byte", "26 1 byte",
				"z deleted", "11 more files"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t, nil)
			for _, file := range test.files {
				if err := os.MkdirAll(filepath.Join(b.dir, filepath.Dir(file)), 0o755); err != nil {
					t.Fatal(err)
				}
				b.write(file, "x")
			}
			t.Cleanup(func() { _ = os.Chmod(filepath.Join(b.dir, "e"), 0o755) }) // so that the folder can be removed
			r := b.mustRun("run_command", "command", test.command)
			if diff := cmp.Diff(test.want, fileLines(r.Changes)); diff != "" {
				t.Errorf("changes (- wanted, + got):\n%s", diff)
			}
		})
	}
}

// TestTerminal_ChangesBetweenCalls_AreReported: files that a program deletes between two calls are in
// the changes of the later call.
func TestTerminal_ChangesBetweenCalls_AreReported(t *testing.T) {
	b := newFixture(t, nil)
	b.write("diary.md", "years")
	b.mustRun("terminal", "action", "open", "command",
		"until test -e go; do sleep 0.01; done; rm diary.md; echo gone; sleep 1000", "wait", 0.1)
	if err := b.shell.ws.RestoreFile("go", strings.NewReader(""), 0, 0o600); err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(b.dir, "diary.md")); os.IsNotExist(err) {
			break
		}
		runtime.Gosched()
	}
	r := b.mustRun("terminal", "action", "read")
	if diff := cmp.Diff([]string{"diary.md deleted"}, fileLines(r.Changes)); diff != "" {
		t.Errorf("changes (- wanted, + got):\n%s", diff)
	}
	r = b.mustRun("terminal", "action", "send", "text", "x", "wait", 0.1)
	if got := r.Changes; len(got) != 1 || got[0].Kind != "run" {
		t.Errorf("what was typed ran, and the changes are %+v", got)
	}
}

// TestRun_WritesByMews_AreLeftOut: files that Mews writes while a program runs are not in the
// program's changes. If the program then changes such a file, the file is in them.
func TestRun_WritesByMews_AreLeftOut(t *testing.T) {
	at := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	b := newFixture(t, nil)
	ws := b.shell.ws
	for _, name := range []string{"append", "write", "move", "trash", "restore", "remove", "both", "folder-a",
		"touched"} {
		b.write(name, "old")
	}
	if err := os.Mkdir(filepath.Join(b.dir, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	b.write("folder/a", "old")
	var changes []protocol.Change
	ended := make(chan error)
	go func() {
		r, err := b.call(t.Context(), "run_command", "command",
			"echo begun; until test -e go; do sleep 0.01; done; echo by the program > both; echo by the program"+
				" > uploads/2026-11-29/b; rm touched; echo > made")
		changes = r.Changes
		ended <- err
	}()
	b.awaitProgress("begun")
	upload := func(name string) error {
		d, err := ws.NewDraft("uploads/2026-11-29", 3)
		if err != nil {
			return err
		}
		defer d.Close()
		if _, err := d.Write([]byte("pdf")); err != nil {
			return err
		}
		_, err = d.CommitAs(name)
		return err
	}
	for name, do := range map[string]func() error{
		"an upload":       func() error { return upload("a") },
		"another upload":  func() error { return upload("b") },
		"append":          func() error { _, err := ws.AppendFile("append", []byte("more")); return err },
		"write":           func() error { _, err := ws.WriteFile("write", []byte("new"), "replace"); return err },
		"write and again": func() error { _, err := ws.WriteFile("both", []byte("new"), "replace"); return err },
		"a new file":      func() error { _, err := ws.WriteFile("new/file", []byte("new"), "create"); return err },
		"move":            func() error { _, err := ws.MoveFile(t.Context(), "move", "moved"); return err },
		"move a folder":   func() error { _, err := ws.MoveFile(t.Context(), "folder", "elsewhere"); return err },
		"trash":           func() error { _, err := ws.MoveToTrash(t.Context(), "trash", at); return err },
		"restore":         func() error { return ws.RestoreFile("restore", strings.NewReader("was"), 3, 0o600) },
		"remove":          func() error { return ws.RemoveFile("remove") },
	} {
		if err := do(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	b.write("go", "") // written by the test: Mews can't tell this from the program
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	got := fileLines(changes)
	slices.Sort(got)
	want := []string{"both 15 bytes", "go 0 bytes", "made 1 byte", "touched deleted", "uploads/2026-11-29/b 15 bytes"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("changes (- wanted, + got):\n%s", diff)
	}
}
