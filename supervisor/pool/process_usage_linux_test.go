package pool

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
)

func TestProcessUsageOf_CountsDescendants(t *testing.T) {
	cmd := exec.Command("/bin/sh", "-c", "sleep 1000 & (sleep 1000 & echo; wait) & wait")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
	})
	if _, err := out.Read(make([]byte, 1)); err != nil { // this byte says that all processes run
		t.Fatal(err)
	}
	const nobody = 1 << 30
	uses := ProcessUsageOf(cmd.Process.Pid, os.Getpid(), nobody)
	tree, own := uses[cmd.Process.Pid], uses[os.Getpid()]
	if tree.Processes != 4 || tree.Memory < 4*4096 || tree.Memory > 100<<20 {
		t.Errorf("a shell with three more: %+v", tree)
	}
	if own.Processes < 5 || own.Memory <= tree.Memory {
		t.Errorf("these tests: %+v, of which %+v", own, tree)
	}
	if _, there := uses[nobody]; there {
		t.Error("it has counted who is not there")
	}
}
