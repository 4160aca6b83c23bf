package diff_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mews/supervisor/github/diff"
)

// shown returns a diff as text for comparison: a line for each file, hunk and line.
func shown(files []diff.File) string {
	var b strings.Builder
	for _, f := range files {
		fmt.Fprintf(&b, "%s %q %q %s:%s", f.Status, f.Old, f.New, f.OldMode, f.NewMode)
		if f.Binary {
			b.WriteString(" binary")
		}
		if f.IsSubmodule() {
			b.WriteString(" submodule")
		}
		b.WriteString("\n")
		for i := range f.Hunks {
			h := &f.Hunks[i]
			fmt.Fprintf(&b, " %d,%d %d,%d %q\n", h.OldStart, h.OldLines, h.NewStart, h.NewLines, h.Section)
			for line := range h.Lines() {
				fmt.Fprintf(&b, "  %c %d %d %q", line.Kind, line.Old, line.New, line.Text)
				if line.Unended {
					b.WriteString(" unended")
				}
				b.WriteString("\n")
			}
		}
	}
	return b.String()
}

// TestParse_Testdata_MatchesGoldenFiles parses the diffs in testdata, and compares the results with
// files next to them.
func TestParse_Testdata_MatchesGoldenFiles(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.diff")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text := read(t, path)
			files, err := diff.Parse(text)
			got := shown(files)
			if err != nil {
				got = err.Error() + "\n"
			}
			golden := strings.TrimSuffix(path, ".diff") + ".golden"
			if os.Getenv("UPDATE") != "" {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if d := cmp.Diff(read(t, golden), got); d != "" {
				t.Error(d)
			}
		})
	}
}

func read(tb testing.TB, path string) string {
	tb.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return string(content)
}

func TestParsePatch_ReturnsHunks(t *testing.T) {
	for _, test := range []struct{ name, patch, want string }{
		{"none", "", ""},
		{"one hunk, no end of line", "@@ -1 +1,2 @@ func a() {\n-a\n+b\n+c", " 1,1 1,2 \"func a() {\"\n  - 1 0 \"a\"\n  + 0 1 \"b\"\n  + 0 2 \"c\"\n"},
		{"two hunks", "@@ -0,0 +1 @@\n+a\n@@ -7,1 +9,0 @@\n-b", " 0,0 1,1 \"\"\n  + 0 1 \"a\"\n 7,1 9,0 \"\"\n  - 7 0 \"b\"\n"},
		{"no end of file's line", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\r\n", " 1,1 1,1 \"\"\n  - 1 0 \"a\" unended\n  + 0 1 \"a\\r\"\n"},
		{"the blank of an empty line is gone", "@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n", " 1,3 1,3 \"\"\n    1 1 \"a\"\n    2 2 \"\"\n  - 3 0 \"b\"\n  + 0 3 \"c\"\n"},
		{"what looks like headers is lines", "@@ -1,2 +1 @@\n--- a/x\n-@@ -1 +1 @@\n+++ b/x\n", " 1,2 1,1 \"\"\n  - 1 0 \"-- a/x\"\n  - 2 0 \"@@ -1 +1 @@\"\n  + 0 1 \"++ b/x\"\n"},
		{"cut off", "@@ -1,2 +1,2 @@\n a\n", "diff: line 2: the hunk ends early"},
		{"more than announced", "@@ -1 +1 @@\n a\n+b\n", "diff: line 3: not a hunk"},
		{"a line too many on a side", "@@ -1,1 +1,2 @@\n-a\n-b\n+b\n", "diff: line 3: not a line of the hunk"},
		{"no line", "@@ -1,2 +1,2 @@\n a\nb\n", "diff: line 3: not a line of the hunk"},
		{"no header", "@@ -1,2 +1,2\n a\n", "diff: line 1: not the header of a hunk"},
		{"no number", "@@ -x +1 @@\n a\n", "diff: line 1: not the header of a hunk"},
		{"a number too large", "@@ -1,2147483647 +1 @@\n a\n", "diff: line 1: not the header of a hunk"},
		{"a line before the first", "@@ -0,1 +1 @@\n a\n", "diff: line 1: not the header of a hunk"},
		{"one range", "@@ -1 @@\n a\n", "diff: line 1: not the header of a hunk"},
		{"no diff", "hello", "diff: line 1: not a hunk"},
	} {
		t.Run(test.name, func(t *testing.T) {
			hunks, err := diff.ParsePatch(test.patch)
			_, got, _ := strings.Cut(shown([]diff.File{{Hunks: hunks}}), "\n")
			if err != nil {
				got = err.Error()
			}
			if d := cmp.Diff(test.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestNumberedLines_ShowSideAndNumber(t *testing.T) {
	hunks, err := diff.ParsePatch("@@ -9,2 +9,2 @@ func a() {\n a\r\n-b\n+c\n")
	if err != nil {
		t.Fatal(err)
	}
	hunks[0].Around = &[2]string{"x\n", "y\nz\n"}
	want := "@@ func a() {\n   x\nR9  a\nL10 -b\nR10 +c\n   y\n   z\n"
	if got := (diff.File{Hunks: hunks}).NumberedLines(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// FuzzParse parses any text. The result must be consistent, and its lines must not be longer than
// the text.
func FuzzParse(f *testing.F) {
	paths, err := filepath.Glob("testdata/*.diff")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		f.Add(read(f, path))
	}
	f.Fuzz(func(t *testing.T, text string) {
		files, err := diff.Parse(text)
		if err != nil && files != nil {
			t.Error("files and an error")
		}
		length := 0
		for _, file := range files {
			for i := range file.Hunks {
				length += checkHunk(t, &file.Hunks[i])
			}
			anchorAll(t, file)
		}
		diff.SplitIntoChunks(files, 80, diff.NewSkipFilter([]byte(text)))
		if length > len(text) {
			t.Errorf("%d bytes of lines in %d", length, len(text))
		}
	})
}

// checkHunk checks a hunk, and returns the total length of its lines.
func checkHunk(t *testing.T, h *diff.Hunk) (length int) {
	before, after := h.OldStart, h.NewStart
	for line := range h.Lines() {
		length += len(line.Text)
		if line.Old != 0 {
			if line.Old != before {
				t.Errorf("line %d is called %d", before, line.Old)
			}
			before++
		}
		if line.New != 0 {
			if line.New != after {
				t.Errorf("line %d is called %d", after, line.New)
			}
			after++
		}
	}
	if before != h.OldStart+h.OldLines || after != h.NewStart+h.NewLines {
		t.Errorf("%d and %d lines, announced %d and %d", before-h.OldStart, after-h.NewStart, h.OldLines, h.NewLines)
	}
	return length
}

// anchorAll calls FindPosition with the first lines of a file as quotes, at their own position and
// at a wrong position.
func anchorAll(t *testing.T, f diff.File) {
	n := 0
	for i := range f.Hunks {
		for line := range f.Hunks[i].Lines() {
			side, number := line.CommentPosition()
			if n++; n > 20 || number == 0 {
				return
			}
			at := diff.Position{Path: f.Path(), Side: side, Line: number}
			files := []diff.File{{New: f.Path(), Hunks: f.Hunks[i : i+1]}}
			if got, fit := diff.FindPosition(files, at, line.Text); fit != diff.ExactMatch {
				t.Errorf("%+v, where it stands, has become %+v", at, got)
			}
			at.Line = -number
			diff.FindPosition([]diff.File{f}, at, line.Text)
		}
	}
}
