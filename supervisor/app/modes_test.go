package app

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"mews/config"
)

// TestThePrivateFolderKeepsItsModes: whatever a program of the same account has made of them.
func TestThePrivateFolderKeepsItsModes(t *testing.T) {
	s := storage{config: &config.Config{State: t.TempDir()}, log: Discard()}
	want := map[string]os.FileMode{"": 0o700, "mews.db": 0o600, "seal.key": 0o600}
	err := errors.Join(os.Mkdir(s.private(""), 0o700), os.WriteFile(s.private("mews.db"), nil, 0o600), os.WriteFile(s.private("seal.key"), nil, 0o600))
	for _, made := range []os.FileMode{0o777, 0, 0o600} {
		for name := range want {
			err = errors.Join(err, os.Chmod(s.private(name), made))
			if name == "" {
				// else not even this test gets into it
				err = errors.Join(err, os.Chmod(s.private(name), made|0o100))
			}
		}
		s.restoreModes()
		for name, mode := range want {
			info, bad := os.Stat(s.private(name))
			if bad != nil || info.Mode().Perm() != mode {
				t.Errorf("%s made %v: %v, %v", filepath.Base(s.private(name)), made, info.Mode(), bad)
			}
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}
