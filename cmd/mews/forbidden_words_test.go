package main_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// forbiddenWords are words that had many meanings here. No name outside of tests may have them,
// except in the packages that use the word in its one meaning.
var forbiddenWords = []struct {
	pattern *regexp.Regexp
	instead string
	allowed []string // beginnings of the paths of files
}{
	{
		regexp.MustCompile(`^([Ll]ook(s|ed)?|[Ll]ook(At|Around|Again|Every)\w*|\w+Look(s|ed)?)$`),
		"write check, poll, progress, scan, style or measure",
		[]string{
			"worker/review/", "supervisor/model/modeltest/", "supervisor/github/patch/", // a second look
			"cmd/mews/chat/", // the style of a text
		},
	},
	{
		regexp.MustCompile(`^(places?([A-Z]\w*)?|\w*[a-z]Places?([A-Z]\w*)?|Places?|place[A-Z]\w*)$`),
		"write slot, position, section, location, home or offset",
		[]string{
			"supervisor/webtools/", "protocol/web.go", "supervisor/internal/timezone/", // a place on the earth
			"supervisor/telegram/", "supervisor/history/stamp.go", "worker/calendar/", "worker/tool/calendar/",
			"supervisor/calendar/", "supervisor/todo/texts.go", // where something happens
			"supervisor/index/",          // the table place, the files that have a section
			"supervisor/command/stop.go", // in place
			"config/texts.go", "cmd/mews/install/", "cmd/mews/chat/",
		},
	},
}

func TestProse_Names_HaveNoForbiddenWords(t *testing.T) {
	eachGoFile(t, func(name string, text []byte) error {
		for _, fault := range forbiddenNames(name, text) {
			t.Errorf("%s: %s", name, fault)
		}
		return nil
	})
}

func TestForbiddenNames_EachDeclaration_IsFound(t *testing.T) {
	const source = "package p\n\ntype Place struct{ look int }\n\n" +
		"func LookAround(lookup int) { looked := 1; _ = looked }\n"
	const want = "Place: write slot, look: write check, LookAround: write check, looked: write check"
	var got []string
	for _, fault := range forbiddenNames("p/p.go", []byte(source)) {
		before, _, _ := strings.Cut(fault, ",")
		got = append(got, before)
	}
	if strings.Join(got, ", ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := forbiddenNames("supervisor/webtools/p.go", []byte("package p\n\ntype Place int\n")); got != nil {
		t.Errorf("in a package that may: got %q", got)
	}
}

// forbiddenNames returns the declared names of a file that have a forbidden word, each with advice.
func forbiddenNames(name string, text []byte) (faults []string) {
	if strings.HasSuffix(name, "_test.go") {
		return nil
	}
	file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
	if err != nil {
		return []string{err.Error()}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		for _, id := range declaredBy(n) {
			for _, word := range forbiddenWords {
				allowed := slices.ContainsFunc(word.allowed, func(begin string) bool {
					return strings.HasPrefix(name, begin)
				})
				if !allowed && word.pattern.MatchString(id) {
					faults = append(faults, id+": "+word.instead)
				}
			}
		}
		return true
	})
	return faults
}

// declaredBy returns the names that a node of the syntax tree declares.
func declaredBy(n ast.Node) (names []string) {
	var list []ast.Expr
	switch n := n.(type) {
	case *ast.FuncDecl:
		list = []ast.Expr{n.Name}
	case *ast.TypeSpec:
		list = []ast.Expr{n.Name}
	case *ast.ValueSpec:
		for _, id := range n.Names {
			list = append(list, id)
		}
	case *ast.Field:
		for _, id := range n.Names {
			list = append(list, id)
		}
	case *ast.AssignStmt:
		if n.Tok == token.DEFINE {
			list = n.Lhs
		}
	case *ast.RangeStmt:
		if n.Tok == token.DEFINE {
			list = []ast.Expr{n.Key, n.Value}
		}
	}
	for _, e := range list {
		if id, ok := e.(*ast.Ident); ok {
			names = append(names, id.Name)
		}
	}
	return names
}
