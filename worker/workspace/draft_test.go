package workspace

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

// keep writes a text into a new draft, and commits the draft under a name.
func keep(t *testing.T, ws *Workspace, dir, name, text string) (string, error) {
	t.Helper()
	d, err := ws.NewDraft(dir, int64(len(text)))
	if err != nil {
		return "", err
	}
	_, err = io.WriteString(d, text)
	must(t, err)
	path, err := d.CommitAs(name)
	must(t, err)
	must(t, d.Close())
	return path, nil
}

// TestDraft_NameExists_GetsNumberedName: a taken name gets a number, but a file with the same bytes
// is not stored twice.
func TestDraft_NameExists_GetsNumberedName(t *testing.T) {
	ws, dir := newWorkspace(t)
	home := filepath.Join(filepath.Dir(dir), "folder")
	must(t, os.MkdirAll(filepath.Join(home, "up/day"), 0o755))
	must(t, os.Symlink("../../bird", filepath.Join(home, "up/day/link.txt")))
	must(t, os.Mkdir(filepath.Join(home, "up/day/folder.txt"), 0o755))
	for _, c := range []struct{ name, text, want string }{
		{"a.txt", "one", "up/day/a.txt"}, {"a.txt", "two", "up/day/a-2.txt"}, {"a.txt", "one", "up/day/a.txt"},
		{"a.txt", "two", "up/day/a-2.txt"}, {"a.txt", "six", "up/day/a-3.txt"}, {"none", "", "up/day/none"},
		{"link.txt", "alive", "up/day/link-2.txt"}, {"folder.txt", "one", "up/day/folder-2.txt"},
	} {
		got, err := keep(t, ws, "up/day", c.name, c.text)
		if err != nil || got != c.want || content(t, filepath.Join(home, got)) != c.text {
			t.Errorf("%s of %q: got %q, %v, want %q", c.name, c.text, got, err, c.want)
		}
	}
	if got := files(t, dir); !slices.Equal(got, []string{"bird"}) || content(t, filepath.Join(dir, "bird")) != "alive" {
		t.Errorf("beside the folder there is %q", got)
	}
}

func TestDraft_BadFolder_IsRefused(t *testing.T) {
	ws, canary := newWorkspace(t)
	home := filepath.Join(filepath.Dir(canary), "folder")
	must(t, os.WriteFile(filepath.Join(home, "file"), nil, 0o600))
	must(t, os.Symlink("sub", filepath.Join(home, "inside")))
	for dir, want := range map[string]error{
		"file/day": syscall.ENOTDIR, "abs/day": ErrIsLink, "rel": ErrIsLink, "inside/day": ErrIsLink,
		"../canary": ErrPathOutside,
	} {
		if _, err := ws.NewDraft(dir, 1); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", dir, err, want)
		}
	}
}

// TestDraft_DroppedOrOverQuota_LeavesNothing: neither the file nor a temporary file is left.
func TestDraft_DroppedOrOverQuota_LeavesNothing(t *testing.T) {
	ws, dir, room := newLimited(t)
	d, err := ws.NewDraft("up", 5000)
	must(t, err)
	_, err = d.Write(make([]byte, 5000))
	must(t, err)
	must(t, d.Close())
	if !slices.Equal(room.asked, []int64{8192}) || room.grew != nil {
		t.Errorf("asked for %d, grew by %d", room.asked, room.grew)
	}
	d, err = ws.NewDraft("up", 1)
	must(t, err)
	room.full = true
	if _, err = d.Write(make([]byte, 2)); !errors.Is(err, errNoRoom) {
		t.Errorf("more than it said: %v", err)
	}
	must(t, d.Close())
	if _, err := ws.NewDraft("up", 1); !errors.Is(err, errNoRoom) {
		t.Errorf("without room: %v", err)
	}
	room.full, room.asked, room.grew = false, nil, nil
	_, err = keep(t, ws, "up", "a", "1234")
	must(t, err)
	room.wantAsked(t, 4096)
	if got := files(t, dir); !slices.Equal(got, []string{"a"}) {
		t.Errorf("there are %q", got)
	}
}

// TestDraft_TooLarge_IsRefused: the draft refuses a write that would end the process
// (RLIMIT_FSIZE).
func TestDraft_TooLarge_IsRefused(t *testing.T) {
	ws, dir, _ := newLimited(t)
	var limit syscall.Rlimit
	must(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit))
	lower := limit
	lower.Cur = 2 << 20
	must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &lower))
	defer func() { must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit)) }()
	if _, err := ws.NewDraft("up", 2<<20+1); !errors.Is(err, ErrFileTooLarge) {
		t.Errorf("got %v", err)
	}
	d, err := ws.NewDraft("up", 0)
	must(t, err)
	for range 3 {
		if _, err = d.Write(make([]byte, 1<<20)); err != nil {
			break
		}
	}
	must(t, d.Close())
	if !errors.Is(err, ErrFileTooLarge) || len(files(t, dir)) > 0 {
		t.Errorf("one that grows: %v, and there is %q", err, files(t, dir))
	}
}

func files(t *testing.T, dir string) (all []string) {
	t.Helper()
	must(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			all = append(all, e.Name())
		}
		return err
	}))
	slices.Sort(all)
	return all
}
