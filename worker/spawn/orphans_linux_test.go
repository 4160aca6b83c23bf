package spawn

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"mews/protocol"
	work "mews/worker"
	"mews/worker/program"
	"mews/worker/sandbox"
	"mews/worker/tool/shell"
	"mews/worker/workspace"
)

// orphans is how many processes each program leaves without a parent. The orphans end at once, so
// few live at a time. Each must be reaped; otherwise there would soon be no room for further
// processes.
const orphans = 500

// TestOrphans_FiveHundred_AreReaped: behind its walls a worker is process 1, and becomes the parent
// of all orphans. It reaps every orphan, and gets the right status of the program that it waits
// for.
func TestOrphans_FiveHundred_AreReaped(t *testing.T) { testOrphans(t, 1) }

// TestOrphans_TenThousand_AreReaped runs twenty programs one after the other with MEWS_ORPHANS=1,
// and two without it.
func TestOrphans_TenThousand_AreReaped(t *testing.T) {
	programs := 2
	if os.Getenv("MEWS_ORPHANS") != "" {
		programs = 20
	}
	testOrphans(t, programs)
}

func testOrphans(t *testing.T, programs int) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := start(t, setup{policy: []string{"worker=" + exe, "sandbox=namespaces", "pids=100"}})
	w := r.worker()
	w.write("orphans")
	for i := range programs {
		if got, want := w.readLine(), fmt.Sprintf("process 1: exit %d, and no child is left", i); got != want {
			t.Fatalf("program %d: %q, want %q", i, got, want)
		}
	}
	r.kill(w)
}

const noHistory = "there is no history"

// actAsFirst is a worker without a file history. If its home has a recording, it transcribes the
// recording. If its first line of input is "orphans", it runs the programs with the shell's tool,
// beside a reaper as in a real worker. It answers any other line with noHistory.
func actAsFirst() {
	say := func(text string) { fmt.Println(strings.ReplaceAll(text, "\n", "; ")) }
	if parameters, err := os.ReadFile(recordingFile); err == nil {
		result, err := transcribeFirst(parameters)
		text, _ := json.Marshal(result)
		if err != nil {
			text = []byte(err.Error())
		}
		say(string(text))
	} else if line, _ := bufio.NewReader(os.Stdin).ReadString('\n'); line != "orphans\n" {
		say(noHistory)
	} else if err := runPrograms(say); err != nil {
		say(err.Error())
	}
	select {} // waits until the worker is killed
}

// runPrograms runs programs that leave orphans, one after the other, until the worker is killed.
func runPrograms(say func(string)) error {
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGCHLD)
	ws, err := workspace.Open(".", protocol.FilePolicy{})
	if err != nil {
		return err
	}
	inside := sandbox.NewToolStarter(sandbox.Tier(os.Getenv(sandbox.TierVariable)), nil)
	started := program.NewChildren(inside.Start)
	tools := shell.New(ws, shell.Options{Home: "/home", Programs: started, Now: time.Now})
	go func() { // runs until the worker is killed
		for range ended {
			started.ReapOrphans()
		}
	}()
	for i := 0; ; i++ {
		status, err := leaveOrphans(tools, i%100)
		if err != nil {
			return err
		}
		for left := []int{0}; len(left) > 0; {
			if left, err = childPIDs(); err != nil {
				return err
			}
		}
		say(fmt.Sprintf("process %d: %s, and no child is left", os.Getpid(), status))
	}
}

// leaveOrphans runs a program that leaves orphans and ends with a given status. It returns the
// tool's text.
func leaveOrphans(s *shell.Shell, status int) (string, error) {
	script := fmt.Sprintf("i=0; while [ $i -lt %d ]; do (: & :); i=$((i+1)); done; exit %d", orphans, status)
	arguments, err := json.Marshal(map[string]string{"command": script})
	if err != nil {
		return "", err
	}
	for _, tool := range s.Tools() {
		if tool.Name != "run_command" {
			continue
		}
		got, err := tool.Run(context.Background(), work.Call{ID: "a", Arguments: arguments, Progress: func(string) {}})
		said, _, _ := strings.Cut(got.Text, ",")
		return said, err
	}
	return "", errors.New("there is no run_command")
}
