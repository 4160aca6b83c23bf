package diff_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mews/supervisor/github/diff"
)

// reviewed is a file with two hunks that make the same change.
const reviewed = `diff --git a/a.go b/a.go
--- a/a.go
+++ b/a.go
@@ -1,3 +1,3 @@ package a
 one
-two
+	three( x )
 four
@@ -20 +20,2 @@
+same
 x
@@ -30 +31,2 @@
+same
 y
`

func TestUnseenChanges_SameHunk_IsOmitted(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"the same again", reviewed, ""},
		{"rebased: other numbers, context and white space", `diff --git a/a.go b/a.go
--- a/a.go
+++ b/a.go
@@ -101,3 +101,3 @@ package b
 ONE
-two
+    three( x )
 FOUR
@@ -120 +120,2 @@
+same
 x
`, ""},
		{"one line more in a hunk, and a third of the same", `diff --git a/a.go b/a.go
--- a/a.go
+++ b/a.go
@@ -1,3 +1,4 @@ package a
 one
-two
+three( x )
+more
 four
@@ -20 +21,2 @@
+same
 x
@@ -30 +32,2 @@
+same
 y
@@ -40 +43,2 @@
+same
 z
`, "@@ package a\nR1  one\nL2 -two\nR2 +three( x )\nR3 +more\nR4  four\n@@\nR43 +same\nR44  z\n"},
		{"the other way round", "diff --git a/a.go b/a.go\n--- a/a.go\n+++ b/a.go\n@@ -1 +1 @@\n-three( x )\n+two\n", "@@\nL1 -three( x )\nR1 +two\n"},
		{"another file", "diff --git a/b.go b/b.go\n--- a/b.go\n+++ b/b.go\n@@ -20 +20,2 @@\n+same\n x\n", "@@\nR20 +same\nR21  x\n"},
		{"no line", "diff --git a/a.go b/a.go\nold mode 100644\nnew mode 100755\n", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			seen := map[string]bool{}
			for _, f := range parsed(t, reviewed) {
				for _, print := range diff.HunkFingerprints(f) {
					seen[print] = true
				}
			}
			files := parsed(t, test.text)
			got := ""
			for _, f := range diff.UnseenChanges(files, seen) {
				got += f.NumberedLines()
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if shown(files) != shown(parsed(t, test.text)) {
				t.Error("the files that were given have changed")
			}
		})
	}
}

// TestUnseenChanges_AfterRebase_AreOnlyNewHunks rebases a branch with git. The new base has changes
// above, between and in the context of the branch's hunks. Then one of the hunks changes.
func TestUnseenChanges_AfterRebase_AreOnlyNewHunks(t *testing.T) {
	folder := t.TempDir()
	run := func(args ...string) string {
		return string(git(t, folder, nil, append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...))
	}
	write := func(numbers map[int]string) {
		var b strings.Builder
		for i := range 60 {
			b.WriteString(cmp.Or(numbers[i], fmt.Sprintf("line %d", i)) + "\n")
		}
		if err := os.WriteFile(filepath.Join(folder, "a.txt"), []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		run("add", "-A")
		run("commit", "-qm", "change")
	}
	run("init", "-q", "-b", "main")
	write(nil)
	run("checkout", "-qb", "branch")
	write(map[int]string{20: "first", 40: "second"})
	seen := map[string]bool{}
	for _, f := range parsed(t, run("diff", "main...branch")) {
		for _, print := range diff.HunkFingerprints(f) {
			seen[print] = true
		}
	}
	run("checkout", "-q", "main")
	write(map[int]string{2: "new\nnew\nnew", 17: "near the first", 30: "between"})
	run("rebase", "-q", "main", "branch")
	rebased := parsed(t, run("diff", "main...branch"))
	if len(seen) != 2 || len(rebased[0].Hunks) != 2 || diff.UnseenChanges(rebased, seen) != nil {
		t.Errorf("%v are new after a rebase of %d hunks", diff.UnseenChanges(rebased, seen), len(seen))
	}
	write(map[int]string{2: "new\nnew\nnew", 17: "near the first", 30: "between", 20: "first", 40: "second, again"})
	unseen := diff.UnseenChanges(parsed(t, run("diff", "main...branch")), seen)
	if len(unseen) != 1 || len(unseen[0].Hunks) != 1 || !strings.Contains(unseen[0].NumberedLines(), "+second, again") {
		t.Errorf("%v are new, and the second hunk is", unseen)
	}
}

func parsed(t *testing.T, text string) []diff.File {
	t.Helper()
	files, err := diff.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return files
}
