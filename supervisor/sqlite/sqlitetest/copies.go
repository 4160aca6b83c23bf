package sqlitetest

import (
	"database/sql"
	"io/fs"
	"os"
	"sync"
	"testing"
	"time"
)

// A lastCopy is the last copy of a database. It answers queries until the database changes, because
// tests that wait for a change ask many times.
type lastCopy struct {
	sync.Mutex
	db     *sql.DB
	dir    string
	states [2]fs.FileInfo // the database and its journal as they were before they were copied
	at     time.Time      // when states were read
}

// lastCopies has the last copy of each database, by path.
var lastCopies sync.Map

// withCopy calls use with an open copy of the current database at path.
func withCopy(t testing.TB, path string, use func(*sql.DB)) {
	t.Helper()
	value, known := lastCopies.LoadOrStore(path, &lastCopy{})
	c := value.(*lastCopy)
	if !known {
		t.Cleanup(func() {
			lastCopies.Delete(path)
			c.Lock()
			defer c.Unlock()
			c.close(t)
		})
	}
	c.Lock()
	defer c.Unlock()
	if at, states := time.Now(), statesOf(path); c.db == nil || !c.isOf(states) {
		c.close(t)
		dir, err := os.MkdirTemp("", "copy")
		if err != nil {
			t.Fatal(err)
		}
		c.dir, c.states, c.at = dir, states, at
		c.db = openCopy(t, path, dir)
	}
	use(c.db)
}

// clockStep is more than the time between two values of the clock that file systems use.
const clockStep = 20 * time.Millisecond

// isOf reports whether the files are as they were when they were copied. A file that had changed
// just before may have changed again at the same time of its clock.
func (c *lastCopy) isOf(states [2]fs.FileInfo) bool {
	for i, now := range states {
		then := c.states[i]
		if now == nil && then == nil {
			continue
		}
		if now == nil || then == nil || !os.SameFile(now, then) || now.Size() != then.Size() ||
			!now.ModTime().Equal(then.ModTime()) || c.at.Sub(then.ModTime()) < clockStep {
			return false
		}
	}
	return true
}

// close closes and deletes the copy, if there is one.
func (c *lastCopy) close(t testing.TB) {
	if c.dir == "" {
		return
	}
	if c.db != nil {
		if err := c.db.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := os.RemoveAll(c.dir); err != nil {
		t.Error(err)
	}
	c.db, c.dir = nil, ""
}

// statesOf returns the states of a database and its journal; nil stands for a missing file.
func statesOf(path string) (states [2]fs.FileInfo) {
	for i, name := range []string{path, path + "-wal"} {
		if info, err := os.Stat(name); err == nil {
			states[i] = info
		}
	}
	return states
}
