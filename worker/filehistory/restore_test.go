package filehistory

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mews/protocol"
)

var byRestore = protocol.HistoryAuthor{Kind: protocol.HistoryAuthorRestore, Words: "restore 1"}

func (f *fixture) restore(r RestoreRequest) RestoreResult {
	f.t.Helper()
	result, err := f.h.Restore(context.Background(), r, byRestore)
	f.check(err)
	return result
}

func TestRestore_HomeOfYesterday_ComesBack(t *testing.T) {
	f := newFixture(t)
	f.write("diary", "monday")
	f.write("notes/a", "1")
	f.program(func() { f.write("made", "by a program") })
	was := f.contents()
	f.keepAll()
	yesterday := f.time()
	f.pass(24 * time.Hour)
	f.program(func() {
		f.write("diary", "tuesday")
		f.check(os.RemoveAll(f.path("notes")))
		f.write("new/file", "2")
	})
	f.write("by hand", "3")
	now := f.contents()
	point, err := f.h.FindPoint(yesterday)
	f.check(err)
	preview := f.restore(RestoreRequest{Path: ".", Point: point, Preview: true})
	if diff := cmp.Diff(now, f.contents()); diff != "" || preview.Span.To != 0 {
		t.Fatalf("the preview changed something: %+v %s", preview, diff)
	}
	result := f.restore(RestoreRequest{Path: ".", Point: point})
	if diff := cmp.Diff(was, f.contents()); diff != "" {
		t.Errorf("got %+v\n%s", result, diff)
	}
	result.Span, preview.Span = protocol.HistorySpan{}, protocol.HistorySpan{}
	if diff := cmp.Diff(preview, result); diff != "" || result.Deleted.Count != 3 || result.Restored.Count != 3 {
		t.Errorf("got %+v\n%s", result, diff)
	}
}

func TestRestore_Undone_BringsPresentBack(t *testing.T) {
	f := newFixture(t)
	f.write("a", "one")
	f.program(func() {})
	f.check(f.h.do(func(*store) error { return nil }))
	point := int64(1)
	f.write("a", "two")
	f.write("b", "three")
	now := f.contents()
	result := f.restore(RestoreRequest{Path: ".", Point: point})
	if f.read("a") != "one" {
		t.Fatalf("got %q, %+v", f.read("a"), result)
	}
	f.undo(result.Span, false, "undo 1")
	if diff := cmp.Diff(now, f.contents()); diff != "" {
		t.Error(diff)
	}
}

func TestRestore_Copy_LeavesOriginal(t *testing.T) {
	f := newFixture(t)
	f.write("dir/a", "one")
	f.check(os.Symlink("a", f.path("dir/link")))
	f.program(func() {})
	f.write("dir/a", "two")
	result := f.restore(RestoreRequest{Path: "dir", Point: 1, Copy: "old/dir"})
	if got := f.read("dir/a") + f.read("old/dir/link"); got != "twoone" || result.Restored.Count != 3 {
		t.Errorf("got %q, %+v", got, result)
	}
	_, err := f.h.Restore(context.Background(), RestoreRequest{Path: "dir", Point: 1, Copy: "old/dir"},
		protocol.HistoryAuthor{Kind: protocol.HistoryAuthorRestore, Words: "restore 2"})
	if !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v", err)
	}
	result = f.restore(RestoreRequest{Path: ".", Point: 1, Copy: "everything"})
	if f.read("everything/dir/a") != "one" {
		t.Errorf("got %+v", result)
	}
}

// smallQuota is the number of bytes by which a home may grow.
type smallQuota int64

var errSmallQuota = errors.New("no room")

func (q smallQuota) CheckGrowth(bytes int64) error {
	if bytes > int64(q) {
		return errSmallQuota
	}
	return nil
}

func (q smallQuota) RecordGrowth(int64) {}

// A copy that has no room is refused before a file of it is made.
func TestRestore_CopyWithoutRoom_MakesNothing(t *testing.T) {
	f := newFixture(t)
	for i := range 5 {
		f.write(fmt.Sprint("dir/", i), strings.Repeat("x", 1000))
	}
	f.program(func() {})
	f.h.options.Home.SetQuota(smallQuota(4999))
	r := RestoreRequest{Path: "dir", Point: 1, Copy: "copy"}
	if _, err := f.h.Restore(context.Background(), r, byRestore); !errors.Is(err, errSmallQuota) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Lstat(f.path("copy")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the copy: %v", err)
	}
	f.h.options.Home.SetQuota(smallQuota(5000))
	if result, err := f.h.Restore(context.Background(), r, byRestore); err != nil || result.Restored.Count != 6 {
		t.Errorf("got %+v, %v", result, err)
	}
}

func TestRestore_PresentNotKept_Stays(t *testing.T) {
	f := newFixture(t)
	f.write("a", "1")
	f.program(func() {})
	f.write("node_modules/x/index.js", "large")
	result := f.restore(RestoreRequest{Path: ".", Point: 1})
	if result.NotKept.Count == 0 || f.read("node_modules/x/index.js") != "large" {
		t.Errorf("got %+v", result)
	}
}

func TestRestore_SparseFile_KeepsHoles(t *testing.T) {
	f := newFixture(t)
	file, err := os.Create(f.path("sparse"))
	f.check(err)
	_, err = file.WriteAt([]byte("end"), 8<<20)
	f.check(err)
	f.check(file.Close())
	was, size := f.read("sparse"), usedBytes(t, f.path("sparse"))
	span := f.program(func() { f.check(os.Remove(f.path("sparse"))) })
	f.undo(span, false, "undo 1")
	if got := usedBytes(t, f.path("sparse")); f.read("sparse") != was || got > size+64<<10 {
		t.Errorf("it takes %d bytes on the disk, want about %d", got, size)
	}
}

func TestVersions_FileAndFolder_ListsNewestFirst(t *testing.T) {
	f := newFixture(t)
	f.write("dir/a", "one")
	f.program(func() { f.write("dir/a", "two") })
	f.program(func() { f.check(os.Remove(f.path("dir/a"))) })
	list, _, err := f.h.Versions("dir/a", 0)
	f.check(err)
	if len(list) != 3 || list[0].State != protocol.FileStateAbsent || list[2].Size != 3 {
		t.Errorf("got %+v", list)
	}
	folder, _, err := f.h.Versions("dir", 0)
	f.check(err)
	if len(folder) != 3 {
		t.Errorf("got %+v", folder)
	}
	older, _, err := f.h.Versions("dir/a", list[1].Point)
	f.check(err)
	if len(older) != 1 || older[0].Point != list[2].Point {
		t.Errorf("got %+v", older)
	}
	for range 60 {
		f.program(func() { f.write("dir/b", f.read("dir/b")+"x") })
	}
	if list, more, _ := f.h.Versions("dir/b", 0); len(list) != protocol.MaxFileVersions || !more {
		t.Errorf("got %d versions, more %v", len(list), more)
	}
}
