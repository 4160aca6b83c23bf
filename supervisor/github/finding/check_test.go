package finding

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"mews/protocol"
	"mews/supervisor/github/diff"
)

const sample = `diff --git a/main.go b/main.go
--- a/main.go
+++ b/main.go
@@ -1,5 +1,6 @@
 package main
 
-func put(m map[string]int) {
-	m["a"] = 1
+func put(m map[string]int, k string) {
+	m[k] = 1
+	println(k)
 }
@@ -20,3 +21,4 @@ func get() {
 	one()
+	two(a, b)
 	three()
 	four()
`

func parsed(t testing.TB, text string) []diff.File {
	t.Helper()
	files, err := diff.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// warning returns a finding about main.go.
func warning(line int, quote string, change ...func(*protocol.ReviewFinding)) protocol.ReviewFinding {
	f := protocol.ReviewFinding{Path: "main.go", Line: line, Side: "RIGHT", Severity: protocol.SeverityWarning, Category: "bug",
		Title: "It fails", Detail: "Always.", Quote: quote, Confidence: 0.5}
	for _, c := range change {
		c(&f)
	}
	return f
}

func TestCheck_PositionFollowsQuote(t *testing.T) {
	change := Checker{Files: parsed(t, sample), Heads: map[string]string{"main.go": "package main\n\nfunc far() { away() }\n"}}
	replaces := func(text string) func(*protocol.ReviewFinding) {
		return func(f *protocol.ReviewFinding) { f.Replacement = text }
	}
	for name, c := range map[string]struct {
		found protocol.ReviewFinding
		want  string
	}{
		"where it is":                  {warning(4, "m[k] = 1"), "inline RIGHT 4"},
		"moved in its hunk":            {warning(3, "m[k] = 1"), "inline RIGHT 4"},
		"moved to the only such place": {warning(300, "two(a, b)"), "inline RIGHT 22"},
		"a removed line":               {warning(4, `m["a"] = 1`, func(f *protocol.ReviewFinding) { f.Side = "LEFT" }), "inline LEFT 4"},
		"elsewhere in the file":        {warning(90, "func far() { away() }"), "summary"},
		"nowhere":                      {warning(4, "m[k] = 2"), "unfounded"},
		"another file":                 {warning(4, "m[k] = 1", func(f *protocol.ReviewFinding) { f.Path = "../../etc/passwd" }), "unfounded"},
		"without a quote":              {warning(4, " "), "unfounded"},
		"with a quote that is hidden":  {warning(4, "\u200b"), "unfounded"},
		"with one that commands":       {warning(4, "m[k] = 1", replaces("/approve")), "inline RIGHT 4"},
		"taste":                        {warning(4, "m[k] = 1", func(f *protocol.ReviewFinding) { f.Category = "Style/Naming" }), "style"},
		"a suggestion":                 {warning(4, "m[k] = 1", func(f *protocol.ReviewFinding) { f.Severity = "suggestion" }), "suggestion"},
		"a severity of its own":        {warning(4, "m[k] = 1", func(f *protocol.ReviewFinding) { f.Severity = "apocalyptic" }), "suggestion"},
		"with a replacement":           {warning(4, "m[k] = 1", replaces("\tm[k]++")), "inline RIGHT 4 replaces"},
		"with one that ends the block": {warning(4, "m[k] = 1", replaces("```\n@admin")), "inline RIGHT 4"},
		"with one that has a link":     {warning(4, "m[k] = 1", replaces("get(\"https://evil.example\")")), "inline RIGHT 4"},
		"with one that has a key":      {warning(4, "m[k] = 1", replaces("k := \"AKIAIOSFODNN7EXAMPLE\"")), "inline RIGHT 4"},
		"with one that mentions":       {warning(4, "m[k] = 1", replaces("// ask @admin")), "inline RIGHT 4"},
		"with one for a moved line":    {warning(3, "m[k] = 1", replaces("\tm[k]++")), "inline RIGHT 4"},
		"with one for another hunk":    {warning(4, "two(a, b)", replaces("\ttwo(b, a)")), "inline RIGHT 22"},
		"with one for a line in none":  {warning(300, "two(a, b)", replaces("\ttwo(b, a)")), "inline RIGHT 22"},
		"with one for lines, one quoted": {warning(5, "println(k)", replaces("\tm[k]++"),
			func(f *protocol.ReviewFinding) { f.Start = 4 }),
			"inline RIGHT 5"},
		"with one for lines, all quoted": {warning(5, "m[k] = 1\nprintln(k)", replaces("\tm[k]++"),
			func(f *protocol.ReviewFinding) { f.Start = 4 }),
			"inline RIGHT 5 replaces"},
		"with one for one line of two": {warning(5, "m[k] = 1\nprintln(k)", replaces("\tm[k]++")), "inline RIGHT 5"},
		"with one for a removed line": {warning(4, `m["a"] = 1`, replaces("x"),
			func(f *protocol.ReviewFinding) { f.Side = "LEFT" }), "inline LEFT 4"},
		"with one for a part of a line": {warning(4, "m[k]", replaces("\tm[k]++")), "inline RIGHT 4 replaces"},
		"with one of other lines": {warning(300, "two(a, b)",
			func(f *protocol.ReviewFinding) { f.Start, f.Replacement = 298, "x" }), "inline RIGHT 22"},
	} {
		got := ""
		checked := change.Check([]protocol.ReviewFinding{c.found})
		for _, f := range checked.Inline {
			got = fmt.Sprintf("inline %s %d", f.Side, f.Line)
			if f.Replaces {
				got += " replaces"
			}
		}
		if len(checked.Summary) > 0 {
			got += "summary"
		}
		if len(checked.Suggestions) > 0 {
			got += "suggestion"
		}
		for why := range checked.Left {
			got += string(why)
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestCheck_QuoteOutsideDiff_FindsLineInFile checks that a finding's line always contains its
// quote, even if the finding names another line.
func TestCheck_QuoteOutsideDiff_FindsLineInFile(t *testing.T) {
	head := "package main\n\nfunc far() {\n\taway()\n}\n\nfunc near() {\n\tclose()\n}\n\nfunc end() {\n\tclose()\n}\n"
	change := Checker{Files: parsed(t, sample), Heads: map[string]string{"main.go": head}}
	for name, c := range map[string]struct {
		line  int
		quote string
		want  string // the expected first and last line; "" means that the finding is left out
	}{
		"its line":                  {4, "\taway()", "0-4"},
		"another line":              {1, "away()", "0-4"},
		"a line after the end":      {900, "away()", "0-4"},
		"no line":                   {0, "func far() {", "0-3"},
		"several lines":             {90, "func far() {\n\taway()", "3-4"},
		"twice, the nearest above":  {7, "close()", "0-8"},
		"twice, the nearest below":  {13, "close()", "0-12"},
		"with numbers":              {90, "R3  func far() {\nR4  \taway()", "3-4"},
		"a part of a line":          {90, "func near", "0-7"},
		"lines without a blank one": {90, "package main\nfunc far() {", "0-0"},
		"a short part of a line":    {90, "way", "0-0"},
		"not there":                 {4, "gone()", ""},
		"lines in another order":    {4, "away()\nfunc far() {", ""},
	} {
		checked := change.Check([]protocol.ReviewFinding{warning(c.line, c.quote)})
		got := ""
		for _, f := range checked.All() {
			got = fmt.Sprintf("%d-%d", f.Start, f.Line)
			if want := fmt.Sprintf(":%d`", f.Line); strings.HasSuffix(FormatPosition(f), want) != (f.Line > 0) {
				t.Errorf("%s: printed as %s", name, FormatPosition(f))
			}
		}
		if got != c.want {
			t.Errorf("%s: lines %q, want %q", name, got, c.want)
		}
	}
}

func TestCheck_PostedFinding_IsNotRepeated(t *testing.T) {
	change := Checker{Files: parsed(t, sample)}
	first := change.Check([]protocol.ReviewFinding{warning(4, "m[k] = 1"), warning(4, "m[k] = 1"), warning(22, "two(a, b)")})
	if len(first.Inline) != 2 || first.Left[OmittedRepeated] != 1 {
		t.Fatalf("twice the same comes to %+v", first)
	}
	// a hundred lines further down, it is still the same code
	moved := strings.NewReplacer("@@ -1,5 +1,6 @@", "@@ -101,5 +101,6 @@").Replace(sample)
	change = Checker{Files: parsed(t, moved), Known: []KnownFinding{first.Inline[0].Identity()}}
	again := change.Check([]protocol.ReviewFinding{warning(104, "m[k] = 1"), warning(22, "two(a, b)")})
	if len(again.Inline) != 1 || again.Inline[0].Line != 22 || again.Left[OmittedRepeated] != 1 {
		t.Errorf("said again: %+v", again)
	}
	// it is still the same code if only the next line differs
	change = Checker{Files: parsed(t, strings.Replace(sample, "println(k)", "log(k)", 1)),
		Known: []KnownFinding{first.Inline[0].Identity()}}
	if again := change.Check([]protocol.ReviewFinding{warning(4, "m[k] = 1")}); again.Left[OmittedRepeated] != 1 {
		t.Errorf("said again: %+v", again)
	}
	// the same line among other lines is other code
	change = Checker{Files: parsed(t, strings.Replace(sample, "two(a, b)", "m[k] = 1", 1))}
	if both := change.Check([]protocol.ReviewFinding{warning(4, "m[k] = 1"), warning(22, "m[k] = 1")}); len(both.Inline) != 2 {
		t.Errorf("twice the same line: %+v", both)
	}
	if mark, ok := ParseFindingMark(first.Inline[0].CommentBody()); !ok || mark != first.Inline[0].Fingerprint {
		t.Errorf("the comment is marked with %q, want %q", mark, first.Inline[0].Fingerprint)
	}
}

// TestParseFindingMark_TakesLastMark checks that a mark in a suggested replacement does not count.
func TestParseFindingMark_TakesLastMark(t *testing.T) {
	f := Finding{ReviewFinding: warning(4, "m[k] = 1"), Fingerprint: "0123456789abcdef", Replaces: true}
	f.Replacement = "<!-- mews:finding fedcba9876543210 -->"
	if print, ok := ParseFindingMark(f.CommentBody()); !ok || print != f.Fingerprint {
		t.Errorf("marked %q, %v", print, ok)
	}
}

func TestCheck_ManyFindings_AreLimited(t *testing.T) {
	change := Checker{Files: parsed(t, sample)}
	var found []protocol.ReviewFinding
	for i := range 40 {
		found = append(found, warning(4, "m[k] = 1", func(f *protocol.ReviewFinding) {
			f.Title, f.Severity = fmt.Sprint("Fault", i), severities[i%3]
		}))
	}
	for _, most := range []int{0, 3, 100} {
		change.Inline = most
		checked := change.Check(found)
		want := min(cmp.Or(most, 10), 20)
		if n := len(checked.Inline); n != want || checked.Inline[0].Severity != protocol.SeverityCritical {
			t.Errorf("%d comments of at most %d, the first %s", n, most, checked.Inline[0].Severity)
		}
		if n := len(checked.All()); n != len(found) {
			t.Errorf("%d findings are left of %d", n, len(found))
		}
	}
}

func TestFindReorderedLines_FindsBidiTrick(t *testing.T) {
	text := strings.Replace(sample, "println(k)", "println(k) // \u202e } if admin {", 1)
	checked := Checker{Files: parsed(t, VisibleCode(text))}.Check(FindReorderedLines(parsed(t, text)))
	if len(checked.Inline) != 1 || checked.Inline[0].Line != 5 || checked.Inline[0].Severity != protocol.SeverityCritical {
		t.Errorf("a line in another order comes to %+v", checked)
	}
}

// TestCheck_WrongPositions_AreNeverPosted draws 100,000 findings that may be wrong about anything.
// GitHub must accept each comment, and no finding may be lost.
func TestCheck_WrongPositions_AreNeverPosted(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 11))
	const batch = 50
	posted := map[bool]int{}
	for range 100_000 / batch {
		files, lines := randomDiff(t, rng)
		change := Checker{Files: files, Inline: 20}
		var found []protocol.ReviewFinding
		for range batch {
			line := lines[rng.IntN(len(lines))]
			found = append(found, protocol.ReviewFinding{
				Path: []string{"a.go", "b.go", "old.go", "", "c.go\x00"}[rng.IntN(5)], Start: rng.IntN(60) - 5, Line: rng.IntN(60) - 5,
				Side: []string{"LEFT", "RIGHT", "right", ""}[rng.IntN(4)], Severity: []protocol.Severity{"critical", "warning", "suggestion", "x"}[rng.IntN(4)],
				Category: fmt.Sprint("c", strings.Repeat("c", rng.IntN(9))), Title: "t", Quote: []string{line, line + "!", line[:rng.IntN(len(line)+1)], line + "\n" + line}[rng.IntN(4)],
				Replacement: []string{"", "x"}[rng.IntN(2)],
			})
		}
		checked := change.Check(found)
		n := len(checked.All())
		for _, left := range checked.Left {
			n += left
		}
		if n != batch {
			t.Fatalf("%d findings came to %d", batch, n)
		}
		for _, f := range checked.Inline {
			posted[accepted(files, f.ReviewFinding)]++
			if !accepted(files, f.ReviewFinding) {
				t.Fatalf("a comment at %s %s %d to %d would not be taken", f.Path, f.Side, f.Start, f.Line)
			}
		}
	}
	if posted[true] < 1000 {
		t.Errorf("only %d findings of 100,000 were posted", posted[true])
	}
	t.Logf("%d of 100,000 findings are comments, all of them right", posted[true])
}

// accepted reports whether GitHub would accept a comment. Its lines must be in one hunk and on one
// side, and Start must be before Line.
func accepted(files []diff.File, f protocol.ReviewFinding) bool {
	for _, file := range files {
		for i := range file.Hunks {
			on := map[int]bool{}
			for line := range file.Hunks[i].Lines() {
				if f.Side == "LEFT" && line.Kind == diff.LineRemoved {
					on[line.Old] = true
				}
				if f.Side == "RIGHT" && line.Kind != diff.LineRemoved {
					on[line.New] = true
				}
			}
			if file.Path() == f.Path && on[f.Line] && (f.Start == 0 || f.Start < f.Line && on[f.Start]) {
				return true
			}
		}
	}
	return false
}

// randomDiff returns a diff of two files, and the text of its lines.
func randomDiff(t *testing.T, rng *rand.Rand) (files []diff.File, lines []string) {
	var b strings.Builder
	for _, names := range [][2]string{{"a.go", "a.go"}, {"old.go", "b.go"}} {
		fmt.Fprintf(&b, "diff --git a/%s b/%s\n", names[0], names[1])
		if names[0] != names[1] {
			fmt.Fprintf(&b, "similarity index 50%%\nrename from %s\nrename to %s\n", names[0], names[1])
		}
		fmt.Fprintf(&b, "--- a/%s\n+++ b/%s\n", names[0], names[1])
		old, now := 1, 1
		for range 1 + rng.IntN(3) {
			skip := rng.IntN(10)
			old, now = old+skip, now+skip
			var body strings.Builder
			before, after := 0, 0
			for range 1 + rng.IntN(8) {
				kind := " +-"[rng.IntN(3)]
				text := fmt.Sprintf("line %d of it", rng.IntN(20))
				lines = append(lines, text)
				fmt.Fprintf(&body, "%c%s\n", kind, text)
				if kind != '+' {
					before++
				}
				if kind != '-' {
					after++
				}
			}
			fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@\n%s", old-min(1, max(0, 1-before)), before, now-min(1, max(0, 1-after)), after, &body)
			old, now = old+before+1, now+after+1
		}
	}
	return parsed(t, b.String()), lines
}
