package finding

import (
	"slices"
	"testing"

	"mews/protocol"
)

func TestPostableIndexes_OmitUnpostableFindings(t *testing.T) {
	change := Checker{Files: parsed(t, sample),
		Heads: map[string]string{"main.go": "package main\n\nfunc far() { away() }\n"}}
	said := change.Check([]protocol.ReviewFinding{warning(22, "two(a, b)")}).Inline[0]
	change.Known = []KnownFinding{said.Identity()}
	style := func(f *protocol.ReviewFinding) { f.Category = "style" }
	untitled := func(f *protocol.ReviewFinding) { f.Title = " " }
	for name, c := range map[string]struct {
		found []protocol.ReviewFinding
		want  []int
	}{
		"none":             {nil, nil},
		"one":              {[]protocol.ReviewFinding{warning(4, "m[k] = 1")}, []int{0}},
		"a moved one":      {[]protocol.ReviewFinding{warning(22, "m[k] = 1")}, []int{0}},
		"one outside":      {[]protocol.ReviewFinding{warning(1, "func far() { away() }")}, []int{0}},
		"a wrong quote":    {[]protocol.ReviewFinding{warning(4, "m[k] = 2"), warning(4, "m[k] = 1")}, []int{1}},
		"no quote":         {[]protocol.ReviewFinding{warning(4, "")}, nil},
		"no title":         {[]protocol.ReviewFinding{warning(4, "m[k] = 1", untitled)}, nil},
		"style":            {[]protocol.ReviewFinding{warning(4, "m[k] = 1", style)}, nil},
		"one that is said": {[]protocol.ReviewFinding{warning(22, "two(a, b)"), warning(5, "println(k)")}, []int{1}},
		"one twice": {[]protocol.ReviewFinding{warning(4, "m[k] = 1"), warning(5, "println(k)"),
			warning(3, "m[k] = 1")}, []int{0, 1, 2}},
	} {
		if got := change.PostableIndexes(c.found); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
