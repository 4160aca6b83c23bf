package diff_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mews/supervisor/github/diff"
)

// countChanged counts how often each changed line occurs in files.
func countChanged(count map[string]int, files []diff.File) {
	for _, f := range files {
		for i := range f.Hunks {
			for line := range f.Hunks[i].Lines() {
				if side, number := line.CommentPosition(); line.Kind != diff.LineContext {
					count[fmt.Sprintf("%s %s %d %t %s", f.Path(), side, number, line.Unended, line.Text)]++
				}
			}
		}
	}
}

// TestSplitIntoChunks_HasEachLineOnce splits many diffs, with sizes from less than a line to more
// than the diff. Each changed line must be in one chunk or in an UnreadFile with a reason. No chunk
// may be too large.
func TestSplitIntoChunks_HasEachLineOnce(t *testing.T) {
	random := rand.New(rand.NewPCG(16, 2))
	for round := range 100 {
		files := randomFiles(t, random)
		size := 64 + random.IntN(1<<random.IntN(14))
		skipped := func(f diff.File) string {
			if f.Path() == "f3" {
				return "nobody reads it"
			}
			return ""
		}
		chunks, unread := diff.SplitIntoChunks(files, size, skipped)
		head := headOf(files)
		want, got := map[string]int{}, map[string]int{}
		countChanged(want, files)
		for i, chunk := range chunks {
			countChanged(got, chunk)
			if n := shownSize(chunk); n > size || n == 0 {
				t.Fatalf("round %d: chunk %d of %d has %d bytes, and may have %d", round, i, len(chunks), n, size)
			}
			checkAround(t, head, chunk)
		}
		for _, u := range unread {
			countChanged(got, []diff.File{u.File})
			if longest := shownSize([]diff.File{u.File}); u.Reason != "nobody reads it" && longest < size/2 {
				t.Errorf("round %d: %d bytes are too long for chunks of %d", round, longest, size)
			}
		}
		if len(got) != len(want) {
			t.Fatalf("round %d: %d changed lines, %d before", round, len(got), len(want))
		}
		for line, n := range got {
			if n != 1 || want[line] != 1 {
				t.Fatalf("round %d: %q is there %d times, %d before", round, line, n, want[line])
			}
		}
	}
}

// randomFiles returns a random diff. Some files have one large hunk, long lines, or no lines.
func randomFiles(t *testing.T, random *rand.Rand) []diff.File {
	text := manyHunks(random)
	lines := 1 + random.IntN(300)
	text += fmt.Sprintf("diff --git a/new b/new\nnew file mode 100644\n--- /dev/null\n+++ b/new\n@@ -0,0 +1,%d @@ %s\n", lines, words[random.IntN(len(words))])
	for range lines {
		text += "+" + strings.Repeat("x", random.IntN(1<<random.IntN(9))) + "\n"
	}
	text += "\\ No newline at end of file\ndiff --git a/run b/run\nold mode 100644\nnew mode 100755\n"
	files, err := diff.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func shownSize(chunk []diff.File) (n int) {
	for _, f := range chunk {
		n += len(f.NumberedLines())
	}
	return n
}

// headOf returns the lines of the files after the change, by path and line number.
func headOf(files []diff.File) map[string]string {
	head := map[string]string{}
	for _, f := range files {
		for i := range f.Hunks {
			for line := range f.Hunks[i].Lines() {
				if line.New > 0 {
					head[fmt.Sprint(f.Path(), line.New)] = line.Text + "\n"
				}
			}
		}
	}
	return head
}

// checkAround checks the lines around a piece of a hunk. The file after the change must have these
// lines at that position.
func checkAround(t *testing.T, head map[string]string, chunk diff.Chunk) {
	t.Helper()
	for _, f := range chunk {
		for _, h := range f.Hunks {
			if h.Around == nil {
				continue
			}
			before, after := slices.Collect(strings.Lines(h.Around[0])), slices.Collect(strings.Lines(h.Around[1]))
			if len(before) > 3 || len(after) > 3 {
				t.Errorf("%q before and %q after a piece", before, after)
			}
			for i, text := range slices.Backward(before) {
				if n := h.NewStart - len(before) + i; h.NewLines > 0 && head[fmt.Sprint(f.Path(), n)] != text {
					t.Errorf("%q is before line %d", text, h.NewStart)
				}
			}
			for i, text := range after {
				if n := h.NewStart + h.NewLines + i; h.NewLines > 0 && head[fmt.Sprint(f.Path(), n)] != text {
					t.Errorf("%q is behind line %d", text, h.NewStart+h.NewLines-1)
				}
			}
		}
	}
}

// TestSplitIntoChunks_KeepsFilesTogether checks that a file with several hunks begins a new chunk
// instead of being cut. Pieces must show the lines around them.
func TestSplitIntoChunks_KeepsFilesTogether(t *testing.T) {
	files, err := diff.Parse(`diff --git a/a b/a
--- a/a
+++ b/a
@@ -1 +1 @@
-a
+aa
diff --git a/b b/b
--- a/b
+++ b/b
@@ -1 +1 @@
-b
+bb
@@ -9 +9 @@
-c
+cc
diff --git a/c b/c
--- a/c
+++ b/c
@@ -1,7 +1,8 @@ func c() {
 1111111111
-2222222222
+3333333333
 4444444444
 5555555555
+6666666666
 7777777777
 8888888888
 9999999999
`)
	if err != nil {
		t.Fatal(err)
	}
	chunks, unread := diff.SplitIntoChunks(files, 120, func(diff.File) string { return "" })
	var got strings.Builder
	for _, chunk := range chunks {
		got.WriteString("chunk\n")
		for _, f := range chunk {
			got.WriteString(f.Path() + "\n" + f.NumberedLines())
		}
	}
	want := `chunk
a
@@
L1 -a
R1 +aa
b
@@
L1 -b
R1 +bb
@@
L9 -c
R9 +cc
chunk
c
@@ func c() {
R1  1111111111
L2 -2222222222
R2 +3333333333
R3  4444444444
R4  5555555555
   6666666666
chunk
c
@@ func c() {
   5555555555
R5 +6666666666
R6  7777777777
R7  8888888888
R8  9999999999
`
	if got.String() != want || unread != nil {
		t.Errorf("got %s%v, want %s", got.String(), unread, want)
	}
}
