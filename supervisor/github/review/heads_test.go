package review

import (
	"fmt"
	"strings"
	"testing"

	"mews/supervisor/github/githubtest"
)

// manyFunctions returns a Go file of n functions with six lines each. The function with the number
// in changed differs from the others.
func manyFunctions(n, changed int) string {
	var b strings.Builder
	b.WriteString("package main\n")
	for i := range n {
		step := 1
		if i == changed {
			step = 2
		}
		fmt.Fprintf(&b, "\nfunc f%d(a int) int {\n\tb := a\n\tc := b\n\td := c\n\te := d\n\tf := e\n", i)
		fmt.Fprintf(&b, "\tf += %d\n\tg := f\n\th := g\n\ti := h\n\tj := i\n\treturn j\n}\n", step)
	}
	return b.String()
}

// TestMaterial_LargeFile_ShowsChangedFunction covers files that are too large to be shown in full.
// The larger files are also too large for GraphQL, or to be read by path.
func TestMaterial_LargeFile_ShowsChangedFunction(t *testing.T) {
	for name, n := range map[string]int{"57 kB": 490, "64 kB": 550, "600 kB": 5_000, "2 MB": 16_000} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, githubtest.Options{Strict: true})
			before, after := manyFunctions(n, -1), manyFunctions(n, n/2)
			r.repo.AddCommit("main", githubtest.Commit{Message: "Base", Files: map[string]string{"main.go": before}})
			number := r.open(after)
			r.want(number, "")
			found := bug("main.go", 1, fmt.Sprintf("func f%d(a int) int {", n/2))
			r.run(found)
			files := r.material.Chunks[0].Files
			at := 14*(n/2) + 3
			if len(files) != 1 || files[0].Whole != "" {
				t.Fatalf("%d files, %d bytes of the whole", len(files), len(files[0].Whole))
			}
			r.wantParts(files[0].Functions, fmt.Sprintf("R%d  func f%d(a int) int {\n", at, n/2),
				fmt.Sprintf("R%d  \treturn j\nR%d  }\n", at+11, at+12))
			r.same("functions", strings.Count(files[0].Functions, "func"), 1)
			// The finding names another line. The first line of the function is outside of the
			// diff.
			r.wantParts(r.repo.Reviews(number)[0].Body, fmt.Sprintf("`main.go:%d`", at))
		})
	}
}
