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

// crashSnapshot is what a kill after one commit leaves: the database's files, and what had been
// sent by then.
type crashSnapshot struct {
	dir  string
	at   time.Time
	sent []string
}

// crashSnapshots takes one after each commit while it is on. Commits come from the writer's
// goroutine, and on is set by the test's.
type crashSnapshots struct {
	t    *testing.T
	dir  string // of the database
	chat *fakeChannel
	now  func() time.Time

	mu    sync.Mutex
	on    bool
	taken []crashSnapshot
}

// committed is the database's hook.
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

// during takes the images of what do does.
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
