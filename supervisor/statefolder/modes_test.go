package statefolder

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/hashicorp/go-hclog"
)

// A program of the same account may have changed the mode of any file.
func TestFileModes_ChangedMode_IsRestored(t *testing.T) {
	m := FileModeRestorer{Private: filepath.Join(t.TempDir(), "private"), Log: hclog.NewNullLogger()}
	private := func(name string) string { return filepath.Join(m.Private, name) }
	want := map[string]os.FileMode{"": 0o700, "mews.db": 0o600, "seal.key": 0o600}
	err := errors.Join(os.Mkdir(private(""), 0o700), os.WriteFile(private("mews.db"), nil, 0o600),
		os.WriteFile(private("seal.key"), nil, 0o600))
	for _, made := range []os.FileMode{0o777, 0, 0o600} {
		for name := range want {
			err = errors.Join(err, os.Chmod(private(name), made))
			if name == "" {
				// Without the right to enter the folder, this test can't read the file modes in it.
				err = errors.Join(err, os.Chmod(private(name), made|0o100))
			}
		}
		m.restore()
		for name, mode := range want {
			info, bad := os.Stat(private(name))
			if bad != nil || info.Mode().Perm() != mode {
				t.Errorf("%s made %v: %v, %v", filepath.Base(private(name)), made, info.Mode(), bad)
			}
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}
