package app_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"

	"mews/supervisor/app"
	"mews/supervisor/control"
)

// kills are those of a service inside: at a commit all that is on disk is kept, and nobody is told of that commit nor of any later one.
type kills struct {
	left   atomic.Int64 // commits until the next; 0 is none
	killed chan struct{}
	alive  context.Context // ends with the life: what is asked of one that is being killed is not answered
	die    context.CancelFunc
	mute   func() (heard func()) // has nobody outside hear any more of a life; heard ends that
	heard  func()
	dead   chan struct{}     // closed when the life that was killed is through
	disk   map[string][]byte // what was on disk then; nil is a file that was not there
	again  int64             // how often this exchange has been killed
	deaths int
}

// arm has the service be killed: after its first commit, and each later life of the same exchange after one commit more, so that each of an
// exchange's commits is one's last.
func (k *kills) arm(killed bool) {
	k.alive, k.die = context.WithCancel(context.Background())
	if !killed {
		k.again = 0
		return
	}
	k.again++
	k.dead = make(chan struct{})
	k.left.Store(k.again)
}

// disarm has it be killed no more, and says whether it is being killed.
func (k *kills) disarm() bool {
	armed := k.again > 0
	k.again = 0
	return k.left.Swap(0) == 0 && armed
}

var diskFiles = []string{"mews.db", "mews.db-wal"}

// commit is called after each commit, with where the database lies.
func (k *kills) commit(private string) {
	for {
		n := k.left.Load()
		if n == 0 || n > 1 && k.left.CompareAndSwap(n, n-1) {
			return
		}
		if n == 1 && k.left.CompareAndSwap(1, 0) {
			break
		}
	}
	k.disk = map[string][]byte{}
	for _, name := range diskFiles {
		k.disk[name], _ = os.ReadFile(filepath.Join(private, name)) // a journal that is not there is nil
	}
	k.deaths++
	k.heard = k.mute()
	k.killed <- struct{}{}
	k.die()
	<-k.dead
}

// restore puts back what was on disk.
func (k *kills) restore(private string) (err error) {
	for _, name := range []string{"mews.db-shm", "index.db", "index.db-wal", "index.db-shm"} {
		if gone := os.Remove(filepath.Join(private, name)); !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}
	for _, name := range diskFiles {
		if k.disk[name] == nil {
			os.Remove(filepath.Join(private, name)) // it may not be there
			continue
		}
		err = errors.Join(err, os.WriteFile(filepath.Join(private, name), k.disk[name], 0o600))
	}
	return err
}

// indexed waits until the index has read all that was said.
func (l *livedWeek) indexed() {
	l.T.Helper()
	l.until("the key to be in the index", func() bool {
		var found app.SearchReport
		err := control.Ask(l.alive, l.Socket, app.MethodSearch, app.SearchQuestion{User: "alice", Words: "quetzal stove"}, &found)
		return err == nil && len(found.Hits) > 0 && found.Behind == ""
	})
}
