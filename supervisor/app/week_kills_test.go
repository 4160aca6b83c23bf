package app_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync/atomic"

	"mews/supervisor/control"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/search"
)

// killSwitch kills a service inside the test at a chosen commit, and copies the disk at that
// moment. Effects of that commit and of later ones do not leave the test.
type killSwitch struct {
	commitsLeft atomic.Int64 // commits until the next kill; 0 means no kill
	killed      chan struct{}
	// ends at the kill, so that requests of the dying service get no answer
	alive         context.Context
	die           context.CancelFunc
	mute          func() (heard func()) // blocks all outgoing messages of the service, until heard is called
	heard         func()
	ended         chan struct{}     // closed when the killed service has ended
	requestCount  func() int        // returns the number of requests so far
	lateRequests  []requestSpan     // requests that a service made after its kill
	diskFiles     map[string][]byte // files of the database at the kill; nil means that the file is missing
	homes         string            // path of the folder with all homes
	exchangeKills int64             // number of kills in the current exchange
	deaths        int
}

// requestSpan holds the requests from number from up to, but not including, to. Numbers begin with
// 0.
type requestSpan struct{ from, to int }

// arm makes the service die after its next commit. In the same exchange, each restarted service
// dies one commit later. So the service dies once after each commit.
func (k *killSwitch) arm(killed bool) {
	k.alive, k.die = context.WithCancel(context.Background())
	if !killed {
		k.exchangeKills = 0
		return
	}
	k.exchangeKills++
	k.ended = make(chan struct{})
	k.commitsLeft.Store(k.exchangeKills)
}

// disarm ends the killing, and says whether a kill has already begun.
func (k *killSwitch) disarm() bool {
	armed := k.exchangeKills > 0
	k.exchangeKills = 0
	return k.commitsLeft.Swap(0) == 0 && armed
}

var diskFiles = []string{"mews.db", "mews.db-wal"}

// commit counts a commit, and kills the service at the chosen commit. private is the database's
// folder.
func (k *killSwitch) commit(private string) {
	for {
		n := k.commitsLeft.Load()
		if n == 0 || n > 1 && k.commitsLeft.CompareAndSwap(n, n-1) {
			return
		}
		if n == 1 && k.commitsLeft.CompareAndSwap(1, 0) {
			break
		}
	}
	k.lateRequests = append(k.lateRequests, requestSpan{from: k.requestCount()})
	k.diskFiles = map[string][]byte{}
	for _, name := range diskFiles {
		// the content is nil if the journal is missing
		k.diskFiles[name], _ = os.ReadFile(filepath.Join(private, name))
	}
	k.keepHomes()
	k.deaths++
	k.heard = k.mute()
	k.killed <- struct{}{}
	k.die()
	<-k.ended
}

// keptHomes is the folder with the homes as they were at the kill.
func (k *killSwitch) keptHomes() string { return k.homes + ".kept" }

// keepHomes copies the homes. If a worker of the dying service replaces a file meanwhile, keepHomes
// copies again.
func (k *killSwitch) keepHomes() {
	for range 10 {
		if copyFolder(k.homes, k.keptHomes()) == nil {
			return
		}
	}
	panic("the homes change too fast to be copied")
}

// copyFolder replaces the folder to by a copy of from, with owners and modes.
func copyFolder(from, to string) error {
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	return exec.Command("cp", "-a", from, to).Run()
}

// restore restores the disk and the homes to their state at the kill.
func (k *killSwitch) restore(private string) (err error) {
	k.lateRequests[len(k.lateRequests)-1].to = k.requestCount()
	err = copyFolder(k.keptHomes(), k.homes)
	for _, name := range []string{"mews.db-shm", "index.db", "index.db-wal", "index.db-shm"} {
		if gone := os.Remove(filepath.Join(private, name)); !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}
	for _, name := range diskFiles {
		if k.diskFiles[name] == nil {
			os.Remove(filepath.Join(private, name)) // an error does not matter: the file may be missing
			continue
		}
		err = errors.Join(err, os.WriteFile(filepath.Join(private, name), k.diskFiles[name], 0o600))
	}
	return err
}

// distinctRequests returns the requests of a week. It leaves out repeated requests and those made
// after a kill.
func (k *killSwitch) distinctRequests(all []modeltest.Request) []modeltest.Request {
	first := k.requestCount() - len(all) // number of older requests, which were not kept
	var made []modeltest.Request
	for i, r := range all {
		if !slices.ContainsFunc(k.lateRequests,
			func(s requestSpan) bool { return s.from <= first+i && first+i < s.to }) {
			made = append(made, r)
		}
	}
	return slices.CompactFunc(made, func(a, b modeltest.Request) bool { return bytes.Equal(a.Raw, b.Raw) })
}

// awaitIndexed waits until all messages are in the index. Files may be missing from the index:
// after a kill at the end of an exchange, no worker runs that would read them.
func (l *weekService) awaitIndexed() {
	l.T.Helper()
	l.await("the key to be in the index", func() bool {
		var found search.SearchReport
		err := control.CallOnce(l.alive, l.Socket, search.MethodSearch,
			search.TextQuery{User: "alice", Words: "quetzal stove", In: "history"}, &found)
		return err == nil && len(found.Hits) > 0 && found.Incomplete == ""
	})
}
