package shell

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCapture_SplitRune_StaysWhole: the character begins in the head of an output and ends in its
// tail.
func TestCapture_SplitRune_StaysWhole(t *testing.T) {
	c := &outputCapture{limits: &limits{head: 10, tail: 10, kept: 100}, temp: &tempFolder{parent: t.TempDir()}}
	whole := "123456789漢字"
	c.add([]byte(whole))
	if out := c.finish(); out.text != whole || out.left != "" {
		t.Errorf("%q, left out: %q", out.text, out.left)
	}
}

// TestRun_Stopped_KeepsNoOutput: a stopped run leaves no output file, because neither model nor
// user is told of the file.
func TestRun_Stopped_KeepsNoOutput(t *testing.T) {
	b := newFixture(t, func(o *Options) { o.limits.head, o.limits.tail = 10, 10 })
	told := b.mustRun("run_command", "command", "seq 1000").Text
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := b.call(ctx, "run_command", "command", "seq 5000; echo long enough; sleep 1000")
		ended <- err
	}()
	b.awaitProgress("long enough")
	cancel()
	if err := <-ended; err == nil {
		t.Error("it was not stopped")
	}
	files, err := os.ReadDir(b.shell.environment.temp.dir)
	if err != nil || len(files) != 1 || !strings.Contains(told, files[0].Name()) {
		t.Errorf("kept: %v, %v", files, err)
	}
}

// TestSweep_RemovesOutputsOfDeadWorkers: the next worker removes outputs of dead workers. It keeps
// the folder of a living worker, and a folder with a similar name.
func TestSweep_RemovesOutputsOfDeadWorkers(t *testing.T) {
	temp := t.TempDir()
	keeping := func(o *Options) { o.Temp, o.limits.head, o.limits.tail = temp, 10, 10 }
	killed, other, b := newFixture(t, keeping), newFixture(t, keeping), newFixture(t, keeping)
	for _, b := range []*fixture{killed, other, b} {
		b.mustRun("run_command", "command", "seq 1000")
	}
	left := killed.shell.environment.temp
	if err := left.lock.Close(); err != nil { // the end of the worker's process would do the same
		t.Fatal(err)
	}
	left.lock = nil
	for _, name := range []string{"mews-shell-mine", "mews-1"} {
		if err := os.Mkdir(filepath.Join(temp, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.shell.RemoveAbandonedOutputs(); err != nil {
		t.Error(err)
	}
	entries, err := os.ReadDir(temp)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, e := range entries {
		got[e.Name()] = true
	}
	want := map[string]bool{"mews-shell-mine": true, "mews-1": true, gitConfigName: true}
	for _, b := range []*fixture{other, b} {
		want[filepath.Base(b.shell.environment.temp.dir)] = true
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("folders (- wanted, + got):\n%s", diff)
	}
	// The worker whose folder was removed makes a new folder.
	wantContains(t, killed.mustRun("run_command", "command", "seq 1000").Text, "the whole is in "+temp)
}

func TestRun_FileTooLarge_NamesTheLimit(t *testing.T) {
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 64 << 20, Max: was.Max}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
			t.Error(err)
		}
	})
	b := newFixture(t, nil)
	const grow = "dd if=/dev/zero of=huge bs=1M seek=63 count=2 2>/dev/null"
	for _, command := range []string{"exec " + grow, grow + "; exit $?"} {
		wantContains(t, b.mustRun("run_command", "command", command).Text, "\nno file may be larger than 67.1 MB; one would have been\n")
	}
	if r := b.mustRun("run_command", "command", "exit 152"); strings.Contains(r.Text, "larger") {
		t.Error(r.Text)
	}
}
