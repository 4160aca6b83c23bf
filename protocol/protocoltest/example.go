package protocoltest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// ReadMethodConstants returns the example JSON of each Method constant, by its value. It reads the
// source of package protocol in dir. The examples are lines in the constant's comment: first the
// parameters, and then the result if the method has one.
func ReadMethodConstants(t *testing.T, dir string) map[string][]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	methods := map[string][]string{}
	for _, file := range files {
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			decl, ok := n.(*ast.GenDecl)
			if !ok {
				return true
			}
			for _, spec := range decl.Specs {
				addMethod(methods, decl, spec)
			}
			return false
		})
	}
	return methods
}

func addMethod(methods map[string][]string, decl *ast.GenDecl, spec ast.Spec) {
	constant, ok := spec.(*ast.ValueSpec)
	if !ok || !strings.HasPrefix(constant.Names[0].Name, "Method") || len(constant.Values) != 1 {
		return
	}
	literal, ok := constant.Values[0].(*ast.BasicLit)
	if !ok {
		return
	}
	comment := constant.Doc
	if comment == nil && len(decl.Specs) == 1 {
		comment = decl.Doc
	}
	example := []string{}
	for line := range strings.Lines(comment.Text()) {
		if line, indented := strings.CutPrefix(line, "\t"); indented {
			example = append(example, strings.TrimSuffix(line, "\n"))
		}
	}
	methods[strings.Trim(literal.Value, `"`)] = example
}
