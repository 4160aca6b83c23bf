package workspace

import (
	"context"
	"io/fs"
	"slices"
	"testing"
	"time"

	"mews/protocol"
)

// TestPathRecord_EachChange_IsListed: a record lists the paths of all methods that change files,
// and nothing else.
func TestPathRecord_EachChange_IsListed(t *testing.T) {
	at := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		do   func(*Workspace) error
		want []string
	}{
		"read": {func(w *Workspace) error { _, err := w.Stat("a"); return err }, nil},
		"write": {func(w *Workspace) error { _, err := w.WriteFile("new/b", []byte("x"), ModeReplace); return err },
			[]string{"new/b"}},
		"append": {func(w *Workspace) error { _, err := w.AppendFile("a", []byte("x")); return err }, []string{"a"}},
		"move": {func(w *Workspace) error { _, err := w.MoveFile(context.Background(), "d", "e"); return err },
			[]string{"d", "e"}},
		"trash": {func(w *Workspace) error {
			_, err := w.MoveToTrash(context.Background(), "a",
				at)
			return err
		}, []string{".trash/20261130T090000Z-1/a", "a"}},
		"put back": {func(w *Workspace) error { return w.RestorePath("d", "f") }, []string{"d", "f"}},
		"remove":   {func(w *Workspace) error { return w.RemoveFile("a") }, []string{"a"}},
		"an upload": {func(w *Workspace) error { return w.RemoveUpload("uploads/2026-11-12/131905-a") },
			[]string{"uploads/2026-11-12", "uploads/2026-11-12/131905-a"}},
		"expiry": {func(w *Workspace) error { _, err := w.ExpireUploads(context.Background(), at); return err },
			[]string{"uploads/2026-11-12", "uploads/2026-11-12/131905-a"}},
		"empty folders": {func(w *Workspace) error { return w.RemoveEmptyFolders(context.Background(), "empty") },
			[]string{"empty"}},
		"a draft": {func(w *Workspace) error {
			d, err := w.NewDraft("uploads/2026-11-30", 1)
			if err != nil {
				return err
			}
			defer d.Close()
			_, err = d.CommitAs("b")
			return err
		}, []string{"uploads/2026-11-30/b"}},
	} {
		t.Run(name, func(t *testing.T) {
			ws, _ := open(t, protocol.FilePolicy{}, map[string]string{"a": "x", "d/a": "x",
				"uploads/2026-11-12/131905-a": "x"})
			must(t, ws.root.Mkdir("empty", 0o755))
			record := ws.StartPathRecord()
			must(t, test.do(ws))
			if got := record.Stop(); !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
			_ = ws.RemoveFile("d/a")
			if got := record.Stop(); !slices.Equal(got, test.want) {
				t.Errorf("after its end: %q", got)
			}
		})
	}
}

// TestPathRecord_RefusedChange_ListsNothing: a refused write is no change.
func TestPathRecord_RefusedChange_ListsNothing(t *testing.T) {
	ws, _ := open(t, protocol.FilePolicy{}, map[string]string{"a": "x"})
	record := ws.StartPathRecord()
	if _, err := ws.WriteFile("a", []byte("y"), ModeCreate); err == nil {
		t.Fatal("an existing file was replaced")
	}
	if _, err := ws.MoveFile(t.Context(), "missing", "b"); err == nil {
		t.Fatal(fs.ErrNotExist)
	}
	if got := record.Stop(); len(got) > 0 {
		t.Errorf("got %q", got)
	}
}
