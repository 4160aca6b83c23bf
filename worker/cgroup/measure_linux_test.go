package cgroup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "mews/internal/fixedseed"
)

// stat formats a line of /proc/PID/stat.
func stat(pid int, name string, parent, pages int) string {
	return fmt.Sprintf("%d (%s) S %d 1 1 0 -1 4194560 1 0 0 0 1 2 3 4 20 0 1 0 100 2048000 %d 184467 1 1 0 0 0\n",
		pid, name, parent, pages)
}

func rollup(kB, swapKB int) string {
	return fmt.Sprintf("55d0-7ffc ---p 00000000 00:00 0    [rollup]\nRss:     99999 kB\nPss:     %d kB\nPss_Dirty:  7 kB\n"+
		"Swap:  5000 kB\nSwapPss:   %d kB\nLocked:  0 kB\n", kB, swapKB)
}

// writeFiles writes files into a folder, by their path in it.
func writeFiles(t *testing.T, dir string, texts map[string]string) {
	t.Helper()
	for file, text := range texts {
		file = filepath.Join(dir, file)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestMeasure_FakeProc_CountsDescendants: the names of other processes hold parentheses and spaces.
func TestMeasure_FakeProc_CountsDescendants(t *testing.T) {
	proc := t.TempDir()
	writeFiles(t, proc, map[string]string{
		"1/stat": stat(1, "init", 0, 9), "1/smaps_rollup": rollup(50000, 0),
		"10/stat": stat(10, "mews-worker", 1, 9), "10/smaps_rollup": rollup(8000, 0),
		"11/stat": stat(11, "a) S 1 (b", 10, 9), "11/smaps_rollup": rollup(100, 300),
		"12/stat": stat(12, "new\nline", 11, 9), "12/smaps_rollup": rollup(500, 0),
		"13/stat": stat(13, "sh", 12, 25), // the process is ending and has no other files
		"14/stat": stat(14, "zombie", 12, 0), "14/smaps_rollup": "",
		"20/stat": stat(20, "stranger", 1, 9), "20/smaps_rollup": rollup(70000, 0),
		"self/stat": "no pid", "15/comm": "ended meanwhile",
	})
	got, err := MeasureProcessTree(proc, 10)
	want := ProcessTreeSize{Bytes: (8000 + 400 + 500) << 10, Processes: 5, Tasks: 5, LargestPID: 12,
		LargestBytes: 500 << 10}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
	if _, err := MeasureProcessTree(proc, 99); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a root that is not there: %v", err)
	}
	sums, err := (&Meter{Proc: proc}).MeasureProcessTrees(map[int]MeterLimits{20: {Tasks: 1, Memory: true},
		12: {Tasks: 2, Memory: true},
		99: {Tasks: 1, Memory: true}, 10: {Tasks: 5, Memory: true}})
	if diff := cmp.Diff(map[int]ProcessTreeSize{
		20: {Bytes: 70000 << 10, Processes: 1, Tasks: 1}, 10: want,
		12: {Tasks: 3}, // the process has more tasks than this limit
	}, sums); err != nil || diff != "" {
		t.Error(err, diff)
	}
	writeFiles(t, proc, map[string]string{"13/stat": "13 (sh"})
	if _, err := MeasureProcessTree(proc, 10); err == nil || !strings.Contains(err.Error(), "/13/stat") {
		t.Errorf("a stat that ends early: %v", err)
	}
}

// TestMeasure_UnreadablePSS_UsesResidentSize: the resident size counts if a process's
// proportional share may not be read.
func TestMeasure_UnreadablePSS_UsesResidentSize(t *testing.T) {
	page := int64(os.Getpagesize())
	var s ProcessTreeSize
	s.count(7, 25*page, false, false)
	s.count(8, 24*page, false, false)
	s.count(6, 99*page, true, true)
	want := ProcessTreeSize{Bytes: 148 * page, Processes: 3, LargestPID: 7, LargestBytes: 25 * page, ResidentCount: 2}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Error(diff)
	}
}

// TestMeasure_RealProcesses_FindsLargest finds the program with the most memory.
func TestMeasure_RealProcesses_FindsLargest(t *testing.T) {
	s := startShell(t, nil, `sleep 1000 & sh -c 's=$(head -c 20000000 /dev/zero | tr "\0" x); echo $$; read never'; read never`)
	t.Cleanup(func() { endDescendants(t, s.pid()) })
	s.write("go")
	big, err := strconv.Atoi(s.readLine())
	if err != nil {
		t.Fatal(err)
	}
	got, err := MeasureProcessTree("/proc", s.pid())
	if err != nil {
		t.Fatal(err)
	}
	if got.Processes != 3 || got.LargestPID != big || got.LargestBytes < 20e6 || got.Bytes <= got.LargestBytes ||
		got.Bytes > 100e6 {
		t.Errorf("got %+v, want 3 processes and %d with 20 MB", got, big)
	}
}

// endDescendants kills the processes that a shell has started.
func endDescendants(t *testing.T, root int) {
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
		if p, err := os.FindProcess(pid); err == nil {
			_ = p.Kill() // an error does not matter: the process may have ended
		}
	}
}

// TestDescendants_AnyTree_AreListedOnce: each process is listed once and after its parent, even
// in a cycle.
func TestDescendants_AnyTree_AreListedOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parents := rapid.MapOf(rapid.IntRange(1, 30), rapid.IntRange(0, 30)).Draw(t, "parents")
		all := map[int]process{1: {}}
		for pid, parent := range parents {
			all[pid] = process{parent: parent}
		}
		found := descendants(childrenOf(all), 1)
		seen := map[int]bool{}
		for i, pid := range found {
			if seen[pid] || (i == 0) != (pid == 1) || (i > 0 && !seen[all[pid].parent]) {
				t.Fatalf("%v: %d", found, pid)
			}
			seen[pid] = true
		}
		for pid, p := range all {
			if seen[p.parent] && !seen[pid] {
				t.Fatalf("%v: %d, a child of %d, is missing", found, pid, p.parent)
			}
		}
	})
}

// BenchmarkMeasureProcessTree measures the test process. Its time grows with the number of
// processes of the system.
func BenchmarkMeasureProcessTree(b *testing.B) {
	for b.Loop() {
		if _, err := MeasureProcessTree("/proc", os.Getpid()); err != nil {
			b.Fatal(err)
		}
	}
}
