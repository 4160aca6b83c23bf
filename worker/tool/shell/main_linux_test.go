package shell

import (
	"os"
	"os/signal"
	"strconv"
	"sync"
	"syscall"
	"testing"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"
)

// TestMain makes the test a sub-reaper, as a worker is.
func TestMain(m *testing.M) {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// TestReapOrphans_SparesOwnChildren: the worker's reaper reaps orphans, but no child that the shell
// waits for.
func TestReapOrphans_SparesOwnChildren(t *testing.T) {
	b := newFixture(t, nil)
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGCHLD)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-ended:
			}
			b.shell.environment.options.Programs.ReapOrphans()
		}
	})
	for i := range 20 {
		r := b.mustRun("run_command", "command", "sleep 1000 & exit "+strconv.Itoa(i))
		wantContains(t, r.Text, "exit "+strconv.Itoa(i)+", ", "1 background process was ended")
	}
	signal.Stop(ended)
	close(stop)
	wg.Wait()
}
