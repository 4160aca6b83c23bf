package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mews/protocol"
)

var errNoRoom = errors.New("no room")

// testQuota is a quota that records its calls, and refuses if the test wants that.
type testQuota struct {
	full  bool
	asked []int64
	grew  []int64
}

func (l *testQuota) CheckGrowth(grow int64) error {
	l.asked = append(l.asked, grow)
	if l.full && grow > 0 {
		return errNoRoom
	}
	return nil
}

func (l *testQuota) RecordGrowth(by int64) { l.grew = append(l.grew, by) }

// wantAsked checks the requests to the quota since the last call, and that all of these writes were
// carried out.
func (l *testQuota) wantAsked(t *testing.T, want ...int64) {
	t.Helper()
	if !slices.Equal(l.asked, want) || !slices.Equal(l.grew, want) {
		t.Errorf("asked for %d, grew by %d, want %d", l.asked, l.grew, want)
	}
	l.asked, l.grew = nil, nil
}

func newLimited(t *testing.T) (*Workspace, string, *testQuota) {
	ws, dir := open(t, protocol.FilePolicy{}, nil)
	room := &testQuota{}
	ws.SetQuota(room)
	return ws, dir, room
}

// TestWrite_Quota_CountsFullBlocks: each file counts with whole blocks, because file systems give
// space in blocks.
func TestWrite_Quota_CountsFullBlocks(t *testing.T) {
	ws, dir, room := newLimited(t)
	write := func(name string, n int) {
		t.Helper()
		_, err := ws.WriteFile(name, []byte(strings.Repeat("x", n)), ModeReplace)
		must(t, err)
	}
	add := func(name string, n int) {
		t.Helper()
		_, err := ws.AppendFile(name, []byte(strings.Repeat("x", n)))
		must(t, err)
	}
	write("empty", 0)
	room.wantAsked(t, 0)
	write("a", 1)
	room.wantAsked(t, 4096)
	write("a", 4096)
	room.wantAsked(t, 0)
	write("a", 9000)
	room.wantAsked(t, 8192)
	write("a", 10)
	room.wantAsked(t, -8192)
	add("new", 10)
	room.wantAsked(t, 4096)
	add("new", 10)
	room.wantAsked(t, 0)
	add("new", 8000)
	room.wantAsked(t, 4096)
	must(t, os.Link(filepath.Join(dir, "new"), filepath.Join(dir, "other")))
	write("new", 10) // the old file stays under its other name
	room.wantAsked(t, 4096)
}

func TestWrite_OverQuota_IsRefused(t *testing.T) {
	ws, dir, room := newLimited(t)
	_, err := ws.WriteFile("a", []byte(strings.Repeat("x", 9000)), ModeReplace)
	must(t, err)
	room.wantAsked(t, 12288)
	room.full = true
	_, err = ws.WriteFile("deep/new", []byte("x"), ModeReplace)
	wantError(t, err, errNoRoom, "write deep/new: no room")
	_, err = ws.WriteFile("a", []byte(strings.Repeat("x", 20000)), ModeReplace)
	wantError(t, err, errNoRoom, "write a: no room")
	_, err = ws.AppendFile("a", []byte(strings.Repeat("x", 5000)))
	wantError(t, err, errNoRoom, "append to a: no room")
	_, err = ws.AppendFile("log", []byte("x"))
	wantError(t, err, errNoRoom, "append to log: no room")
	if left, size := names(t, ws, "."), len(content(t, filepath.Join(dir, "a"))); !slices.Equal(left, []string{"a"}) || size != 9000 {
		t.Errorf("there are %q, and a has %d bytes", left, size)
	}
	if room.grew != nil {
		t.Errorf("it grew by %d", room.grew)
	}
}

// TestQuota_Full_AllowsDeletes: shrinking, moving and deleting files need no room. Writing the
// same content again needs no room either.
func TestQuota_Full_AllowsDeletes(t *testing.T) {
	ws, dir, room := newLimited(t)
	_, err := ws.WriteFile("a", []byte(strings.Repeat("x", 9000)), ModeReplace)
	must(t, err)
	room.full = true
	_, err = ws.WriteFile("a", []byte("short"), ModeReplace)
	must(t, err)
	_, err = ws.AppendFile("a", []byte("and a little more in its block"))
	must(t, err)
	_, err = ws.WriteFile("a", []byte(content(t, filepath.Join(dir, "a"))), ModeCreate)
	must(t, err)
	_, err = ws.MoveFile(t.Context(), "a", "b/c")
	must(t, err)
	_, err = ws.MoveToTrash(t.Context(), "b", noon)
	must(t, err)
	sparse := filepath.Join(dir, "sparse")
	must(t, os.WriteFile(sparse, nil, 0o644))
	must(t, os.Truncate(sparse, 1<<20))
	_, err = ws.WriteFile("sparse", []byte("no longer than before, though it took nothing then"), ModeReplace)
	must(t, err)
}
