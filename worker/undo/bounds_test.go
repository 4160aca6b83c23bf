package undo

import (
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mews/protocol"
)

// shown returns the diff that is shown for changes.
func (f *folder) shown(changes []protocol.Undo) string {
	f.t.Helper()
	r, err := f.undo.RunOperation(f.t.Context(), 1, protocol.UndoParameters{Action: protocol.UndoActionDiff,
		Changes: changes}, f.blobs)
	f.must(err)
	if r.Diff == nil {
		return ""
	}
	text, err := io.ReadAll(&blobReader{run: &run{ctx: f.t.Context(), blobs: f.blobs}, sha256: r.Diff.SHA256})
	f.must(err)
	return string(text)
}

// TestChange_NotUndoable_RecordsReason: the tool changes the file, and records why the change
// cannot be undone.
func TestChange_NotUndoable_RecordsReason(t *testing.T) {
	f := newFolder(t, t.TempDir())
	f.put("large", "")
	f.must(os.Truncate(filepath.Join(f.dir, "large"), protocol.MaxUndoFileBytes+1))
	f.put("small", "three")
	for _, c := range []struct {
		path string
		most int64 // maximum bytes from before changes that may be kept
		why  string
	}{{"large", 0, "more than 16 MiB before"}, {"small", 4, "there is no room"}} {
		f.blobs.most = c.most
		undos := f.call("write_file", map[string]any{"path": c.path, "content": "new", "overwrite": true})
		if len(undos) != 1 || undos[0].Path != c.path || !strings.HasSuffix(undos[0].Obstacle, c.why) {
			t.Errorf("%s: %+v", c.path, undos)
		}
	}
	if text := f.content()["small"]; text != "new" {
		t.Errorf("the file is %q", text)
	}
}

// TestUndo_NoRoom_ChangesNothing checks that an undo changes nothing if there is no room for the
// bytes that it would replace.
func TestUndo_NoRoom_ChangesNothing(t *testing.T) {
	f := newFolder(t, t.TempDir())
	f.put("a", "one\n")
	undos := f.call("append_file", map[string]any{"path": "a", "content": "two"})
	f.blobs.most = 4
	for _, action := range []protocol.UndoAction{protocol.UndoActionUnchangedFiles, protocol.UndoActionForce} {
		if got := f.run(action, undos)[0]; got.Outcome != protocol.UndoOutcomeFailed || got.Why != "there is no room" ||
			f.content()["a"] != "one\ntwo" {
			t.Errorf("%s: %+v, and the file is %q", action, got, f.content()["a"])
		}
	}
}

// TestUndo_PlantedLink_IsNotFollowed plants a link in place of the file or of its folder.
func TestUndo_PlantedLink_IsNotFollowed(t *testing.T) {
	for place, where := range map[string]string{"d/a": "a", "d": ""} {
		outside := newFolder(t, t.TempDir())
		outside.put("a", "theirs\n")
		f := newFolder(t, t.TempDir())
		f.put("d/a", "one\n")
		undos := f.call("append_file", map[string]any{"path": "d/a", "content": "two\n"})
		f.must(os.RemoveAll(filepath.Join(f.dir, place)))
		f.must(os.Symlink(filepath.Join(outside.dir, where), filepath.Join(f.dir, place)))
		left := f.content()
		if got := f.run(protocol.UndoActionUnchangedFiles, undos)[0]; got.Outcome != protocol.UndoOutcomeChangedSince {
			t.Errorf("%s: %+v", place, got)
		}
		if got := f.run(protocol.UndoActionForce, undos)[0]; got.Outcome != protocol.UndoOutcomeFailed {
			t.Errorf("%s, by force: %+v", place, got)
		}
		if text := f.shown(undos); strings.Contains(text, "theirs") {
			t.Errorf("%s: shown is %q", place, text)
		}
		if !maps.Equal(f.content(), left) || !maps.Equal(outside.content(), map[string]string{"a": "theirs\n"}) {
			t.Errorf("%s: the folder is %q, outside of it is %q", place, f.content(), outside.content())
		}
	}
}

// TestDiff_BinaryOrLostFile_ShowsSizes: a binary file, and bytes that are not kept any longer, are
// shown by their sizes.
func TestDiff_BinaryOrLostFile_ShowsSizes(t *testing.T) {
	f := newFolder(t, t.TempDir())
	f.put("a.png", "\x89PNG\x00")
	undos := f.call("write_file", map[string]any{"path": "a.png", "content": "no picture", "overwrite": true})
	if got := f.shown(undos); got != "a.png: 5 bytes before, 10 bytes now\n" {
		t.Errorf("shown is %q", got)
	}
	f.blobs.gone[string(undos[0].Before)] = true
	if got := f.shown(undos); got != "a.png: bytes that are not kept any more before, 10 bytes now\n" {
		t.Errorf("shown is %q once they are gone", got)
	}
	if got := f.run(protocol.UndoActionUnchangedFiles, undos)[0]; got.Outcome != protocol.UndoOutcomeExpired {
		t.Errorf("taken back is %+v", got)
	}
}
