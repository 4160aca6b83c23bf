package app_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// crashSnapshot is the state that a kill after a commit leaves: the database's files, and the
// messages sent until then.
type crashSnapshot struct {
	dir  string
	at   time.Time
	sent []string
}

// crashSnapshots takes a snapshot after each commit while on is true. The test's goroutine sets on,
// and the writer's goroutine commits.
type crashSnapshots struct {
	t    *testing.T
	dir  string // the folder of the database
	chat *fakeChannel
	now  func() time.Time

	mu    sync.Mutex
	on    bool
	taken []crashSnapshot
}

// committed takes a snapshot; the database calls it after each commit.
func (s *crashSnapshots) committed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.on {
		return
	}
	i := crashSnapshot{s.t.TempDir(), s.now(), s.chat.texts()}
	for _, file := range []string{"mews.db", "mews.db-wal"} {
		data, err := os.ReadFile(filepath.Join(s.dir, file))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(i.dir, file), data, 0o600)
		}
		if err != nil {
			s.t.Error(err)
		}
	}
	s.taken = append(s.taken, i)
}

// during runs a function of the test, and returns a snapshot for each commit that the function
// makes.
func (s *crashSnapshots) during(do func()) []crashSnapshot {
	set := func(on bool) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.on = on
	}
	set(true)
	do()
	set(false)
	return s.taken
}
