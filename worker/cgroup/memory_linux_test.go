package cgroup

import "testing"

func TestParseStatusMemory_Lines_AreAdded(t *testing.T) {
	for text, want := range map[string]memoryUse{
		"Name:\ta\nVmRSS:\t    100 kB\nVmPTE:\t  44 kB\nVmSwap:\t 10 kB\n": {resident: 110 << 10, kernel: 44 << 10},
		"Name:\tVmPTE: 9 kB\\nVmPTE:\t9 kB\nVmPTE:\t 4 kB\n":               {kernel: 4 << 10}, // an escaped line end
		"VmRSS:\t100 MB\nVmPTE:\tmany kB\nVmSwap:\n":                       {},
		"Name:\tkthreadd\n": {},
		"":                  {},
	} {
		if got := parseStatusMemory(text); got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
	if socketBytes < 4096 || readSocketBytes(t.TempDir()) != 212_992 {
		t.Errorf("a socket counts %d bytes", socketBytes)
	}
}

// TestMeasure_BelowLimit_SkipsExactMemory: the shares are read only if the resident memory is near
// the limit. Page tables always count.
func TestMeasure_BelowLimit_SkipsExactMemory(t *testing.T) {
	proc := t.TempDir()
	writeFiles(t, proc, map[string]string{
		"10/stat": stat(10, "mews-worker", 1, 9), "10/status": "VmRSS:\t8000 kB\nVmPTE:\t 50 kB\n",
		"10/smaps_rollup": rollup(1000, 0),
		"11/stat":         stat(11, "sh", 10, 9), "11/status": "VmRSS:\t6000 kB\nVmSwap:\t500 kB\nVmPTE:\t5000 kB\n",
		"11/smaps_rollup": rollup(2000, 100),
	})
	const resident, exact = (8000 + 50 + 6000 + 500 + 5000) << 10, (1000 + 50 + 2100 + 5000) << 10
	for limit, want := range map[int64]int64{2 * resident: resident, 4*resident/3 + 4: resident, resident + 1: exact,
		exact: exact, 1: exact} {
		sizes, err := (&Meter{Proc: proc}).MeasureProcessTrees(map[int]MeterLimits{10: {Tasks: 9, Memory: true,
			MemoryLimit: limit}})
		if got := sizes[10]; err != nil || got.Bytes != want || got.LargestPID != 11 {
			t.Errorf("limit %d: %+v, %v; want %d bytes", limit, got, err, want)
		}
	}
}
