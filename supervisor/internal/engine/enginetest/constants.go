package enginetest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// constant is a Go constant with SQL.
type constant struct {
	name, text string
	whole      bool // the constant is a whole statement, not a part of another text
}

var isSQL = regexp.MustCompile(`^\s*(SELECT|INSERT|UPDATE|DELETE|CREATE|DROP|WITH)\b`)

// constants lists the SQL constants of the package in a folder, without its tests.
func constants(dir string) (list []constant, err error) {
	values, parts, err := readConstants(dir)
	if err != nil {
		return nil, err
	}
	for name, value := range values {
		text, err := evaluate(value, values)
		if !isSQL.MatchString(text) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("evaluate the constant %s: %w", name, err)
		}
		list = append(list, constant{name, text, !parts[name]})
	}
	slices.SortFunc(list, func(a, b constant) int { return strings.Compare(a.name, b.name) })
	return list, nil
}

// readConstants returns the constants of a package by name. parts has the names of constants that
// are parts of other texts, in a sum or in a call of fmt.
func readConstants(dir string) (values map[string]ast.Expr, parts map[string]bool, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	values, parts = map[string]ast.Expr{}, map[string]bool{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, nil, err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GenDecl:
				keepConstants(n, values)
			case *ast.BinaryExpr:
				keepParts(parts, n.X, n.Y)
			case *ast.CallExpr:
				if f, ok := n.Fun.(*ast.SelectorExpr); ok && fmt.Sprint(f.X) == "fmt" {
					keepParts(parts, n.Args...)
				}
			}
			return true
		})
	}
	return values, parts, err
}

func keepConstants(d *ast.GenDecl, values map[string]ast.Expr) {
	if d.Tok != token.CONST {
		return
	}
	for _, s := range d.Specs {
		s := s.(*ast.ValueSpec)
		for i, value := range s.Values {
			values[s.Names[i].Name] = value
		}
	}
}

func keepParts(parts map[string]bool, of ...ast.Expr) {
	for _, e := range of {
		if name, ok := e.(*ast.Ident); ok {
			parts[name.Name] = true
		}
	}
}

// evaluate returns the text of a constant. With an error it returns the part of the text that it
// knows.
func evaluate(e ast.Expr, values map[string]ast.Expr) (string, error) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			return strconv.Unquote(e.Value)
		}
	case *ast.ParenExpr:
		return evaluate(e.X, values)
	case *ast.Ident:
		if value, known := values[e.Name]; known {
			return evaluate(value, values)
		}
	case *ast.BinaryExpr:
		x, err := evaluate(e.X, values)
		if err != nil {
			return x, err
		}
		y, err := evaluate(e.Y, values)
		return x + y, err
	}
	return "", fmt.Errorf("a %T is in it", e)
}
