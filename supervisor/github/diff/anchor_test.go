package diff_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mews/supervisor/github/diff"
)

// story is a diff with two hunks and a renamed file.
const story = `diff --git a/a.go b/a.go
--- a/a.go
+++ b/a.go
@@ -10,7 +10,8 @@ func a() {
 	one := 1
 	two := 2
-	three := 4
+	three := 3
+	four  :=  4
 	}
 	five := 5
 	}
 	six := 6
@@ -50,3 +51,3 @@ func b() {
 	return nil
-	// gone with the wind
+	// here to stay
 	return nil
diff --git a/old.go b/new.go
rename from old.go
rename to new.go
--- a/old.go
+++ b/new.go
@@ -1 +1 @@
-package old
+package new
`

func TestFindPosition_Quote_GivesPosition(t *testing.T) {
	files, err := diff.Parse(story)
	if err != nil {
		t.Fatal(err)
	}
	type place = diff.Position
	const l, r = diff.LeftSide, diff.RightSide
	for _, test := range []struct {
		name  string
		at    place
		quote string
		want  place
		fit   diff.PositionMatch
	}{
		{"an added line", place{"a.go", r, 0, 12}, "three := 3", place{"a.go", r, 0, 12}, diff.ExactMatch},
		{"white space apart", place{"a.go", r, 0, 13}, " four := 4 \n", place{"a.go", r, 0, 13}, diff.ExactMatch},
		{"a part of the line", place{"a.go", r, 0, 12}, "three", place{"a.go", r, 0, 12}, diff.ExactMatch},
		{"no quote", place{"a.go", r, 0, 12}, "", place{"a.go", r, 0, 12}, diff.ExactMatch},
		{"a removed line", place{"a.go", l, 0, 12}, "three := 4", place{"a.go", l, 0, 12}, diff.ExactMatch},
		{"context", place{"a.go", r, 0, 11}, "two := 2", place{"a.go", r, 0, 11}, diff.ExactMatch},
		{"context on the left is the right's", place{"a.go", l, 0, 14}, "five := 5", place{"a.go", r, 0, 15},
			diff.MovedMatch},
		{"several lines", place{"a.go", r, 11, 13}, "two := 2\n\nthree := 3", place{"a.go", r, 11, 13}, diff.NoMatch},
		{"several lines, one quoted", place{"a.go", r, 11, 13}, "three := 3", place{"a.go", r, 11, 13},
			diff.ExactMatch},
		{"the same line twice", place{"a.go", r, 12, 12}, "three := 3", place{"a.go", r, 0, 12}, diff.ExactMatch},
		{"the wrong way round", place{"a.go", r, 13, 11}, "three := 3", place{"a.go", r, 11, 13}, diff.MovedMatch},
		{"some lines off", place{"a.go", r, 0, 17}, "three := 3", place{"a.go", r, 0, 12}, diff.MovedMatch},
		{"the nearest", place{"a.go", r, 0, 17}, "}", place{"a.go", r, 0, 16}, diff.MovedMatch},
		{"the nearest above", place{"a.go", r, 0, 13}, "}", place{"a.go", r, 0, 14}, diff.MovedMatch},
		{"several lines off", place{"a.go", r, 0, 10}, "\n\tthree := 3\n\tfour := 4\n\n", place{"a.go", r, 12, 13},
			diff.MovedMatch},
		{"from a line's middle", place{"a.go", r, 0, 10}, ":= 3\nfour :=", place{"a.go", r, 12, 13}, diff.MovedMatch},
		{"with the mark of a diff", place{"a.go", r, 0, 12}, "+\tthree := 3", place{"a.go", r, 0, 12}, diff.ExactMatch},
		{"with numbers, some lines off", place{"a.go", r, 0, 10}, "R11  \ttwo := 2\nR12 +\tthree := 3", place{"a.go", r,
			11, 12}, diff.MovedMatch},
		{"a mark, and nothing that stands there", place{"a.go", r, 0, 10}, "+", place{"a.go", r, 0, 10}, diff.NoMatch},
		{"too little of a line", place{"a.go", r, 0, 10}, "ve", place{"a.go", r, 0, 10}, diff.NoMatch},
		{"the other side", place{"a.go", r, 0, 12}, "three := 4", place{"a.go", l, 0, 12}, diff.MovedMatch},
		{"on the left from context on", place{"a.go", l, 11, 13}, "", place{"a.go", l, 0, 12}, diff.MovedMatch},
		{"another hunk's quote", place{"a.go", r, 0, 12}, "// here to stay", place{"a.go", r, 0, 52},
			diff.MovedMatch},
		{"an earlier hunk's quote", place{"a.go", r, 0, 52}, "three := 3", place{"a.go", r, 0, 12},
			diff.MovedMatch},
		{"another hunk's lines", place{"a.go", r, 51, 52}, "three := 3\nfour := 4", place{"a.go", r, 12, 13},
			diff.MovedMatch},
		{"another hunk's removed line", place{"a.go", r, 0, 12}, "// gone with the wind", place{"a.go", l, 0, 51},
			diff.MovedMatch},
		{"another hunk's quote, twice", place{"a.go", r, 0, 12}, "return nil", place{"a.go", r, 0, 12}, diff.NoMatch},
		{"another file's quote", place{"a.go", r, 0, 12}, "package new", place{"a.go", r, 0, 12}, diff.NoMatch},
		{"in no hunk, quoted once", place{"a.go", r, 0, 30}, "// here to stay", place{"a.go", r, 0, 52},
			diff.MovedMatch},
		{"in no hunk, quoted twice", place{"a.go", r, 0, 30}, "return nil", place{"a.go", r, 0, 30}, diff.NoMatch},
		{"in no hunk, no quote", place{"a.go", r, 0, 30}, " ", place{"a.go", r, 0, 30}, diff.NoMatch},
		{"over two hunks", place{"a.go", r, 12, 52}, "", place{"a.go", r, 12, 52}, diff.NoMatch},
		{"the name before", place{"old.go", r, 0, 1}, "package new", place{"new.go", r, 0, 1}, diff.MovedMatch},
		{"no such file", place{"b.go", r, 0, 12}, "three := 3", place{"b.go", r, 0, 12}, diff.NoMatch},
		{"no line", place{"a.go", l, 0, 0}, "three := 5", place{"a.go", l, 0, 0}, diff.NoMatch},
		{"no side", place{"a.go", "", 0, 12}, "three := 3", place{"a.go", r, 0, 12}, diff.MovedMatch},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got, fit := diff.FindPosition(files, test.at, test.quote); got != test.want || fit != test.fit {
				t.Errorf("got %+v, %d; want %+v, %d", got, fit, test.want, test.fit)
			}
		})
	}
}

// TestFindPosition_SwappedFiles_UsesNewName covers two files that swap their names. A name means
// the file that has this name after the change.
func TestFindPosition_SwappedFiles_UsesNewName(t *testing.T) {
	files := parsed(t, `diff --git a/a b/b
rename from a
rename to b
--- a/a
+++ b/b
@@ -1 +1 @@
-one
+two
diff --git a/b b/a
rename from b
rename to a
--- a/b
+++ b/a
@@ -1 +1 @@
-three
+four
`)
	for path, quote := range map[string]string{"a": "four", "b": "two"} {
		at := diff.Position{Path: path, Side: diff.RightSide, Line: 1}
		if got, fit := diff.FindPosition(files, at, quote); got != at || fit != diff.ExactMatch {
			t.Errorf("%q in %s: %+v, %d", quote, path, got, fit)
		}
	}
}

// commentLine is a line on which GitHub accepts a comment. hunk is the number of its hunk.
type commentLine struct {
	path, side string
	line, hunk int
}

// commentLines returns the text of each line on which a comment is possible. It reads the diff in
// the simplest way.
func commentLines(text string) map[commentLine]string {
	found := map[commentLine]string{}
	var path string
	var old, now, hunk int
	for _, line := range strings.Split(text, "\n") {
		switch {
		case strings.HasPrefix(line, "+++ b/"):
			path = line[len("+++ b/"):]
		case strings.HasPrefix(line, "--- a/"):
		case strings.HasPrefix(line, "@@"):
			hunk++
			var n int
			fmt.Sscanf(line, "@@ -%d,%d +%d", &old, &n, &now)
		case strings.HasPrefix(line, "+"):
			found[commentLine{path, "RIGHT", now, hunk}] = line[1:]
			now++
		case strings.HasPrefix(line, "-"):
			found[commentLine{path, "LEFT", old, hunk}] = line[1:]
			old++
		case strings.HasPrefix(line, " "):
			found[commentLine{path, "RIGHT", now, hunk}] = line[1:]
			old++
			now++
		}
	}
	return found
}

// TestFindPosition_WrongPosition_IsCorrected draws 30,000 wrong numbers, sides, paths and quotes.
// The result must be a position that GitHub accepts and that has the quote, or no position.
func TestFindPosition_WrongPosition_IsCorrected(t *testing.T) {
	const anchors = 30_000
	random := rand.New(rand.NewPCG(16, 1))
	text := manyHunks(random)
	files, err := diff.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	right := commentLines(text)
	hunkOf := map[commentLine]int{}
	var all []commentLine
	for s := range right {
		hunkOf[commentLine{s.path, s.side, s.line, 0}] = s.hunk
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b commentLine) int {
		return cmp.Or(a.hunk-b.hunk, a.line-b.line, strings.Compare(a.side, b.side))
	})
	fits := map[diff.PositionMatch]int{}
	for i := range anchors {
		at := wrongPlace(random)
		meant := all[random.IntN(len(all))]
		quote := wrongQuote(random, right[meant])
		near := i%3 == 0
		if near {
			at = diff.Position{Path: meant.path, Side: diff.Side(meant.side), Line: meant.line + random.IntN(11) - 5}
			quote = right[meant]
		}
		got, fit := diff.FindPosition(files, at, quote)
		fits[fit]++
		if fit == diff.NoMatch {
			if near && quote != "" && hunkOf[commentLine{at.Path, string(at.Side), at.Line, 0}] == meant.hunk {
				t.Fatalf("%+v is nowhere, and %q stands in its hunk", at, quote)
			}
			if got != at {
				t.Fatalf("%+v is nowhere, and has become %+v", at, got)
			}
			continue
		}
		last := hunkOf[commentLine{got.Path, string(got.Side), got.Line, 0}]
		first := last
		if got.Start != 0 {
			first = hunkOf[commentLine{got.Path, string(got.Side), got.Start, 0}]
		}
		if last == 0 || first != last || got.Start != 0 && got.Start >= got.Line {
			t.Fatalf("%+v %q has become %+v, which GitHub refuses (hunks %d and %d)", at, quote, got, first, last)
		}
		if !quoted(right, got, last, quote) {
			t.Fatalf("%+v has become %+v, where %q does not stand", at, got, quote)
		}
	}
	t.Log(fits)
	if fits[diff.ExactMatch]+fits[diff.MovedMatch]+fits[diff.NoMatch] != anchors || fits[diff.ExactMatch] == 0 ||
		fits[diff.MovedMatch] < anchors/100 {
		t.Error(fits, "of", anchors)
	}
}

// manyHunks returns a diff with short lines, so that many lines are equal.
func manyHunks(random *rand.Rand) string {
	var b strings.Builder
	for f := range 5 {
		fmt.Fprintf(&b, "diff --git a/f%d b/f%d\n--- a/f%d\n+++ b/f%d\n", f, f, f, f)
		old, now := 1, 1
		for range 4 {
			old, now = old+random.IntN(40), now+random.IntN(40)
			var body strings.Builder
			before, after := 0, 0
			for range 1 + random.IntN(30) {
				mark := " +-"[random.IntN(3)]
				fmt.Fprintf(&body, "%c%s\n", mark, words[random.IntN(len(words))])
				if mark != '+' {
					before++
				}
				if mark != '-' {
					after++
				}
			}
			fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@\n%s", old, before, now, after, body.String())
			old, now = old+before, now+after
		}
	}
	return b.String()
}

var words = []string{"", "}", "\treturn nil", "\tif err != nil {", "\t}", "x := 1", "y := compute(x, 2)", "\tfmt.Println( x )", "// a word"}

func wrongPlace(random *rand.Rand) diff.Position {
	numbers := []func() int{
		func() int { return random.IntN(150) }, func() int { return random.IntN(150) }, func() int { return random.IntN(150) },
		func() int { return -random.IntN(150) }, func() int { return math.MaxInt - random.IntN(3) }, func() int { return 0 },
	}
	at := diff.Position{
		Path: []string{"f0", "f1", "f2", "f3", "f4", "f9", "", "../f0"}[random.IntN(8)],
		Side: []diff.Side{diff.RightSide, diff.LeftSide, diff.RightSide, diff.LeftSide, "", "BOTH"}[random.IntN(6)],
		Line: numbers[random.IntN(len(numbers))](),
	}
	if random.IntN(3) == 0 {
		at.Start = numbers[random.IntN(len(numbers))]()
	} else if random.IntN(3) == 0 {
		at.Start = at.Line - random.IntN(5)
	}
	return at
}

func wrongQuote(random *rand.Rand, line string) string {
	return []string{
		"", "nobody wrote this", "  " + line[random.IntN(len(line)+1):], line + "\n" + words[random.IntN(len(words))],
	}[random.IntN(4)]
}

// quoted reports whether a quote is in the lines at a position, without regard to spaces. A
// position on the left begins and ends with removed lines, but its quote may go on in context
// lines.
func quoted(right map[commentLine]string, at diff.Position, hunk int, quote string) bool {
	bare := func(s string) string { return strings.Join(strings.Fields(s), "") }
	if at.Side == diff.LeftSide {
		return true // on the left, the text is not compared
	}
	first := at.Start
	if first == 0 {
		first = at.Line
	}
	var all strings.Builder
	for n := first; n <= at.Line; n++ {
		all.WriteString(bare(right[commentLine{at.Path, string(at.Side), n, hunk}]))
	}
	for line := range strings.Lines(quote) {
		if !strings.Contains(all.String(), bare(line)) {
			return false
		}
	}
	return true
}
