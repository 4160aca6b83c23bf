package shell

import (
	"context"
	"errors"
	"mews/worker/program"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestStop_EndsAllProcesses stops a program whose processes resist.
func TestStop_EndsAllProcesses(t *testing.T) {
	for name, command := range map[string]string{
		"one":                       `echo pids $$; sleep 1000`,
		"ignores TERM":              `trap '' TERM; echo pids $$; while :; do sleep 0.1; done`,
		"a child ignores TERM":      `(trap '' TERM; sleep 1000) & echo pids $$ $!; wait`,
		"left the group":            `setsid sleep 1000 & echo pids $$ $!; wait`,
		"left it, and ignores TERM": `setsid bash -c "trap '' TERM; echo pids $$ \$\$; sleep 1000; sleep 1000" & wait`,
		"left its parent":           `(setsid sleep 1000 & echo pids $$ $!) ; sleep 1000`,
		"left all behind":           `(setsid env -i sleep 1000 & echo pids $$ $!) ; sleep 1000`,
		"a daemon's child":          `(setsid env -i bash -c 'sleep 1000 & echo pids $$ $!; wait' &) ; sleep 1000`,
	} {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t, nil)
			ctx, cancel := context.WithCancelCause(t.Context())
			stopped := errors.New("stopped by the person")
			ended := make(chan error)
			go func() {
				_, err := b.call(ctx, "run_command", "command", command)
				ended <- err
			}()
			pids := numbers(t, b.awaitProgress("pids "))
			cancel(stopped)
			if err := <-ended; !errors.Is(err, stopped) {
				t.Errorf("ended with %v", err)
			}
			wantEnded(t, pids...)
		})
	}
}

func TestStop_ProgramHandlesTerm_CleansUp(t *testing.T) {
	b := newFixture(t, func(o *Options) { o.limits.grace, o.limits.timeout = 20*time.Second, 2*time.Second })
	r := b.mustRun("run_command", "command", `trap 'echo tidied; exit 1' TERM; sleep 1000 & wait`)
	wantContains(t, r.Text, "timed out", "tidied\n")
}

// TestStop_SuspendedProgram_CleansUp: a suspended program is resumed first.
func TestStop_SuspendedProgram_CleansUp(t *testing.T) {
	b := newFixture(t, func(o *Options) { o.limits.grace, o.limits.timeout = 20*time.Second, time.Second })
	r := b.mustRun("run_command", "command", `trap 'echo tidied; exit 1' TERM; kill -STOP $$; echo never`)
	wantContains(t, r.Text, "timed out", "tidied\n")
}

// TestRun_BackgroundProcess_IsEnded: the tool does not wait for a command's background processes,
// but ends them.
func TestRun_BackgroundProcess_IsEnded(t *testing.T) {
	for name, test := range map[string]struct {
		command string
		strays  string
	}{
		"holds the output": {`sleep 1000 & echo $!`, "1 background process was ended"},
		"holds nothing":    {`sleep 1000 >/dev/null 2>&1 & echo $!`, "1 background process was ended"},
		"two":              {`sleep 1000 & echo $!; sleep 1000 & echo $!`, "2 background processes were ended"},
		"a daemon":         {`(setsid nohup sleep 1000 >/dev/null 2>&1 & echo $!)`, "1 background process was ended"},
		"without a mark":   {`(setsid env -i sleep 1000 & echo $!)`, "1 background process was ended"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t, nil)
			r := b.mustRun("run_command", "command", test.command)
			wantContains(t, r.Text, "exit 0, ", test.strays+"\n")
			_, pids, _ := strings.Cut(output(r), "\n")
			wantEnded(t, numbers(t, pids)...)
		})
	}
}

// TestRun_LateOutput_IsKept: output just after the command's end still belongs to the command.
func TestRun_LateOutput_IsKept(t *testing.T) {
	b := newFixture(t, func(o *Options) { o.limits.linger = 20 * time.Second })
	r := b.mustRun("run_command", "command", `(sleep 0.1; echo late) & echo early`)
	if want := "early\nlate\n"; output(r) != want {
		t.Errorf("got %q, want %q", output(r), want)
	}
}

func TestRun_End_SparesOtherRuns(t *testing.T) {
	b := newFixture(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := b.call(ctx, "run_command", "command",
			`(setsid sleep 1000 & echo $! > kept1); (setsid env -i sleep 1000 & echo $! > kept2); echo ready; sleep 1000`)
		ended <- err
	}()
	b.awaitProgress("ready")
	b.mustRun("run_command", "command", "sleep 1000 & true")
	var pids []int
	for _, name := range []string{"kept1", "kept2"} {
		text, err := os.ReadFile(filepath.Join(b.dir, name))
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, numbers(t, string(text))...)
	}
	for _, pid := range pids {
		if !program.IsProcessAlive(pid) {
			t.Errorf("process %d of the other command was ended", pid)
		}
	}
	cancel()
	<-ended
	wantEnded(t, pids...)
}
