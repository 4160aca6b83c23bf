package textdiff_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mews/protocol"
	"mews/worker/textdiff"
	"mews/worker/workspace"
)

// TestWrite_Contents_ShowsTextOrWords: a text is compared line by line. For all other contents, the
// diff has a few words for each side.
func TestWrite_Contents_ShowsTextOrWords(t *testing.T) {
	read := func(text string) textdiff.Content {
		c, err := textdiff.Read(strings.NewReader(text), int64(len(text)))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	long := strings.Repeat("x", protocol.MaxComparedBytes+1)
	for name, test := range map[string]struct {
		before, after textdiff.Content
		want          string
	}{
		"equal":     {read("a\n"), read("a\n"), ""},
		"changed":   {read("a\n"), read("b\n"), "-a\n+b\n"},
		"new":       {textdiff.Nothing, read("b\n"), "+b\n"},
		"deleted":   {read("a\n"), textdiff.Nothing, "-a\n"},
		"binary":    {read("a\x00"), read("b\n"), "n: 2 bytes before, 2 bytes now\n"},
		"not UTF-8": {read("\xff"), textdiff.Nothing, "n: 1 byte before, nothing now\n"},
		"too large": {read(long), read("b"), "n: 1.0 MB before, 1 byte now\n"},
		"a link":    {read("a"), textdiff.Describe("a link"), "n: 1 byte before, a link now\n"},
	} {
		var b bytes.Buffer
		if textdiff.Write(&b, "n", test.before, test.after); !strings.HasSuffix(b.String(), test.want) ||
			test.want == "" && b.Len() > 0 {
			t.Errorf("%s: got %q, want %q", name, b.String(), test.want)
		}
	}
}

// TestReadPresent_Paths_FollowsNoLink: a link is not read, and a missing file reads as Nothing.
func TestReadPresent_Paths_FollowsNoLink(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a", filepath.Join(dir, "to")); err != nil {
		t.Fatal(err)
	}
	ws, err := workspace.Open(dir, protocol.FilePolicy{})
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	for path, want := range map[string]string{"a": "text", "to": "", "missing": "", ".": ""} {
		c, err := textdiff.ReadPresent(ws, path)
		if err != nil || string(c.Text) != want || c.Opaque != (path == "to" || path == ".") {
			t.Errorf("%s: %+v, %v", path, c, err)
		}
	}
}
