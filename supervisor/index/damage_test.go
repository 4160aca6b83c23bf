package index

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ncruces/go-sqlite3/ext/fts5"

	"mews/protocol"
	"mews/supervisor/internal/engine"
)

// An unusable database is set aside, and after the rebuild everything is found. The old file stays.
func TestRun_UnusableDatabase_IsRebuilt(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, path string) error{
		"missing": func(_ *testing.T, path string) error { return os.Remove(path) },
		"garbage": func(_ *testing.T, path string) error {
			return os.WriteFile(path, []byte(strings.Repeat("garbage", 2000)), 0o600)
		},
		"a page": func(_ *testing.T, path string) error {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			info, err := f.Stat()
			if err == nil {
				_, err = f.WriteAt([]byte(strings.Repeat("\xff", int(info.Size()-4096))), 4096)
			}
			return errors.Join(err, f.Close())
		},
		"newer": func(t *testing.T, path string) error {
			db, err := engine.Open(t.Context(), path, engine.Options{Migrations: migrations, Extend: fts5.Register,
				Rebuildable: true})
			if err != nil {
				return err
			}
			err = db.Reader(t.Context()).Query(nil, "PRAGMA user_version")
			return errors.Join(err, db.Close(), makeNewer(path))
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, "alice").run()
			r.putMessage("alice", protocol.RoleUser, "tomatoes")
			r.waitUntilRead()
			r.stop()
			for _, old := range []string{"1", "2"} {
				if err := os.WriteFile(r.index.o.Path+".bad-"+old, nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := spoil(t, r.index.o.Path); err != nil {
				t.Fatal(err)
			}
			r.index = New(r.index.o)
			r.run()
			r.putMessage("alice", protocol.RoleUser, "more tomatoes")
			if found := r.searchTexts("alice", "tomato"); len(found) != 2 {
				t.Errorf("%q", found)
			}
			aside, _ := filepath.Glob(r.index.o.Path + ".bad-*")
			if want := map[bool]int{true: 2, false: 1}[name == "missing"]; len(aside) != want {
				t.Errorf("set aside: %q", aside)
			}
		})
	}
}

// makeNewer changes a database into one that a later version of Mews has made.
func makeNewer(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt([]byte{0, 0, 0, 99}, 60) // bytes 60 to 63 of an SQLite file are the field user_version
	return errors.Join(err, f.Close())
}

// While the disk is full, earlier messages are found, the search says what is missing, and no
// search waits. Later the other messages are read.
func TestSearch_FullDisk_SaysWhatIsMissing(t *testing.T) {
	r := newRig(t, "alice").run()
	r.putMessage("alice", protocol.RoleUser, "tomatoes")
	r.waitUntilRead()
	limit := func(pages string) {
		if err := r.index.openDB().Write(t.Context(), func(t *engine.Tx) error { return t.Query(nil, "PRAGMA max_page_count = "+pages) }); err != nil {
			t.Fatal(err)
		}
	}
	limit("1")
	r.putMessage("alice", protocol.RoleUser, strings.Repeat("potatoes and onions ", 5000))
	var result Result
	r.await("it to be said", func() bool {
		var err error
		result, err = r.index.Search(t.Context(), Query{User: "alice", Text: "tomatoes potatoes", Scope: ScopeTranscript})
		return err == nil && result.Incomplete != ""
	})
	if len(result.Hits) != 1 || result.Incomplete != textFull {
		t.Errorf("%+v, %q", result.Hits, result.Incomplete)
	}
	limit("100000")
	r.putMessage("alice", protocol.RoleUser, "leeks")
	if found := r.searchTexts("alice", "potatoes"); len(found) != 1 {
		t.Errorf("%d are found", len(found))
	}
	// a search finds the message a moment before the index reports that nothing is missing
	r.await("nothing to be missing", func() bool {
		result, err := r.index.Search(t.Context(), Query{User: "alice", Text: "leeks", Scope: ScopeTranscript})
		return err == nil && result.Incomplete == "" && len(result.Hits) == 1
	})
}
