package chat

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mews/supervisor/control"
)

// A file is shown with its path only if the home has exactly the file that was sent, because a
// worker may name any path.
func TestFileLines_OnlySentFile_ShowsPath(t *testing.T) {
	home := folder(t)
	outside := folder(t)
	if err := os.Symlink(outside, filepath.Join(home, "link")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(home, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	const elsewhere = "[a\u200b.txt, 10 bytes: files can be seen on Telegram, not here]"
	for path, want := range map[string]string{
		"notes.txt":      "[a\u200b.txt, 10 bytes: " + home + "/notes.txt]",
		"":               elsewhere,
		"none.txt":       elsewhere,
		"it's.txt":       elsewhere, // the file in the home has another size than the sent file
		"link/notes.txt": elsewhere,
		"pipe":           elsewhere,
		"../" + filepath.Base(outside) + "/notes.txt": elsewhere,
	} {
		got := fileLines(control.Delivery{Files: []control.File{{Name: "a\u200b.txt", Size: 10, Path: path}}}, home)
		if d := cmp.Diff([]string{want}, got); d != "" {
			t.Errorf("%q: %s", path, d)
		}
	}
	info, err := os.Stat(filepath.Join(home, "a picture.png"))
	if err != nil {
		t.Fatal(err)
	}
	picture := control.File{Name: "p.png", Size: info.Size(), Path: "a picture.png", Caption: "a\ncaption\x1b[2J"}
	want := "[" + describe("p.png", info.Size(), "40 x 30 pixels") + ": " + home + "/a picture.png] a caption[2J"
	if d := cmp.Diff([]string{want}, fileLines(control.Delivery{Files: []control.File{picture}}, home)); d != "" {
		t.Error(d)
	}
}
