package main_test

import (
	"errors"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// typeChecker type-checks the packages of a copy of the module. It reads the module's packages from
// source, and all other packages from the compiler's export data, which `make build` has already
// made.
type typeChecker struct {
	tree    string // folder of the module's copy
	fset    *token.FileSet
	checked map[string]*types.Package
	exports map[string]string // files with the export data of other packages
	others  types.Importer
	errors  []error
}

// newChecker makes a checker. The copy imports the same other modules as the module at root.
func newChecker(t *testing.T, tree string) *typeChecker {
	t.Helper()
	c := &typeChecker{
		tree:    tree,
		fset:    token.NewFileSet(),
		checked: map[string]*types.Package{},
		exports: map[string]string{},
	}
	c.others = importer.ForCompiler(
		c.fset,
		"gc",
		func(name string) (io.ReadCloser, error) { return os.Open(c.exports[name]) },
	)
	list := exec.Command("go", "list", "-deps", "-export", "-f", "{{.ImportPath}} {{.Export}}", "--")
	list.Args = append(list.Args, c.outside(t)...)
	list.Dir, list.Env = tree, append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-trimpath", "PWD="+tree)
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		t.Fatalf("list what other packages export: %v", err)
	}
	for line := range strings.Lines(string(out)) {
		name, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		c.exports[name] = file
	}
	return c
}

// outside lists the packages of other modules that the copy imports.
func (c *typeChecker) outside(t *testing.T) (names []string) {
	t.Helper()
	for _, name := range c.packages(t) {
		p, err := c.find(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, imported := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			if !isOurs(imported) && imported != "unsafe" {
				names = append(names, imported)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func isOurs(name string) bool { return name == "mews" || strings.HasPrefix(name, "mews/") }

// packages lists the module's packages for this platform.
func (c *typeChecker) packages(t *testing.T) (names []string) {
	t.Helper()
	err := filepath.WalkDir(c.tree, func(at string, entry os.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		if entry.Name() == "testdata" {
			return filepath.SkipDir
		}
		if p, err := platform.ImportDir(at, 0); err == nil && p.Name != "" {
			within, err := filepath.Rel(c.tree, at)
			names = append(names, path.Join("mews", filepath.ToSlash(within)))
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// platform is this platform without cgo, as `make build` compiles.
var platform = func() build.Context {
	c := build.Default
	c.CgoEnabled = false
	return c
}()

func (c *typeChecker) find(name string) (*build.Package, error) {
	return platform.ImportDir(filepath.Join(c.tree, strings.TrimPrefix(name, "mews")), 0)
}

// Import implements types.Importer.
func (c *typeChecker) Import(name string) (*types.Package, error) {
	if !isOurs(name) {
		if name == "unsafe" {
			return types.Unsafe, nil
		}
		return c.others.Import(name)
	}
	if p := c.checked[name]; p != nil {
		return p, nil
	}
	found, err := c.find(name)
	if err != nil {
		return nil, err
	}
	p := c.check(name, found.Dir, found.GoFiles)
	c.checked[name] = p
	return p, nil
}

// check type-checks files as one package, and keeps the errors.
func (c *typeChecker) check(name, dir string, files []string) *types.Package {
	var parsed []*ast.File
	for _, file := range files {
		syntax, err := parser.ParseFile(c.fset, filepath.Join(dir, file), nil, parser.SkipObjectResolution)
		if err != nil {
			c.errors = append(c.errors, err)
			continue
		}
		parsed = append(parsed, syntax)
	}
	config := types.Config{
		Importer: c,
		Error:    func(err error) { c.errors = append(c.errors, err) },
		Sizes:    types.SizesFor("gc", platform.GOARCH),
	}
	p, _ := config.Check(name, c.fset, parsed, nil) // the function config.Error records the errors
	return p
}

// checkTests type-checks a package with its tests. The package's external tests, and the packages
// that import it, also see the declarations of its internal tests.
func (c *typeChecker) checkTests(name string) error {
	found, err := c.find(name)
	if err != nil {
		return err
	}
	plain := c.checked
	defer func() { c.checked = plain }()
	c.checked = maps.Clone(plain)
	p := c.check(name, found.Dir, slices.Concat(found.GoFiles, found.TestGoFiles))
	if len(found.XTestGoFiles) > 0 {
		maps.DeleteFunc(c.checked, func(_ string, other *types.Package) bool { return imports(other, name) })
		c.checked[name] = p
		c.check(name+"_test", found.Dir, found.XTestGoFiles)
	}
	return nil
}

// imports reports whether a package imports another package, directly or indirectly.
func imports(p *types.Package, name string) bool {
	return slices.ContainsFunc(
		p.Imports(),
		func(i *types.Package) bool { return i.Path() == name || isOurs(i.Path()) && imports(i, name) },
	)
}

// typeErrors returns the type errors of all packages of a copy, and of the tests of the named
// packages.
func typeErrors(t *testing.T, tree string, tested []string) []error {
	t.Helper()
	c := newChecker(t, tree)
	for _, name := range c.packages(t) {
		if _, err := c.Import(name); err != nil {
			t.Error(err)
		}
	}
	for _, name := range tested {
		if err := c.checkTests(name); err != nil {
			t.Error(err)
		}
	}
	return c.errors
}

// TestTypeErrors_InEachKindOfFile_AreFound finds a wrong type in a package, in its tests, and in
// its external tests.
func TestTypeErrors_InEachKindOfFile_AreFound(t *testing.T) {
	tree := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":      "module mews\n",
		"a.go":        "package a\n\nimport \"strconv\"\n\nvar A int = strconv.Itoa(1)\n",
		"b/b.go":      "package b\n\nimport a \"mews\"\n\nvar B string = a.A\n",
		"a_test.go":   "package a\n\nvar T string = A\n",
		"out_test.go": "package a_test\n\nimport (\n\ta \"mews\"\n\t\"mews/b\"\n)\n\nvar O int = a.T + b.B\n",
	} {
		at := filepath.Join(tree, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var files []string
	for _, err := range typeErrors(t, tree, []string{"mews"}) {
		var wrong types.Error
		if !errors.As(err, &wrong) {
			t.Fatal(err)
		}
		files = append(files, filepath.Base(wrong.Fset.Position(wrong.Pos).Filename))
	}
	slices.Sort(files)
	if got := slices.Compact(files); !slices.Equal(got, []string{"a.go", "a_test.go", "b.go", "out_test.go"}) {
		t.Errorf("wrong types were found in %q", got)
	}
}
