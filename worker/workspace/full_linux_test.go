package workspace

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"mews/protocol"
)

// tinyDisk mounts a file system of 256 KiB.
func tinyDisk(t *testing.T) (*Workspace, string) {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=256k,nr_inodes=64"); err != nil {
		t.Skipf("a disk that can be filled takes mounting a tmpfs, which needs CAP_SYS_ADMIN here: %v", err)
	}
	t.Cleanup(func() { must(t, unix.Unmount(dir, 0)) })
	ws, err := Open(dir, protocol.FilePolicy{})
	must(t, err)
	t.Cleanup(func() { must(t, ws.Close()) })
	return ws, dir
}

func TestWrite_FullDisk_KeepsOldFile(t *testing.T) {
	ws, dir := tinyDisk(t)
	big := bytes.Repeat([]byte("x"), 300<<10)
	_, err := ws.WriteFile("old", []byte("precious\n"), ModeReplace)
	must(t, err)
	_, err = ws.WriteFile("old", big, ModeReplace)
	wantError(t, err, syscall.ENOSPC, "write old: the disk is full; make room and try again")
	_, err = ws.AppendFile("old", big)
	wantError(t, err, syscall.ENOSPC, "append to old: the disk is full")
	_, err = ws.AppendFile("new", big)
	wantError(t, err, syscall.ENOSPC, "append to new: the disk is full")
	if got := content(t, filepath.Join(dir, "old")); got != "precious\n" {
		t.Fatalf("the old file holds %d bytes: %.40q", len(got), got)
	}
	var left []string
	must(t, walk(t.Context(), ws.root, ".", allEntries, func(e Entry) error { left = append(left, e.Path); return nil }))
	if !slices.Equal(left, []string{"old"}) {
		t.Fatalf("left on the disk: %v", left)
	}
}

func TestWrite_ReadOnlyDisk_Fails(t *testing.T) {
	ws, dir := tinyDisk(t)
	_, err := ws.WriteFile("old", []byte("x"), ModeReplace)
	must(t, err)
	must(t, unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""))
	_, err = ws.WriteFile("old", []byte("y"), ModeReplace)
	wantError(t, err, syscall.EROFS, "write old: the disk can only be read")
	_, err = ws.MoveToTrash(t.Context(), "old", noon)
	wantError(t, err, syscall.EROFS, "delete old: the disk can only be read")
}

func TestMoveToTrash_OtherDisk_IsRefused(t *testing.T) {
	ws, dir := open(t, protocol.FilePolicy{}, nil)
	must(t, os.Mkdir(filepath.Join(dir, "disk"), 0o755))
	if err := unix.Mount("tmpfs", filepath.Join(dir, "disk"), "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("a second disk takes mounting a tmpfs, which needs CAP_SYS_ADMIN here: %v", err)
	}
	t.Cleanup(func() { must(t, unix.Unmount(filepath.Join(dir, "disk"), 0)) })
	_, err := ws.WriteFile("disk/a", []byte("x"), ModeReplace)
	must(t, err)
	_, err = ws.MoveToTrash(t.Context(), "disk/a", noon)
	wantError(t, err, syscall.EXDEV, "delete disk/a: it is on another disk")
	if left := names(t, ws, trash); len(left) != 0 || content(t, filepath.Join(dir, "disk/a")) != "x" {
		t.Fatalf("left in the trash: %v", left)
	}
}

func TestWrite_LongName_IsRefused(t *testing.T) {
	ws, _ := open(t, protocol.FilePolicy{}, nil)
	_, err := ws.WriteFile(strings.Repeat("ä", 127)+"/"+strings.Repeat("ä", 128), nil, ModeReplace)
	wantError(t, err, syscall.ENAMETOOLONG, "a name has at most 255 bytes")
}
