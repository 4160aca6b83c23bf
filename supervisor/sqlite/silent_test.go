package sqlite

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// userSentence matches a text for users: it begins with a capital and has a second word. sqlWord
// matches the beginning of SQL.
var (
	userSentence = regexp.MustCompile(`(?s)^[^\pL]*\p{Lu}.*\s\S`)
	sqlWord      = regexp.MustCompile(`^[^\pL]*\p{Lu}{2,}\b`)
)

// allowedImports lists our packages that sqlite may import. None of them has texts for users.
// Package problem has only kinds of problems here.
var allowedImports = []string{
	"mews/supervisor", "mews/supervisor/modelcall", "mews/supervisor/problem", "mews/protocol", "mews/protocol/amount",
	"mews/protocol/foreign",
	"mews/supervisor/internal/engine", "mews/supervisor/internal/idle", "mews/supervisor/internal/money",
	"mews/supervisor/internal/quotes",
	"mews/supervisor/internal/signals", "mews/supervisor/taint",
}

// Package sqlite makes no text and no button for users. Transactions return facts, or call a
// policy.
func TestSource_Transactions_HaveNoUserTexts(t *testing.T) {
	files := 0
	for name, file := range parseSources(t) {
		files++
		ast.Inspect(file, func(n ast.Node) bool {
			if fault := userTextIn(n); fault != "" {
				t.Errorf("%s: %s", name, fault)
			}
			return true
		})
	}
	if files < 50 {
		t.Errorf("only %d files were read", files)
	}
}

func TestUserTextCheck_TextsAndButtons_AreFound(t *testing.T) {
	for code, want := range map[string]bool{
		`"You have written nothing."`: true, "`Locked: %s`": true, "`\n[Before this came %s.]`": true, "supervisor.TextLocked": true, `[][]supervisor.Button{{{Text: "x"}}}`: true,
		`supervisor.Button{}`: true, `[]supervisor.Button{}`: true,
		"`SELECT id FROM job`": false, `"keep job %d"`: false, `"PRAGMA user_version"`: false, `"Once"`: false, `[]string{"a b"}`: false,
		"`\n\tUPDATE job SET Name = ''`": false, "supervisor.Delivery{Buttons: buttons}": false,
	} {
		e, err := parser.ParseExpr(code)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		ast.Inspect(e, func(n ast.Node) bool {
			found = found || userTextIn(n) != ""
			return true
		})
		if found != want {
			t.Errorf("%s: found %t, want %t", code, found, want)
		}
	}
}

// parseSources returns the files of the package by name, without tests.
func parseSources(t *testing.T) map[string]*ast.File {
	t.Helper()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]*ast.File{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		if files[name], err = parser.ParseFile(token.NewFileSet(), name, nil, 0); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// userTextIn describes a text or button for users in a piece of code; "" means none.
func userTextIn(n ast.Node) string {
	switch n := n.(type) {
	case *ast.ImportSpec:
		path, _ := strconv.Unquote(n.Path.Value) // there is no error, since the parser accepts only valid strings
		if strings.HasPrefix(path, "mews/") && !slices.Contains(allowedImports, path) {
			return "it imports " + path
		}
	case *ast.BasicLit:
		text, err := strconv.Unquote(n.Value)
		if n.Kind == token.STRING && err == nil && userSentence.MatchString(text) && !sqlWord.MatchString(text) {
			return "it says " + n.Value
		}
	case *ast.SelectorExpr:
		if isOfSupervisor(n) && strings.HasPrefix(n.Sel.Name, "Text") {
			return "it says supervisor." + n.Sel.Name
		}
	case *ast.CompositeLit:
		if n.Type != nil && isButton(n.Type) {
			return "it makes a button"
		}
	}
	return ""
}

// isButton reports whether a type is a button, or rows of buttons.
func isButton(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.ArrayType:
		return isButton(e.Elt)
	case *ast.SelectorExpr:
		return isOfSupervisor(e) && e.Sel.Name == "Button"
	}
	return false
}

func isOfSupervisor(e *ast.SelectorExpr) bool {
	x, ok := e.X.(*ast.Ident)
	return ok && x.Name == "supervisor"
}
