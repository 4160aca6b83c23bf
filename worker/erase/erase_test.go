package erase

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mews/protocol"
)

// must fails the test if one of the errors is not nil.
func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// file makes a file, and the folders around it.
func file(path string) error {
	return errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte("x"), 0o600))
}

// chain makes nested folders, and a file in the innermost one.
func chain(home string, depth int) error {
	root, err := os.OpenRoot(home)
	if err != nil {
		return err
	}
	for range depth {
		below := (*os.Root)(nil)
		if err = root.Mkdir("d", 0o700); err == nil {
			below, err = root.OpenRoot("d")
		}
		if err = errors.Join(err, root.Close()); err != nil {
			return err
		}
		root = below
	}
	return errors.Join(root.WriteFile("last", nil, 0o600), root.Close())
}

func TestRun_AnyTree_LeavesEmptyHome(t *testing.T) {
	for name, lay := range map[string]func(home, outside string) error{
		"nothing": func(string, string) error { return nil },
		"files": func(home, _ string) error {
			return errors.Join(file(home+"/a"), file(home+"/.b"),
				file(home+"/c/d/e"))
		},
		"many files": func(home, _ string) (err error) { return manyFiles(home, 2*batch+7) },
		"a link to a folder": func(home, outside string) error {
			return errors.Join(os.Symlink(outside, home+"/l"), os.Symlink("..", home+"/up"), os.Symlink("gone",
				home+"/gone"))
		},
		"a hard link": func(home, outside string) error { return os.Link(outside+"/kept", home+"/l") },
		"a pipe":      func(home, _ string) error { return syscall.Mkfifo(home+"/pipe", 0o600) },
		"odd names": func(home, _ string) error {
			return errors.Join(file(home+"/\xff\n"), file(home+"/-rf"), file(home+"/ "))
		},
		"a closed file": func(home, _ string) error { return errors.Join(file(home+"/a"), os.Chmod(home+"/a", 0)) },
		"a closed folder": func(home, _ string) error {
			return errors.Join(file(home+"/a/b/c"), os.Chmod(home+"/a/b", 0), os.Chmod(home+"/a", 0))
		},
		"a read-only folder": func(home, _ string) error {
			return errors.Join(file(home+"/a/b"), os.Chmod(home+"/a",
				0o500))
		},
		"a closed home": func(home, _ string) error { return errors.Join(file(home+"/a"), os.Chmod(home, 0)) },
		"deep folders":  func(home, _ string) error { return chain(home, 5*maxDepth) },
		"deep and taken": func(home, _ string) error {
			return errors.Join(file(home+"/deep-1"), chain(home,
				maxDepth+1))
		},
	} {
		t.Run(name, func(t *testing.T) {
			home, outside := t.TempDir(), t.TempDir()
			must(t, file(outside+"/kept"), lay(home, outside))
			asRoot := notRoot(t, home)
			r, err := Run(t.Context(), home, protocol.EraseParameters{Seconds: 60})
			asRoot()
			left, bad := os.ReadDir(home)
			if err != nil || bad != nil || len(left) != 0 || len(r.LeftOut) != 0 || r.More {
				t.Errorf("%+v, %v; left are %v, %v", r, err, left, bad)
			}
			if _, err := os.Stat(outside + "/kept"); err != nil {
				t.Error("a file outside the home is gone")
			}
		})
	}
}

func manyFiles(home string, n int) (err error) {
	for i := range n {
		err = errors.Join(err, file(filepath.Join(home, "many", fmt.Sprint(i))))
	}
	return err
}

// A folder that belongs to another account stays, and its name is reported. Everything else is
// deleted.
func TestRun_ForeignFolder_IsNamed(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can make files of another account")
	}
	home := t.TempDir()
	must(t, file(home+"/a/mine"), file(home+"/b/mine"))
	asRoot := notRoot(t, home)
	asRoot()
	must(t, file(home+"/a/roots/file")) // made as root, after the home was given to another account
	asAgain := notRoot(t, t.TempDir())
	r, err := Run(t.Context(), home, protocol.EraseParameters{Seconds: 60})
	asAgain()
	if err != nil || r.Files != 2 || len(r.LeftOut) == 0 || !strings.HasPrefix(r.LeftOut[0].Path, "a") {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := os.Stat(home + "/a/roots/file"); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(home + "/b"); err == nil {
		t.Error("the folder b is still there")
	}
}

func TestRun_Cancelled_ReturnsCause(t *testing.T) {
	home := t.TempDir()
	must(t, file(home+"/a"))
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if _, err := Run(ctx, home, protocol.EraseParameters{Seconds: 1}); !errors.Is(err, cause) {
		t.Errorf("error %v", err)
	}
}
