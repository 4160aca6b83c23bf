package main_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"strings"
	"testing"
)

// maxMethods limits the methods of a type outside of tests.
const maxMethods = 40

// manyMethods lists the types that have more, each with its limit. The limits may only fall.
var manyMethods = map[string]int{
	"cmd/mews/install.Installer":            91,
	"config.checker":                        78,
	"supervisor/admin.Service":              44,
	"supervisor/app.service":                214,
	"supervisor/command.Commands":           59,
	"supervisor/github/api.Client":          52,
	"supervisor/github/githubtest.Repo":     74,
	"supervisor/github/githubtest.Server":   43,
	"supervisor/github/review.Reviews":      82,
	"supervisor/hostcall.turn":              50,
	"supervisor/index.Index":                42,
	"supervisor/internal/engine.connection": 42,
	"supervisor/operation.Operations":       42,
	"supervisor/memory.Memory":              41,
	"supervisor/outbox.chatQueue":           72,
	"supervisor/placement.WorkerLocations":  58,
	"supervisor/recurrence.phrase":          51,
	"supervisor/sqlite.DB":                  54,
	"supervisor/sqlite.turnTx":              57,
	"supervisor/sqlite.tx":                  175,
	"supervisor/telegram.Client":            42,
	"worker/filehistory.History":            61,
	"worker/filehistory.store":              75,
	"worker/spawn.spawner":                  52,
	"worker/workspace.Workspace":            52,
}

func TestTypes_Methods_StayWithinLimit(t *testing.T) {
	count := map[string]int{}
	eachGoFile(t, func(name string, text []byte) error {
		if strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil {
				count[path.Dir(name)+"."+receiver(fn.Recv.List[0].Type)]++
			}
		}
		return nil
	})
	if len(count) == 0 {
		t.Fatal("found no method")
	}
	for name, n := range count {
		if limit := max(manyMethods[name], maxMethods); n > limit {
			t.Errorf("%s has %d methods, want at most %d", name, n, limit)
		}
	}
	for name, listed := range manyMethods {
		if count[name] <= maxMethods {
			t.Errorf("%s has %d methods and is listed with %d: delete its row", name, count[name], listed)
		}
	}
}

// receiver returns the name of the type that a method belongs to.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
