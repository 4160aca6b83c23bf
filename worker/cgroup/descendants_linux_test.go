package cgroup

import (
	"os"
	"strconv"
	"testing"
	"time"
)

// TestKillDescendants_SparesRoot kills all descendants of a process while they fork, change
// sessions and ignore signals. It kills no other process.
func TestKillDescendants_SparesRoot(t *testing.T) {
	s := startShell(t, nil, `bomb() { trap "" TERM HUP INT; for i in $(seq 500); do sleep 1000 & ( sleep 0.01; : ) & sleep 0.01; done; }
(bomb) 2>/dev/null & setsid sh -c 'trap "" TERM HUP; sleep 1000 & sleep 1000' & (bomb) 2>/dev/null &
echo begun; while read -r line; do echo "still $line"; done`)
	t.Cleanup(func() { endDescendants(t, s.pid()) })
	s.write("go")
	if got := s.readLine(); got != "begun" {
		t.Fatal(got)
	}
	other := startShell(t, nil, "sleep 1000 & echo $!; read -r never")
	t.Cleanup(func() { endDescendants(t, other.pid()) })
	other.write("go")
	strange, err := strconv.Atoi(other.readLine())
	if err != nil {
		t.Fatal(err)
	}
	for { // waits until all descendants exist
		sum, err := MeasureProcessTree("/proc", s.pid())
		if err != nil {
			t.Fatal(err)
		}
		if sum.Processes > 30 {
			break
		}
	}
	killed, err := KillDescendants([]int{s.pid()}, nil)
	if err != nil || killed < 10 {
		t.Errorf("killed %d, %v", killed, err)
	}
	for began := time.Now(); ; { // killed processes need some time to disappear
		left := runningBelow(t, s.pid())
		if len(left) == 0 {
			break
		}
		if time.Since(began) > time.Minute {
			t.Fatalf("left: %v", left)
		}
	}
	s.write("there")
	if got := s.readLine(); got != "still there" {
		t.Errorf("the root: %q", got)
	}
	if _, err := os.Stat("/proc/" + strconv.Itoa(strange)); err != nil {
		t.Errorf("somebody else's: %v", err)
	}
	if n, err := KillDescendants([]int{1 << 30}, nil); n != 0 || err != nil {
		t.Errorf("below nobody: %d, %v", n, err)
	}
}

// runningBelow returns the processes below root that have not ended.
func runningBelow(t *testing.T, root int) (left []int) {
	t.Helper()
	dir, err := os.Open("/proc")
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	all, err := listProcesses(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, pid := range descendants(childrenOf(all), root)[1:] {
		if !all[pid].dead {
			left = append(left, pid)
		}
	}
	return left
}

// TestSignal_ReusedPID_IsNotSignalled: a pid that now belongs to another process is not signalled.
func TestSignal_ReusedPID_IsNotSignalled(t *testing.T) {
	s := startShell(t, nil, "while read -r line; do echo $line; done")
	proc, err := os.Open("/proc")
	if err != nil {
		t.Fatal(err)
	}
	defer proc.Close()
	s.write("go")
	if (processID{s.pid(), "1"}).signal(proc, 9) {
		t.Error("it was signalled")
	}
	s.write("here")
	if got := s.readLine(); got != "here" {
		t.Errorf("it says %q", got)
	}
}
