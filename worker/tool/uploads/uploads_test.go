package uploads

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/worker"
	"mews/worker/workspace"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// tools makes the tools over a folder with these files.
func tools(t *testing.T, files ...string) (dir string, run func(name, arguments string) (worker.Result, error)) {
	t.Helper()
	dir = t.TempDir()
	for _, name := range files {
		path := filepath.Join(dir, name)
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil {
			err = os.WriteFile(path, []byte("abc"), 0o600)
		}
		if err == nil {
			err = os.Chtimes(path, noon, noon)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	ws, err := workspace.Open(dir, protocol.FilePolicy{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := ws.Close(); err != nil {
			t.Error(err)
		}
	})
	known := map[string]worker.Tool{}
	for _, tool := range Tools(ws, func() time.Time { return noon }, time.UTC) {
		known[tool.Name] = tool
	}
	return dir, func(name, arguments string) (worker.Result, error) {
		return known[name].Run(t.Context(), worker.Call{Arguments: json.RawMessage(arguments)})
	}
}

func TestList_Uploads_AreNewestFirst(t *testing.T) {
	_, run := tools(t)
	if r, err := run("list_uploads", `{}`); err != nil || r.Text != "There are no files in uploads/." || r.World {
		t.Errorf("none: %+v, %v", r, err)
	}
	_, run = tools(t, "uploads/2026-11-19/235900-b.pdf", "uploads/2026-11-20/080000-c.txt", "uploads/2026-11-18/080000-a.txt", "uploads/mine.md", "x.md")
	r, err := run("list_uploads", `{"limit":3}`)
	want := "uploads/mine.md  3 bytes  2026-11-20 12:00\nuploads/2026-11-20/080000-c.txt  3 bytes  2026-11-20 08:00\n" +
		"uploads/2026-11-19/235900-b.pdf  3 bytes  2026-11-19 23:59\n... and 1 older ones; raise limit."
	if err != nil || r.Text != want || r.Brief != "4 files" || !r.World {
		t.Errorf("got %+v, %v", r, err)
	}
}

func TestDelete_Upload_MovesToTrash(t *testing.T) {
	dir, run := tools(t, "uploads/2026-11-20/080000-c.txt", "x.md")
	if err := os.Symlink("../x.md", filepath.Join(dir, "uploads/link.md")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"x.md", "uploads", "uploads/2026-11-20", "uploads/../x.md", "../x", "uploads/none", ""} {
		if r, err := run("delete_upload", `{"path":"`+path+`"}`); err == nil {
			t.Errorf("%q: got %+v", path, r)
		}
	}
	r, err := run("delete_upload", `{"path":"uploads/2026-11-20/080000-c.txt"}`)
	if err != nil || len(r.Changes) != 1 || r.Changes[0].Target != "uploads/2026-11-20/080000-c.txt" || !strings.Contains(r.Text, "in the trash now, at .trash/") {
		t.Errorf("got %+v, %v", r, err)
	}
	if _, err := run("delete_upload", `{"path":"uploads/link.md"}`); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "x.md")); err != nil {
		t.Errorf("what a link leads to is gone: %v", err)
	}
	if r, err := run("list_uploads", `{}`); err != nil || r.World {
		t.Errorf("got %+v, %v", r, err)
	}
}

// storedFiles records the bytes of files.
type storedFiles struct{ bytes []string }

func (k *storedFiles) StoreBlob(_ context.Context, r io.Reader, most int64) (protocol.BlobRef, error) {
	data, err := io.ReadAll(io.LimitReader(r, most))
	k.bytes = append(k.bytes, string(data))
	return protocol.BlobRef{Size: int64(len(data))}, err
}

// A button below a list acts on its own file, even if the file has moved to another position in the
// list.
func TestUploads_ButtonOfList_ActsOnListedFile(t *testing.T) {
	var names []string
	for i := range 10 {
		names = append(names, fmt.Sprintf("uploads/2026-11-20/08000%d-a.txt", i))
	}
	dir, _ := tools(t, append(names, "x.md")...)
	ws, err := workspace.Open(dir, protocol.FilePolicy{})
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	blobs := &storedFiles{}
	run := func(p protocol.UploadsParameters) protocol.UploadsResult {
		t.Helper()
		r, err := RunOperation(t.Context(), p, ws, time.UTC, blobs)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Validate(); err != nil {
			t.Error(err)
		}
		return r
	}
	page := run(protocol.UploadsParameters{Action: protocol.UploadedFilesActionList})
	if page.Total != 10 || len(page.Files) != 8 || page.Files[0] != (protocol.Upload{Path: names[9], Size: 3, SentAt: "2026-11-20 08:00"}) {
		t.Errorf("first there are %+v", page)
	}
	key := func(i int) string { return protocol.UploadKey(names[i]) }
	if r := run(protocol.UploadsParameters{Action: protocol.UploadedFilesActionSend, Key: key(9)}); r.Blob == nil ||
		len(blobs.bytes) != 1 || blobs.bytes[0] != "abc" {
		t.Errorf("sent is %+v", r)
	}
	if r := run(protocol.UploadsParameters{Action: protocol.UploadedFilesActionRead, Path: "x.md"}); r.Blob == nil ||
		len(r.Files) != 0 || len(blobs.bytes) != 2 {
		t.Errorf("read is %+v", r)
	}
	for range 2 { // run the operation twice, as after a crash
		run(protocol.UploadsParameters{Action: protocol.UploadedFilesActionDelete, Key: key(9)})
	}
	if _, err := os.Stat(filepath.Join(dir, names[9])); !os.IsNotExist(err) {
		t.Errorf("it is there: %v", err)
	}
	for name, c := range map[string]struct {
		p     protocol.UploadsParameters
		from  int
		first string
	}{
		"behind one":           {protocol.UploadsParameters{Key: key(2), Offset: 8}, 7, names[1]},
		"after a deleted file": {protocol.UploadsParameters{Key: key(9), Offset: 8}, 1, names[7]},
	} {
		c.p.Action = protocol.UploadedFilesActionList
		if r := run(c.p); r.From != c.from || r.Total != 9 || r.Files[0].Path != c.first {
			t.Errorf("%s: %+v", name, r)
		}
	}
	for _, action := range []protocol.UploadedFilesAction{protocol.UploadedFilesActionSend,
		protocol.UploadedFilesActionDelete} {
		if r := run(protocol.UploadsParameters{Action: action, Key: protocol.UploadKey("x.md")}); len(r.Files) != 0 {
			t.Errorf("%s of what is no upload: %+v", action, r)
		}
	}
}

func TestOperation_Remove_SkipsTheTrash(t *testing.T) {
	const name = "uploads/2026-11-20/080000-a.ogg"
	dir, _ := tools(t, name, name+".txt")
	ws, err := workspace.Open(dir, protocol.FilePolicy{})
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	for _, path := range []string{name, name, name + ".txt"} { // run the operation twice, as after a crash
		p := protocol.UploadsParameters{Action: protocol.UploadedFilesActionRemove, Key: protocol.UploadKey(path)}
		if _, err := RunOperation(t.Context(), p, ws, time.UTC, &storedFiles{}); err != nil {
			t.Error(err)
		}
	}
	left, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil || len(left) != 0 {
		t.Errorf("left is %q, %v", left, err)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
		t.Errorf("there is %v, %v, want uploads alone", list, err)
	}
}
