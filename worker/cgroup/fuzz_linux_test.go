package cgroup

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseMemberships_Lines_AreReadOrRefused(t *testing.T) {
	got, err := parseMemberships("9:name=systemd:/\n3:cpu,cpuacct:/a:b/c\n0::/../x\n")
	want := []membership{
		{9, []string{"name=systemd"}, "/"}, {3, []string{"cpu", "cpuacct"}, "/a:b/c"}, {0, nil, "/../x"},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(membership{})); err != nil || diff != "" {
		t.Error(err, diff)
	}
	for _, text := range []string{"x", "0:/", "::/", "-1::/", "0::a", "0::", "0::/\n\n", "0::/\n0::/\n", "99999999999:a:/"} {
		if got, err := parseMemberships(text); err == nil {
			t.Errorf("%q gives %v", text, got)
		}
	}
}

func FuzzParseMemberships(f *testing.F) {
	f.Add("9:name=systemd:/\n3:cpu,cpuacct:/a:b/c\n0::/../x (deleted)\n")
	f.Add("0::/")
	f.Fuzz(func(t *testing.T, text string) {
		all, err := parseMemberships(text)
		if err != nil {
			return
		}
		if len(all) != len(slices.Collect(strings.Lines(text))) {
			t.Errorf("%d of %q", len(all), text)
		}
		for _, m := range all {
			if !strings.HasPrefix(m.path, "/") || m.id < 0 {
				t.Errorf("%+v of %q", m, text)
			}
		}
	})
}

func TestParseCounter_Texts_GiveNumberOrError(t *testing.T) {
	const events = "low 0\noom 3\noom_kill 2\nhuge 18446744073709551615\nbad x\nnone\n"
	for _, test := range []struct {
		text, key string
		want      int64 // expected value; -1 means that the text must be refused
	}{
		{"4096\n", "", 4096}, {"0", "", 0}, {"max\n", "", -1}, {"", "", -1}, {"1 2\n", "", -1},
		{events, "oom", 3}, {events, "oom_kill", 2}, {events, "oom_k", 0}, {events, "huge", math.MaxInt64},
		{events, "bad", -1}, {events, "none", 0}, {"", "oom", 0}, {"oom  3\n", "oom", -1}, {"oom -3\n", "oom", -1},
	} {
		got, err := parseCounter(test.text, test.key)
		if err != nil {
			got = -1
		}
		if got != test.want {
			t.Errorf("%q of %q: %d, %v, want %d", test.key, test.text, got, err, test.want)
		}
	}
}

func FuzzParseCounter(f *testing.F) {
	f.Add("low 0\nmax 12\noom_kill 1\n", "max")
	f.Add("usage_usec 123\nuser_usec 18446744073709551616\n", "usage_usec")
	f.Add("max\n", "")
	f.Fuzz(func(t *testing.T, text, key string) {
		if n, err := parseCounter(text, key); n < 0 || (err != nil && n != 0) {
			t.Errorf("%q of %q: %d, %v", key, text, n, err)
		}
	})
}

func FuzzParseStat(f *testing.F) {
	f.Add(stat(10, "a) S 1 (b", 7, 25))
	f.Add("1 (init) S")
	f.Add(") ) )")
	f.Fuzz(func(t *testing.T, text string) {
		if p, err := parseStat(text, 65536); err == nil && (p.parent < 0 || p.threads < 0 || p.resident < 0) {
			t.Errorf("%+v of %q", p, text)
		}
	})
}

// FuzzParseStat_ProcessName: a process's name cannot change the other values.
func FuzzParseStat_ProcessName(f *testing.F) {
	f.Add("sh", 1, 2)
	f.Add("x) S 0 0 0", 5, 6)
	f.Add("\n(", 5, 6)
	f.Fuzz(func(t *testing.T, name string, parent, pages int) {
		parent, pages = parent&0xffff, pages&0xffff
		p, err := parseStat(stat(3, name, parent, pages), 1)
		if want := (process{parent: parent, threads: 1, startTime: "100", resident: int64(pages),
			processor: "1 2"}); err != nil || p != want {
			t.Errorf("name %q: %+v, %v, want %+v", name, p, err, want)
		}
	})
}

func TestParseRollup_PSSLines_AreAdded(t *testing.T) {
	for text, want := range map[string]int64{
		rollup(100, 23): 123 << 10, "": 0, "Pss: 1\n": -1, "Pss: -1 kB\n": -1, "Pss: 99999999999999 kB\n": -1,
		strings.Repeat("Pss: 1099511627775 kB\n", 5000): 1 << 60,
	} {
		got, err := parseRollup(text)
		if err != nil {
			got = -1
		}
		if got != want {
			t.Errorf("%.60q: %d, %v, want %d", text, got, err, want)
		}
	}
}

func FuzzParseRollup(f *testing.F) {
	f.Add(rollup(100, 23))
	f.Add("Pss:\nSwapPss: kB")
	f.Fuzz(func(t *testing.T, text string) {
		if n, err := parseRollup(text); n < 0 || (err != nil && n != 0) {
			t.Errorf("%q: %d, %v", text, n, err)
		}
	})
}

func FuzzParsePIDs(f *testing.F) {
	f.Add("1\n22\n22\n0\n")
	f.Add("-1\n")
	f.Fuzz(func(t *testing.T, text string) {
		pids, err := parsePIDs(text)
		if err != nil && pids != nil {
			t.Errorf("%q: %v with %v", text, pids, err)
		}
		if !slices.IsSorted(pids) || len(slices.Compact(slices.Clone(pids))) != len(pids) || (len(pids) > 0 && pids[0] < 0) {
			t.Errorf("%q: %v", text, pids)
		}
	})
}
