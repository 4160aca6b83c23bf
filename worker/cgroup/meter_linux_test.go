package cgroup

import (
	"strings"
	"testing"
)

// TestMeter_IdleProcessTree_IsNotReadAgain: a tree is read again if one of its processes has run,
// grown, started or ended, and after some reuses.
func TestMeter_IdleProcessTree_IsNotReadAgain(t *testing.T) {
	proc := t.TempDir()
	m := Meter{Proc: proc}
	measure := func(limit int64) int64 {
		t.Helper()
		sizes, err := m.MeasureProcessTrees(map[int]MeterLimits{10: {Tasks: 9, Memory: true, MemoryLimit: limit}})
		if err != nil {
			t.Fatal(err)
		}
		return sizes[10].Bytes
	}
	const large = 1 << 40
	page := int64(4 << 10)
	idle := stat(10, "mews-worker", 1, 9)
	writeFiles(t, proc, map[string]string{"10/stat": idle, "10/status": "VmRSS:\t100 kB\n"})
	if got := measure(large); got != 100<<10 {
		t.Fatalf("%d bytes at first", got)
	}
	writeFiles(t, proc, map[string]string{"10/status": "VmRSS:\t200 kB\n"})
	for range maxReuses {
		if got := measure(large); got != 100<<10 {
			t.Fatalf("%d bytes of an idle tree", got)
		}
	}
	if got := measure(large); got != 200<<10 {
		t.Errorf("%d bytes after %d reuses", got, maxReuses)
	}
	for i, change := range []struct{ name, file, text string }{
		{"time in a program", "10/stat", strings.Replace(idle, " 1 2 3 4 20 ", " 2 2 3 4 20 ", 1)},
		{"time in the kernel", "10/stat", strings.Replace(idle, " 1 2 3 4 20 ", " 2 3 3 4 20 ", 1)},
		{"another size", "10/stat", stat(10, "mews-worker", 1, 8)},
		{"a new thread", "10/stat", strings.Replace(idle, " 20 0 1 0 ", " 20 0 2 0 ", 1)},
		{"another process with its pid", "10/stat", strings.Replace(idle, " 1 0 100 ", " 1 0 101 ", 1)},
		{"a child", "11/stat", stat(11, "sh", 10, 0)},
	} {
		kB := strings.Repeat("1", i+3)
		writeFiles(t, proc, map[string]string{change.file: change.text, "10/status": "VmRSS:\t" + kB + " kB\n"})
		want := parseStatusMemory("VmRSS:\t" + kB + " kB\n").resident
		if got := measure(large); got != want && got != want+page {
			t.Errorf("%s: %d bytes, want %d", change.name, got, want)
		}
	}
	writeFiles(t, proc, map[string]string{"10/status": "VmRSS:\t7 kB\n"})
	if got := measure(large - 1); got != 9*page {
		t.Errorf("%d bytes under another limit", got)
	}
}
