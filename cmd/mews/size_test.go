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

// The sizes that nothing of this module may exceed. Raising one is a visible change, with a reason.
const (
	maxFileLines        = 600
	maxFunctionLines    = 80 // of functions that are no tests; a table in a variable is no function
	maxStructFields     = 15
	maxMethods          = 20 // on one type
	maxInterfaceMethods = 6
)

// wideStructs may have more fields, because they are plain data that mirrors a file or a wire: the folder, a dot, the
// type's name.
var wideStructs = map[string]string{
	"config.Config":   "the file's: a field for each of its keys, and what was read besides",
	"protocol.target": "a test's: a field for each type that the wire may meet",
}

func TestSizes(t *testing.T) {
	root := moduleRoot(t)
	m := &measure{fset: token.NewFileSet(), methods: map[string]int{}}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && path != root && !ours(path, entry) {
			return fs.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(path, ".go") {
			return nil
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return m.file(name, text)
	})
	if err != nil {
		t.Fatal(err)
	}
	if m.files == 0 {
		t.Fatalf("found no Go file in %s", root)
	}
	for _, f := range m.faults() {
		t.Error(f)
	}
	for name := range wideStructs {
		if !m.wide[name] {
			t.Errorf("%s needs no exception: take it from the list", name)
		}
	}
}

// ours says whether a folder holds code of this module.
func ours(path string, entry fs.DirEntry) bool {
	name := entry.Name()
	if name == "testdata" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") {
		return false
	}
	_, err := os.Stat(filepath.Join(path, "go.mod"))
	return err != nil // else it is another module
}

// TestMeasure is the rules on code that is too large by one.
func TestMeasure(t *testing.T) {
	lines := func(n int, line string) string { return strings.Repeat(line+"\n", n) }
	numbered := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format+"\n", i)
		}
		return b.String()
	}
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
		{
			"a struct", "x.go", func(o int) string { return "type t struct {\na, b int\n" + numbered(13+o, "f%d int") + "}\n" },
			"x.go:2: t: 16 fields, at most 15",
		},
		{
			"an embedding struct", "x.go",
			func(o int) string { return "type t struct {\nu\n" + numbered(14+o, "f%d int") + "}\n" },
			"x.go:2: t: 16 fields, at most 15",
		},
		{
			"an interface", "x.go", func(o int) string { return "type t interface {\n" + numbered(6+o, "F%d()") + "}\n" },
			"x.go:2: t: 7 methods, at most 6",
		},
		{
			"a type", "x.go", func(o int) string { return numbered(20+o, "func (x *t[T]) f%d() {}") },
			"t: 21 methods, at most 20",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			for over, want := range [][]string{nil, {test.want}} {
				m := &measure{fset: token.NewFileSet(), methods: map[string]int{}}
				if err := m.file(test.file, []byte("package x\n"+test.text(over))); err != nil {
					t.Fatal(err)
				}
				if got := m.faults(); !slices.Equal(got, want) {
					t.Errorf("%d too large: got %q, want %q", over, got, want)
				}
			}
		})
	}
}

// measure takes the sizes of a module's files.
type measure struct {
	fset    *token.FileSet
	files   int
	methods map[string]int // by folder and type
	wide    map[string]bool
	found   []string
}

// faults are all that is too large.
func (m *measure) faults() []string {
	all := slices.Clone(m.found)
	for name, n := range m.methods {
		if n > maxMethods {
			all = append(all, fmt.Sprintf("%s: %d methods, at most %d", name, n, maxMethods))
		}
	}
	slices.Sort(all)
	return all
}

// file measures one; generated code is as large as it is.
func (m *measure) file(name string, text []byte) error {
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
		m.node(filepath.Dir(name), n, test)
		return true
	})
	return nil
}

func (m *measure) node(dir string, n ast.Node, test bool) {
	switch n := n.(type) {
	case *ast.FuncDecl:
		m.method(dir, n)
		m.function(n, n.Name.Name, test)
	case *ast.FuncLit:
		m.function(n, "function", test)
	case *ast.TypeSpec:
		m.declared(dir, n)
	}
}

func (m *measure) function(n ast.Node, name string, test bool) {
	if lines := m.fset.Position(n.End()).Line - m.fset.Position(n.Pos()).Line + 1; lines > maxFunctionLines && !test {
		m.fault(n, name, lines, "lines", maxFunctionLines)
	}
}

func (m *measure) method(dir string, n *ast.FuncDecl) {
	if n.Recv == nil {
		return
	}
	receiver := n.Recv.List[0].Type
	for {
		switch r := receiver.(type) {
		case *ast.StarExpr:
			receiver = r.X
		case *ast.IndexExpr:
			receiver = r.X
		case *ast.IndexListExpr:
			receiver = r.X
		case *ast.Ident:
			m.methods[filepath.Join(dir, r.Name)]++
			return
		default:
			return
		}
	}
}

func (m *measure) declared(dir string, n *ast.TypeSpec) {
	switch declared := n.Type.(type) {
	case *ast.StructType:
		fields := count(declared.Fields)
		name := filepath.ToSlash(dir) + "." + n.Name.Name
		if _, ok := wideStructs[name]; ok && fields > maxStructFields {
			m.exempt(name)
			return
		}
		if fields > maxStructFields {
			m.fault(n, n.Name.Name, fields, "fields", maxStructFields)
		}
	case *ast.InterfaceType:
		if methods := count(declared.Methods); methods > maxInterfaceMethods {
			m.fault(n, n.Name.Name, methods, "methods", maxInterfaceMethods)
		}
	}
}

func (m *measure) exempt(name string) {
	if m.wide == nil {
		m.wide = map[string]bool{}
	}
	m.wide[name] = true
}

func (m *measure) fault(n ast.Node, name string, size int, unit string, most int) {
	at := m.fset.Position(n.Pos())
	m.found = append(m.found, fmt.Sprintf("%s:%d: %s: %d %s, at most %d", at.Filename, at.Line, name, size, unit, most))
}

// count is how many names a list declares; what is embedded is one.
func count(list *ast.FieldList) int {
	n := 0
	for _, field := range list.List {
		n += max(1, len(field.Names))
	}
	return n
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
