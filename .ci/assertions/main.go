// Command assertions compares the assertions of tests in two commits, or in a commit and the work
// tree, package by package. Names and literals do not count, so a change that only renames and
// rewords shows no difference.
//
//	go -C .ci run ./assertions BEFORE [AFTER]
package main

import (
	"archive/tar"
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
)

// counts holds how often each assertion occurs, by package.
type counts map[string]map[string]int

func main() {
	if len(os.Args) < 2 || len(os.Args) > 3 {
		fmt.Fprintln(os.Stderr, "which commits? assertions BEFORE [AFTER]")
		os.Exit(2)
	}
	after := "HEAD"
	if len(os.Args) == 3 {
		after = os.Args[2]
	}
	before, err := countInCommit(os.Args[1])
	if err == nil {
		var now counts
		if now, err = countInCommit(after); err == nil {
			fmt.Print(report(before, now))
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "assertions:", err)
		os.Exit(1)
	}
}

// countInCommit counts the assertions of all tests in a commit.
func countInCommit(commit string) (counts, error) {
	root, err := exec.Command("git", "rev-parse", "--show-toplevel").Output()
	if err != nil {
		return nil, fmt.Errorf("find the repository: %w", err)
	}
	git := exec.Command("git", "archive", commit)
	git.Dir = strings.TrimSpace(string(root))
	archive, err := git.Output()
	if err != nil {
		return nil, fmt.Errorf("read commit %s: %w", commit, err)
	}
	all := counts{}
	for files := tar.NewReader(bytes.NewReader(archive)); ; {
		header, err := files.Next()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read commit %s: %w", commit, err)
		}
		if !strings.HasSuffix(header.Name, "_test.go") {
			continue
		}
		source, err := io.ReadAll(files)
		if err != nil {
			return nil, err
		}
		if err := all.add(header.Name, source); err != nil {
			return nil, err
		}
	}
}

// failing are the methods of testing.T that fail a test.
var failing = []string{"Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow"}

// add counts the assertions of a file: each statement that can fail a test, without its names and
// literals.
func (c counts) add(name string, source []byte) error {
	file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	in := path.Dir(name)
	if c[in] == nil {
		c[in] = map[string]int{}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt:
			if fails(n.Body) {
				c[in]["if "+shape(n.Cond)]++
			}
		case *ast.CallExpr:
			if fun, ok := n.Fun.(*ast.SelectorExpr); ok && slices.Contains(failing, fun.Sel.Name) {
				c[in][fun.Sel.Name]++
			}
		}
		return true
	})
	return nil
}

// fails reports whether a block calls a failing method directly, and not in an inner block.
func fails(block *ast.BlockStmt) bool {
	return slices.ContainsFunc(block.List, func(s ast.Stmt) bool {
		expression, ok := s.(*ast.ExprStmt)
		if !ok {
			return false
		}
		call, ok := expression.X.(*ast.CallExpr)
		if !ok {
			return false
		}
		fun, ok := call.Fun.(*ast.SelectorExpr)
		return ok && slices.Contains(failing, fun.Sel.Name)
	})
}

// shape prints an expression without its names and literals.
func shape(e ast.Expr) string {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			n.Name = "x"
		case *ast.BasicLit:
			n.Value = "0"
		}
		return true
	})
	var text bytes.Buffer
	_ = printer.Fprint(&text, token.NewFileSet(), e) // writing to a buffer never fails
	return strings.Join(strings.Fields(text.String()), " ")
}

// report lists by package the assertions whose number has changed, and the total numbers.
func report(before, after counts) string {
	var b strings.Builder
	sums := [2]int{}
	packages := map[string]bool{}
	for p := range before {
		packages[p] = true
	}
	for p := range after {
		packages[p] = true
	}
	for _, p := range slices.Sorted(maps.Keys(packages)) {
		all := maps.Clone(before[p])
		if all == nil {
			all = map[string]int{}
		}
		maps.Copy(all, after[p])
		for _, assertion := range slices.Sorted(maps.Keys(all)) {
			had, has := before[p][assertion], after[p][assertion]
			sums[0], sums[1] = sums[0]+had, sums[1]+has
			if had != has {
				fmt.Fprintf(&b, "%s: %+d %s\n", p, has-had, assertion)
			}
		}
	}
	fmt.Fprintf(&b, "%d assertions before, %d after\n", sums[0], sums[1])
	return b.String()
}
