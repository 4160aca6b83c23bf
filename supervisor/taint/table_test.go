package taint_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"mews/protocol"
	"mews/supervisor/taint"
)

// TestTools_OfTheWorker_HaveRows checks that each tool of the worker stands in the table. A tool
// without a row would taint every turn that uses it.
func TestTools_OfTheWorker_HaveRows(t *testing.T) {
	names := append(toolsIn(t, "../../worker"), protocol.JobToolNames...)
	if len(names) < 35 {
		t.Fatalf("only %d tools were found: %s", len(names), names)
	}
	for _, name := range names {
		if !taint.HasTool(name) {
			t.Errorf("%s has no row: say whose words its results have", name)
		}
	}
}

// toolsIn returns the names in the tools' specifications below a folder of sources.
func toolsIn(t *testing.T, folder string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, is := n.(*ast.CompositeLit); is {
				if tool := toolOf(spec); tool != "" {
					names = append(names, tool)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// toolOf returns the name in a specification; "" means that the literal is none. A specification has
// a name and an effect.
func toolOf(spec *ast.CompositeLit) (name string) {
	hasEffect := false
	for _, e := range spec.Elts {
		field, is := e.(*ast.KeyValueExpr)
		if !is {
			continue
		}
		key, _ := field.Key.(*ast.Ident)
		if key == nil {
			continue
		}
		if value, is := field.Value.(*ast.BasicLit); is && key.Name == "Name" {
			name, _ = strconv.Unquote(value.Value) // the parser accepts only valid strings
		}
		if value, is := field.Value.(*ast.SelectorExpr); is && key.Name == "Effect" {
			hasEffect = hasEffect || strings.HasPrefix(value.Sel.Name, "Effect")
		}
	}
	if !hasEffect {
		return ""
	}
	return name
}
