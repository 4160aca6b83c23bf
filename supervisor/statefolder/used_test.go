package statefolder

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestHasEarlierFiles_AnyFile_IsFound(t *testing.T) {
	for name, want := range map[string]bool{
		"": false, "lock": false, "mews.log": false, "homes/": false, "private/": false, "private/mews.db": false,
		"private/mews.db-journal": false, "private/mews.db-shm": false, "private/mews.db-wal": true,
		"private/index.db": true, "private/update/": false, "private/drill.json": false,
		"private/seal.key": true, "private/spool/": true, "private/mews.db.schema42": true, "homes/ann/": true,
	} {
		state := t.TempDir()
		path := filepath.Join(state, name)
		if err := os.MkdirAll(filepath.Dir(path+"x"), 0o700); err != nil {
			t.Fatal(err)
		}
		if name != "" && name[len(name)-1] == '/' {
			if err := os.MkdirAll(path, 0o700); err != nil {
				t.Fatal(err)
			}
		} else if name != "" {
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := HasEarlierFiles(state); err != nil || got != want {
			t.Errorf("%q: got %v, %v; want %v", name, got, err, want)
		}
	}
}

// A first start that was killed may leave a journal beside its database.
func TestHasEarlierFiles_DatabaseJournal_IsIgnored(t *testing.T) {
	state := t.TempDir()
	private := func(name string) string { return filepath.Join(state, "private", name) }
	err := errors.Join(os.Mkdir(private(""), 0o700), os.WriteFile(private("mews.db"), []byte("header"), 0o600),
		os.WriteFile(private("mews.db-wal"), nil, 0o600))
	if used, bad := HasEarlierFiles(state); err != nil || bad != nil || used {
		t.Errorf("%v, %v, %v", used, err, bad)
	}
}
