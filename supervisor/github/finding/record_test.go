package finding

import (
	"fmt"
	"strings"
	"testing"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/github/diff"
)

// patch returns a diff that adds or changes a file.
func patch(name, status, body string) string {
	head := "diff --git a/" + name + " b/" + name + "\n"
	if status == "added" {
		head += "new file mode 100644\n--- /dev/null\n+++ b/" + name + "\n"
	} else {
		head += "--- a/" + name + "\n+++ b/" + name + "\n"
	}
	return head + body
}

const (
	putHead = "@@ -0,0 +1,5 @@\n+package main\n+\n+func put(m map[string]int) {\n+\tm[\"a\"] = 1\n+}\n"
	// the finding's lines, and another function below
	putAndGet = "@@ -0,0 +1,9 @@\n+package main\n+\n+func put(m map[string]int) {\n+\tm[\"a\"] = " +
		"1\n+}\n+\n+func get() {\n+\tgo()\n+}\n"
	// the finding's lines with a guard
	putGuarded = "@@ -0,0 +1,8 @@\n+package main\n+\n+func put(m map[string]int) {\n+\tif m == nil " +
		"{\n+\t\treturn\n+\t}\n+\tm[\"a\"] = 1\n+}\n"
	// other lines of code, without the finding
	putOther = "@@ -0,0 +1,5 @@\n+package main\n+\n+func put(m map[string]int) {\n+\tset(m, \"a\", 1)\n+}\n"
)

// TestMerge_LaterHead_KeepsFinding follows one finding to a later head. No push may remove it from
// the list.
func TestMerge_LaterHead_KeepsFinding(t *testing.T) {
	nilMap := protocol.ReviewFinding{Path: "main.go", Line: 4, Side: "RIGHT", Severity: protocol.SeverityCritical,
		Category: "bug",
		Title:    "Nil map", Detail: "Panics.", Quote: `m["a"] = 1`}
	unread := Coverage{Files: 1, Unread: []UnreadFile{{Path: "main.go", Reason: UnreadReasonLimit}}}
	inMiddle := strings.NewReplacer("-0,0 +1,5", "-100 +100,6").Replace(putHead) + " x\n"
	moved := "diff --git a/main.go b/new.go\nsimilarity index 90%\nrename from main.go\nrename to new.go\n--- " +
		"a/main.go\n+++ b/new.go\n" + inMiddle
	for name, c := range map[string]struct {
		diff     string
		found    bool // the review of the later head reports the finding again
		refuted  string
		coverage Coverage
		text     string // the whole file; "-" for a missing file
		unread   bool
		state    supervisor.FindingState
		line     int
	}{
		"the same code": {diff: patch("main.go", "added", putHead), state: supervisor.FindingOpen,
			line: 4},
		"the same code, not read": {diff: patch("main.go", "added", putHead), coverage: unread,
			state: supervisor.FindingOpen, line: 4},
		"an unrelated function": {diff: patch("main.go", "added", putAndGet), state: supervisor.FindingOpen,
			line: 4},
		"an unrelated file": {diff: patch("main.go", "added", putHead) + patch("b.go", "added", putHead),
			state: supervisor.FindingOpen, line: 4},
		"moved down": {diff: patch("main.go", "modified", inMiddle), state: supervisor.FindingOpen,
			line: 103},
		"a renamed file": {diff: moved, state: supervisor.FindingOpen, line: 103},
		"guarded, and read": {diff: patch("main.go", "added", putGuarded), state: supervisor.FindingFixed,
			line: 7},
		"guarded, and found again": {diff: patch("main.go", "added", putGuarded), found: true,
			state: supervisor.FindingOpen, line: 7},
		"guarded, not read": {diff: patch("main.go", "added", putGuarded), coverage: unread,
			state: supervisor.FindingChanged, line: 7},
		"other lines, and read": {diff: patch("main.go", "added", putOther), state: supervisor.FindingFixed,
			line: 4},
		"other lines, not read": {diff: patch("main.go", "added", putOther), coverage: unread,
			state: supervisor.FindingChanged, line: 4},
		"other lines, a head not read": {diff: patch("main.go", "added", putOther), unread: true,
			state: supervisor.FindingChanged, line: 4},
		"not in the diff, but in the file": {diff: patch("b.go", "added", putHead),
			text:  "// top\npackage main\n\nfunc put(m map[string]int) {\n\tm[\"a\"] = 1\n}\n",
			state: supervisor.FindingOpen, line: 5},
		"in no file": {diff: patch("b.go", "added", putHead), text: "-",
			state: supervisor.FindingFixed, line: 4},
		"in a file that can't be read": {diff: patch("b.go", "added", putHead), state: supervisor.FindingOpen, line: 4},
		"a second look refutes it": {diff: patch("main.go", "added", putHead), refuted: "m is never nil",
			state: supervisor.FindingRefuted, line: 4},
		"found, and elsewhere refuted": {diff: patch("main.go", "added", putHead), found: true, refuted: "no",
			state: supervisor.FindingOpen, line: 4},
		"a file that is removed meanwhile": {diff: "diff --git a/main.go b/main.go\ndeleted file mode " +
			"100644\n--- a/main.go\n+++ /dev/null\n@@ -1 +0,0 @@\n-package main\n",
			state: supervisor.FindingFixed, line: 4},
	} {
		first := Checker{Files: parsed(t, patch("main.go", "added", putHead))}.Check([]protocol.ReviewFinding{nilMap})
		before := MergeFindings(nil, first, Head{SHA: "aaaa", Files: parsed(t, patch("main.go", "added", putHead))})
		h := Head{SHA: "bbbb", Files: parsed(t, c.diff), Coverage: c.coverage, Unread: c.unread}
		if c.text != "" {
			h.Texts = map[string]string{"main.go": strings.TrimPrefix(c.text, "-")}
		}
		var again []protocol.ReviewFinding
		if c.found {
			again = append(again, nilMap)
		}
		if c.refuted != "" {
			no := nilMap
			no.Refutation = c.refuted
			again = append(again, no)
		}
		after := MergeFindings(before, Checker{Files: h.Files}.Check(again), h)
		if len(after) != 1 || after[0].State != c.state || after[0].Line != c.line || after[0].Found != "aaaa" {
			t.Errorf("%s: %+v, want one that is %s at line %d", name, after, c.state, c.line)
		}
		if fixed := after[0].Fixed; (fixed == "bbbb") != (c.state == supervisor.FindingFixed) {
			t.Errorf("%s: fixed in %q", name, fixed)
		}
		// the code is again as in the first version
		back := MergeFindings(after, CheckedFindings{}, Head{SHA: "cccc", Files: parsed(t,
			patch(after[0].Path, "added", putHead))})
		if c.state == supervisor.FindingFixed && (back[0].State != supervisor.FindingOpen || back[0].Fixed != "") &&
			after[0].Path == "main.go" && !c.found {
			t.Errorf("%s: undone, it is %+v", name, back[0])
		}
	}
}

// A removed line with a fault is found again among the removed lines only.
func TestMerge_FindingInRemovedLine_IsFoundAgain(t *testing.T) {
	removed := protocol.ReviewFinding{Path: "main.go", Line: 4, Side: "LEFT", Severity: protocol.SeverityWarning,
		Title: "The check is gone", Quote: `m["a"] = 1`}
	h := Head{SHA: "aaaa", Files: parsed(t, sample)}
	records := MergeFindings(nil, Checker{Files: h.Files}.Check([]protocol.ReviewFinding{removed}), h)
	records = MergeFindings(records, CheckedFindings{}, Head{SHA: "bbbb", Files: parsed(t, sample)})
	if r := records[0]; r.State != supervisor.FindingOpen || r.Side != "LEFT" || !r.Placed {
		t.Errorf("still removed: %+v", r)
	}
	undone := strings.Replace(sample, "-\tm[\"a\"] = 1\n", " \tm[\"a\"] = 1\n", 1)
	undone = strings.Replace(undone, "-1,5 +1,6", "-1,5 +1,7", 1)
	records = MergeFindings(records, CheckedFindings{}, Head{SHA: "cccc", Files: parsed(t, undone)})
	if r := records[0]; r.State != supervisor.FindingFixed || r.Fixed != "cccc" {
		t.Errorf("not removed any more: %+v", r)
	}
}

// If several lines are equal, the finding is at the line in the same block.
func TestMerge_EqualLines_MatchesSameBlock(t *testing.T) {
	body := func(blocks ...string) string {
		text := "package main\n"
		for _, b := range blocks {
			text += "\nfunc " + b + "() {\n\topen(x)\n}\n"
		}
		n := strings.Count(text, "\n")
		return patch("main.go", "added", fmt.Sprintf("@@ -0,0 +1,%d @@\n+%s\n", n,
			strings.Join(strings.Split(strings.TrimSuffix(text, "\n"), "\n"), "\n+")))
	}
	f := warning(8, "open(x)")
	h := Head{SHA: "aaaa", Files: parsed(t, body("a", "b", "c"))}
	records := MergeFindings(nil, Checker{Files: h.Files}.Check([]protocol.ReviewFinding{f}), h)
	if len(records) != 1 || records[0].Line != 8 {
		t.Fatalf("found %+v", records)
	}
	records = MergeFindings(records, CheckedFindings{}, Head{SHA: "bbbb", Files: parsed(t, body("new", "c", "a", "b"))})
	if r := records[0]; r.Line != 16 || r.State != supervisor.FindingOpen {
		t.Errorf("b is at line 16, and the finding %+v", r)
	}
}

// PathsToRead names exactly the files that are needed to merge findings.
func TestPathsToRead_NamesFilesOutsideTheDiff(t *testing.T) {
	h := Head{SHA: "aaaa", Files: parsed(t, patch("main.go", "added", putHead))}
	first := Checker{Files: h.Files}.Check([]protocol.ReviewFinding{{Path: "main.go", Line: 4, Side: "RIGHT",
		Severity: "critical", Title: "Nil map", Quote: `m["a"] = 1`}})
	records := MergeFindings(nil, first, h)
	for name, c := range map[string]struct {
		files []diff.File
		texts map[string]string
		want  string
	}{
		"in the diff":         {h.Files, nil, "[]"},
		"gone from a new one": {parsed(t, patch("main.go", "added", putOther)), nil, "[]"},
		"outside the diff":    {parsed(t, patch("b.go", "added", putHead)), nil, "[main.go]"},
		"read already":        {parsed(t, patch("b.go", "added", putHead)), map[string]string{"main.go": ""}, "[]"},
	} {
		if got := fmt.Sprint(PathsToRead(records, Head{SHA: "bbbb", Files: c.files, Texts: c.texts},
			9)); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestMerge_QuoteOutsideDiff_FollowsItsLine follows a finding in a part of a file that the change
// does not touch. Its quote may have line numbers, as a worker sees them.
func TestMerge_QuoteOutsideDiff_FollowsItsLine(t *testing.T) {
	file := "package main\n\nfunc far() {\n\taway()\n}\n"
	hunk := parsed(t, patch("main.go", "modified", "@@ -100 +100,2 @@\n x\n+y\n"))
	change := func(text string) Checker { return Checker{Files: hunk, Heads: map[string]string{"main.go": text}} }
	for _, quote := range []string{"\taway()", "away()", "R4  \taway()"} {
		first := change(file).Check([]protocol.ReviewFinding{warning(4, quote)})
		records := MergeFindings(nil, first, Head{SHA: "aaaa", Files: hunk})
		for name, c := range map[string]struct {
			text  string
			state supervisor.FindingState
			want  string
		}{
			"moved": {"// top\n" + file, supervisor.FindingOpen, "`main.go:5`"},
			"gone":  {strings.ReplaceAll(file, "away", "stay"), supervisor.FindingFixed, "`main.go:4`"},
		} {
			h := Head{SHA: "bbbb", Files: hunk, Texts: map[string]string{"main.go": c.text}}
			got := MergeFindings(records, CheckedFindings{}, h)
			if len(got) != 1 || got[0].State != c.state || FormatPosition(got[0].Finding) != c.want {
				t.Errorf("%q, %s: %+v", quote, name, got)
			}
		}
		again := change("// top\n" + file)
		again.Known = []KnownFinding{records[0].Identity()}
		if checked := again.Check([]protocol.ReviewFinding{warning(5, "R5  \taway()")}); len(checked.Known) != 1 {
			t.Errorf("%q: not known again: %+v", quote, checked)
		}
	}
}

// Two faults of one line keep a record each, even if their titles are alike.
func TestMerge_SimilarTitles_KeepSeparateRecords(t *testing.T) {
	h := Head{SHA: "aaaa", Files: parsed(t, sample)}
	titled := func(title string) protocol.ReviewFinding {
		return warning(4, "m[k] = 1", func(f *protocol.ReviewFinding) { f.Title = title })
	}
	found := Checker{Files: h.Files}.Check([]protocol.ReviewFinding{titled("alpha beta gamma delta")})
	records := MergeFindings(nil, found, h)
	later := Checker{Files: h.Files}.Check([]protocol.ReviewFinding{titled("alpha beta one two"),
		titled("gamma delta three four"), titled("alpha beta gamma delta")})
	for range 2 {
		records = MergeFindings(records, later, h)
		prints := map[string]bool{}
		for _, r := range records {
			prints[r.Fingerprint] = true
		}
		if len(prints) != len(records) || len(records) != len(later.All()) {
			t.Errorf("%d records with %d fingerprints of %d findings", len(records), len(prints), len(later.All()))
		}
	}
}
