package program

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestParseStat_AnyName_FindsFields(t *testing.T) {
	rest := strings.Repeat(" 1", 15)
	for text, want := range map[string]process{
		"7 (sh) S 1 7 5" + rest + " 99 0":          {pid: 7, session: 5, began: "99"},
		"7 (a) Z 9 (b c) Z 1 7 6" + rest + " 98 0": {pid: 7, session: 6, began: "98", dead: true},
	} {
		if got, ok := parseStat(7, text); !ok || got != want {
			t.Errorf("%q: %+v %v, want %+v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "7", "7 (sh)", "7 (sh) S 1 2", "7 (sh) S 1 7 x" + rest + " 99 0"} {
		if got, ok := parseStat(7, text); ok {
			t.Errorf("%q: %+v", text, got)
		}
	}
	if p, ok := readProcess(os.Getpid()); !ok || p.dead || p.began == "" {
		t.Errorf("this process: %+v %v", p, ok)
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add(fmt.Sprintf("7 (sh) S 1 7 5%s 99 0", strings.Repeat(" 1", 15)))
	f.Add("7 (a) b) Z")
	f.Fuzz(func(_ *testing.T, text string) { parseStat(1, text) })
}
