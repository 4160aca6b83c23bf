package workspace

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mews/protocol"
)

// TestExpireUploads_RemovesOldFolders: the folder's date counts, not the files' times. Files with
// other names stay.
func TestExpireUploads_RemovesOldFolders(t *testing.T) {
	ws, dir := open(t, protocol.FilePolicy{}, map[string]string{
		"uploads/2026-11-12/131905-a.pdf": "x", "uploads/2026-11-12/131905-a.pdf.txt": "x", "uploads/2026-11-13/131905-b.pdf": "x",
		"uploads/2026-11-10/000000-c": "x", "uploads/2026-11-10/mine.md": "x", "uploads/2026-11-10/131905-folder/d": "x",
		"uploads/2026-11-1/131905-e": "x", "uploads/old/131905-f": "x", "uploads/131905-g": "x", "uploads/2026-11-09/999999-h": "x",
		"2026-11-10/131905-i": "x", "else/2026-11-10/131905-j": "x",
	})
	must(t, os.Symlink("../else/2026-11-10", filepath.Join(dir, "uploads/2026-11-08")))
	must(t, os.Symlink("../../2026-11-10/131905-i", filepath.Join(dir, "uploads/2026-11-10/131905-k")))
	must(t, os.Chtimes(filepath.Join(dir, "uploads/2026-11-13/131905-b.pdf"), time.Unix(1, 0), time.Unix(1, 0)))
	room := &testQuota{}
	ws.SetQuota(room)
	removed, err := ws.ExpireUploads(t.Context(), time.Date(2026, 11, 13, 23, 59, 0, 0, time.UTC))
	if err != nil || removed != 3 || len(room.grew) != 3 || room.grew[0] != -4096 {
		t.Errorf("removed %d, %v; grew by %d", removed, err, room.grew)
	}
	want := []string{"131905-b.pdf", "131905-e", "131905-f", "131905-g", "131905-i", "131905-j", "131905-k", "2026-11-08", "999999-h", "d", "mine.md"}
	if diff := cmp.Diff(want, files(t, dir)); diff != "" {
		t.Error(diff)
	}
	if _, err := os.Stat(filepath.Join(dir, "uploads/2026-11-12")); !os.IsNotExist(err) {
		t.Errorf("an empty day is left: %v", err)
	}
	must(t, os.RemoveAll(filepath.Join(dir, "uploads")))
	must(t, os.Symlink("else", filepath.Join(dir, "uploads")))
	if removed, err := ws.ExpireUploads(t.Context(), time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)); removed != 0 ||
		err != nil {
		t.Errorf("through a link: %d, %v", removed, err)
	}
}

// Many other files in the folder hide no received file, in any order on the disk.
func TestExpireUploads_ManyOtherFiles_FindsAll(t *testing.T) {
	have := map[string]string{"uploads/2026-11-12/131905-a.pdf": "x"}
	for n := range 3000 {
		have[fmt.Sprint("uploads/", n)] = ""
	}
	ws, _ := open(t, protocol.FilePolicy{}, have)
	list, err := ws.listPlain(t.Context(), "uploads", 1, fs.DirEntry.IsDir)
	if err != nil || len(list) != 1 || list[0].Name() != "2026-11-12" {
		t.Errorf("got %v, %v", list, err)
	}
}
