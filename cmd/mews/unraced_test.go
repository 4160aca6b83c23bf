package main_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestUnraced_OwnPackages_ShareNothing: tests run our packages in the Makefile's UNRACED without
// the race detector. So these packages start no goroutine, and share no value that changes.
func TestUnraced_OwnPackages_ShareNothing(t *testing.T) {
	root := moduleRoot(t)
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	list, _, _ := strings.Cut(string(makefile[strings.Index(string(makefile), "\nUNRACED "):]), "\nRACE ")
	packages := regexp.MustCompile(`\bmews/([a-z/]+)`).FindAllStringSubmatch(list, -1)
	if len(packages) < 5 {
		t.Fatalf("only %d packages of ours in %q", len(packages), list)
	}
	for _, p := range packages {
		files, err := filepath.Glob(filepath.Join(root, p[1], "*.go"))
		if err != nil || len(files) == 0 {
			t.Errorf("%s: no files, %v", p[1], err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			if found := sharedThing(file); found != "" {
				t.Errorf("%s uses %s", name, found)
			}
		}
	}
}

// sharedThing returns the first use of something by which goroutines share values; "" if there is
// none. A value that is computed once does not change.
func sharedThing(file *ast.File) (found string) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = "a go statement"
		case *ast.ChanType:
			found = "a channel"
		case *ast.SelectorExpr:
			from, isName := n.X.(*ast.Ident)
			if isName && (from.Name == "sync" && !strings.HasPrefix(n.Sel.Name, "Once") || from.Name == "atomic") {
				found = from.Name + "." + n.Sel.Name
			}
		}
		return found == ""
	})
	return found
}
