package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mews/protocol"
)

// TestSimilarPath_LooksTheSame_IsUsed: macOS writes narrow no-break spaces and decomposed letters,
// and models write neither.
func TestSimilarPath_LooksTheSame_IsUsed(t *testing.T) {
	dir := t.TempDir()
	const decomposed = "U\u0308bersicht"
	for _, name := range []string{
		"Screenshot 1.05.05\u202fPM.txt", "v\u00a013.txt", decomposed + ".txt", "plain.txt", decomposed +
			"/a\u2009b.txt",
		"two\u00a0x.txt", "two\u202fx.txt", "both x.txt", "both\u00a0x.txt", "hidden/q\u00a0r.txt", "Straße.txt",
		"a/b\u00a0c/d\u3000e.txt",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("v\u00a013.txt", filepath.Join(dir, "link\u00a0to.txt")); err != nil {
		t.Fatal(err)
	}
	ws, err := Open(dir, protocol.FilePolicy{Exclude: []string{"hidden/**"}})
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	for asked, want := range map[string]string{
		"Screenshot 1.05.05 PM.txt": "Screenshot 1.05.05\u202fPM.txt",
		"v 13.txt":                  "v\u00a013.txt",
		"./v 13.txt":                "v\u00a013.txt",
		"Übersicht.txt":             decomposed + ".txt",
		"Übersicht":                 decomposed,
		"Übersicht/a b.txt":         decomposed + "/a\u2009b.txt",
		"a/b c/d e.txt":             "a/b\u00a0c/d\u3000e.txt",
		"plain\u00a0.txt":           "",
		"plain.txt":                 "",
		"two x.txt":                 "", // no path is chosen, because two files look like that
		"both x.txt":                "", // this exact name exists, so no similar name is looked for
		"both\u202fx.txt":           "", // this exact name exists, so no similar name is looked for
		"link to.txt":               "link\u00a0to.txt",
		"hidden/q r.txt":            "", // no path is chosen, because the rules hide the file
		"Strasse.txt":               "", // no path is chosen, because the file's name looks different
		"v  13.txt":                 "",
		"V 13.txt":                  "",
		"v 13.txt/x":                "",
		"../v 13.txt":               "",
		"":                          "",
		"v 13.txt\x00":              "",
	} {
		taken, note := ws.SimilarPath(asked)
		if want == "" && (taken != asked || note != "") ||
			want != "" && (taken != want || !strings.Contains(note, QuotePath(want))) {
			t.Errorf("%q: got %q, %q, want %q", asked, taken, note, want)
		}
	}
}
