package serve_test

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"mews/protocol"
	"mews/worker/filehistory"
	"mews/worker/serve"
)

// export returns the members of an archive with the file history, made by a worker of its own
// beside the running one.
func (k *keptHome) export(most int64) (members map[string]string, r protocol.ArchiveResult) {
	k.t.Helper()
	folder, err := os.Open(k.folder)
	if err != nil {
		k.t.Fatal(err)
	}
	other := &keptHome{t: k.t, dir: k.dir, folder: k.folder, ids: 1000 + k.ids}
	other.s = startWorker(k.t, k.t.Context(), serve.Options{History: folder})
	other.greet()
	other.ids++
	other.operate(other.ids, protocol.OperationKindArchive, protocol.ArchiveParameters{MaxBytes: most,
		History: true}, &r)
	members = map[string]string{}
	for all := tar.NewReader(bytes.NewReader(other.s.kept[other.ids])); ; {
		h, err := all.Next()
		if err == io.EOF {
			return members, r
		}
		if err != nil {
			k.t.Fatal(err)
		}
		text, err := io.ReadAll(all)
		if err != nil {
			k.t.Fatal(err)
		}
		members[h.Name] = string(text)
	}
}

// exportedVersions reads the list of versions of an export.
func exportedVersions(t *testing.T, members map[string]string) (list []filehistory.ExportedVersion) {
	t.Helper()
	for line := range strings.Lines(members["history/versions.jsonl"]) {
		var v filehistory.ExportedVersion
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatal(err)
		}
		list = append(list, v)
	}
	return list
}

// TestExport_History_HasAllThatWasThere: the archive has each state of a file from before a program
// or tool, to the byte, with its time and author. The history itself stays as it was.
func TestExport_History_HasAllThatWasThere(t *testing.T) {
	k := newKeptHome(t, map[string]string{"a.md": "one\n", "docs/b": strings.Repeat("large", 1<<19)}, true)
	want := map[string]bool{"a.md one\n": true, "docs/b " + strings.Repeat("large", 1<<19): true}
	for i := range 3 {
		k.turn(bash(fmt.Sprintf("echo step %d > a.md", i)))
		want[fmt.Sprintf("a.md step %d\n", i)] = true
	}
	k.turn(bash("rm -rf docs"), call{"write_file", map[string]any{"path": "c.md", "content": "three\n"}},
		bash("ln -s c.md link"))
	want["c.md three\n"] = true
	k.turn(bash("true")) // before the program starts, everything is kept
	before := k.versionsOf("a.md")
	members, r := k.export(64 << 20)
	if len(r.LeftOut) > 0 || members["left-out.txt"] != "" || members["files/a.md"] != "step 2\n" {
		t.Errorf("%+v, %q", r, members["files/a.md"])
	}
	deleted, linked, byProgram := false, false, false
	for _, v := range exportedVersions(t, members) {
		deleted = deleted || v.Path == "docs/b" && v.Kind == "deleted"
		linked = linked || v.Path == "link" && v.Target == "c.md"
		byProgram = byProgram || v.Path == "a.md" && v.Who.Words == "echo step 1 > a.md" && v.Who.Turn > 0 &&
			!v.Time.IsZero()
		if v.SHA256 == "" {
			continue
		}
		text, there := members["history/files/"+v.SHA256]
		if sum := sha256.Sum256([]byte(text)); !there || hex.EncodeToString(sum[:]) != v.SHA256 {
			t.Errorf("the bytes of %+v: %d, %v", v, len(text), there)
		}
		delete(want, v.Path+" "+text)
	}
	if len(want) > 0 || !deleted || !linked || !byProgram {
		t.Errorf("%d versions lack; deleted %v, linked %v, author %v", len(want), deleted, linked, byProgram)
	}
	if after := k.versionsOf("a.md"); !slices.Equal(after, before) {
		t.Errorf("the export has changed the history: %q, %q before", after, before)
	}
}

// TestExport_HistoryTooLarge_NamesTheRest: an archive has a limit. The newest versions come first,
// and what does not fit is named.
func TestExport_HistoryTooLarge_NamesTheRest(t *testing.T) {
	k := newKeptHome(t, map[string]string{"a": ""}, true)
	for i := range 3 {
		k.turn(bash(fmt.Sprintf("head -c 400000 /dev/zero | tr '\\0' %d > a", i)))
	}
	k.turn(bash("true")) // before the program starts, everything is kept
	members, r := k.export(protocol.MinArchiveBytes + 300000)
	last := sha256.Sum256(bytes.Repeat([]byte("2"), 400000))
	if len(r.LeftOut) != 2 || !strings.HasPrefix(r.LeftOut[0].Path, "history/files/") || members["files/a"] == "" ||
		len(members["history/files/"+hex.EncodeToString(last[:])]) != 400000 ||
		strings.Count(members["left-out.txt"], "\n") != 2 {
		t.Errorf("%+v, %q", r, members["left-out.txt"])
	}
}

// TestExport_NoHistory_SaysSo: the home is packed all the same.
func TestExport_NoHistory_SaysSo(t *testing.T) {
	k := newKeptHome(t, map[string]string{"a.md": "one\n"}, false)
	k.ids++
	var r protocol.ArchiveResult
	k.operate(k.ids, protocol.OperationKindArchive, protocol.ArchiveParameters{MaxBytes: 4 << 20, History: true}, &r)
	if len(r.LeftOut) != 1 || r.LeftOut[0].Path != "history" || r.Files != 1 {
		t.Errorf("%+v", r)
	}
}
