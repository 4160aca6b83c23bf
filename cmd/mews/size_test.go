package main_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Limits of every file of this module. Raising a limit is a visible change and needs a reason.
const (
	maxFileLines     = 600
	maxFunctionLines = 80 // most lines of a function outside tests; a table in a variable is no function
)

func TestCodeSizes_Files_StayWithinLimits(t *testing.T) {
	m := &sizes{fset: token.NewFileSet()}
	eachGoFile(t, m.file)
	if m.files == 0 {
		t.Fatal("found no Go file")
	}
	for _, f := range m.found {
		t.Error(f)
	}
}

// eachGoFile calls the function visit with each Go file of the module, by its name below the root.
func eachGoFile(t *testing.T, visit func(name string, text []byte) error) {
	t.Helper()
	root := moduleRoot(t)
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		foreign := strings.HasPrefix(entry.Name(), ".") || strings.HasPrefix(entry.Name(), "_") || entry.Name() == "testdata"
		if entry.IsDir() && path != root && foreign {
			return fs.SkipDir // the go command skips these folders too
		}
		if entry.IsDir() || !strings.HasSuffix(path, ".go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return visit(strings.TrimPrefix(path, root+"/"), text)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestCodeSizes_EachLimit_IsExact tries each limit on code that fits exactly and on code that
// exceeds the limit by one.
func TestCodeSizes_EachLimit_IsExact(t *testing.T) {
	lines := func(n int, line string) string { return strings.Repeat(line+"\n", n) }
	for _, test := range []struct {
		name, file string
		text       func(over int) string
		want       string
	}{
		{"a file", "x.go", func(o int) string { return lines(599+o, "//") }, "x.go: 601 lines, at most 600"},
		{"a test's file", "x_test.go", func(o int) string { return lines(599+o, "//") }, "x_test.go: 601 lines, at most 600"},
		{
			"a function", "x.go", func(o int) string { return "func f() {\n" + lines(78+o, "") + "}\n" },
			"x.go:2: f: 81 lines, at most 80",
		},
		{
			"a function in a table", "x.go",
			func(o int) string { return "var x = []func(){func() {\n" + lines(78+o, "") + "}}\n" },
			"x.go:2: function: 81 lines, at most 80",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			for over, want := range [][]string{nil, {test.want}} {
				m := &sizes{fset: token.NewFileSet()}
				if err := m.file(test.file, []byte("package x\n"+test.text(over))); err != nil {
					t.Fatal(err)
				}
				if got := m.found; !slices.Equal(got, want) {
					t.Errorf("%d too large: got %q, want %q", over, got, want)
				}
			}
		})
	}
}

// sizes measures a module's files and lists those that are too large.
type sizes struct {
	fset  *token.FileSet
	files int
	found []string
}

// file measures one file. Generated code has no limits.
func (m *sizes) file(name string, text []byte) error {
	parsed, err := parser.ParseFile(m.fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	if ast.IsGenerated(parsed) {
		return nil
	}
	m.files++
	if n := strings.Count(string(text), "\n"); n > maxFileLines {
		m.found = append(m.found, fmt.Sprintf("%s: %d lines, at most %d", name, n, maxFileLines))
	}
	test := strings.HasSuffix(name, "_test.go")
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			m.function(n, n.Name.Name, test)
		case *ast.FuncLit:
			m.function(n, "function", test)
		}
		return true
	})
	return nil
}

func (m *sizes) function(n ast.Node, name string, test bool) {
	at := m.fset.Position(n.Pos())
	if lines := m.fset.Position(n.End()).Line - at.Line + 1; lines > maxFunctionLines && !test {
		m.found = append(m.found, fmt.Sprintf("%s:%d: %s: %d lines, at most %d", at.Filename, at.Line, name, lines, maxFunctionLines))
	}
}

// moduleRoot is the folder of go.mod.
func moduleRoot(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("there is no go.mod in this folder or above it")
		}
		dir = filepath.Dir(dir)
	}
}
