package serve_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mews/protocol"
)

// digits matches the part of the words of undos and restores that no test can foresee.
var digits = regexp.MustCompile(` \([0-9a-f]{8}\)`)

// versionsOf lists the versions of a path, newest first, as author and state.
func (k *keptHome) versionsOf(path string) (list []string) {
	k.t.Helper()
	for _, v := range k.fileHistory(protocol.FileHistoryParameters{Action: protocol.FileHistoryVersions,
		Path: path}).Versions {
		state := "file"
		if !v.State.IsHash() {
			state = string(v.State)
		}
		list = append(list, strings.TrimSpace(fmt.Sprintf("%s %d %s: %s", v.By.Kind, v.By.Turn,
			digits.ReplaceAllString(v.By.Words, ""), state)))
	}
	return list
}

// TestFileHistory_EachChange_HasItsAuthor: each change makes a version with its author. Tools,
// programs, uploads, corrections, undos and restores make changes.
func TestFileHistory_EachChange_HasItsAuthor(t *testing.T) {
	k := newKeptHome(t, map[string]string{"a.md": "one\n"}, true)
	results := k.turn(
		call{"write_file", map[string]any{"path": "a.md", "content": "two\n", "overwrite": true}},
		bash("echo three > a.md"))
	k.undo(protocol.UndoActionUnchangedFiles, undos(results[1]))
	k.undo(protocol.UndoActionUnchangedFiles, undos(results[0]))
	k.turn(bash("rm a.md"))
	want := []string{"program 4 rm a.md:", "undo 0 undo 3: file", "undo 0 undo 2: file",
		"program 1 echo three > a.md: file",
		"tool 1 write_file: file"}
	got := k.versionsOf("a.md")
	if diff := cmp.Diff(want, got[:min(len(got), len(want))]); diff != "" {
		t.Errorf("%q\n%s", got, diff)
	}
}

// TestFileHistory_Operations_RecordChanges: files that the user sends, facts and logs have versions
// too.
func TestFileHistory_Operations_RecordChanges(t *testing.T) {
	k := newKeptHome(t, map[string]string{"MEMORY.md": "- likes tea <!-- k1 fact 0.9 2026-11-20 #1 -->\n"}, true)
	k.turn(bash("true"))
	const text = "the report\n"
	ref := refOf(text)
	k.ids++
	k.s.kept[k.ids] = []byte(text)
	var received protocol.ReceiveResult
	k.operate(k.ids, protocol.OperationKindReceive, json.RawMessage(fmt.Sprintf(
		`{"sent_at":86400,"files":[{"blob":{"sha256":%q,"size":%d},"kind":"document","name":"a.txt"}]}`, ref.SHA256,
		ref.Size)), &received)
	upload := received.Files[0].Path
	if got := k.versionsOf(upload); len(got) != 1 || got[0] != "user 0 received files: file" {
		t.Errorf("of an upload: %q", got)
	}
	before := k.content()
	k.undo(protocol.UndoActionUnchangedFiles, undos(k.turn(bash("rm -rf uploads"))...))
	if diff := cmp.Diff(before, k.content()); diff != "" {
		t.Error(diff)
	}
	k.ids++
	var removed protocol.UploadsResult
	k.operate(k.ids, protocol.OperationKindUploads,
		protocol.UploadsParameters{Action: protocol.UploadedFilesActionRemove,
			Key: protocol.UploadKey(upload)}, &removed)
	if got := k.versionsOf(upload); len(removed.Files) != 1 || len(got) > 0 {
		t.Errorf("of an upload that was removed for good: %q", got)
	}
	k.ids++
	var corrected protocol.MemoryResult
	k.operate(k.ids, protocol.OperationKindMemory, protocol.MemoryParameters{Action: protocol.MemoryActionCorrect,
		ID: "k1", Text: "likes coffee"}, &corrected)
	if got := k.versionsOf("MEMORY.md"); got[0] != "tool 0 memory: file" {
		t.Errorf("of a corrected fact: %q, %+v", got, corrected)
	}
}

// TestFileHistory_Actions_ShowAndRestore: the test runs each action of the operation on a file with
// two versions.
func TestFileHistory_Actions_ShowAndRestore(t *testing.T) {
	k := newKeptHome(t, map[string]string{"docs/a.md": "one\n", "docs/b.md": "two\n"}, true)
	k.turn(bash("true"))
	before := k.content()
	k.turn(bash("echo more >> docs/a.md; rm docs/b.md; echo c > docs/c.md"))
	after := k.content()
	list := k.fileHistory(protocol.FileHistoryParameters{Action: protocol.FileHistoryVersions,
		Path: "docs/a.md"}).Versions
	if len(list) < 2 {
		t.Fatalf("got %+v", list)
	}
	at := list[1]
	shown := k.fileHistory(protocol.FileHistoryParameters{Action: protocol.FileHistoryShow, Path: "docs/a.md",
		Point: at.Point})
	if shown.Blob == nil || *shown.Blob != refOf("one\n") || string(k.s.kept[k.ids]) != "one\n" {
		t.Errorf("shown: %+v", shown)
	}
	byTime := k.fileHistory(protocol.FileHistoryParameters{Action: protocol.FileHistoryShow, Path: "docs/a.md",
		At: list[0].At})
	if byTime.Blob == nil || *byTime.Blob != refOf("one\nmore\n") {
		t.Errorf("shown by time: %+v", byTime)
	}
	diff := k.fileHistory(protocol.FileHistoryParameters{Action: protocol.FileHistoryDiff, Path: "docs/a.md",
		Point: at.Point})
	if diff.Blob == nil || !strings.Contains(string(k.s.kept[k.ids]), "\n one\n+more\n") {
		t.Errorf("compared: %+v, %s", diff, k.s.kept[k.ids])
	}
	same := k.fileHistory(protocol.FileHistoryParameters{Action: protocol.FileHistoryDiff, Path: "docs/a.md"})
	if same.Blob != nil {
		t.Errorf("compared with itself: %+v", same)
	}
	preview := k.fileHistory(protocol.FileHistoryParameters{Action: protocol.FileHistoryPreview, Path: "docs",
		Point: at.Point})
	if preview.Restored.Count != 2 || preview.Deleted.Count != 1 || preview.Span != nil || !cmp.Equal(after,
		k.content()) {
		t.Errorf("preview: %+v", preview)
	}
	copied := k.fileHistory(protocol.FileHistoryParameters{Action: protocol.FileHistoryRestore, Path: "docs",
		Point: at.Point, Copy: "old/docs"})
	if now := k.content(); copied.Span == nil || !strings.HasSuffix(now["old/docs/a.md"], " one\n") ||
		now["docs/b.md"] != "" {
		t.Errorf("a copy: %+v, %q", copied, now)
	}
	k.undo(protocol.UndoActionUnchangedFiles, []protocol.Undo{{Path: ".", Span: copied.Span}})
	restored := k.fileHistory(protocol.FileHistoryParameters{Action: protocol.FileHistoryRestore, Path: "docs",
		Point: at.Point})
	if diff := cmp.Diff(before, k.content()); diff != "" || restored.Span == nil {
		t.Errorf("restored: %+v\n%s", restored, diff)
	}
	k.undo(protocol.UndoActionUnchangedFiles, []protocol.Undo{{Path: ".", Span: restored.Span}})
	if diff := cmp.Diff(after, k.content()); diff != "" {
		t.Errorf("after its undo:\n%s", diff)
	}
	if gone := k.fileHistory(protocol.FileHistoryParameters{Action: protocol.FileHistoryForget,
		Paths: []string{"docs/b.md"}}); gone.VersionCount == 0 {
		t.Errorf("forgotten: %+v", gone)
	}
	if left := k.versionsOf("docs/b.md"); len(left) > 0 {
		t.Errorf("after forgetting: %q", left)
	}
	space := k.fileHistory(protocol.FileHistoryParameters{Action: protocol.FileHistorySpace}).Space
	if space == nil || space.Off != "" || space.Bytes == 0 {
		t.Errorf("space: %+v", space)
	}
}

// TestFileHistory_BadRequests_SayWhy: each refusal says what is wrong.
func TestFileHistory_BadRequests_SayWhy(t *testing.T) {
	k := newKeptHome(t, map[string]string{"docs/a.md": "one\n"}, true)
	k.turn(bash("true"), bash("echo b > docs/b"))
	off := newKeptHome(t, nil, false)
	for name, test := range map[string]struct {
		k          *keptHome
		parameters string
		want       string
	}{
		"no history":          {off, `{"action":"versions","path":"a"}`, "no file history is kept here"},
		"a path outside":      {k, `{"action":"show","path":"../a"}`, "parameters: path"},
		"an unknown action":   {k, `{"action":"burn","path":"a"}`, "parameters: action"},
		"a file that was not": {k, `{"action":"show","path":"missing"}`, "it did not exist then"},
		"a folder shown":      {k, `{"action":"show","path":"docs"}`, "it was a folder"},
		"a folder compared":   {k, `{"action":"diff","path":"docs"}`, "it was a folder"},
		"before the first": {k, `{"action":"show","path":"docs/a.md","at":"2001-01-01T00:00:00Z"}`,
			"nothing that old is kept"},
		"no moment":    {k, `{"action":"restore","path":"docs"}`, "name a point or a time"},
		"a late point": {k, `{"action":"restore","path":"docs","point":1000}`, "no such version is kept"},
	} {
		k.ids++
		_, err := test.k.s.operation(t.Context(), 1000+k.ids, protocol.OperationKindFileHistory, test.parameters)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
	space := off.fileHistory(protocol.FileHistoryParameters{Action: protocol.FileHistorySpace}).Space
	if space == nil || space.Off != "no file history is kept here" {
		t.Errorf("space: %+v", space)
	}
}

// TestRestoreTool_Restores_IsAnEffect: the assistant lists versions, previews and restores one. The
// restore is in the ledger and can be undone.
func TestRestoreTool_Restores_IsAnEffect(t *testing.T) {
	k := newKeptHome(t, map[string]string{"docs/a.md": "one\n"}, true)
	before := k.content()
	k.turn(bash("rm -rf docs"))
	after := k.content()
	listed := k.turn(call{"file_history", map[string]any{"path": "docs/a.md"}})[0]
	line := regexp.MustCompile(`(?m)^version (\d+-[0-9a-f]{1,4})  \d{4}-\d\d-\d\d \d\d:\d\d  4 bytes  `)
	match := line.FindStringSubmatch(listed.Text)
	if match == nil || !strings.Contains(listed.Text, "  deleted  program: rm -rf docs\n") || len(listed.Changes) > 0 {
		t.Fatalf("listed: %s", listed.Text)
	}
	version := match[1]
	preview := k.turn(call{"restore_file", map[string]any{"path": "docs", "version": version, "preview": true}})[0]
	if len(preview.Changes) > 0 || !strings.Contains(preview.Text, "would be restored") || !cmp.Equal(after,
		k.content()) {
		t.Errorf("preview: %+v", preview)
	}
	restored := k.turn(call{"restore_file", map[string]any{"path": "docs", "version": version}})[0]
	if diff := cmp.Diff(before, k.content()); diff != "" || len(restored.Changes) != 1 ||
		restored.Changes[0].Kind != "restore" || restored.Changes[0].Target != "docs" {
		t.Fatalf("restored: %+v\n%s", restored, diff)
	}
	k.undo(protocol.UndoActionUnchangedFiles, undos(restored))
	if diff := cmp.Diff(after, k.content()); diff != "" {
		t.Errorf("undone:\n%s", diff)
	}
	copied := k.turn(call{"restore_file", map[string]any{"path": "docs/a.md", "version": version,
		"copy_to": "old.md"}})[0]
	if text, err := os.ReadFile(filepath.Join(k.dir, "old.md")); err != nil || string(text) != "one\n" ||
		copied.Changes[0].Target != "old.md" {
		t.Errorf("a copy: %+v, %v", copied, err)
	}
	for name, arguments := range map[string]map[string]any{
		"give either version or at":   {"path": "docs"},
		"want a time such as":         {"path": "docs", "at": "yesterday"},
		"nothing that old is kept":    {"path": "docs", "at": "2001-01-01 09:00"},
		"no such version is kept":     {"path": "missing", "version": version},
		"it leads out of the folder":  {"path": "../docs", "version": version},
		"copy_to is the whole home":   {"path": "docs", "version": version, "copy_to": "."},
		"it leads out of the folder ": {"path": "docs", "version": version, "copy_to": "../x"},
	} {
		if r := k.turn(call{"restore_file", arguments})[0]; !r.Failed || !strings.Contains(r.Text,
			strings.TrimSpace(name)) {
			t.Errorf("%v: %q, want %q", arguments, r.Text, name)
		}
	}
}

// TestTurn_WithoutTools_LeavesHistoryAlone: such a turn neither looks at the home nor writes to the
// history.
func TestTurn_WithoutTools_LeavesHistoryAlone(t *testing.T) {
	k := newKeptHome(t, map[string]string{"a.md": "one\n"}, true)
	k.turn()
	// the file is kept after the first look at the home, so the next look is an hour away then
	for kept := int64(0); kept < 1; {
		kept = k.fileHistory(protocol.FileHistoryParameters{Action: protocol.FileHistorySpace}).Space.Files
	}
	k.write("b.md", "a look would record this")
	before := k.packs()
	k.turn()
	if diff := cmp.Diff(before, k.packs()); diff != "" {
		t.Errorf("the turn wrote to the history:\n%s", diff)
	}
	k.turn(bash("true"))
	if cmp.Equal(before, k.packs()) {
		t.Error("a program's start did not keep the new file")
	}
}

// packs returns the sizes of the packs by name.
func (k *keptHome) packs() map[string]int64 {
	k.t.Helper()
	all := map[string]int64{}
	entries, err := os.ReadDir(k.folder)
	if err != nil {
		k.t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			k.t.Fatal(err)
		}
		if strings.HasSuffix(e.Name(), ".pack") {
			all[e.Name()] = info.Size()
		}
	}
	return all
}
